/* <actuator>: motors, servos, and what else is a fixed gain and an affine bias on a joint or
 * tendon.
 */
#include "import/mjcf/class.h"

#include <math.h>
#include <string.h>

static const char* const LIMITED[] = {"false", "true", "auto", NULL};
/* Of each, the first is what is supported, of the bias the first two. */
static const char* const DYN_TYPES[] = {"none",   "integrator", "filter", "filterexact",
                                        "muscle", "user",       NULL};
static const char* const GAIN_TYPES[] = {"fixed", "affine", "muscle", "user", NULL};
static const char* const BIAS_TYPES[] = {"none", "affine", "muscle", "user", NULL};
enum { BIAS_NONE, BIAS_AFFINE };

#define NO_OTHER    "only actuators on joints and tendons are supported yet"
#define NO_DYNAMICS "actuators with an activation are not supported yet"
#define NO_GAIN     "only a fixed gain and an affine bias are supported"
#define NO_DELAY    "delays are not supported"
#define NO_JOINT    "not supported on actuators, give it on the joint"
#define NO_CRANK    "its transmission is not used"

/* Of every kind. */
static const cr_attribute COMMON[] = {
    CR_ELSEWHERE("name"),
    CR_ELSEWHERE("class"),
    CR_FIELD("joint", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, joint),
    CR_FIELD("jointinparent", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, jointinparent),
    CR_WORD("ctrllimited", cr_mjcf_actuator, ctrllimited, LIMITED),
    CR_WORD("forcelimited", cr_mjcf_actuator, forcelimited, LIMITED),
    CR_NUMBERS("ctrlrange", cr_mjcf_actuator, ctrlrange, 2, 2),
    CR_NUMBERS("forcerange", cr_mjcf_actuator, forcerange, 2, 2),
    CR_NUMBERS("gear", cr_mjcf_actuator, gear, 1, 6),
    CR_FIELD("tendon", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, tendon),
    CR_ELSEWHERE("site"),
    CR_ELSEWHERE("body"),
    CR_ELSEWHERE("slidersite"),
    CR_NOTED("refsite", NO_CRANK),
    CR_NOTED("cranksite", NO_CRANK),
    CR_NOTED("cranklength", NO_CRANK),
    CR_NOTED("lengthrange", "lengths of actuators are not used"),
    CR_NOTED("actlimited", NO_DYNAMICS),
    CR_NOTED("actrange", NO_DYNAMICS),
    CR_NOTED("actearly", NO_DYNAMICS),
    CR_NOTED("group", "groups of actuators are not used"),
    CR_NOTED("user", "it is for the programs of the file's author"),
    CR_REFUSED("armature", "0", NO_JOINT),
    CR_REFUSED("damping", "0", NO_JOINT),
    CR_REFUSED("delay", "0", NO_DELAY),
    CR_NOTED("nsample", NO_DELAY),
    CR_NOTED("interp", NO_DELAY),
    CR_END,
};

static const cr_attribute GENERAL[] = {
    CR_WORD("dyntype", cr_mjcf_actuator, law.dyntype, DYN_TYPES),
    CR_NOTED("dynprm", NO_DYNAMICS),
    CR_NOTED("actdim", NO_DYNAMICS),
    CR_WORD("gaintype", cr_mjcf_actuator, law.gaintype, GAIN_TYPES),
    CR_WORD("biastype", cr_mjcf_actuator, law.biastype, BIAS_TYPES),
    CR_NUMBERS("gainprm", cr_mjcf_actuator, law.gainprm, 1, 10),
    CR_NUMBERS("biasprm", cr_mjcf_actuator, law.biasprm, 1, 10),
    CR_NUMBER("inheritrange", cr_mjcf_actuator, law.inheritrange, CR_RULE_NOT_NEGATIVE),
    CR_REFUSED("input", NULL, NO_GAIN),
    CR_REFUSED("ffrange", NULL, NO_GAIN),
    CR_REFUSED("velrange", NULL, NO_GAIN),
    CR_MORE(COMMON),
};

static const cr_attribute POSITION[] = {
    CR_NUMBER("kp", cr_mjcf_actuator, kp, CR_RULE_ANY),
    CR_NUMBER("kv", cr_mjcf_actuator, kv, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("dampratio", cr_mjcf_actuator, dampratio, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("inheritrange", cr_mjcf_actuator, law.inheritrange, CR_RULE_NOT_NEGATIVE),
    CR_REFUSED("timeconst", "0", NO_DYNAMICS),
    CR_MORE(COMMON),
};

static const cr_attribute VELOCITY[] = {
    CR_NUMBER("kv", cr_mjcf_actuator, kv, CR_RULE_NOT_NEGATIVE),
    CR_MORE(COMMON),
};

/* Kinds of actuators; without a table: not supported. */
static const struct kind {
  const char* name;
  const cr_attribute* table;
  int law; /* where a class keeps what such an element starts from */
} KINDS[] = {{"general", GENERAL, CR_MJCF_LAW_GENERAL},
             {"motor", COMMON, CR_MJCF_LAW_GENERAL},
             {"position", POSITION, CR_MJCF_LAW_POSITION},
             {"velocity", VELOCITY, CR_MJCF_LAW_VELOCITY},
             {.name = "intvelocity"},
             {.name = "orientation"},
             {.name = "pid"},
             {.name = "damper"},
             {.name = "cylinder"},
             {.name = "muscle"},
             {.name = "adhesion"},
             {.name = "dcmotor"},
             {.name = "plugin"}};

static const struct kind* find_kind(const char* name) {
  for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
    if (strcmp(KINDS[i].name, name) == 0) return &KINDS[i];
  return NULL;
}

bool cr_mjcf_is_actuator(const char* name) { return find_kind(name) != NULL; }

/* A servo's gain and bias. As in the file's format, a positive bias[2] is a damping ratio. */
static carom_status apply_position(const cr_mjcf* m, const cr_xml_element* element,
                                   cr_mjcf_actuator* a) {
  cr_subject subject = cr_mjcf_subject(m, element);
  if (!isnan(a->kv) && !isnan(a->dampratio))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "kv and dampratio are both given");
  cr_mjcf_law* law = &a->law;
  double kp = isnan(a->kp) ? law->gainprm.x[0] : a->kp;
  double damping = !isnan(a->kv) ? -a->kv : !isnan(a->dampratio) ? a->dampratio : law->biasprm.x[2];
  *law = (cr_mjcf_law){.biastype = BIAS_AFFINE,
                       .gainprm = {.x = {kp}},
                       .biasprm = {.x = {0, -kp, damping}},
                       .inheritrange = law->inheritrange};
  return CAROM_OK;
}

static void apply_velocity(cr_mjcf_actuator* a) {
  double kv = isnan(a->kv) ? a->law.gainprm.x[0] : a->kv;
  a->law =
      (cr_mjcf_law){.biastype = BIAS_AFFINE, .gainprm = {.x = {kv}}, .biasprm = {.x = {0, 0, -kv}}};
}

/* A class's law for elements like this one, and for general ones; from general ones, for all. */
static void keep_defaults(const struct kind* kind, cr_mjcf_actuator* a) {
  a->defaults[CR_MJCF_LAW_GENERAL] = a->law;
  if (kind->table == GENERAL)
    for (int i = 0; i < CR_MJCF_NUM_LAWS; i++) a->defaults[i] = a->law;
  else
    a->defaults[kind->law] = a->law;
}

carom_status cr_mjcf_read_actuator_values(cr_mjcf* m, const cr_xml_element* element,
                                          bool is_default, cr_mjcf_actuator* actuator) {
  const struct kind* kind = find_kind(element->name);
  if (!kind->table) return CAROM_OK;
  actuator->kp = actuator->kv = actuator->dampratio = NAN;
  actuator->law = actuator->defaults[kind->law];
  CR_TRY(cr_mjcf_read_attributes(m, element, kind->table, actuator));
  CR_TRY(cr_mjcf_expect_no_children(m, element));
  if (kind->table == POSITION) CR_TRY(apply_position(m, element, actuator));
  if (kind->table == VELOCITY) apply_velocity(actuator);
  if (kind->table == COMMON) actuator->law = (cr_mjcf_law){.gainprm = {.x = {1}}};
  if (is_default) keep_defaults(kind, actuator);
  return CAROM_OK;
}

/* Refuses an actuator, or leaves it out with a note. */
static carom_status leave_out(cr_mjcf* m, const cr_xml_element* element, const char* text) {
  cr_subject subject = cr_mjcf_subject(m, element);
  if (!m->permissive) return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED, "%s", text);
  char note[200];
  snprintf(note, sizeof note, "left out: %s", text);
  int place = m->num_actuators - 1, kind = CR_MJCF_NAME_LEFT_OUT + (int)CR_PART_ACTUATOR;
  if (subject.name && cr_name_find(&m->names, &m->text, kind, subject.name) < 0)
    CR_TRY(cr_mjcf_add_name(m, kind, subject.name, 0));
  if (!cr_list_push(&m->left_out, &m->allocator, &place)) return cr_error_memory(m->error);
  return cr_mjcf_note(m, element, note);
}

/* Why an actuator cannot be had, or null. */
static const char* find_obstacle(const cr_xml_element* element, const cr_mjcf_actuator* a) {
  if (!find_kind(element->name)->table) return "actuators of this kind are not supported yet";
  if (a->law.dyntype != 0) return NO_DYNAMICS;
  if (a->law.gaintype != 0 || a->law.biastype > BIAS_AFFINE) return NO_GAIN;
  if (a->joint || a->jointinparent || a->tendon) return NULL;
  static const char* const OTHERS[] = {"site", "body", "slidersite", NULL};
  for (int i = 0; OTHERS[i]; i++)
    if (cr_xml_get(element, OTHERS[i])) return NO_OTHER;
  return NULL;
}

/* The joint's record; null where it cannot be driven by one number. */
static carom_status find_joint(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_actuator* a,
                               int* joint) {
  cr_subject subject = cr_mjcf_subject(m, element);
  if (a->joint) return cr_mjcf_resolve(m, element, "joint", a->joint, CR_PART_JOINT, joint);
  if (!a->jointinparent)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'joint' is missing");
  return cr_mjcf_resolve(m, element, "jointinparent", a->jointinparent, CR_PART_JOINT, joint);
}

static const carom_joint_def* joint_def(const cr_mjcf* m, int joint) {
  return &CR_AT(&m->builder->joints, cr_joint_record, joint)->def;
}

static const carom_tendon_def* tendon_def(const cr_mjcf* m, carom_tendon tendon) {
  return &CR_AT(&m->builder->tendons, cr_tendon_record, tendon.id - 1)->def;
}

/* A control range that follows the joint's or tendon's: about its middle, `inheritrange` times as
 * wide. */
static carom_status inherit_range(const cr_mjcf* m, const cr_xml_element* element,
                                  const cr_mjcf_actuator* a, int joint, carom_actuator_def* def) {
  cr_subject subject = cr_mjcf_subject(m, element);
  const double* range = joint < 0 ? tendon_def(m, def->tendon)->range : joint_def(m, joint)->range;
  if (cr_xml_get(element, "ctrlrange")) {
    if (!cr_xml_get(element, "inheritrange")) return CAROM_OK;
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "ctrlrange and inheritrange are both given");
  }
  if (!(range[0] < range[1]))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "inheritrange is %.9g, but the %s has no range", a->law.inheritrange,
                           joint < 0 ? "tendon" : "joint");
  double middle = 0.5 * (range[0] + range[1]), half = 0.5 * (range[1] - range[0]);
  def->control_range[0] = middle - half * a->law.inheritrange;
  def->control_range[1] = middle + half * a->law.inheritrange;
  def->control_limited = a->ctrllimited != CR_MJCF_LIMITED_FALSE;
  return CAROM_OK;
}

static carom_status set_ranges(cr_mjcf* m, const cr_xml_element* element, const cr_mjcf_actuator* a,
                               int joint, carom_actuator_def* def) {
  memcpy(def->control_range, a->ctrlrange.x, sizeof def->control_range);
  memcpy(def->force_range, a->forcerange.x, sizeof def->force_range);
  CR_TRY(
      cr_mjcf_is_limited(m, element, "ctrl", a->ctrllimited, &a->ctrlrange, &def->control_limited));
  CR_TRY(cr_mjcf_is_limited(m, element, "force", a->forcelimited, &a->forcerange,
                            &def->force_limited));
  cr_subject subject = cr_mjcf_subject(m, element);
  if (def->force_limited) CR_TRY(cr_check_range(&subject, "forcerange", def->force_range));
  if (a->law.inheritrange > 0) CR_TRY(inherit_range(m, element, a, joint, def));
  if (m->option.no_clampctrl) def->control_limited = false;
  if (!def->control_limited) return CAROM_OK;
  return cr_check_range(&subject, "ctrlrange", def->control_range);
}

/* The joint's own bound on the forces of its actuators, as the bound of the only one it has. */
static carom_status apply_drive(cr_mjcf* m, const cr_xml_element* element, int joint,
                                carom_actuator_def* def) {
  static const char TEXT[] =
      "actuatorfrcrange of a joint with several actuators is not supported yet";
  const cr_mjcf_drive* drive = CR_AT(&m->drives, cr_mjcf_drive, joint);
  if (!drive->is_limited || def->gear == 0) return CAROM_OK;
  if (drive->num_actuators > 1) return cr_mjcf_refuse(m, element, NULL, TEXT, TEXT);
  double a = drive->range[0] / def->gear, b = drive->range[1] / def->gear;
  double low = fmin(a, b), high = fmax(a, b);
  if (def->force_limited) {
    low = fmax(low, def->force_range[0]);
    high = fmin(high, def->force_range[1]);
  }
  def->force_limited = true;
  def->force_range[0] = low;
  def->force_range[1] = high;
  return CAROM_OK;
}

/* A joint's bound on the forces of its actuators does not reach those on tendons. */
static carom_status check_tendon_drives(cr_mjcf* m, const cr_xml_element* element, int tendon) {
  static const char TEXT[] =
      "actuatorfrcrange of a joint that a tendon's actuator drives is not supported yet";
  const cr_tendon_record* record = CR_AT(&m->builder->tendons, cr_tendon_record, tendon);
  for (int i = record->first_term; i < record->first_term + record->def.num_terms; i++) {
    int joint = CR_AT(&m->builder->tendon_terms, carom_tendon_term, i)->joint.id - 1;
    if (CR_AT(&m->drives, cr_mjcf_drive, joint)->is_limited)
      return cr_mjcf_refuse(m, element, NULL, TEXT, TEXT);
  }
  return CAROM_OK;
}

static void set_law(const cr_mjcf_actuator* a, carom_actuator_def* def) {
  def->gear = a->gear.x[0];
  def->gain = a->law.gainprm.x[0];
  if (a->law.biastype == BIAS_NONE) return;
  memcpy(def->bias, a->law.biasprm.x, sizeof def->bias);
  bool is_servo = def->gain == -def->bias[1];
  if (!is_servo || !(def->bias[2] > 0)) return;
  def->damping_ratio = def->bias[2];
  def->bias[2] = 0;
}

static carom_status add_on_tendon(cr_mjcf* m, const cr_xml_element* element,
                                  const cr_mjcf_actuator* a, carom_actuator_def* def) {
  int tendon;
  CR_TRY(cr_mjcf_resolve(m, element, "tendon", a->tendon, CR_PART_TENDON, &tendon));
  if (tendon < 0) return leave_out(m, element, "its tendon is left out");
  if (!isnan(def->damping_ratio))
    return leave_out(m, element, "dampratio is not supported on tendons");
  def->tendon = (carom_tendon){tendon + 1};
  CR_TRY(set_ranges(m, element, a, -1, def));
  CR_TRY(check_tendon_drives(m, element, tendon));
  return carom_builder_add_actuator(m->builder, def, NULL, m->error);
}

static carom_status add_on_joint(cr_mjcf* m, const cr_xml_element* element,
                                 const cr_mjcf_actuator* a, carom_actuator_def* def) {
  int joint = -1;
  CR_TRY(find_joint(m, element, a, &joint));
  if (joint < 0) return leave_out(m, element, "its joint is left out");
  carom_joint_type type = joint_def(m, joint)->type;
  if (type == CAROM_JOINT_FREE || type == CAROM_JOINT_BALL)
    return leave_out(m, element, "only actuators on hinges and slides are supported yet");
  def->joint = (carom_joint){joint + 1};
  CR_TRY(set_ranges(m, element, a, joint, def));
  CR_TRY(apply_drive(m, element, joint, def));
  return carom_builder_add_actuator(m->builder, def, NULL, m->error);
}

static carom_status read_actuator(cr_mjcf* m, const cr_xml_element* element) {
  const cr_mjcf_class* class;
  CR_TRY(cr_mjcf_class_of(m, element, 0, &class));
  cr_mjcf_actuator a = class->actuator;
  CR_TRY(cr_mjcf_read_actuator_values(m, element, false, &a));
  m->num_actuators++;
  const char* obstacle = find_obstacle(element, &a);
  if (obstacle) return leave_out(m, element, obstacle);
  carom_actuator_def def = carom_actuator_def_default();
  def.name = cr_xml_get(element, "name");
  def.source = cr_mjcf_source(element);
  set_law(&a, &def);
  bool is_on_tendon = a.tendon && !a.joint && !a.jointinparent;
  return is_on_tendon ? add_on_tendon(m, element, &a, &def) : add_on_joint(m, element, &a, &def);
}

/* Counts the actuators of every joint, over all sections. */
static void count_drives(cr_mjcf* m) {
  if (m->has_drives) return;
  m->has_drives = true;
  for (const cr_xml_element* s = m->root->first_child; s; s = s->next) {
    if (strcmp(s->name, "actuator") != 0) continue;
    for (const cr_xml_element* e = s->first_child; e; e = e->next) {
      const char* joint = cr_xml_get(e, "joint");
      if (!joint) joint = cr_xml_get(e, "jointinparent");
      int index = joint ? cr_mjcf_find_part(m, CR_PART_JOINT, joint) : -1;
      if (index >= 0) CR_AT(&m->drives, cr_mjcf_drive, index)->num_actuators++;
    }
  }
}

carom_status cr_mjcf_read_actuator(cr_mjcf* m, const cr_xml_element* section) {
  count_drives(m);
  for (const cr_xml_element* child = section->first_child; child; child = child->next) {
    if (!cr_mjcf_is_actuator(child->name)) return cr_mjcf_unknown_element(m, child);
    CR_TRY(read_actuator(m, child));
  }
  return CAROM_OK;
}
