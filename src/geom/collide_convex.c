/* Capsule or cylinder against cylinder or box: the direction of least overlap, then the patch.
 *
 * Most contacts have a direction that is fixed by kinks of the overlap function, and a cheap proof
 * that it is the best: for shapes that are apart (capsules: whose axes are), a pair of points at
 * that distance; for shapes that overlap, a shielding facet. Else the general search, GJK for
 * shapes that are apart and an expanding polytope for shapes that overlap, and a last Newton
 * iteration. What is too thin and too deep for the polytope is left to the circles of the kinks. */
#include "geom/collide_convex.h"

#include "geom/epa.h"
#include "geom/gjk.h"
#include "geom/patch.h"

/* Sines of the angles by which the general searches may miss the best direction, with room to
 * spare. */
#define APART_ERROR   0.01
#define OVERLAP_ERROR 0.05

/* Builds the patch if the shapes are within the margin. */
static void build(const cr_contact_pair* pair, v3 n, double overlap, cr_manifold* manifold) {
  manifold->count = 0;
  if (-overlap < pair->margin) cr_patch_build(pair, n, -overlap, manifold);
}

/* GJK's direction is noise where the shapes all but touch; then the start may be better. */
void cr_collide_apart(const cr_contact_pair* pair, const cr_overlap* overlap, v3 n,
                      cr_manifold* manifold) {
  cr_difference difference;
  cr_difference_init(pair, &difference);
  v3 seen = m3_tmulv(pair->a.R, n);
  bool is_apart = cr_gjk_find_separation(&difference, &seen);
  v3 found = is_apart ? m3_mulv(pair->a.R, seen) : n;
  double least = cr_overlap_refine(overlap, APART_ERROR, &found);
  if (cr_overlap_compute(overlap, n) < least) {
    found = n;
    least = cr_overlap_refine(overlap, APART_ERROR, &found);
  }
  build(pair, found, least, manifold);
}

static void collide_overlapping(const cr_contact_pair* pair, const cr_overlap* overlap, v3 n,
                                double least, cr_manifold* manifold) {
  double core = least - overlap->ball, found = core;
  cr_difference difference;
  cr_difference_init(pair, &difference);
  v3 seen = m3_tmulv(pair->a.R, n);
  bool proven = cr_epa_find_penetration(&difference, &found, &seen);
  if (found < core) n = m3_mulv(pair->a.R, seen);
  core = found;
  if (!proven) core = cr_overlap_search_circles(overlap, core + overlap->ball, &n) - overlap->ball;
  if (core < 0)
    cr_collide_apart(pair, overlap, n, manifold);
  else
    build(pair, n, cr_overlap_refine(overlap, OVERLAP_ERROR, &n), manifold);
}

void cr_collide_convex(const cr_contact_pair* pair, cr_manifold* manifold) {
  cr_overlap overlap;
  v3 n;
  cr_overlap_init(pair, &overlap);
  double least = cr_overlap_find_kink(&overlap, &n);
  if (-least >= pair->margin) return;
  if (least < overlap.ball) {
    if (!cr_patch_try(pair, n, -least, manifold)) cr_collide_apart(pair, &overlap, n, manifold);
  } else if (overlap.num_discs == 0 || cr_overlap_is_shielded(&overlap, n)) {
    cr_patch_build(pair, n, -least, manifold);
  } else {
    collide_overlapping(pair, &overlap, n, least, manifold);
  }
}
