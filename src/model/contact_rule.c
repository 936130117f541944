/* What two sides make of a contact, by the rules that contact_rule.h states. */
#include "model/contact_rule.h"

#include <math.h>

typedef cr_contact_side side;

static void set_series(const side* a, const side* b, cr_contact_values* values) {
  double k1 = a->stiffness, k2 = b->stiffness;
  if (isinf(k1) || isinf(k2)) {
    values->stiffness = isinf(k1) ? k2 : k1;
    values->dissipation = isinf(k1) && isinf(k2) ? NAN
                          : isinf(k1)            ? b->dissipation
                                                 : a->dissipation;
    return;
  }
  double share1 = k2 / (k1 + k2), share2 = k1 / (k1 + k2);
  values->stiffness = k1 * share1;
  values->dissipation = share1 * a->dissipation + share2 * b->dissipation;
}

static double mix_friction(const cr_contact_model* contact, double mu1, double mu2) {
  if (contact->friction_rule == CAROM_FRICTION_RULE_LARGER) return fmax(mu1, mu2);
  if (contact->friction_rule == CAROM_FRICTION_RULE_SMALLER) return fmin(mu1, mu2);
  double sum = mu1 + mu2;
  return sum > 0 ? 2 * mu1 * (mu2 / sum) : 0;
}

/* d of two layers in series, of which each is compressed by its share of k. */
static double mix_hunt_crossley(const side* a, const side* b) {
  double k1 = a->stiffness, k2 = b->stiffness;
  double d1 = a->surface->hunt_crossley, d2 = b->surface->hunt_crossley;
  if (isinf(k1)) return isinf(k2) ? 0 : d2;
  return isinf(k2) ? d1 : (k2 * d1 + k1 * d2) / (k1 + k2);
}

cr_contact_values cr_contact_rule_mix_sides(const cr_contact_model* contact, const side* a,
                                            const side* b) {
  cr_contact_values values = {.margin = a->margin + b->margin, .gap = a->gap + b->gap};
  if (a->priority == b->priority) {
    values.condim = a->condim > b->condim ? a->condim : b->condim;
    values.friction = mix_friction(contact, a->friction, b->friction);
  } else {
    const side* lead = a->priority > b->priority ? a : b;
    values.condim = lead->condim;
    values.friction = lead->friction;
  }
  set_series(a, b, &values);
  return values;
}

carom_surface cr_contact_rule_mix_surfaces(const cr_contact_model* contact, const side* a,
                                           const side* b) {
  const carom_surface *s = a->surface, *t = b->surface;
  carom_surface mixed = a->priority > b->priority ? *s : *t;
  if (a->priority == b->priority)
    mixed = (carom_surface){
        .torsional_friction = fmax(s->torsional_friction, t->torsional_friction),
        .rolling_friction = fmax(s->rolling_friction, t->rolling_friction),
        .static_friction = mix_friction(contact, s->static_friction, t->static_friction),
        .stribeck_speed = fmax(s->stribeck_speed, t->stribeck_speed),
        .restitution = fmax(s->restitution, t->restitution),
        .adhesion = s->adhesion + t->adhesion};
  mixed.hunt_crossley = mix_hunt_crossley(a, b);
  return mixed;
}

side cr_contact_rule_side(const cr_geom_model* geom, const cr_contact_model* contact, int index) {
  return (side){.condim = contact->condim[index],
                .priority = contact->priority[index],
                .friction = contact->friction[index],
                .margin = geom->margin[index],
                .gap = contact->gap[index],
                .stiffness = contact->stiffness[index],
                .dissipation = contact->dissipation[index],
                .surface = &contact->surface[index]};
}

bool cr_contact_rule_has_field(const cr_geom_model* geom, const cr_contact_model* contact,
                               int geom1, int geom2) {
  if (!contact->num_fields || cr_shapes_meet_as_hulls(&geom->shape[geom1], &geom->shape[geom2]))
    return false;
  return isfinite(contact->pressure[geom1]) || isfinite(contact->pressure[geom2]);
}

/* Both sides; where pressures meet these give way, and nothing else. */
static void find_sides(const cr_geom_model* geom, const cr_contact_model* contact, int geom1,
                       int geom2, side* sides) {
  sides[0] = cr_contact_rule_side(geom, contact, geom1);
  sides[1] = cr_contact_rule_side(geom, contact, geom2);
  if (!cr_contact_rule_has_field(geom, contact, geom1, geom2)) return;
  sides[0].stiffness = contact->slope[geom1];
  sides[1].stiffness = contact->slope[geom2];
}

cr_contact_values cr_contact_rule_mix(const cr_geom_model* geom, const cr_contact_model* contact,
                                      int geom1, int geom2) {
  side sides[2];
  find_sides(geom, contact, geom1, geom2, sides);
  return cr_contact_rule_mix_sides(contact, &sides[0], &sides[1]);
}

carom_surface cr_contact_rule_mix_surface(const cr_geom_model* geom,
                                          const cr_contact_model* contact, int geom1, int geom2) {
  side sides[2];
  find_sides(geom, contact, geom1, geom2, sides);
  return cr_contact_rule_mix_surfaces(contact, &sides[0], &sides[1]);
}
