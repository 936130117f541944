/* Mass properties: of a body as given or from its geometries, of a link from its bodies. */
#include "model/compile.h"

#include <math.h>

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
  for (int i = 1; i < num_bodies; i++)
    c->body_mass[i] = cr_mass_of_body(c->builder, cr_body_at(c, i));
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
