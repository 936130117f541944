/* How far a contact is from where its parts give way to others, beyond what the parts themselves
 * say (part.h). */
#ifndef CR_GEOM_MANIFOLD_KINK_H
#define CR_GEOM_MANIFOLD_KINK_H

#include "geom/part.h"

/* By how much more than along n two convex shapes overlap along another normal of a face or of two
 * straight edges, m: where there is nothing between, either may be the contact's. Not looked at are
 * pairs of edges of hulls. */
double cr_kink_find_rival(const cr_mover mover[2], v3 n);

/* The angle (rad) by which the flatter face of both would have to turn until the pair met along it
 * (CR_PATCH_SINE), or no more; inf where neither has a face. */
double cr_kink_find_turn(const cr_mover mover[2], v3 n);

#endif
