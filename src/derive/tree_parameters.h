/* Parameters of bodies and joints: what they do to a tree's balance of momentum. */
#ifndef CR_DERIVE_TREE_PARAMETERS_H
#define CR_DERIVE_TREE_PARAMETERS_H

#include "derive/step_tangent.h"
#include "derive/theta.h"

/* The body whose moments change; -1: none's do. */
int cr_theta_find_body(const carom_model* model, const cr_theta_column* theta);

/* The moments of a body that change, about the origin of its tree (of the ground: the world's),
 * world axes. */
spatial_inertia cr_theta_find_inertia(const cr_step* step, const cr_theta_column* theta);

/* What a tree's balance of momentum changes by, all else held: dm += d m / d theta.
 * @param is_known v* by A (v* - v0) = -m, of which A's change counts
 * @param dm [num_v] */
void cr_theta_add_balance(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                          bool is_known, double* dm);

/* What (dA) x is, x = v - v*: out += d A x / d theta at rest.
 * @param x, out [num_v] */
void cr_theta_add_matrix(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                         const double* x, double* out);

/* What the bound of a dof's dry friction changes by, N or N m. */
double cr_theta_of_friction_loss(const cr_step_tangent* t, const cr_theta_column* theta, int dof);

#endif
