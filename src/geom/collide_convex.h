/* The general path of the narrow phase. */
#ifndef CR_GEOM_COLLIDE_CONVEX_H
#define CR_GEOM_COLLIDE_CONVEX_H

#include "geom/overlap.h"

/* Collides a pair of boxes, cylinders or capsules (capsules: whose axes are apart) that are apart,
 * when the nearest points are not yet known to lie along a kink of the overlap function.
 * @param n a direction along which they are apart or nearly so */
void cr_collide_apart(const cr_contact_pair* pair, const cr_overlap* overlap, v3 n,
                      cr_manifold* manifold);

#endif
