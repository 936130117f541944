/* Penetration of convex shapes from support points alone; all in A's axes. */
#ifndef CR_GEOM_EPA_H
#define CR_GEOM_EPA_H

#include "geom/polytope.h"

/* Searches the direction from A to B with the least overlap (of the axes, for capsules); refine it
 * where a closed form of the support function is known. Ends early when it meets a direction along
 * which the shapes are apart.
 * @param overlap that of n, the best direction known; both receive better ones where there are any
 * @return true when it is proven that no direction is better by more than 1e-6 of the pair's
 *         thickness, or that the shapes are apart; false where the polytope has become too fine or
 *         too flat */
bool cr_epa_find_penetration(const cr_difference* difference, double* overlap, v3* n);

/* The same with another part of the thickness than 1e-6. */
bool cr_epa_find_within(const cr_difference* difference, double gap, double* overlap, v3* n);

/* The same from a polytope that is known, which grows.
 * @param gap m, between the bounds
 * @param best receives better directions with their corners */
bool cr_epa_search(const cr_difference* difference, double gap, cr_polytope* polytope,
                   cr_direction* best);

#endif
