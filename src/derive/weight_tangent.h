/* How the weights of stiff dampers (sim/tree/damping.h) move: each is a function of z = dt d / m,
 * and m of how the links beside the damper stand where it is weighed, which follows from q0 and v0.
 */
#ifndef CR_DERIVE_WEIGHT_TANGENT_H
#define CR_DERIVE_WEIGHT_TANGENT_H

#include "derive/step_tangent.h"
#include "derive/weight_way.h"
#include "sim/tree/damping_mass.h"

/* Those that move, into t.weights; counts what moves otherwise as held. Leaves trees elsewhere than
 * they were placed. */
bool cr_weight_tangents_find(cr_step_tangent* t);

/* What each does to A, where all trees are placed. */
void cr_weight_tangents_settle(cr_step_tangent* t);

/* Of a line's weights and of those of a spring between points that move, where their trees stand at
 * the place where they are weighed, with its t.mid (line_weights.c). False when memory ran out. */
bool cr_line_weights_find(cr_step_tangent* t, bool with_thetas);

/* What cotangents `moved` [num_v] of the place where it is weighed make of q0 and v0; `moved` is
 * zero afterwards. False when memory ran out. */
bool cr_weight_tangent_carry(cr_step_tangent* t, double* moved, cr_weight_tangent* weight);

/* How much d = R gamma - v_hat of a limited actuator's row (sim/rows/row_values.h) moves with z. */
double cr_weight_tangent_of_actuator(const cr_step* step, const cr_weight_tangent* w, int actuator,
                                     double gamma);

#endif
