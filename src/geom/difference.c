/* Support points of the Minkowski difference; see difference.h. */
#include "geom/difference.h"

void cr_difference_init(const cr_contact_pair* pair, cr_difference* difference) {
  const m3 *Ra = pair->a.R, *Rb = pair->b.R;
  difference->a = pair->a.shape;
  difference->b = pair->b.shape;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      difference->R.m[i][j] =
          Ra->m[0][i] * Rb->m[0][j] + Ra->m[1][i] * Rb->m[1][j] + Ra->m[2][i] * Rb->m[2][j];
  difference->c = m3_tmulv(Ra, v3_sub(pair->b.center, pair->a.center));
  difference->thickness = pair->thickness;
  difference->size = pair->size;
  difference->tolerance = pair->tolerance;
}

bool cr_difference_has_corners(const cr_shape* shape) {
  return shape->type == CAROM_GEOM_BOX || shape->type == CAROM_GEOM_MESH ||
         shape->type == CAROM_GEOM_SPHERE || shape->type == CAROM_GEOM_CAPSULE;
}

/* A corner in its shape's frame. Of a box each bit of the number is the side along one axis, of a
 * capsule the end. */
static v3 corner_of(const cr_shape* shape, int corner) {
  const double* size = shape->size;
  switch (shape->type) {
  case CAROM_GEOM_MESH:
    return cr_hull_vertex(shape->hull, corner);
  case CAROM_GEOM_BOX:
    return v3_make(corner & 1 ? -size[0] : size[0], corner & 2 ? -size[1] : size[1],
                   corner & 4 ? -size[2] : size[2]);
  case CAROM_GEOM_CAPSULE:
    return v3_make(0, 0, corner & 1 ? -size[1] : size[1]);
  default:
    return v3_zero();
  }
}

static int sign_bit(double x) { return signbit(x) ? 1 : 0; }

/* The extreme point of a shape along a direction, both in its frame, and which corner it is. */
static v3 find_extreme(const cr_shape* shape, v3 d, int* corner) {
  switch (shape->type) {
  case CAROM_GEOM_MESH:
    *corner = cr_hull_find_support(shape->hull, d);
    break;
  case CAROM_GEOM_BOX:
    *corner = sign_bit(d.x) | sign_bit(d.y) << 1 | sign_bit(d.z) << 2;
    break;
  case CAROM_GEOM_CAPSULE:
    *corner = sign_bit(d.z);
    break;
  case CAROM_GEOM_SPHERE:
    *corner = 0;
    break;
  default:
    *corner = 0;
    return cr_shape_compute_support(shape, d);
  }
  return corner_of(shape, *corner);
}

/* a - (c + R b) */
static v3 subtract(const cr_difference* difference, v3 a, v3 b) {
  return v3_sub(v3_sub(a, difference->c), m3_mulv(&difference->R, b));
}

cr_difference_point cr_difference_find_support(const cr_difference* difference, v3 direction) {
  cr_difference_point point;
  v3 a = find_extreme(difference->a, direction, &point.a);
  v3 back = v3_neg(m3_tmulv(&difference->R, direction));
  v3 b = find_extreme(difference->b, back, &point.b);
  point.x = subtract(difference, a, b);
  return point;
}

v3 cr_difference_compute_point(const cr_difference* difference, int a, int b) {
  return subtract(difference, corner_of(difference->a, a), corner_of(difference->b, b));
}

double cr_difference_compute_overlap(const cr_difference* difference, v3 n) {
  return v3_dot(n, cr_difference_find_support(difference, n).x);
}

void cr_direction_measure(const cr_difference* difference, cr_direction* direction) {
  cr_difference_point point = cr_difference_find_support(difference, direction->n);
  direction->overlap = v3_dot(direction->n, point.x);
  direction->a = point.a, direction->b = point.b;
}
