/* How the forces of the fluid move with the step, as forces along rows (row_force.h), and with the
 * fluid. */
#ifndef CR_DERIVE_FLUID_TANGENT_H
#define CR_DERIVE_FLUID_TANGENT_H

#include "derive/row_force.h"
#include "derive/theta.h"
#include "force/fluid.h"

#define CR_FLUID_ROWS 18 /* of a part, at most */

/* A part where the step has it. */
typedef struct cr_fluid_tangent {
  pose place;
  sv V; /* relative to the fluid, in its axes */
} cr_fluid_tangent;

/* Adds the rows of a part, whose tree stands where its forces count. False when memory ran out. */
bool cr_fluid_rows_add(cr_step_tangent* t, int part);

/* Whether a parameter is one of the fluid. */
bool cr_theta_is_of_fluid(const cr_theta_column* theta);

/* How the force on a part, in its axes, moves with it. */
sv cr_fluid_theta_find_force(const cr_fluid_model* fluid, int part, const cr_fluid_tangent* at,
                             const cr_theta_column* theta);

/* What the balance of a tree changes by with it: dm -= dt times what the forces do. */
void cr_fluid_theta_add_balance(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                                double* dm);

/* As cr_theta_add_matrix. */
void cr_fluid_theta_add_matrix(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                               const double* x, double* out);

#endif
