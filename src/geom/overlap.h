/* Overlap of two shapes along a direction, and the directions where it is least.
 *
 * Boxes, cylinders and capsules are Minkowski sums of segments, discs and a ball, so the overlap of
 * A and B along a unit vector n, the width by which they would have to part along n,
 *
 *   h(n) = sum_i half_i |n.u_i| + sum_j radius_j |n x z_j| + ball - n.c,      c: centre of B from
 * A's
 *
 * has closed-form derivatives. Its least value over all directions is the penetration depth, or
 * minus the distance; the minimiser is the contact normal, from A to B. h has kinks: on the great
 * circles normal to the segments (where edges or sides touch along a line) and at the axes of the
 * discs (where caps lie flat). Minima sit on them as a rule. */
#ifndef CR_GEOM_OVERLAP_H
#define CR_GEOM_OVERLAP_H

#include "geom/contact.h"

typedef struct cr_overlap {
  v3 c;
  int num_segments, num_discs;
  v3 u[6]; /* unit */
  double half[6];
  v3 z[2]; /* unit */
  double radius[2];
  double ball;
  double tolerance; /* m: differences below it are rounding */
} cr_overlap;

/* Of a pair of boxes, cylinders or capsules. */
void cr_overlap_init(const cr_contact_pair* pair, cr_overlap* overlap);

double cr_overlap_compute(const cr_overlap* overlap, v3 n);

/* The least overlap among the directions fixed by kinks alone (face normals of boxes, axes of
 * cylinders, normals to two edges, sides) and those straight across a cylinder's axis; an exact
 * face normal wins where others are no better than by noise. When the shapes overlap and none of
 * them is a cylinder, this is the least overlap of all. */
double cr_overlap_find_kink(const cr_overlap* overlap, v3* n);

/* True when the overlap at n, a direction from cr_overlap_find_kink, is proven to be the least of
 * all because the flat piece of the boundary of A - B at n shields the origin. */
bool cr_overlap_is_shielded(const cr_overlap* overlap, v3 n);

/* Looks for better directions on the great circles of the kinks. When the shapes overlap and only
 * one of them is a cylinder, the better of this and of cr_overlap_find_kink is the least overlap of
 * all: a rim that touches a corner cannot be its minimum.
 * @param least the overlap at n, the best so far; n receives a better direction where there is one
 * @return the overlap at the new n */
double cr_overlap_search_circles(const cr_overlap* overlap, double least, v3* n);

/* Goes from n to a local minimum near it, to round-off; returns the overlap there.
 * @param sine of the angle within which the minimum is looked for on kinks */
double cr_overlap_refine(const cr_overlap* overlap, double sine, v3* n);

#endif
