/* What tight rows add to A (sim/rows/tension.c), as it moves with the bodies. */
#ifndef CR_DERIVE_TENSION_TANGENT_H
#define CR_DERIVE_TENSION_TANGENT_H

#include "derive/constraint_state.h"

/* Adds what it makes of v - v* to s.impulse, by which the slopes of the trees have it as far as
 * links carry it along, and what strings have across them to t.row_forces; counts kinks, and what
 * is held. False when memory ran out. */
bool cr_tension_tangent_find(cr_constraint_state* s);

/* Adds the rest to the slopes. */
void cr_tension_tangent_add_slope(const cr_constraint_state* s);

/* full -= (dA)(v - v*) as strings turn, beside that; its transpose. [num_v] */
void cr_tension_tangent_subtract_strings(const cr_constraint_state* s, const double* q_mid,
                                         double* full);
void cr_tension_tangent_pull_strings(const cr_constraint_state* s, const double* full,
                                     double* q_mid);

/* - zᵀ (dA) z as strings turn; its transpose. [num_v] */
double cr_tension_tangent_move_strings(const cr_constraint_state* s, const double* z,
                                       const double* q_mid);
void cr_tension_tangent_pull_mobility(const cr_constraint_state* s, const double* z,
                                      double cotangent, double* q_mid);

/* slope -= zᵀ (dA) z by q_mid, of a motion z, as links turn.
 * @param slope [num_v] */
void cr_tension_tangent_add_mobility(const cr_constraint_state* s, const cr_row_motion* motion,
                                     double* slope);

#endif
