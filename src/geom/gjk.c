/* Gilbert, Johnson, Keerthi 1988: the point of A - B nearest to the origin.
 *
 * A simplex of support points grows by the point farthest towards the origin and shrinks to the
 * face that carries its nearest point v; v.(v - p) for the next support point p bounds what is left
 * to gain. */
#include "geom/gjk.h"

#define MAX_ITERATIONS 64

/* Stop when the square of the distance cannot shrink by more than this part. */
#define RELATIVE_GAP 1e-8

/* Shapes nearer than this part of the pair's thickness are as good as touching. */
#define TOUCHING 1e-9

/* Sine of the angle under which a tetrahedron's edge leaves a face, below which it is flat. */
#define FLAT 1e-10

static void keep_one(cr_simplex* simplex, int i) {
  simplex->point[0] = simplex->point[i];
  simplex->count = 1;
}

/* The point of the segment (i, k) nearest to the origin; the simplex shrinks to what carries it. */
static v3 nearest_on_segment(cr_simplex* simplex, int i, int k) {
  v3 p = simplex->point[i].x, q = simplex->point[k].x, edge = v3_sub(q, p);
  double along = -v3_dot(p, edge), length2 = v3_norm2(edge);
  if (!(along > 0)) {
    keep_one(simplex, i);
    return p;
  }
  if (!(along < length2)) {
    keep_one(simplex, k);
    return q;
  }
  *simplex = (cr_simplex){2, {simplex->point[i], simplex->point[k]}};
  return v3_axpy(p, along / length2, edge);
}

/* The same for the triangle (i, j, k). The origin is nearest to an edge when it lies outside of the
 * edge as seen in the triangle's plane. */
static v3 nearest_on_triangle(cr_simplex* simplex, int i, int j, int k) {
  const cr_difference_point corner[3] = {simplex->point[i], simplex->point[j], simplex->point[k]};
  v3 normal = v3_cross(v3_sub(corner[1].x, corner[0].x), v3_sub(corner[2].x, corner[0].x));
  cr_simplex best = {0};
  v3 nearest = v3_zero();
  double least = INFINITY;
  for (int e = 0; e < 3; e++) {
    const cr_difference_point *p = &corner[e], *q = &corner[(e + 1) % 3];
    if (v3_dot(v3_cross(v3_sub(q->x, p->x), normal), p->x) < 0) {
      cr_simplex edge = {2, {*p, *q}};
      v3 x = nearest_on_segment(&edge, 0, 1);
      if (v3_norm2(x) >= least) continue;
      least = v3_norm2(x);
      nearest = x;
      best = edge;
    }
  }
  if (least < INFINITY) {
    *simplex = best;
    return nearest;
  }
  *simplex = (cr_simplex){3, {corner[0], corner[1], corner[2]}};
  return v3_scale(v3_dot(normal, corner[0].x) / v3_norm2(normal), normal);
}

/* The same for the whole tetrahedron; zero with four points left when it holds the origin. Of a
 * flat one every face counts, so that it holds nothing. */
static v3 nearest_on_tetrahedron(cr_simplex* simplex) {
  static const int face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  cr_simplex best = *simplex;
  v3 nearest = v3_zero();
  double least = INFINITY;
  for (int f = 0; f < 4; f++) {
    v3 p = simplex->point[face[f][0]].x, apex = v3_sub(simplex->point[face[f][3]].x, p);
    v3 normal =
        v3_cross(v3_sub(simplex->point[face[f][1]].x, p), v3_sub(simplex->point[face[f][2]].x, p));
    double height = v3_dot(normal, apex), of_origin = -v3_dot(normal, p);
    bool is_flat = height * height <= FLAT * FLAT * v3_norm2(normal) * v3_norm2(apex);
    if (!is_flat && of_origin * height > 0) continue;
    cr_simplex side = *simplex;
    v3 x = nearest_on_triangle(&side, face[f][0], face[f][1], face[f][2]);
    if (!(v3_norm2(x) < least)) continue;
    least = v3_norm2(x);
    nearest = x;
    best = side;
  }
  *simplex = best;
  return nearest;
}

v3 cr_gjk_find_nearest(cr_simplex* simplex) {
  switch (simplex->count) {
  case 1:
    return simplex->point[0].x;
  case 2:
    return nearest_on_segment(simplex, 0, 1);
  case 3:
    return nearest_on_triangle(simplex, 0, 1, 2);
  default:
    return nearest_on_tetrahedron(simplex);
  }
}

cr_gjk_result cr_gjk_search(const cr_difference* difference, double gap, double reach,
                            cr_simplex* simplex, v3* n) {
  double touching = TOUCHING * difference->thickness;
  cr_gjk_result result = CR_GJK_STUCK;
  v3 v = cr_gjk_find_nearest(simplex);
  double distance2 = v3_norm2(v);
  for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    if (distance2 <= touching * touching) return CR_GJK_OVERLAP;
    cr_difference_point p = cr_difference_find_support(difference, v3_neg(v));
    double along = v3_dot(v, p.x);
    bool is_beyond = along > 0 && along * along > reach * reach * distance2;
    if (is_beyond || distance2 - along <= gap * distance2) result = CR_GJK_APART;
    if (result == CR_GJK_APART) break;
    cr_simplex grown = *simplex;
    grown.point[grown.count++] = p;
    v3 next = cr_gjk_find_nearest(&grown);
    if (grown.count == 4) return CR_GJK_OVERLAP;
    if (!(v3_norm2(next) < distance2)) break;
    *simplex = grown;
    v = next;
    distance2 = v3_norm2(v);
  }
  *n = v3_scale(-1 / sqrt(distance2), v);
  return result;
}

bool cr_gjk_find_closest(const cr_difference* difference, double gap, double reach, v3* n) {
  cr_simplex simplex = {1, {cr_difference_find_support(difference, *n)}};
  return cr_gjk_search(difference, gap, reach, &simplex, n) != CR_GJK_OVERLAP;
}

bool cr_gjk_find_separation(const cr_difference* difference, v3* n) {
  return cr_gjk_find_closest(difference, RELATIVE_GAP, INFINITY, n);
}
