/* MJCF: settings, meshes, then bodies, then what names them. Masses and inertias are those that the
 * description compiles into, so no rule of the format makes others. */
#include "export/writer.h"

#include <math.h>
#include <string.h>

/* ---- Settings */

static void write_compiler(cr_writer* w) {
  cr_write_open(w, "compiler");
  cr_write_text(w, "angle", "radian");
  cr_write_text(w, "inertiafromgeom", "false");
  if (w->builder->def.allow_unphysical) cr_write_text(w, "carom:unphysical", "true");
  cr_write_close(w, "compiler");
}

/* Rules of pairs that the format does not have. */
static void write_contact_rules(cr_writer* w) {
  static const char OURS[] =
      "stiffness, dissipation, pitches of screws, rules of friction and contact over areas stand "
      "in attributes with the prefix carom:, which other programs refuse or pass over";
  const carom_builder_def *def = &w->builder->def, usual = carom_builder_def_default();
  static const char* const RULES[] = {NULL, "harmonic", "smaller"};
  const char* rule = RULES[def->friction_rule];
  if (rule) cr_write_text(w, "carom:friction_rule", rule);
  cr_write_number_but(w, "carom:contact_stiffness", def->contact_stiffness, INFINITY);
  cr_write_number_but(w, "carom:contact_dissipation", def->contact_dissipation, NAN);
  cr_write_number_but(w, "carom:rest_speed", def->rest_speed, usual.rest_speed);
  bool corners = def->patches == CAROM_PATCHES_CORNERS;
  if (corners) cr_write_text(w, "carom:patches", "corners");
  cr_write_number_but(w, "carom:patch_error", def->patch_error, usual.patch_error);
  if (rule || isfinite(def->contact_stiffness) || corners) cr_write_remark(w, OURS);
}

static void write_option(cr_writer* w) {
  const carom_builder_def* def = &w->builder->def;
  cr_write_open(w, "option");
  cr_write_number(w, "timestep", def->timestep);
  cr_write_numbers(w, "gravity", def->gravity, 3);
  cr_write_number_but(w, "density", def->fluid_density, 0);
  cr_write_number_but(w, "viscosity", def->fluid_viscosity, 0);
  cr_write_vector_but_zero(w, "wind", def->wind);
  cr_write_numbers(w, "magnetic", def->magnetic, 3);
  write_contact_rules(w);
  if (def->disable_contacts || def->parents_collide) {
    cr_write_open(w, "flag");
    if (def->disable_contacts) cr_write_text(w, "contact", "disable");
    if (def->parents_collide) cr_write_text(w, "filterparent", "disable");
    cr_write_close(w, "flag");
  }
  cr_write_close(w, "option");
}

/* ---- Keyframes */

static void write_key_array(cr_writer* w, const char* name, int start, int count) {
  if (start >= 0) cr_write_numbers(w, name, CR_AT(&w->builder->numbers, double, start), count);
}

static void write_keyframes(cr_writer* w) {
  const carom_builder* b = w->builder;
  if (b->keyframes.count == 0) return;
  cr_write_open(w, "keyframe");
  for (int i = 0; i < b->keyframes.count; i++) {
    const cr_keyframe_record* key = CR_AT(&b->keyframes, cr_keyframe_record, i);
    const char* name = cr_text_get(&b->text, key->label.name, NULL);
    cr_write_open(w, "key");
    if (name) cr_write_text(w, "name", name);
    cr_write_number_but(w, "time", key->def.time, 0);
    write_key_array(w, "qpos", key->q, key->def.num_q);
    write_key_array(w, "qvel", key->v, key->def.num_v);
    write_key_array(w, "ctrl", key->ctrl, key->def.num_ctrl);
    write_key_array(w, "act", key->act, key->def.num_act);
    write_key_array(w, "mpos", key->mocap_position, key->def.num_mocap_position);
    write_key_array(w, "mquat", key->mocap_quaternion, key->def.num_mocap_quaternion);
    cr_write_close(w, "key");
  }
  cr_write_close(w, "keyframe");
}

/* ---- The file */

static void write_left_out(cr_writer* w) {
  static const char SPRINGS[] = "springs between points are left out";
  static const char SOFTS[] = "soft bodies are left out";
  if (w->builder->springs.count) cr_write_remark(w, SPRINGS);
  if (w->builder->softs.count) cr_write_remark(w, SOFTS);
}

carom_status cr_write_mjcf(cr_writer* w) {
  const char* name = cr_text_get(&w->builder->text, w->builder->name, NULL);
  cr_write_open(w, "mujoco");
  if (name) cr_write_text(w, "model", name);
  write_compiler(w);
  write_option(w);
  cr_mjcf_write_extensions(w);
  cr_mjcf_write_assets(w);
  cr_mjcf_write_bodies(w);
  cr_mjcf_write_relations(w);
  cr_mjcf_write_sensors(w);
  write_keyframes(w);
  write_left_out(w);
  cr_write_close(w, "mujoco");
  return CAROM_OK;
}
