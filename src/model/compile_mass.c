/* Mass properties: of a body as given or from its geometries, of a link from its bodies. */
#include "model/compile.h"

#include <math.h>

bool cr_compile_shape_mass(const cr_compile* c, const cr_body_record* body, bool which_collide,
                           cr_mass* sum) {
  bool found = false;
  *sum = (cr_mass){0};
  for (int g = body->first_geom; g >= 0;) {
    const cr_geom_record* geom = CR_AT(&c->builder->geoms, cr_geom_record, g);
    bool counts = geom->def.gives_mass || (which_collide && geom->def.contype);
    if (counts && geom->def.type != CAROM_GEOM_PLANE) {
      cr_mass part = cr_mass_in_body(c->builder, &geom->def);
      *sum = cr_mass_merge(sum, &part);
      found = true;
    }
    g = geom->next;
  }
  return found;
}

static cr_mass body_mass(const cr_compile* c, const cr_body_record* body) {
  carom_inertia_source source = c->builder->def.inertia_source;
  bool is_given = !isnan(body->def.mass);
  cr_mass mass = {0};
  bool wants_geoms = source == CAROM_INERTIA_GEOMS || (source == CAROM_INERTIA_AUTO && !is_given);
  if (!(wants_geoms && cr_compile_shape_mass(c, body, false, &mass)) && is_given) {
    mass.mass = body->def.mass;
    mass.com = v3_load(body->def.com);
    for (int i = 0; i < 6; i++) mass.inertia[i] = body->def.inertia[i];
  }
  cr_mass_raise(&mass, &c->builder->def);
  return mass;
}

/* Scales all masses so that they sum to what the model asks for. */
static carom_status scale_total(cr_compile* c) {
  double wanted = c->builder->def.total_mass, total = 0;
  int num_bodies = c->builder->bodies.count;
  if (!(wanted > 0)) return CAROM_OK;
  for (int i = 1; i < num_bodies; i++) total += c->body_mass[i].mass;
  double factor = wanted / total;
  if (!(total > 0) || !isfinite(factor))
    return cr_error_set(c->error, CAROM_ERROR_BAD_INPUT,
                        "model: total_mass is %.9g, but the masses sum to %.9g", wanted, total);
  for (int i = 1; i < num_bodies; i++) cr_mass_scale(&c->body_mass[i], factor);
  return CAROM_OK;
}

carom_status cr_compile_mass(cr_compile* c) {
  int num_bodies = c->builder->bodies.count;
  c->body_mass[0] = (cr_mass){0};
  for (int i = 1; i < num_bodies; i++) c->body_mass[i] = body_mass(c, cr_body_at(c, i));
  CR_TRY(scale_total(c));
  for (int l = 0; l < c->num_links; l++) c->link_mass[l] = (cr_mass){0};
  for (int i = 0; i < num_bodies; i++) {
    m3 R = quat_to_m3(c->body_quaternion[i]);
    cr_mass part = cr_mass_transform(&c->body_mass[i], c->body_position[i], &R);
    cr_mass* link = &c->link_mass[c->body_link[i]];
    *link = cr_mass_merge(link, &part);
  }
  return CAROM_OK;
}
