/* Sites in the frames of their links. */
#include "model/compile.h"

#include <string.h>

void cr_compile_sites(cr_compile* c) {
  const cr_site_model* s = &c->model->site;
  for (int i = 0; i < s->num_sites; i++) {
    const carom_site_def* def = &CR_AT(&c->builder->sites, cr_site_record, i)->def;
    int body = c->body_index[def->body.id];
    quat turn = c->body_quaternion[body], own = cr_quat_unit(def->quaternion);
    v3 at = v3_load(def->position);
    v3 p = v3_add(c->body_position[body], quat_rotate(turn, at));
    CR_SET(int, s->body, i, body);
    CR_SET(int, s->link, i, c->body_link[body]);
    CR_SET(pose, s->local, i, (pose){p, quat_to_m3(quat_normalize(quat_mul(turn, own)))});
    v3_store(at, CR_FILL(double, s->position) + 3 * i);
    quat_store(own, CR_FILL(double, s->quaternion) + 4 * i);
    CR_SET(cr_shape, s->shape, i,
           (cr_shape){.type = def->type, .size = {def->size[0], def->size[1], def->size[2]}});
    CR_SET(int, s->group, i, def->group);
    memcpy(CR_FILL(float, s->rgba) + 4 * i, def->rgba, sizeof def->rgba);
  }
}
