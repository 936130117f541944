/* The rows of the model's constraints, limits, equalities, dry friction and limited actuators, and
 * how they move. */
#ifndef CR_DERIVE_MODEL_ROWS_H
#define CR_DERIVE_MODEL_ROWS_H

#include "derive/row_force.h"
#include "derive/row_tangent.h"

/* The tie of a soft body that a constraint is of; -1: it is none. */
int cr_model_row_find_tie(const cr_step* step, const cr_constraint* constraint);

/* By how much the second link of a weld is turned from where it should be, in its own axes. */
v3 cr_model_row_find_rotation(const cr_step* step, const cr_constraint* constraint);

/* The row of a constraint that is no contact. */
carom_status cr_model_row_describe(const cr_step_tangent* t, const cr_constraint* constraint,
                                   cr_row_shape* row);

/* What moves in a column: q_mid, links, and what a place displaces. */
typedef struct cr_model_row_way {
  const double* dq;                      /* [num_v] */
  const sv* twist;                       /* [num_links] */
  const cr_line_displacement* displaced; /* null: nothing */
} cr_model_row_way;

/* How it moves with that.
 * @return the change of its distance */
double cr_model_row_differentiate(const cr_step* step, const cr_constraint* constraint,
                                  const cr_row_shape* row, const cr_model_row_way* way,
                                  cr_row_change* change);

/* The change of v_hat of a limited actuator's row in a direction, in which it has been
 * differentiated, also by what is displaced; and by its input, in a column. */
double cr_model_row_differentiate_actuator(const cr_step* step, const cr_constraint* constraint,
                                           const cr_row_shape* row,
                                           const cr_row_force_direction* by,
                                           const cr_line_displacement* displaced);
double cr_model_row_differentiate_input(const cr_step_tangent* t, const cr_constraint* constraint,
                                        int column);

/* What a cotangent of that v_hat adds to those of activations and controls, and of q0 [num_v].
 * @param inputs by columns */
void cr_model_row_pull_input(const cr_step_tangent* t, const cr_constraint* constraint,
                             double cotangent, double* inputs, double* q0);

#endif
