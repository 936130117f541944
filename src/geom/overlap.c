/* The overlap function and its values at kinks; see overlap.h. */
#include "geom/overlap.h"

/* Sines below which two directions count as parallel: their normal would be noise. */
#define PARALLEL 1e-9

/* Of a sum of terms, as part of their size. */
#define ROUNDING 1e-15

/* A direction this close to a kink lies on it. */
#define ON_KINK 1e-12

static void add_segment(cr_overlap* overlap, v3 u, double half) {
  overlap->u[overlap->num_segments] = u;
  overlap->half[overlap->num_segments++] = half;
}

static void add_shape(cr_overlap* overlap, const cr_placed* placed) {
  const double* size = placed->shape->size;
  v3 z = m3_column(placed->R, 2);
  switch (placed->shape->type) {
  case CAROM_GEOM_BOX:
    add_segment(overlap, m3_column(placed->R, 0), size[0]);
    add_segment(overlap, m3_column(placed->R, 1), size[1]);
    add_segment(overlap, z, size[2]);
    break;
  case CAROM_GEOM_CYLINDER:
    add_segment(overlap, z, size[1]);
    overlap->z[overlap->num_discs] = z;
    overlap->radius[overlap->num_discs++] = size[0];
    break;
  case CAROM_GEOM_CAPSULE:
    add_segment(overlap, z, size[1]);
    overlap->ball += size[0];
    break;
  default:
    overlap->ball += size[0];
  }
}

void cr_overlap_init(const cr_contact_pair* pair, cr_overlap* overlap) {
  overlap->c = pair->b.center;
  overlap->num_segments = overlap->num_discs = 0;
  overlap->ball = 0;
  add_shape(overlap, &pair->a);
  add_shape(overlap, &pair->b);
  double size = overlap->ball + v3_norm(overlap->c);
  for (int i = 0; i < overlap->num_segments; i++) size += overlap->half[i];
  for (int j = 0; j < overlap->num_discs; j++) size += overlap->radius[j];
  overlap->tolerance = ROUNDING * size;
}

double cr_overlap_compute(const cr_overlap* overlap, v3 n) {
  double sum = overlap->ball - v3_dot(n, overlap->c);
  for (int i = 0; i < overlap->num_segments; i++)
    sum += overlap->half[i] * fabs(v3_dot(n, overlap->u[i]));
  for (int j = 0; j < overlap->num_discs; j++)
    sum += overlap->radius[j] * v3_norm(v3_cross(n, overlap->z[j]));
  return sum;
}

/* Takes n or -n, whichever leads from A to B, when it is better than the best so far by more than
 * the tolerance. */
static void try_direction(const cr_overlap* overlap, v3 n, double tolerance, double* least,
                          v3* best) {
  if (v3_dot(n, overlap->c) < 0) n = v3_neg(n);
  double value = cr_overlap_compute(overlap, n);
  if (!(value < *least - tolerance)) return;
  *least = value;
  *best = n;
}

double cr_overlap_find_kink(const cr_overlap* overlap, v3* n) {
  double least = INFINITY;
  const v3* u = overlap->u;
  int count = overlap->num_segments;
  *n = v3_make(0, 0, 1);
  /* Face normals: axes of discs, and of boxes, whose edges are each other's normals. */
  for (int i = 0; i < count; i++) try_direction(overlap, u[i], overlap->tolerance, &least, n);
  /* Normals to an edge or axis of each. */
  for (int i = 0; i < count; i++) {
    for (int k = i + 1; k < count; k++) {
      v3 across = v3_cross(u[i], u[k]);
      double sine = v3_norm(across);
      if (sine > PARALLEL)
        try_direction(overlap, v3_scale(1 / sine, across), overlap->tolerance, &least, n);
    }
  }
  /* Straight across a cylinder. */
  for (int j = 0; j < overlap->num_discs; j++) {
    v3 z = overlap->z[j], any, other;
    v3_tangents(z, &any, &other);
    try_direction(overlap, cr_across(overlap->c, z, any), overlap->tolerance, &least, n);
  }
  return least;
}

/* The piece of the boundary of A - B that is normal to n. */
typedef struct cr_facet {
  int count;
  int on[6]; /* segments that lie in it */
  double disc;
  v3 center; /* relative to the origin */
} cr_facet;

static cr_facet find_facet(const cr_overlap* overlap, v3 n) {
  cr_facet facet = {.center = v3_neg(overlap->c)};
  for (int i = 0; i < overlap->num_segments; i++) {
    double along = v3_dot(n, overlap->u[i]);
    if (fabs(along) <= ON_KINK)
      facet.on[facet.count++] = i;
    else
      facet.center = v3_axpy(facet.center, copysign(overlap->half[i], along), overlap->u[i]);
  }
  for (int j = 0; j < overlap->num_discs; j++) {
    v3 z = overlap->z[j], across = v3_axpy(n, -v3_dot(n, z), z);
    double sine = v3_norm(across);
    if (sine <= ON_KINK)
      facet.disc += overlap->radius[j];
    else
      facet.center = v3_axpy(facet.center, overlap->radius[j] / sine, across);
  }
  return facet;
}

/* A lower bound of the distance from a point of the facet's plane, given relative to its centre, to
 * the facet's rim; negative where nothing can be said. */
static double compute_depth_in_facet(const cr_overlap* overlap, const cr_facet* facet, v3 n, v3 y) {
  if (facet->count == 0) return facet->disc - v3_norm(y);
  if (facet->count == 1) {
    int i = facet->on[0];
    double along = v3_dot(y, overlap->u[i]);
    along -= cr_max(-overlap->half[i], cr_min(overlap->half[i], along));
    double aside = v3_dot(y, v3_cross(n, overlap->u[i]));
    return facet->disc - sqrt(along * along + aside * aside);
  }
  double least = INFINITY;
  for (int i = 0; i < facet->count; i++) {
    v3 across = v3_cross(n, overlap->u[facet->on[i]]);
    double half = -fabs(v3_dot(across, y));
    for (int k = 0; k < facet->count; k++)
      if (k != i)
        half += overlap->half[facet->on[k]] * fabs(v3_dot(across, overlap->u[facet->on[k]]));
    least = cr_min(least, half);
  }
  return least < 0 ? -1 : least + facet->disc;
}

/* A - B is symmetric about -c. So it holds the oblique cylinder between the disc of radius rho
 * about the origin's foot on the facet and the like disc on the facet's mirror image; when the side
 * of that cylinder is farther from the origin than the facet, so is everything else. */
bool cr_overlap_is_shielded(const cr_overlap* overlap, v3 n) {
  double depth = cr_overlap_compute(overlap, n) - overlap->ball;
  cr_facet facet = find_facet(overlap, n);
  v3 foot = v3_sub(v3_scale(depth, n), facet.center);
  double rho = compute_depth_in_facet(overlap, &facet, n, foot);
  v3 shift = v3_scale(2, v3_add(overlap->c, facet.center));
  double width = v3_dot(n, shift);
  double slant = v3_norm(v3_axpy(shift, -width, n));
  return width >= 2 * depth &&
         (rho * width - depth * slant) >= depth * sqrt(width * width + slant * slant);
}
