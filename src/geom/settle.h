/* The contact normal as the shapes' own features have it. */
#ifndef CR_GEOM_SETTLE_H
#define CR_GEOM_SETTLE_H

#include "geom/difference.h"

/* A search ends at points of the difference whose nearest feature is normal to the contact, up to
 * rounding that depends on the way there. What the shapes have close by takes its place where it
 * overlaps by no more: a face of A, else a face of B, else an edge of each. So the same features
 * give the same normal, to the bit, however they were found.
 * @param point the corners at which the search ended, [count] <= 4
 * @param near sine within which a face is close by
 * @param tie m, overlaps that differ by less count as the same */
void cr_direction_settle(const cr_difference* difference, const cr_difference_point* point,
                         int count, double near, double tie, cr_direction* direction);

#endif
