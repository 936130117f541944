/* Distance of convex shapes that are apart, from support points alone; all in A's axes. */
#ifndef CR_GEOM_GJK_H
#define CR_GEOM_GJK_H

#include "geom/difference.h"

typedef struct cr_simplex {
  int count;
  cr_difference_point point[4];
} cr_simplex;

/* The simplex's point nearest to the origin; it shrinks to the points that carry that one. */
v3 cr_gjk_find_nearest(cr_simplex* simplex);

/* The direction from A to B along which the shapes are farthest apart, to about 1e-4; refine it
 * where a closed form of the support function is known.
 * @param n the start, any unit vector; receives the direction
 * @return false when the shapes overlap or are as good as touching: n is then as it was */
bool cr_gjk_find_separation(const cr_difference* difference, v3* n);

/* The same, until the square of the distance can shrink by no more than the part `gap`, or the
 * shapes are proven to be farther apart than `reach`. Of polyhedra a small gap gives the exact
 * direction. */
bool cr_gjk_find_closest(const cr_difference* difference, double gap, double reach, v3* n);

typedef enum cr_gjk_result {
  CR_GJK_OVERLAP, /* or as good as touching; n is as it was */
  CR_GJK_APART,
  CR_GJK_STUCK, /* apart, but rounding ended the search before the gap was reached */
} cr_gjk_result;

/* The same from any simplex of points of the difference.
 * @param simplex receives the points that carry the nearest one */
cr_gjk_result cr_gjk_search(const cr_difference* difference, double gap, double reach,
                            cr_simplex* simplex, v3* n);

#endif
