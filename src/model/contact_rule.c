/* What two geometries make of a contact, by the rules that contact_rule.h states. */
#include "model/contact_rule.h"

#include <math.h>

static void set_series(const cr_contact_model* contact, int geom1, int geom2,
                       cr_contact_values* values) {
  double k1 = contact->stiffness[geom1], k2 = contact->stiffness[geom2];
  double tau1 = contact->dissipation[geom1], tau2 = contact->dissipation[geom2];
  if (isinf(k1) || isinf(k2)) {
    values->stiffness = isinf(k1) ? k2 : k1;
    values->dissipation = isinf(k1) && isinf(k2) ? NAN : isinf(k1) ? tau2 : tau1;
    return;
  }
  double share1 = k2 / (k1 + k2), share2 = k1 / (k1 + k2);
  values->stiffness = k1 * share1;
  values->dissipation = share1 * tau1 + share2 * tau2;
}

static double mix_friction(const cr_contact_model* contact, double mu1, double mu2) {
  if (contact->friction_rule == CAROM_FRICTION_RULE_LARGER) return fmax(mu1, mu2);
  double sum = mu1 + mu2;
  return sum > 0 ? 2 * mu1 * (mu2 / sum) : 0;
}

/* d of two layers in series, of which each is compressed by its share of k. */
static double mix_hunt_crossley(const cr_contact_model* contact, int geom1, int geom2) {
  double k1 = contact->stiffness[geom1], k2 = contact->stiffness[geom2];
  double d1 = contact->surface[geom1].hunt_crossley, d2 = contact->surface[geom2].hunt_crossley;
  if (isinf(k1)) return isinf(k2) ? 0 : d2;
  return isinf(k2) ? d1 : (k2 * d1 + k1 * d2) / (k1 + k2);
}

cr_contact_values cr_contact_rule_mix(const cr_geom_model* geom, const cr_contact_model* contact,
                                      int geom1, int geom2) {
  cr_contact_values values = {.margin = geom->margin[geom1] + geom->margin[geom2],
                              .gap = contact->gap[geom1] + contact->gap[geom2]};
  int lead = contact->priority[geom1] - contact->priority[geom2];
  if (lead == 0) {
    int condim1 = contact->condim[geom1], condim2 = contact->condim[geom2];
    values.condim = condim1 > condim2 ? condim1 : condim2;
    values.friction = mix_friction(contact, contact->friction[geom1], contact->friction[geom2]);
  } else {
    int decides = lead > 0 ? geom1 : geom2;
    values.condim = contact->condim[decides];
    values.friction = contact->friction[decides];
  }
  set_series(contact, geom1, geom2, &values);
  return values;
}

carom_surface cr_contact_rule_mix_surface(const cr_contact_model* contact, int geom1, int geom2) {
  int lead = contact->priority[geom1] - contact->priority[geom2];
  const carom_surface *a = &contact->surface[geom1], *b = &contact->surface[geom2];
  carom_surface mixed = lead > 0 ? *a : *b;
  if (lead == 0)
    mixed = (carom_surface){
        .torsional_friction = fmax(a->torsional_friction, b->torsional_friction),
        .rolling_friction = fmax(a->rolling_friction, b->rolling_friction),
        .static_friction = mix_friction(contact, a->static_friction, b->static_friction),
        .stribeck_speed = fmax(a->stribeck_speed, b->stribeck_speed),
        .restitution = fmax(a->restitution, b->restitution)};
  mixed.hunt_crossley = mix_hunt_crossley(contact, geom1, geom2);
  return mixed;
}
