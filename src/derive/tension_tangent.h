/* What tight rows add to A (sim/rows/tension.c), as it moves with the bodies. */
#ifndef CR_DERIVE_TENSION_TANGENT_H
#define CR_DERIVE_TENSION_TANGENT_H

#include "derive/constraint_state.h"

/* Adds what it makes of v - v* to s.impulse, by which the slopes of the trees have it as far as
 * links carry it along; counts kinks, and what is held. */
void cr_tension_tangent_find(cr_constraint_state* s);

/* Adds the rest to the slopes. */
void cr_tension_tangent_add_slope(const cr_constraint_state* s);

/* slope -= zᵀ (dA) z by q_mid, of a motion z.
 * @param slope [num_v] */
void cr_tension_tangent_add_mobility(const cr_constraint_state* s, const cr_row_motion* motion,
                                     double* slope);

#endif
