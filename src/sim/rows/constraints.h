/* Constraints of the model itself: joint limits, equalities, dry friction, limited actuators. */
#ifndef CR_SIM_CONSTRAINTS_H
#define CR_SIM_CONSTRAINTS_H

#include "problem/assembly.h"
#include "sim/rows/blocks.h"
#include "sim/rows/row.h"

/* Lists the rows at q_mid, and which of them enter the problem at v_lin. False when memory ran out.
 * @param rows those found before in the same step, or zeros; its memory is used again */
bool cr_model_rows_find(cr_step* step, cr_model_rows* rows);

/* Makes active the limits that would be passed within the step at the velocities v; returns how
 * many. */
int cr_model_rows_activate(const cr_step* step, const double* v, cr_model_rows* rows);

/* Adds the row to the assembly and describes it. */
void cr_model_row_add(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                      const cr_model_row* row, cr_assembly* assembly, cr_constraint* constraint);

#endif
