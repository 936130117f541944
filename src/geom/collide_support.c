/* Pairs with a polyhedron or an ellipsoid: the direction of least overlap from support points
 * alone, then the patch.
 *
 * GJK where the shapes (spheres and capsules: their centres and axes) are apart, an expanding
 * polytope where they overlap. Between polyhedra both end at a direction that is exact but for
 * rounding: the normal of a face or of two edges. */
#include "geom/epa.h"
#include "geom/gjk.h"
#include "geom/patch.h"

/* Part of the square of the distance, and of the thickness, that may be left to gain. */
#define APART_GAP   1e-14
#define OVERLAP_GAP 1e-9
#define ROUND_GAP   1e-10

/* Sines of the angles by which the directions may miss. */
#define EXACT_ACROSS 1e-6
#define ROUND_ACROSS 1e-4

/* Radius about the centre or axis that the searches see of a shape. */
static double ball_of(const cr_shape* shape) {
  bool is_round = shape->type == CAROM_GEOM_SPHERE || shape->type == CAROM_GEOM_CAPSULE;
  return is_round ? shape->size[0] : 0;
}

static bool is_polyhedron(const cr_shape* shape) {
  return shape->type == CAROM_GEOM_BOX || shape->type == CAROM_GEOM_MESH ||
         shape->type == CAROM_GEOM_SPHERE || shape->type == CAROM_GEOM_CAPSULE;
}

/* By how much the cores overlap along n. */
static double overlap_along(const cr_contact_pair* pair, v3 n) {
  return v3_dot(n, cr_gjk_compute_support(pair, n));
}

/* The polyhedra of the pair look along the normal once for the whole patch. */
static void build(cr_contact_pair pair, v3 n, double overlap, cr_manifold* manifold) {
  cr_hull_view views[2];
  cr_placed* placed[2] = {&pair.a, &pair.b};
  for (int i = 0; i < 2; i++) {
    if (placed[i]->shape->type != CAROM_GEOM_MESH) continue;
    views[i] = cr_placed_look(placed[i], i == 0 ? n : v3_neg(n));
    placed[i]->view = &views[i];
  }
  cr_patch_build(&pair, n, -overlap, manifold);
}

void cr_collide_support(const cr_contact_pair* pair, cr_manifold* manifold) {
  bool is_exact = is_polyhedron(pair->a.shape) && is_polyhedron(pair->b.shape);
  double ball = ball_of(pair->a.shape) + ball_of(pair->b.shape);
  v3 n = v3_normalize_or(pair->b.center, v3_make(0, 0, 1));
  double reach = pair->margin + ball;
  double overlap = overlap_along(pair, n);
  if (-overlap >= reach) return;
  if (cr_gjk_find_closest(pair, APART_GAP, reach, &n))
    overlap = overlap_along(pair, n);
  else
    cr_epa_find_within(pair, is_exact ? OVERLAP_GAP : ROUND_GAP, &overlap, &n);
  overlap += ball;
  cr_contact_pair found = *pair;
  found.across = is_exact ? EXACT_ACROSS : ROUND_ACROSS;
  if (-overlap < pair->margin) build(found, n, overlap, manifold);
}
