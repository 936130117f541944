/* The convex problem of a step from its contacts, limits, equalities, dry friction and limited
 * actuators: the one place where trees and geometry meet. */
#ifndef CR_SIM_ASSEMBLE_H
#define CR_SIM_ASSEMBLE_H

#include "sim/rows/step_problem.h"

/* Builds the problem of the active points and rows, placed at v_lin.
 * @return CR_DONE; out.num_constraints is 0 where nothing constrains;
 *         CR_UNSOLVED when A is not positive definite */
cr_result cr_step_assemble(cr_step* step, const cr_contact_points* points,
                           const cr_model_rows* rows, cr_step_problem* out);

#endif
