/* The rows of the model's constraints, limits, equalities, dry friction and limited actuators, and
 * how they move. */
#ifndef CR_DERIVE_MODEL_ROWS_H
#define CR_DERIVE_MODEL_ROWS_H

#include "derive/row_force.h"
#include "derive/row_tangent.h"

/* The tie of a soft body that a constraint is of; -1: it is none. */
int cr_model_row_find_tie(const cr_step* step, const cr_constraint* constraint);

/* The row of a constraint that is no contact. */
carom_status cr_model_row_describe(const cr_step_tangent* t, const cr_constraint* constraint,
                                   cr_row_shape* row);

/* How it moves in a column.
 * @param dq [num_v] tangent of q_mid; @param twist [num_links] of links with it
 * @return the change of its distance */
double cr_model_row_differentiate(const cr_step* step, const cr_constraint* constraint,
                                  const cr_row_shape* row, const double* dq, const sv* twist,
                                  cr_row_change* change);

/* The change of v_hat of a limited actuator's row in a direction, in which it has been
 * differentiated; and by its input, in a column. */
double cr_model_row_differentiate_actuator(const cr_step* step, const cr_constraint* constraint,
                                           const cr_row_shape* row,
                                           const cr_row_force_direction* by);
double cr_model_row_differentiate_input(const cr_step_tangent* t, const cr_constraint* constraint,
                                        int column);

/* What a cotangent of that v_hat adds to those of activations and controls.
 * @param inputs by columns */
void cr_model_row_pull_input(const cr_step_tangent* t, const cr_constraint* constraint,
                             double cotangent, double* inputs);

#endif
