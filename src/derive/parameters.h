/* Derivatives with respect to parameters of the model (carom/parameter.h): each number of one is a
 * column behind those of the controls. */
#ifndef CR_DERIVE_PARAMETERS_H
#define CR_DERIVE_PARAMETERS_H

#include "derive/joint_forces.h"
#include "derive/law_tangent.h"
#include "derive/theta.h"
#include "model/contact_rule.h"

/* The columns of a list of parameters, into t.thetas; refuses what there are no derivatives for. */
carom_status cr_thetas_find(cr_step_tangent* t, const carom_parameter* parameters, int count);

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

/* What the friction coefficient, the stiffness [N/m], and the dissipation time [s] of a contact
 * change by. */
typedef struct cr_contact_theta {
  double friction, stiffness, dissipation, distance;
} cr_contact_theta;
cr_contact_theta cr_theta_of_contact(const cr_step_tangent* t, const cr_theta_column* theta,
                                     const cr_contact_point* point);

/* What the lengths of its torsional and rolling rows change by, relative: they are coefficients
 * over that of friction. */
double cr_theta_of_lengths(const cr_step_tangent* t, const cr_theta_column* theta,
                           const cr_contact_point* point);

/* What a contact's side brings to it; of a soft body with the point's own area. */
cr_contact_side cr_theta_side_of(const carom_model* model, const cr_contact_point* point, int k);

/* How stiffness and dissipation grow with those of the first side, of two in series. */
cr_contact_theta cr_theta_series_slope(cr_theta_kind kind, const cr_contact_side* own,
                                       const cr_contact_side* other);

/* The same of a tie of a soft body, by its attachment's values. */
cr_contact_theta cr_theta_of_tie(const cr_step_tangent* t, const cr_theta_column* theta, int tie);

/* What the bound of a dof's dry friction changes by, N or N m. */
double cr_theta_of_friction_loss(const cr_step_tangent* t, const cr_theta_column* theta, int dof);

#endif
