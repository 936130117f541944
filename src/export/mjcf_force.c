/* MJCF: tendons and actuators. */
#include "export/writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Tendons */

static void write_terms(cr_writer* w, const cr_tendon_record* record) {
  for (int i = 0; i < record->def.num_terms; i++) {
    const carom_tendon_term* term =
        CR_AT(&w->builder->tendon_terms, carom_tendon_term, record->first_term + i);
    cr_write_open(w, "joint");
    cr_write_reference(w, "joint", CR_PART_JOINT, term->joint.id - 1);
    cr_write_number(w, "coef", term->coefficient);
    cr_write_close(w, "joint");
  }
}

static void write_point(cr_writer* w, const carom_tendon_point* p) {
  static const char* const KINDS[] = {"site", "geom", "pulley"};
  cr_write_open(w, KINDS[p->type]);
  if (p->type == CAROM_PATH_SITE) cr_write_reference(w, "site", CR_PART_SITE, p->site.id - 1);
  if (p->type == CAROM_PATH_GEOM) cr_write_reference(w, "geom", CR_PART_GEOM, p->geom.id - 1);
  if (p->side_site.id) cr_write_reference(w, "sidesite", CR_PART_SITE, p->side_site.id - 1);
  if (p->type == CAROM_PATH_PULLEY) cr_write_number(w, "divisor", p->divisor);
  cr_write_close(w, KINDS[p->type]);
}

static void write_tendon(cr_writer* w, int index) {
  const cr_tendon_record* record = CR_AT(&w->builder->tendons, cr_tendon_record, index);
  const carom_tendon_def* def = &record->def;
  const char* kind = def->num_points ? "spatial" : "fixed";
  cr_write_open(w, kind);
  cr_write_name(w, CR_PART_TENDON, index);
  if (def->limited) {
    cr_write_text(w, "limited", "true");
    cr_write_numbers(w, "range", def->range, 2);
  }
  cr_write_number_but(w, "margin", def->limit_margin, 0);
  cr_write_number_but(w, "carom:limit_stiffness", def->limit_stiffness, INFINITY);
  cr_write_number_but(w, "carom:limit_dissipation", def->limit_dissipation, NAN);
  cr_write_powers(w, "stiffness", def->stiffness, def->stiffness_more);
  if (!isnan(def->rest[0])) cr_write_numbers(w, "springlength", def->rest, 2);
  cr_write_powers(w, "damping", def->damping, def->damping_more);
  cr_write_number_but(w, "frictionloss", def->friction_loss, 0);
  cr_write_number_but(w, "armature", def->armature, 0);
  if (def->drive_limited) {
    cr_write_text(w, "actuatorfrclimited", "true");
    cr_write_numbers(w, "actuatorfrcrange", def->drive_range, 2);
  }
  write_terms(w, record);
  for (int i = 0; i < def->num_points; i++)
    write_point(w, CR_AT(&w->builder->tendon_points, carom_tendon_point, record->first_point + i));
  cr_write_close(w, kind);
}

void cr_mjcf_write_tendons(cr_writer* w) {
  int count = w->builder->tendons.count;
  if (count == 0) return;
  cr_write_open(w, "tendon");
  for (int i = 0; i < count; i++) write_tendon(w, i);
  cr_write_close(w, "tendon");
}

/* ---- Actuators: all as general ones */

static void write_range(cr_writer* w, const char* flag, const char* name, const double* range) {
  cr_write_text(w, flag, "true");
  cr_write_numbers(w, name, range, 2);
}

/* The gear is the wrench of what has more than one coordinate. */
static void write_place(cr_writer* w, const carom_actuator_def* def, int index) {
  int line = w->model->force.actuator_line[index];
  if (def->joint.id)
    cr_write_reference(w, def->in_parent ? "jointinparent" : "joint", CR_PART_JOINT,
                       def->joint.id - 1);
  if (def->tendon.id) cr_write_reference(w, "tendon", CR_PART_TENDON, def->tendon.id - 1);
  if (def->site.id) cr_write_reference(w, "site", CR_PART_SITE, def->site.id - 1);
  if (def->reference_site.id)
    cr_write_reference(w, "refsite", CR_PART_SITE, def->reference_site.id - 1);
  if (def->slider_site.id) {
    cr_write_reference(w, "slidersite", CR_PART_SITE, def->slider_site.id - 1);
    cr_write_reference(w, "cranksite", CR_PART_SITE, def->crank_site.id - 1);
    cr_write_number(w, "cranklength", def->crank_length);
  }
  if (def->body.id) cr_write_reference(w, "body", CR_PART_BODY, def->body.id);
  bool has_wrench = def->site.id || (def->joint.id && line >= 0);
  double wrench[6];
  for (int i = 0; i < 6; i++) wrench[i] = def->gear * def->wrench[i];
  if (has_wrench)
    cr_write_numbers(w, "gear", wrench, 6);
  else
    cr_write_number_but(w, "gear", def->gear, 1);
}

static void write_muscle(cr_writer* w, const char* name, const carom_muscle* m) {
  const double x[] = {m->range[0], m->range[1], m->force,   m->scale,    m->low,
                      m->high,     m->speed,    m->passive, m->eccentric};
  cr_write_numbers(w, name, x, 9);
}

static void write_gain(cr_writer* w, const carom_actuator_def* def) {
  const double affine[] = {def->gain, def->gain_feedback[0], def->gain_feedback[1]};
  bool is_affine = affine[1] != 0 || affine[2] != 0;
  if (def->is_muscle_gain || is_affine)
    cr_write_text(w, "gaintype", def->is_muscle_gain ? "muscle" : "affine");
  if (def->is_muscle_gain)
    write_muscle(w, "gainprm", &def->muscle_gain);
  else
    cr_write_numbers(w, "gainprm", affine, is_affine ? 3 : 1);
}

static void write_bias(cr_writer* w, const carom_actuator_def* def, const double* bias) {
  if (def->is_muscle_bias) {
    cr_write_text(w, "biastype", "muscle");
    write_muscle(w, "biasprm", &def->muscle_bias);
  } else if (bias[0] != 0 || bias[1] != 0 || bias[2] != 0) {
    cr_write_text(w, "biastype", "affine");
    cr_write_numbers(w, "biasprm", bias, 3);
  }
}

static void write_activation(cr_writer* w, const carom_actuator_def* def) {
  static const char* const KINDS[] = {"none", "integrator", "filterexact", "muscle"};
  if (def->activation == CAROM_ACTIVATION_NONE) return;
  cr_write_text(w, "dyntype", KINDS[def->activation]);
  cr_write_numbers(w, "dynprm", def->time_constant, 3);
  if (def->activation_limited) write_range(w, "actlimited", "actrange", def->activation_range);
  if (def->activation_early) cr_write_text(w, "actearly", "true");
}

static void write_controls(cr_writer* w, const carom_actuator_def* def) {
  static const char* const WORDS[] = {"pos", "vel", "ff", "voltage"};
  char text[40] = "";
  int length = 0;
  for (int k = 0; k < 4; k++) {
    if (!(def->controls & 1 << k)) continue;
    length +=
        snprintf(text + length, sizeof text - (size_t)length, "%s%s", length ? " " : "", WORDS[k]);
  }
  if (def->controls) cr_write_text(w, "input", def->controls == CAROM_CONTROL_NONE ? "none" : text);
  if (def->velocity_limited) cr_write_numbers(w, "velrange", def->velocity_range, 2);
  if (def->feedforward_limited) cr_write_numbers(w, "ffrange", def->feedforward_range, 2);
}

static void write_pid(cr_writer* w, const carom_actuator_def* def, const double* bias) {
  const carom_controller* c = &def->controller;
  const double dynprm[] = {c->integral_limit, c->slew_limit};
  bool has_states = c->integral > 0 || c->slew_limit > 0;
  cr_write_text(w, "gaintype", "pid");
  cr_write_numbers(w, "gainprm", &c->integral, 1);
  cr_write_text(w, "biastype", "affine");
  cr_write_numbers(w, "biasprm", bias, 3);
  cr_write_text(w, "dyntype", has_states ? "pid" : "none");
  cr_write_numbers(w, "dynprm", dynprm, 2);
  if (def->activation_early) cr_write_text(w, "actearly", "true");
}

static bool is_plugin(const carom_actuator_def* def) {
  return def->law == CAROM_LAW_PID && def->controller.is_stepwise;
}

static void write_config(cr_writer* w, const char* key, double value) {
  if (value == 0) return;
  cr_write_open(w, "config");
  cr_write_text(w, "key", key);
  cr_write_number(w, "value", value);
  cr_write_close(w, "config");
}

/* The plugin's gains; its integral is held within a force. */
static void write_configs(cr_writer* w, const carom_actuator_def* def) {
  const carom_controller* c = &def->controller;
  write_config(w, "kp", -def->bias[1]);
  write_config(w, "kd", -def->bias[2]);
  write_config(w, "ki", c->integral);
  write_config(w, "imax", c->integral_limit * c->integral);
  write_config(w, "slewmax", c->slew_limit);
}

/* In the order that <dcmotor> compiles into. */
static void write_motor(cr_writer* w, const carom_actuator_def* def) {
  const carom_controller* c = &def->controller;
  const carom_motor* m = &def->motor;
  const double gainprm[] = {m->resistance,
                            m->constant,
                            m->temperature_coefficient,
                            m->reference_temperature,
                            c->proportional,
                            c->integral,
                            c->derivative,
                            c->voltage_limit};
  const double dynprm[] = {m->time_constant,       m->current_rate,        m->thermal_resistance,
                           m->thermal_capacitance, m->ambient_temperature, m->bristle_stiffness,
                           m->bristle_damping,     c->slew_limit,          c->integral_limit};
  const double biasprm[] = {m->cogging[0],       m->cogging[1],      m->cogging[2],
                            m->coulomb_friction, m->static_friction, m->stribeck_speed};
  cr_write_text(w, "dyntype", "dcmotor");
  cr_write_text(w, "gaintype", "dcmotor");
  cr_write_text(w, "biastype", "dcmotor");
  cr_write_text(w, "actearly", "true");
  cr_write_numbers(w, "gainprm", gainprm, 8);
  cr_write_numbers(w, "dynprm", dynprm, 9);
  cr_write_numbers(w, "biasprm", biasprm, 6);
}

static void write_law(cr_writer* w, const carom_actuator_def* def, const double* bias) {
  if (is_plugin(def)) {
    cr_write_text(w, "plugin", "mujoco.pid");
    cr_write_number(w, "actdim", (def->controller.integral > 0) + (def->controller.slew_limit > 0));
    return;
  }
  if (def->law != CAROM_LAW_GENERAL) write_controls(w, def);
  if (def->law == CAROM_LAW_PID) write_pid(w, def, bias);
  if (def->law == CAROM_LAW_DC_MOTOR) write_motor(w, def);
  if (def->law != CAROM_LAW_GENERAL) return;
  write_gain(w, def);
  write_bias(w, def, bias);
  write_activation(w, def);
}

static void write_actuator(cr_writer* w, int index) {
  const carom_actuator_def* def = &CR_AT(&w->builder->actuators, cr_actuator_record, index)->def;
  const char* element = is_plugin(def) ? "plugin" : "general";
  cr_write_open(w, element);
  cr_write_name(w, CR_PART_ACTUATOR, index);
  write_place(w, def, index);
  write_law(w, def, w->model->force.actuator_bias + 3 * index);
  if (!isnan(def->length_range[0])) cr_write_numbers(w, "lengthrange", def->length_range, 2);
  if (def->control_limited) write_range(w, "ctrllimited", "ctrlrange", def->control_range);
  if (def->force_limited) write_range(w, "forcelimited", "forcerange", def->force_range);
  if (is_plugin(def)) write_configs(w, def);
  cr_write_close(w, element);
}

void cr_mjcf_write_extensions(cr_writer* w) {
  bool any = false;
  for (int i = 0; i < w->builder->actuators.count; i++)
    any |= is_plugin(&CR_AT(&w->builder->actuators, cr_actuator_record, i)->def);
  if (!any) return;
  cr_write_open(w, "extension");
  cr_write_open(w, "plugin");
  cr_write_text(w, "plugin", "mujoco.pid");
  cr_write_close(w, "plugin");
  cr_write_close(w, "extension");
}

void cr_mjcf_write_actuators(cr_writer* w) {
  int count = w->builder->actuators.count;
  if (count == 0) return;
  cr_write_open(w, "actuator");
  for (int i = 0; i < count; i++) write_actuator(w, i);
  cr_write_close(w, "actuator");
}
