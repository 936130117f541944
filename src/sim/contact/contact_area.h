/* The points of a patch where they stand for the area over which it touches (geom/area.h). */
#ifndef CR_SIM_CONTACT_AREA_H
#define CR_SIM_CONTACT_AREA_H

#include "geom/area.h"
#include "geom/collide.h"

#define CR_SPREAD_MAX (CR_AREA_POINTS + CR_MANIFOLD_MAX)

/* Points of a patch, and what each counts. */
typedef struct cr_spread {
  int count;
  cr_manifold_point points[CR_SPREAD_MAX];
  double share[CR_SPREAD_MAX]; /* of the area, summing to one over the points of one area */
  double area[CR_SPREAD_MAX];  /* m², what it stands for; 0 where there is none */
  double error; /* relative, of the moment of friction, at most; 0 where there is no area */
} cr_spread;

/* Spreads the points of a manifold that lie no farther than `reach` over the polygon or line that
 * they span, or over the disc of a cap (of either shape) that lies flat all round. The extreme
 * points stay and keep their features, those within have features of their own, that stay while
 * the extreme ones do. Points that lie farther, or that span nothing, are as they were, with the
 * share that they would have alone.
 * @param error relative, of the moment of friction, that is good enough */
void cr_contact_area_spread(const cr_shape* const shape[2], const cr_manifold* manifold,
                            double reach, double error, cr_spread* spread);

#endif
