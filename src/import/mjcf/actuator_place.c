/* <actuator>, second half: where an actuator acts, its ranges, and the definition. */
#include "import/mjcf/actuator.h"
#include "import/mjcf/layout.h"

#include <math.h>
#include <string.h>

#define NO_LAW "laws of the user are not supported"

/* Refuses an actuator, or leaves it out with a note.
 * @param first of its controls, among those of the file */
static carom_status leave_out(cr_mjcf* m, const cr_xml_element* element, int first,
                              const char* text) {
  cr_subject subject = cr_mjcf_subject(m, element);
  if (!m->permissive) return cr_remark_refuse(element, NULL, text, m->error);
  char note[200];
  snprintf(note, sizeof note, "left out: %s", text);
  int kind = CR_MJCF_NAME_LEFT_OUT + (int)CR_PART_ACTUATOR;
  if (subject.name && cr_name_find(&m->names, &m->text, kind, subject.name) < 0)
    CR_TRY(cr_mjcf_add_name(m, kind, subject.name, 0));
  for (int i = first; i < m->num_controls; i++)
    if (!cr_list_push(&m->left_out, &m->allocator, &i)) return cr_error_memory(m->error);
  return cr_mjcf_note(m, element, note);
}

/* Why an actuator cannot be had, or null. */
static const char* find_obstacle(const cr_xml_element* element, const cr_mjcf_actuator* a) {
  if (!cr_mjcf_is_supported_actuator(element->name))
    return "actuators of this kind are not supported yet";
  if (strcmp(element->name, "plugin") == 0 && strcmp(a->plugin, "mujoco.pid") != 0)
    return "the only plugin that is supported is mujoco.pid: give a general actuator";
  if (a->is_filtered) return "mujoco.pid with a dyntype is not supported: give a pid";
  if (a->law.gaintype == CR_MJCF_GAIN_SO3 || a->law.biastype == CR_MJCF_BIAS_SO3)
    return "servos of orientations are not supported yet: give servos about three axes";
  if (a->law.dyntype == CR_MJCF_DYN_USER || a->law.gaintype == CR_MJCF_GAIN_USER ||
      a->law.biastype == CR_MJCF_BIAS_USER)
    return NO_LAW;
  return NULL;
}

/* How many numbers of a keyframe's `ctrl` are an actuator's. */
static int count_controls(const cr_mjcf_actuator* a, int controls) {
  if (a->law.gaintype == CR_MJCF_GAIN_SO3)
    return a->law.input && strcmp(a->law.input, "quat") == 0 ? 4 : 3;
  int count = 0;
  for (int k = 0; k < 4; k++) count += (controls & 1 << k) != 0;
  return controls == 0 ? 1 : count;
}

/* --- Place --------------------------------------------------------------------------------------
 */

/* Finds a named part; `is_whole` turns false where it is left out of the model. */
static carom_status resolve(cr_mjcf* m, const cr_xml_element* element, const char* attribute,
                            const char* name, cr_part part, int32_t* id, bool* is_whole) {
  int index;
  if (!name) {
    cr_subject subject = cr_mjcf_subject(m, element);
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute '%s' is missing", attribute);
  }
  CR_TRY(cr_mjcf_resolve(m, element, attribute, name, part, &index));
  *is_whole &= index >= 0;
  *id = index + 1;
  return CAROM_OK;
}

static const carom_joint_def* joint_def(const cr_mjcf* m, carom_joint joint) {
  return &CR_AT(&m->builder->joints, cr_joint_record, joint.id - 1)->def;
}

static bool is_scalar(const cr_mjcf* m, carom_joint joint) {
  carom_joint_type type = joint_def(m, joint)->type;
  return type == CAROM_JOINT_HINGE || type == CAROM_JOINT_SLIDE;
}

/* The gear of what has one coordinate is its first number; else all six are a wrench. */
static carom_status set_place(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_actuator* a,
                              carom_actuator_def* def, bool* is_whole) {
  def->gear = a->gear.x[0];
  if (a->joint || a->jointinparent) {
    def->in_parent = !a->joint;
    CR_TRY(resolve(m, element, a->joint ? "joint" : "jointinparent",
                   a->joint ? a->joint : a->jointinparent, CR_PART_JOINT, &def->joint.id,
                   is_whole));
    if (!*is_whole || is_scalar(m, def->joint)) return CAROM_OK;
  } else if (a->tendon) {
    return resolve(m, element, "tendon", a->tendon, CR_PART_TENDON, &def->tendon.id, is_whole);
  } else if (a->slidersite || a->cranksite) {
    def->crank_length = a->cranklength;
    CR_TRY(resolve(m, element, "slidersite", a->slidersite, CR_PART_SITE, &def->slider_site.id,
                   is_whole));
    return resolve(m, element, "cranksite", a->cranksite, CR_PART_SITE, &def->crank_site.id,
                   is_whole);
  } else if (a->site) {
    CR_TRY(resolve(m, element, "site", a->site, CR_PART_SITE, &def->site.id, is_whole));
    if (a->refsite)
      CR_TRY(resolve(m, element, "refsite", a->refsite, CR_PART_SITE, &def->reference_site.id,
                     is_whole));
  } else if (a->body) {
    CR_TRY(cr_mjcf_resolve(m, element, "body", a->body, CR_PART_BODY, &def->body.id));
    *is_whole &= def->body.id >= 0;
    return CAROM_OK;
  } else {
    cr_subject subject = cr_mjcf_subject(m, element);
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'joint' is missing");
  }
  def->gear = 1;
  memcpy(def->wrench, a->gear.x, sizeof def->wrench);
  return CAROM_OK;
}

/* --- Ranges -------------------------------------------------------------------------------------
 */

/* A range that follows the joint's or tendon's: about its middle, `inheritrange` times as wide; of
 * the activation where that is an integral, else of the control. */
static carom_status inherit_range(const cr_mjcf* m, const cr_xml_element* element,
                                  const cr_mjcf_actuator* a, carom_actuator_def* def) {
  cr_subject subject = cr_mjcf_subject(m, element);
  bool is_integral = a->law.dyntype == CR_MJCF_DYN_INTEGRATOR;
  const char* field = is_integral ? "actrange" : "ctrlrange";
  static const double NONE[2] = {0, 0};
  const double* range =
      def->joint.id ? joint_def(m, def->joint)->range
      : def->tendon.id
          ? CR_AT(&m->builder->tendons, cr_tendon_record, def->tendon.id - 1)->def.range
          : NONE;
  if (cr_xml_get(element, field)) {
    if (!cr_xml_get(element, "inheritrange")) return CAROM_OK;
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s and inheritrange are both given",
                           field);
  }
  if (!(range[0] < range[1]))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "inheritrange is %.9g, but the %s has no range", a->law.inheritrange,
                           def->tendon.id ? "tendon" : "joint");
  double middle = 0.5 * (range[0] + range[1]), half = 0.5 * (range[1] - range[0]);
  double* own = is_integral ? def->activation_range : def->control_range;
  own[0] = middle - half * a->law.inheritrange;
  own[1] = middle + half * a->law.inheritrange;
  if (is_integral)
    def->activation_limited = true;
  else
    def->control_limited = a->ctrllimited != CR_MJCF_LIMITED_FALSE;
  return CAROM_OK;
}

static carom_status set_ranges(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_actuator* a,
                               carom_actuator_def* def) {
  cr_subject subject = cr_mjcf_subject(m, element);
  memcpy(def->control_range, a->ctrlrange.x, sizeof def->control_range);
  memcpy(def->force_range, a->forcerange.x, sizeof def->force_range);
  memcpy(def->activation_range, a->actrange.x, sizeof def->activation_range);
  CR_TRY(
      cr_mjcf_is_limited(m, element, "ctrl", a->ctrllimited, &a->ctrlrange, &def->control_limited));
  CR_TRY(cr_mjcf_is_limited(m, element, "force", a->forcelimited, &a->forcerange,
                            &def->force_limited));
  CR_TRY(
      cr_mjcf_is_limited(m, element, "act", a->actlimited, &a->actrange, &def->activation_limited));
  if (def->force_limited) CR_TRY(cr_check_range(&subject, "forcerange", def->force_range));
  if (a->law.inheritrange > 0) CR_TRY(inherit_range(m, element, a, def));
  if (m->option.no_clampctrl) def->control_limited = false;
  if (def->activation == CAROM_ACTIVATION_NONE) def->activation_limited = false;
  if (def->activation_limited) CR_TRY(cr_check_range(&subject, "actrange", def->activation_range));
  if (def->control_limited) CR_TRY(cr_check_range(&subject, "ctrlrange", def->control_range));
  if (a->lengthrange.count == 0 || a->lengthrange.x[0] == a->lengthrange.x[1]) return CAROM_OK;
  memcpy(def->length_range, a->lengthrange.x, sizeof def->length_range);
  return CAROM_OK;
}

/* --- Law ----------------------------------------------------------------------------------------
 */

static carom_muscle make_muscle(const double* x) {
  return (carom_muscle){.range = {x[0], x[1]},
                        .force = x[2],
                        .scale = x[3],
                        .low = x[4],
                        .high = x[5],
                        .speed = x[6],
                        .passive = x[7],
                        .eccentric = x[8]};
}

static void set_activation(const cr_mjcf_actuator* a, carom_actuator_def* def) {
  static const carom_activation ACTIVATIONS[] = {
      CAROM_ACTIVATION_NONE,   CAROM_ACTIVATION_INTEGRATOR, CAROM_ACTIVATION_FILTER,
      CAROM_ACTIVATION_FILTER, CAROM_ACTIVATION_MUSCLE,     CAROM_ACTIVATION_NONE,
      CAROM_ACTIVATION_NONE};
  def->activation = ACTIVATIONS[a->law.dyntype];
  def->activation_early = a->actearly;
  memcpy(def->time_constant, a->law.dynprm.x, sizeof def->time_constant);
}

/* A disabled actuator keeps its control, and does nothing. */
static bool is_disabled(const cr_mjcf* m, const cr_mjcf_actuator* a) {
  bool is_off = m->option.no_actuation;
  const cr_numbers* groups = &m->option.actuatorgroupdisable;
  for (int i = 0; i < groups->count; i++) is_off |= groups->x[i] == a->group;
  return is_off;
}

static void set_law(const cr_mjcf* m, const cr_mjcf_actuator* a, carom_actuator_def* def) {
  const cr_mjcf_law* law = &a->law;
  bool is_servo = law->gaintype == CR_MJCF_GAIN_FIXED || law->gaintype == CR_MJCF_GAIN_PID;
  def->gain = 0;
  if (is_disabled(m, a)) return;
  set_activation(a, def);
  def->is_muscle_gain = law->gaintype == CR_MJCF_GAIN_MUSCLE;
  def->is_muscle_bias = law->biastype == CR_MJCF_BIAS_MUSCLE;
  if (def->is_muscle_gain) def->muscle_gain = make_muscle(law->gainprm.x);
  if (def->is_muscle_bias) def->muscle_bias = make_muscle(law->biasprm.x);
  if (!def->is_muscle_gain) def->gain = law->gainprm.x[0];
  if (law->gaintype == CR_MJCF_GAIN_PID) def->gain = -law->biasprm.x[1];
  if (law->gaintype == CR_MJCF_GAIN_AFFINE)
    memcpy(def->gain_feedback, law->gainprm.x + 1, sizeof def->gain_feedback);
  if (law->biastype != CR_MJCF_BIAS_AFFINE) return;
  memcpy(def->bias, law->biasprm.x, sizeof def->bias);
  if (!is_servo || def->gain != -def->bias[1] || !(def->bias[2] > 0)) return;
  def->damping_ratio = def->bias[2];
  def->bias[2] = 0;
}

/* What turns with an actuator's shaft counts at its joint or tendon. */
static carom_status add_shaft(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_actuator* a,
                              const carom_actuator_def* def) {
  cr_subject subject = cr_mjcf_subject(m, element);
  double gear2 = a->gear.x[0] * a->gear.x[0];
  const double* d = a->damping.x;
  if (a->armature == 0 && d[0] == 0 && d[1] == 0 && d[2] == 0) return CAROM_OK;
  if (!def->joint.id && !def->tendon.id)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "armature and damping need a joint or tendon to act on");
  carom_joint_def* joint =
      def->joint.id ? &CR_AT(&m->builder->joints, cr_joint_record, def->joint.id - 1)->def : NULL;
  carom_tendon_def* tendon =
      joint ? NULL : &CR_AT(&m->builder->tendons, cr_tendon_record, def->tendon.id - 1)->def;
  *(joint ? &joint->armature : &tendon->armature) += a->armature * gear2;
  if (m->option.no_damper) return CAROM_OK;
  *(joint ? &joint->damping : &tendon->damping) += d[0] * gear2;
  for (int i = 0; i < 2; i++)
    (joint ? joint->damping_more : tendon->damping_more)[i] += d[i + 1] * gear2;
  return CAROM_OK;
}

static carom_status read_actuator(cr_mjcf* m, const cr_xml_element* element) {
  const cr_mjcf_class* class;
  bool is_whole = true;
  CR_TRY(cr_mjcf_class_of(m, element, 0, &class));
  cr_mjcf_actuator a = class->actuator;
  CR_TRY(cr_mjcf_read_actuator_values(m, element, false, &a));
  int controls, first = m->num_controls;
  CR_TRY(cr_mjcf_find_controls(m, element, &a, &controls));
  m->num_controls += count_controls(&a, controls);
  const char* obstacle = find_obstacle(element, &a);
  if (obstacle) return leave_out(m, element, first, obstacle);
  carom_actuator_def def = carom_actuator_def_default();
  def.name = cr_xml_get(element, "name");
  def.source = cr_mjcf_source(element);
  set_law(m, &a, &def);
  CR_TRY(cr_mjcf_set_controller(m, element, &a, &def));
  CR_TRY(set_place(m, element, &a, &def, &is_whole));
  if (!is_whole) return leave_out(m, element, first, "what it acts on is left out");
  CR_TRY(set_ranges(m, element, &a, &def));
  CR_TRY(add_shaft(m, element, &a, &def));
  CR_TRY(carom_builder_add_actuator(m->builder, &def, NULL, m->error));
  cr_mjcf_fill_slot(m, element, m->builder->actuators.count - 1);
  return CAROM_OK;
}

carom_status cr_mjcf_read_actuator(cr_mjcf* m, const cr_xml_element* section) {
  for (const cr_xml_element* child = section->first_child; child; child = child->next) {
    if (!cr_mjcf_is_actuator(child->name)) return cr_mjcf_unknown_element(m, child);
    CR_TRY(read_actuator(m, child));
  }
  return CAROM_OK;
}
