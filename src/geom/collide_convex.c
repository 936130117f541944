/* Capsule or cylinder against cylinder or box: the direction of least overlap, then the patch.
 *
 * Most contacts have a direction that is fixed by kinks of the overlap function, and a cheap proof
 * that it is the best: for shapes that are apart (capsules: whose axes are), a pair of points at
 * that distance; for shapes that overlap, a shielding facet. Else the general search: GJK for
 * shapes that are apart, an expanding polytope for shapes that overlap, and a last Newton iteration
 * to round-off for both. */
#include "geom/collide_convex.h"

#include "geom/epa.h"
#include "geom/gjk.h"
#include "geom/patch.h"

/* Sine of the angle by which the general searches may miss the best direction, with room to spare.
 */
#define SEARCH_ERROR 0.01

/* Builds the patch if the shapes are within the margin. */
static void build(const cr_contact_pair* pair, v3 n, double overlap, cr_manifold* manifold) {
  manifold->count = 0;
  if (-overlap < pair->margin) cr_patch_build(pair, n, -overlap, manifold);
}

void cr_collide_apart(const cr_contact_pair* pair, const cr_overlap* overlap, v3 n,
                      cr_manifold* manifold) {
  cr_gjk_find_separation(pair, &n);
  double least = cr_overlap_refine(overlap, SEARCH_ERROR, &n);
  build(pair, n, least, manifold);
}

static void collide_overlapping(const cr_contact_pair* pair, const cr_overlap* overlap, v3 n,
                                double least, cr_manifold* manifold) {
  double core = cr_epa_find_penetration(pair, least - overlap->ball, &n);
  if (core < 0)
    cr_collide_apart(pair, overlap, n, manifold);
  else
    build(pair, n, cr_overlap_refine(overlap, SEARCH_ERROR, &n), manifold);
}

void cr_collide_convex(const cr_contact_pair* pair, cr_manifold* manifold) {
  cr_overlap overlap;
  v3 n;
  cr_overlap_init(pair, &overlap);
  double least = cr_overlap_find_kink(&overlap, &n);
  if (-least >= pair->margin) return;
  if (least < overlap.ball) {
    if (!cr_patch_build(pair, n, -least, manifold)) cr_collide_apart(pair, &overlap, n, manifold);
  } else if (overlap.num_discs == 0 || cr_overlap_is_shielded(&overlap, n)) {
    cr_patch_build(pair, n, -least, manifold);
  } else {
    collide_overlapping(pair, &overlap, n, least, manifold);
  }
}
