/* Numbers of surfaces as parameters: what they do to contacts. */
#ifndef CR_DERIVE_CONTACT_PARAMETERS_H
#define CR_DERIVE_CONTACT_PARAMETERS_H

#include "derive/step_tangent.h"
#include "derive/theta.h"
#include "model/contact_rule.h"

/* What the friction coefficient, the stiffness [N/m], and the dissipation time [s] of a contact
 * change by, its restitution and distance, and the lengths of moments of friction
 * (cr_contact_extra). */
typedef struct cr_contact_theta {
  double friction, stiffness, dissipation, restitution, distance, length[2];
} cr_contact_theta;
cr_contact_theta cr_theta_of_contact(const cr_step_tangent* t, const cr_theta_column* theta,
                                     const cr_contact_point* point);

/* The adhesion that a number of its own is, N; and how that of two geometries grows with it. */
double cr_theta_find_adhesion(const carom_model* model, const cr_theta_column* theta);
double cr_theta_of_adhesion(const carom_model* model, const cr_theta_column* theta,
                            const int geom[2]);

/* Friction that is more at rest: the share of that in the coefficient, and how this grows with the
 * slip's speed and Stribeck's. Zeros elsewhere. */
typedef struct cr_slip_friction {
  double at_rest, by_speed, by_stribeck;
} cr_slip_friction;
cr_slip_friction cr_slip_friction_find(const carom_model* model, const cr_contact_point* point);

/* The explicit pair of two geometries; -1: there is none. */
int cr_theta_find_pair(const cr_geom_model* geom, int a, int b);

/* What a contact's side brings to it; of a soft body with the point's own area. */
cr_contact_side cr_theta_side_of(const carom_model* model, const cr_contact_point* point, int k);

/* How stiffness and dissipation grow with those of the first side, of two in series. */
cr_contact_theta cr_theta_series_slope(cr_theta_kind kind, const cr_contact_side* own,
                                       const cr_contact_side* other);

/* The same of a tie of a soft body, by its attachment's values. */
cr_contact_theta cr_theta_of_tie(const cr_step_tangent* t, const cr_theta_column* theta, int tie);

#endif
