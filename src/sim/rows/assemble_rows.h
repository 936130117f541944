/* The rows of a step's problem, and the impulses to start from. */
#ifndef CR_SIM_ASSEMBLE_ROWS_H
#define CR_SIM_ASSEMBLE_ROWS_H

#include "sim/rows/step_problem.h"

/* Adds the active points and rows. What has no path (both links fixed) constrains nothing. False
 * when memory ran out or a path is too long. */
bool cr_assemble_rows(cr_step* step, const cr_contact_points* points, const cr_model_rows* rows,
                      cr_step_problem* out, cr_assembly* assembly);

/* Sets out.gamma from step.guess, and out.has_guess where there is any. */
void cr_assemble_guess(const cr_step* step, const cr_contact_points* points, cr_step_problem* out);

#endif
