/* Other normals than the one at hand; see manifold_kink.h. */
#include "geom/manifold_kink.h"

#include "geom/contact.h"

/* Distance between unit vectors that are one normal. */
#define SAME 1e-3

/* Hulls with more faces are left out. */
#define MOST_FACES 256

typedef struct cr_rivals {
  const cr_mover* mover;
  v3 n;
  double depth, least; /* m */
} cr_rivals;

static double find_height(const cr_mover* mover, v3 out) {
  v3 local = cr_shape_compute_support(mover->shape, m3_tmulv(&mover->X->R, out));
  return v3_dot(out, v3_add(mover->center, m3_mulv(&mover->X->R, local)));
}

static double find_overlap(const cr_mover mover[2], v3 n) {
  return find_height(&mover[0], n) + find_height(&mover[1], v3_neg(n));
}

static void try_direction(cr_rivals* r, v3 n) {
  if (v3_norm(v3_sub(n, r->n)) < SAME) return;
  r->least = cr_min(r->least, find_overlap(r->mover, n) - r->depth);
}

static void try_both_ways(cr_rivals* r, v3 n) {
  try_direction(r, n);
  try_direction(r, v3_neg(n));
}

/* Directions of the straight edges of a shape that is no hull. */
static int find_edges(const cr_mover* mover, v3 edge[3]) {
  carom_geom_type type = mover->shape->type;
  int count = type == CAROM_GEOM_BOX                                      ? 3
              : type == CAROM_GEOM_CAPSULE || type == CAROM_GEOM_CYLINDER ? 1
                                                                          : 0;
  for (int i = 0; i < count; i++) edge[i] = m3_column(&mover->X->R, count == 3 ? i : 2);
  return count;
}

static void try_faces(cr_rivals* r, int side) {
  const cr_mover* mover = &r->mover[side];
  const cr_hull* hull = mover->shape->hull;
  v3 edge[3];
  int count = mover->shape->type == CAROM_GEOM_CAPSULE ? 0 : find_edges(mover, edge);
  for (int i = 0; i < count; i++) try_both_ways(r, edge[i]); /* of a box, or caps */
  for (int f = 0; hull && hull->num_faces <= MOST_FACES && f < hull->num_faces; f++) {
    v3 n = m3_mulv(&mover->X->R, cr_hull_normal(hull, f));
    try_direction(r, side == 0 ? n : v3_neg(n));
  }
}

static bool is_convex(const cr_mover* mover) {
  return mover->shape->type != CAROM_GEOM_PLANE && (!mover->shape->surface || mover->is_hull);
}

double cr_kink_find_rival(const cr_mover mover[2], v3 n) {
  v3 edge[2][3];
  if (!is_convex(&mover[0]) || !is_convex(&mover[1])) return INFINITY;
  cr_rivals r = {mover, n, find_overlap(mover, n), INFINITY};
  if (r.depth <= 0) return INFINITY;
  for (int s = 0; s < 2; s++) try_faces(&r, s);
  int count[2] = {find_edges(&mover[0], edge[0]), find_edges(&mover[1], edge[1])};
  for (int i = 0; i < count[0]; i++)
    for (int k = 0; k < count[1]; k++) {
      v3 across = v3_cross(edge[0][i], edge[1][k]);
      if (v3_norm(across) > SAME) try_both_ways(&r, v3_normalize_or(across, n));
    }
  return r.least;
}

/* Sine between `out` and the normal of the flattest face; 1 where there is none. */
static double find_tilt(const cr_mover* mover, v3 out) {
  const cr_hull* hull = mover->shape->hull;
  v3 local = m3_tmulv(&mover->X->R, out), size = v3_abs(local);
  carom_geom_type type = mover->shape->type;
  double cosine = 0;
  if (type == CAROM_GEOM_BOX) cosine = cr_max(size.x, cr_max(size.y, size.z));
  if (type == CAROM_GEOM_CYLINDER) cosine = size.z;
  if (hull) cosine = v3_dot(cr_hull_normal(hull, cr_hull_look(hull, local).face), local);
  return sqrt(cr_max(0, 1 - cosine * cosine));
}

double cr_kink_find_turn(const cr_mover mover[2], v3 n) {
  if (!is_convex(&mover[0]) || !is_convex(&mover[1])) return INFINITY;
  double sine = cr_min(find_tilt(&mover[0], n), find_tilt(&mover[1], v3_neg(n)));
  return sine < 1 ? fabs(sine - CR_PATCH_SINE) : INFINITY;
}
