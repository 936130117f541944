/* What a patch of pressure does together. */
#ifndef CR_GEOM_FIELD_SUMS_H
#define CR_GEOM_FIELD_SUMS_H

#include "geom/field_pair.h"

/* Sums over the surface on which pressures are equal, about the pair's place. */
typedef struct cr_field_sums {
  double load, force; /* N: ∫ p dA; |F| */
  v3 normal, t[2];    /* of F, and across it */
  v3 moment;          /* N m */
  v3 lean;            /* N m: ∫ p x dA */
  double stiffness;   /* N/m */
  double area;        /* m², across the normal */
  double first[2];    /* N: ∫ k x dA, across the normal */
  double second[3];   /* N m: xx, xy, yy */
  double lever[2];    /* N, N m: ∫ k |x - c| dA across the normal, ∫ p |x - c| dA */
} cr_field_sums;

/* Of two balls, or a ball and a plane, in closed form. False where there is none: of other shapes,
 * and where the surface does not lie between both middles. */
bool cr_field_sum_balls(const cr_field_pair* pair, cr_field_sums* sums);

#endif
