/* Penetration of convex shapes from support points alone. */
#ifndef CR_GEOM_EPA_H
#define CR_GEOM_EPA_H

#include "geom/contact.h"

/* Searches the direction from A to B with the least overlap (of the axes, for capsules): at most
 * 1e-6 of the smaller shape's thickness worse than the best there is; refine it where a closed form
 * of the support function is known. Ends early when it meets a direction along which the shapes are
 * apart.
 * @param n the best direction known; receives a better one
 * @param overlap its overlap
 * @return the overlap of the direction found */
double cr_epa_find_penetration(const cr_contact_pair* pair, double overlap, v3* n);

#endif
