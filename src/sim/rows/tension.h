/* Geometric stiffness of tight rows: how the direction of their forces turns with the bodies. */
#ifndef CR_SIM_TENSION_H
#define CR_SIM_TENSION_H

#include "sim/rows/blocks.h"
#include "sim/rows/row.h"

/* Lists the strings of a step that bear a load, in the memory of its problem; false when that ran
 * out. */
bool cr_tension_find_strands(cr_step* step);

/* Adds to A the positive semi-definite part of h² dF/dq, F = -Jᵀ gamma / dt with the impulses that
 * step.guess has for equalities and for tendons, h² = max(theta_q theta_vq, 1/2) dt².
 * @param is_added receives whether there was any */
bool cr_tension_add_blocks(cr_step* step, const cr_model_rows* rows, cr_blocks* blocks,
                           bool* is_added);

#endif
