/* Distance of convex shapes that are apart, from support points alone. */
#ifndef CR_GEOM_GJK_H
#define CR_GEOM_GJK_H

#include "geom/contact.h"

/* The point of A - B that lies farthest along a direction. Capsules count as their axes,
 * spheres as their centres. */
v3 cr_gjk_compute_support(const cr_contact_pair* pair, v3 direction);

/* The direction from A to B along which the shapes (capsules: axes) are farthest apart, to about
 * 1e-4; refine it where a closed form of the support function is known.
 * @param n the start, any unit vector; receives the direction
 * @return false when the shapes overlap or are as good as touching: n is then as it was */
bool cr_gjk_find_separation(const cr_contact_pair* pair, v3* n);

/* The same, until the square of the distance can shrink by no more than the part `gap`, or the
 * shapes are proven to be farther apart than `reach`. Of polyhedra a small gap gives the exact
 * direction. */
bool cr_gjk_find_closest(const cr_contact_pair* pair, double gap, double reach, v3* n);

#endif
