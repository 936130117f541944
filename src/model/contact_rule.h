/* What two sides make of a contact, geometries or parts of soft bodies: the model's rule for
 * friction, springs in series for compliance. */
#ifndef CR_MODEL_CONTACT_RULE_H
#define CR_MODEL_CONTACT_RULE_H

#include "model/model.h"

/* Values of a pair. */
typedef struct cr_contact_values {
  int condim;
  double friction, margin, gap;
  double stiffness;   /* N/m; inf: rigid */
  double dissipation; /* s; NaN: default of the stiffness */
} cr_contact_values;

/* What one side brings to a pair. */
typedef struct cr_contact_side {
  int condim, priority;
  double friction, margin, gap;
  double stiffness, dissipation; /* N/m, s */
  const carom_surface* surface;
} cr_contact_side;

cr_contact_side cr_contact_rule_side(const cr_geom_model* geom, const cr_contact_model* contact,
                                     int index);

/* The larger condim, and friction by the model's rule, unless one side has the higher priority:
 * then its own. Margins and gaps add. Two compliant layers are in series (docs/contact.md),
 *
 *   1/k = 1/k1 + 1/k2,   tau = k/k1 tau1 + k/k2 tau2,
 *
 * a rigid one has no part in it; of two rigid ones the dissipation is NaN. */
cr_contact_values cr_contact_rule_mix_sides(const cr_contact_model* contact,
                                            const cr_contact_side* a, const cr_contact_side* b);
cr_contact_values cr_contact_rule_mix(const cr_geom_model* geom, const cr_contact_model* contact,
                                      int geom1, int geom2);

/* Whether one of two geometries has a pressure inside and none is a surface, so that their contact
 * is where pressures are equal (geom/field.h); the stiffness of such values is per area, Pa/m. */
bool cr_contact_rule_has_field(const cr_geom_model* geom, const cr_contact_model* contact,
                               int geom1, int geom2);

/* What the surfaces of two sides make of the rest. Hunt-Crossley's d follows the rule of tau,
 * static friction that of friction; of torsional and rolling friction, restitution and Stribeck
 * speed the larger counts, of adhesion the sum, unless one side has the higher priority. */
carom_surface cr_contact_rule_mix_surfaces(const cr_contact_model* contact,
                                           const cr_contact_side* a, const cr_contact_side* b);
carom_surface cr_contact_rule_mix_surface(const cr_geom_model* geom,
                                          const cr_contact_model* contact, int geom1, int geom2);

#endif
