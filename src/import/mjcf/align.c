/* Free bodies whose frame is that of their principal axes: <freejoint align="true"/>, or <compiler
 * alignfree="true"/>. The joint's coordinates are then the pose of this frame, and what stands in
 * the body moves the other way; what is read later, as anchors, is meant in it. */
#include "import/mjcf/body.h"
#include "import/mjcf/principal.h"
#include "model/inertia.h"

#include <math.h>
#include <string.h>

#define LEAST_MASS 1e-15 /* kg, of what counts */

carom_status cr_mjcf_align(cr_mjcf* m, const cr_mjcf_place* place, int align) {
  bool is_wanted = align == CR_MJCF_ALIGN_AUTO ? m->compiler.alignfree : align == 1;
  cr_mjcf_aligned aligned = {place->body.id, place->has_inertial, place->inertial_axes};
  if (!is_wanted || cr_list_push(&m->aligned, &m->allocator, &aligned)) return CAROM_OK;
  return cr_error_memory(m->error);
}

/* --- The frame ----------------------------------------------------------------------------------
 */

static quat axes_of(const double inertia[6]) {
  v3 moments;
  return cr_mjcf_principal_axes(inertia, &moments);
}

/* Of one geometry: its own axes, or the principal ones of a mesh. */
static quat geom_axes(const cr_mjcf* m, const carom_geom_def* def) {
  quat q = quat_normalize(quat_load(def->quaternion));
  if (def->type != CAROM_GEOM_MESH) return q;
  return quat_mul(q, axes_of(cr_geom_mesh(m->builder, def)->mass.inertia));
}

/* Centre of mass and principal axes; false where there is no mass. */
static bool find_frame(const cr_mjcf* m, const cr_mjcf_aligned* aligned, v3* p, quat* q) {
  const carom_builder* b = m->builder;
  const cr_body_record* body = CR_AT(&b->bodies, cr_body_record, aligned->body);
  cr_mass mass = {.mass = body->def.mass, .com = v3_load(body->def.com)};
  memcpy(mass.inertia, body->def.inertia, sizeof mass.inertia);
  const carom_geom_def* only = NULL;
  int count = 0;
  if (!aligned->has_inertial) mass = (cr_mass){0};
  for (int g = aligned->has_inertial ? -1 : body->first_geom; g >= 0;) {
    const cr_geom_record* geom = CR_AT(&b->geoms, cr_geom_record, g);
    cr_mass part = cr_mass_in_body(b, &geom->def);
    g = geom->next;
    bool counts = geom->def.gives_mass && geom->def.type != CAROM_GEOM_PLANE;
    if (!counts || !(part.mass > LEAST_MASS)) continue;
    mass = cr_mass_merge(&mass, &part);
    only = &geom->def;
    count++;
  }
  *p = mass.com;
  *q = quat_norm2(aligned->axes) > 0 ? aligned->axes
       : count == 1                  ? geom_axes(m, only)
                                     : axes_of(mass.inertia);
  return mass.mass > 0;
}

/* --- What moves ---------------------------------------------------------------------------------
 */

/* From the body's old frame into the new one at p, q. */
static void move_into(v3 p, quat q, double position[3], double quaternion[4]) {
  quat back = quat_conjugate(q);
  v3_store(quat_rotate(back, v3_sub(v3_load(position), p)), position);
  quat_store(quat_mul(back, quat_normalize(quat_load(quaternion))), quaternion);
}

static void align_body(cr_mjcf* m, int index, v3 p, quat q) {
  const carom_builder* b = m->builder;
  cr_body_record* body = CR_AT(&b->bodies, cr_body_record, index);
  carom_body_def* def = &body->def;
  quat turn = quat_normalize(quat_load(def->quaternion));
  v3_store(v3_add(v3_load(def->position), quat_rotate(turn, p)), def->position);
  quat_store(quat_normalize(quat_mul(turn, q)), def->quaternion);
  double none[4] = {1, 0, 0, 0};
  m3 I = m3_symmetric(def->inertia), R = quat_to_m3(quat_conjugate(q));
  I = m3_congruence(&R, &I);
  const double turned[6] = {I.m[0][0], I.m[1][1], I.m[2][2], I.m[0][1], I.m[0][2], I.m[1][2]};
  move_into(p, q, def->com, none);
  memcpy(def->inertia, turned, sizeof turned);
  for (int g = body->first_geom; g >= 0; g = CR_AT(&b->geoms, cr_geom_record, g)->next) {
    carom_geom_def* geom = &CR_AT(&b->geoms, cr_geom_record, g)->def;
    move_into(p, q, geom->position, geom->quaternion);
  }
}

carom_status cr_mjcf_align_bodies(cr_mjcf* m) {
  const carom_builder* b = m->builder;
  cr_list* sites = &m->builder->sites;
  int next = 0;
  for (int i = 0; i < m->aligned.count; i++) {
    const cr_mjcf_aligned* aligned = CR_AT(&m->aligned, cr_mjcf_aligned, i);
    v3 p;
    quat q;
    if (CR_AT(&b->bodies, cr_body_record, aligned->body)->first_child >= 0) continue;
    if (!find_frame(m, aligned, &p, &q)) continue;
    align_body(m, aligned->body, p, q);
    for (; next < sites->count; next++) { /* both in the order of the bodies */
      carom_site_def* site = &CR_AT(sites, cr_site_record, next)->def;
      if (site->body.id > aligned->body) break;
      if (site->body.id == aligned->body) move_into(p, q, site->position, site->quaternion);
    }
  }
  return CAROM_OK;
}
