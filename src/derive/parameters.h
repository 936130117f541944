/* Derivatives with respect to parameters of the model (carom/parameter.h): each number of one is a
 * column behind those of the controls. */
#ifndef CR_DERIVE_PARAMETERS_H
#define CR_DERIVE_PARAMETERS_H

#include "derive/joint_forces.h"
#include "derive/law_tangent.h"
#include "model/contact_rule.h"

/* What a number of a parameter is. */
typedef enum cr_theta_kind {
  CR_THETA_GRAVITY,
  CR_THETA_MASS,
  CR_THETA_COM,
  CR_THETA_INERTIA,
  CR_THETA_STIFFNESS, /* of a joint, as the next */
  CR_THETA_SPRING_REFERENCE,
  CR_THETA_DAMPING,
  CR_THETA_ARMATURE,
  CR_THETA_FRICTION_LOSS,
  CR_THETA_GAIN, /* of an actuator, as the next */
  CR_THETA_GAIN_FEEDBACK,
  CR_THETA_BIAS,
  CR_THETA_FRICTION, /* of a geometry or pair, as the next */
  CR_THETA_CONTACT_STIFFNESS,
  CR_THETA_CONTACT_DISSIPATION,
  CR_THETA_SIZE, /* of a geometry, as the next */
  CR_THETA_PLACE,
  CR_THETA_BODY_PLACE, /* of a body in its parent, as the next; see place_parameters.h */
  CR_THETA_BODY_TURN,
  CR_THETA_JOINT_ANCHOR,
  CR_THETA_JOINT_AXIS,
  CR_THETA_COMPENSATION, /* of a body's weight */
  CR_THETA_RANGE,        /* of a joint's limit, as the next; see row_parameters.h */
  CR_THETA_LIMIT_STIFFNESS,
  CR_THETA_LIMIT_DISSIPATION,
  CR_THETA_TENDON_RANGE, /* the same of a tendon */
  CR_THETA_TENDON_LIMIT_STIFFNESS,
  CR_THETA_TENDON_LIMIT_DISSIPATION,
  CR_THETA_TENDON_FRICTION_LOSS,
  CR_THETA_EQUALITY_ANCHOR1, /* of an equality, as the next */
  CR_THETA_EQUALITY_ANCHOR2,
  CR_THETA_EQUALITY_DISTANCE,
  CR_THETA_EQUALITY_POLYNOMIAL,
  CR_THETA_EQUALITY_STIFFNESS,
  CR_THETA_EQUALITY_DISSIPATION,
  CR_THETA_YOUNG, /* of a soft body, as the next */
  CR_THETA_POISSON,
  CR_THETA_DENSITY,
  CR_THETA_SOFT_MASS,
  CR_THETA_ALPHA,
  CR_THETA_BETA,
  CR_THETA_PRESSURE,
  CR_THETA_TIE_STIFFNESS, /* of an attachment, as the next */
  CR_THETA_TIE_DISSIPATION,
} cr_theta_kind;

struct cr_theta_column {
  cr_theta_kind kind;
  int index;   /* in the model: body, joint, actuator, geometry; pairs behind the geometries, and
                  -1 - s of contacts of soft body s */
  int element; /* of the parameter's numbers */
};
typedef struct cr_theta_column cr_theta_column;

/* The columns of a list of parameters, into t.thetas; refuses what there are no derivatives for. */
carom_status cr_thetas_find(cr_step_tangent* t, const carom_parameter* parameters, int count);

/* A number of a geometry's size or place. */
static inline bool cr_theta_is_of_shape(const cr_theta_column* theta) {
  return theta->kind == CR_THETA_SIZE || theta->kind == CR_THETA_PLACE;
}

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
