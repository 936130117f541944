/* Controllers and motors with states of their own in a step: what their forces move with, and their
 * activations at its end. */
#ifndef CR_DERIVE_CONTROLLER_TANGENT_H
#define CR_DERIVE_CONTROLLER_TANGENT_H

#include "derive/row_force.h"

/* Adds one's force along a row, at its coordinate and rate there, and where A has its slopes by the
 * shares h; what the row has of it as row_forces.c. */
void cr_law_add_force(cr_step_tangent* t, cr_row_force* p, int actuator, const double h[2],
                      const double at[2]);

/* Counts bounds that their activations are about to meet, or to leave. */
void cr_law_mark_kinks(cr_step_tangent* t);

/* Its activations in a column.
 * @param x1 [num_x] */
void cr_law_finish_column(const cr_step_tangent* t, int actuator, int column, double* x1);

/* The transpose.
 * @param inputs of `to` from the first activation on */
typedef struct cr_law_cotangents {
  double *q_mid, *v, *v_star, *v0, *inputs;
} cr_law_cotangents;
void cr_law_pull_end(cr_step_tangent* t, int actuator, const double* x1,
                     const cr_law_cotangents* to);

#endif
