/* <actuator>, first half: what each kind of element says of an actuator's law. Every kind is a
 * short form of a general one: activation dynamics, a gain and a bias. Where it acts is in
 * actuator_place.c. */
#include "import/mjcf/actuator.h"

#include <math.h>
#include <string.h>

static const char* const LIMITED[] = {"false", "true", "auto", NULL};
const char* const cr_mjcf_dyn_types[] = {"none", "integrator", "filter", "filterexact", "muscle",
                                         "pid",  "dcmotor",    "user",   NULL};
static const char* const GAIN_TYPES[] = {"fixed",   "affine", "muscle", "pid",
                                         "dcmotor", "so3",    "user",   NULL};
static const char* const BIAS_TYPES[] = {"none", "affine", "muscle", "dcmotor",
                                         "so3",  "user",   NULL};

#define NO_DELAY "delays are not supported, delay the controls themselves"

/* Of every kind. */
const cr_attribute cr_mjcf_actuator_table[] = {
    CR_ELSEWHERE("name"),
    CR_ELSEWHERE("class"),
    CR_FIELD("joint", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, joint),
    CR_FIELD("jointinparent", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, jointinparent),
    CR_FIELD("tendon", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, tendon),
    CR_FIELD("site", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, site),
    CR_FIELD("refsite", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, refsite),
    CR_FIELD("slidersite", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, slidersite),
    CR_FIELD("cranksite", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, cranksite),
    CR_NUMBER("cranklength", cr_mjcf_actuator, cranklength, CR_RULE_ANY),
    CR_FIELD("body", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, body),
    CR_WORD("ctrllimited", cr_mjcf_actuator, ctrllimited, LIMITED),
    CR_WORD("forcelimited", cr_mjcf_actuator, forcelimited, LIMITED),
    CR_WORD("actlimited", cr_mjcf_actuator, actlimited, LIMITED),
    CR_NUMBERS("ctrlrange", cr_mjcf_actuator, ctrlrange, 2, 2),
    CR_NUMBERS("forcerange", cr_mjcf_actuator, forcerange, 2, 2),
    CR_NUMBERS("actrange", cr_mjcf_actuator, actrange, 2, 2),
    CR_NUMBERS("lengthrange", cr_mjcf_actuator, lengthrange, 2, 2),
    CR_NUMBERS("gear", cr_mjcf_actuator, gear, 1, 6),
    CR_FIELD("actearly", CR_ATTRIBUTE_FLAG, cr_mjcf_actuator, actearly),
    CR_FIELD("group", CR_ATTRIBUTE_INTEGER, cr_mjcf_actuator, group),
    CR_NOTED("user", "it is for the programs of the file's author"),
    CR_NUMBER("armature", cr_mjcf_actuator, armature, CR_RULE_NOT_NEGATIVE),
    CR_NUMBERS("damping", cr_mjcf_actuator, damping, 1, 3),
    CR_REFUSED("delay", "0", NO_DELAY),
    CR_NOTED("nsample", NO_DELAY),
    CR_NOTED("interp", NO_DELAY),
    CR_END,
};

static const cr_attribute GENERAL[] = {
    CR_WORD("dyntype", cr_mjcf_actuator, law.dyntype, cr_mjcf_dyn_types),
    CR_NUMBERS("dynprm", cr_mjcf_actuator, law.dynprm, 1, 10),
    CR_FIELD("actdim", CR_ATTRIBUTE_INTEGER, cr_mjcf_actuator, actdim),
    CR_WORD("gaintype", cr_mjcf_actuator, law.gaintype, GAIN_TYPES),
    CR_WORD("biastype", cr_mjcf_actuator, law.biastype, BIAS_TYPES),
    CR_NUMBERS("gainprm", cr_mjcf_actuator, law.gainprm, 1, 10),
    CR_NUMBERS("biasprm", cr_mjcf_actuator, law.biasprm, 1, 10),
    CR_NUMBER("inheritrange", cr_mjcf_actuator, law.inheritrange, CR_RULE_NOT_NEGATIVE),
    CR_FIELD("input", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, law.input),
    CR_NUMBERS("ffrange", cr_mjcf_actuator, law.ffrange, 2, 2),
    CR_NUMBERS("velrange", cr_mjcf_actuator, law.velrange, 2, 2),
    CR_MORE(cr_mjcf_actuator_table),
};

#define SERVO                                                                    \
  CR_NUMBER("kp", cr_mjcf_actuator, kp, CR_RULE_ANY),                            \
      CR_NUMBER("kv", cr_mjcf_actuator, kv, CR_RULE_NOT_NEGATIVE),               \
      CR_NUMBER("dampratio", cr_mjcf_actuator, dampratio, CR_RULE_NOT_NEGATIVE), \
      CR_NUMBER("inheritrange", cr_mjcf_actuator, law.inheritrange, CR_RULE_NOT_NEGATIVE)

static const cr_attribute POSITION[] = {
    SERVO,
    CR_NUMBER("timeconst", cr_mjcf_actuator, timeconst.x[0], CR_RULE_NOT_NEGATIVE),
    CR_MORE(cr_mjcf_actuator_table),
};

static const cr_attribute INTVELOCITY[] = {SERVO, CR_MORE(cr_mjcf_actuator_table)};

static const cr_attribute VELOCITY[] = {
    CR_NUMBER("kv", cr_mjcf_actuator, kv, CR_RULE_NOT_NEGATIVE),
    CR_MORE(cr_mjcf_actuator_table),
};

static const cr_attribute CYLINDER[] = {
    CR_NUMBER("timeconst", cr_mjcf_actuator, timeconst.x[0], CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("area", cr_mjcf_actuator, area, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("diameter", cr_mjcf_actuator, diameter, CR_RULE_NOT_NEGATIVE),
    CR_NUMBERS("bias", cr_mjcf_actuator, bias, 3, 3),
    CR_MORE(cr_mjcf_actuator_table),
};

static const cr_attribute ADHESION[] = {
    CR_NUMBER("gain", cr_mjcf_actuator, gain, CR_RULE_NOT_NEGATIVE),
    CR_MORE(cr_mjcf_actuator_table),
};

static const cr_attribute ORIENTATION[] = {
    CR_NUMBER("kp", cr_mjcf_actuator, kp, CR_RULE_ANY),
    CR_NUMBER("kv", cr_mjcf_actuator, kv, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("dampratio", cr_mjcf_actuator, dampratio, CR_RULE_NOT_NEGATIVE),
    CR_FIELD("input", CR_ATTRIBUTE_TEXT, cr_mjcf_actuator, law.input),
    CR_MORE(cr_mjcf_actuator_table),
};

#define OF_MUSCLE(name, place) CR_NUMBER(name, cr_mjcf_actuator, muscle[place], CR_RULE_ANY)

static const cr_attribute MUSCLE[] = {
    CR_NUMBERS("timeconst", cr_mjcf_actuator, timeconst, 1, 2),
    CR_NUMBER("tausmooth", cr_mjcf_actuator, tausmooth, CR_RULE_NOT_NEGATIVE),
    CR_NUMBERS("range", cr_mjcf_actuator, muscle_range, 1, 2),
    OF_MUSCLE("force", 2),
    OF_MUSCLE("scale", 3),
    OF_MUSCLE("lmin", 4),
    OF_MUSCLE("lmax", 5),
    OF_MUSCLE("vmax", 6),
    OF_MUSCLE("fpmax", 7),
    OF_MUSCLE("fvmax", 8),
    CR_MORE(cr_mjcf_actuator_table),
};

/* --- Short forms --------------------------------------------------------------------------------
 */

static double or_else(double given, double otherwise) { return isnan(given) ? otherwise : given; }

carom_status cr_mjcf_find_servo_damping(const cr_mjcf* m, const cr_xml_element* element,
                                        const cr_mjcf_actuator* a, double* damping) {
  cr_subject subject = cr_mjcf_subject(m, element);
  if (!isnan(a->kv) && !isnan(a->dampratio))
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "kv and dampratio are both given");
  *damping = !isnan(a->kv) ? -a->kv : or_else(a->dampratio, a->law.biasprm.x[2]);
  return CAROM_OK;
}

/* A servo's gain and bias. As in the file's format, a positive bias[2] is a damping ratio. */
static carom_status apply_servo(const cr_mjcf* m, const cr_xml_element* element,
                                cr_mjcf_actuator* a) {
  cr_mjcf_law* law = &a->law;
  double kp = or_else(a->kp, law->gainprm.x[0]), damping = 0;
  CR_TRY(cr_mjcf_find_servo_damping(m, element, a, &damping));
  *law = (cr_mjcf_law){.biastype = CR_MJCF_BIAS_AFFINE,
                       .dyntype = law->dyntype,
                       .dynprm = law->dynprm,
                       .gainprm = {.x = {kp}},
                       .biasprm = {.x = {0, -kp, damping}},
                       .inheritrange = law->inheritrange};
  return CAROM_OK;
}

static carom_status apply_position(const cr_mjcf* m, const cr_xml_element* element,
                                   cr_mjcf_actuator* a) {
  double time = a->timeconst.x[0];
  bool keeps = isnan(time) && a->law.dyntype == CR_MJCF_DYN_FILTEREXACT;
  CR_TRY(apply_servo(m, element, a));
  if (keeps) return CAROM_OK;
  a->law.dyntype = time > 0 ? CR_MJCF_DYN_FILTEREXACT : CR_MJCF_DYN_NONE;
  a->law.dynprm = (cr_numbers){.x = {time > 0 ? time : 1}};
  return CAROM_OK;
}

static carom_status apply_intvelocity(const cr_mjcf* m, const cr_xml_element* element,
                                      cr_mjcf_actuator* a) {
  CR_TRY(apply_servo(m, element, a));
  a->law.dyntype = CR_MJCF_DYN_INTEGRATOR;
  a->actlimited = CR_MJCF_LIMITED_TRUE;
  return CAROM_OK;
}

static carom_status apply_motor(const cr_mjcf* m, const cr_xml_element* element,
                                cr_mjcf_actuator* a) {
  (void)m, (void)element;
  a->law = (cr_mjcf_law){.gainprm = {.x = {1}}, .dynprm = {.x = {1}}};
  return CAROM_OK;
}

static carom_status apply_velocity(const cr_mjcf* m, const cr_xml_element* element,
                                   cr_mjcf_actuator* a) {
  (void)m, (void)element;
  double kv = or_else(a->kv, a->law.gainprm.x[0]);
  a->law = (cr_mjcf_law){.biastype = CR_MJCF_BIAS_AFFINE,
                         .gainprm = {.x = {kv}},
                         .biasprm = {.x = {0, 0, -kv}},
                         .dynprm = {.x = {1}}};
  return CAROM_OK;
}

/* The control is a damping: it may not be negative, and must have a range. */
static carom_status apply_damper(const cr_mjcf* m, const cr_xml_element* element,
                                 cr_mjcf_actuator* a) {
  cr_subject subject = cr_mjcf_subject(m, element);
  double kv = or_else(a->kv, -a->law.gainprm.x[2]);
  a->law = (cr_mjcf_law){
      .gaintype = CR_MJCF_GAIN_AFFINE, .gainprm = {.x = {0, 0, -kv}}, .dynprm = {.x = {1}}};
  a->ctrllimited = CR_MJCF_LIMITED_TRUE;
  if (a->ctrlrange.x[0] >= 0) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "ctrlrange starts at %.9g, must not be negative", a->ctrlrange.x[0]);
}

static carom_status apply_cylinder(const cr_mjcf* m, const cr_xml_element* element,
                                   cr_mjcf_actuator* a) {
  (void)m, (void)element;
  const double quarter_pi = 0.785398163397448309616;
  double time = or_else(a->timeconst.x[0], a->law.dynprm.x[0]);
  double area = or_else(a->area, a->law.gainprm.x[0]);
  if (!isnan(a->diameter)) area = quarter_pi * a->diameter * a->diameter;
  cr_numbers bias = a->bias.count ? a->bias : a->law.biasprm;
  a->law = (cr_mjcf_law){.dyntype = CR_MJCF_DYN_FILTER,
                         .biastype = CR_MJCF_BIAS_AFFINE,
                         .dynprm = {.x = {time}},
                         .gainprm = {.x = {area}},
                         .biasprm = bias};
  return CAROM_OK;
}

static carom_status apply_muscle(const cr_mjcf* m, const cr_xml_element* element,
                                 cr_mjcf_actuator* a) {
  (void)m, (void)element;
  static const double DEFAULTS[9] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
  static const double TIMES[2] = {0.01, 0.04};
  bool is_same = a->law.gaintype == CR_MJCF_GAIN_MUSCLE;
  cr_mjcf_law law = {.dyntype = CR_MJCF_DYN_MUSCLE,
                     .gaintype = CR_MJCF_GAIN_MUSCLE,
                     .biastype = CR_MJCF_BIAS_MUSCLE};
  for (int i = 0; i < 9; i++) {
    double given = i < 2 && i < a->muscle_range.count ? a->muscle_range.x[i] : a->muscle[i];
    law.gainprm.x[i] = or_else(given, is_same ? a->law.gainprm.x[i] : DEFAULTS[i]);
  }
  for (int i = 0; i < 2; i++)
    law.dynprm.x[i] = i < a->timeconst.count ? a->timeconst.x[i]
                      : is_same              ? a->law.dynprm.x[i]
                                             : TIMES[i];
  law.dynprm.x[2] = or_else(a->tausmooth, is_same ? a->law.dynprm.x[2] : 0);
  law.biasprm = law.gainprm;
  a->law = law;
  return CAROM_OK;
}

static carom_status apply_orientation(const cr_mjcf* m, const cr_xml_element* element,
                                      cr_mjcf_actuator* a) {
  double kp = or_else(a->kp, a->law.gainprm.x[0]), damping = 0;
  CR_TRY(cr_mjcf_find_servo_damping(m, element, a, &damping));
  a->law = (cr_mjcf_law){.gaintype = CR_MJCF_GAIN_SO3,
                         .biastype = CR_MJCF_BIAS_SO3,
                         .gainprm = {.x = {kp}},
                         .biasprm = {.x = {0, -kp, damping}},
                         .dynprm = {.x = {1}},
                         .input = a->law.input};
  return CAROM_OK;
}

/* The control is a share of the force: it may not be negative, and must have a range. */
static carom_status apply_adhesion(const cr_mjcf* m, const cr_xml_element* element,
                                   cr_mjcf_actuator* a) {
  cr_subject subject = cr_mjcf_subject(m, element);
  double gain = or_else(a->gain, a->law.gainprm.x[0]);
  a->law = (cr_mjcf_law){.gainprm = {.x = {gain}}, .dynprm = {.x = {1}}};
  a->ctrllimited = CR_MJCF_LIMITED_TRUE;
  if (a->ctrlrange.x[0] >= 0) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "ctrlrange starts at %.9g, must not be negative", a->ctrlrange.x[0]);
}

/* Kinds of actuators; without a table: not supported. */
static const struct kind {
  const char* name;
  const cr_attribute* table;
  int gaintype; /* of laws that such an element can start from */
  carom_status (*apply)(const cr_mjcf*, const cr_xml_element*, cr_mjcf_actuator*);
} KINDS[] = {{"general", GENERAL, 0, NULL},
             {"motor", cr_mjcf_actuator_table, CR_MJCF_GAIN_FIXED, apply_motor},
             {"position", POSITION, CR_MJCF_GAIN_FIXED, apply_position},
             {"velocity", VELOCITY, CR_MJCF_GAIN_FIXED, apply_velocity},
             {"intvelocity", INTVELOCITY, CR_MJCF_GAIN_FIXED, apply_intvelocity},
             {"damper", VELOCITY, CR_MJCF_GAIN_AFFINE, apply_damper},
             {"cylinder", CYLINDER, CR_MJCF_GAIN_FIXED, apply_cylinder},
             {"muscle", MUSCLE, CR_MJCF_GAIN_MUSCLE, apply_muscle},
             {"orientation", ORIENTATION, CR_MJCF_GAIN_SO3, apply_orientation},
             {"pid", cr_mjcf_pid_table, CR_MJCF_GAIN_PID, cr_mjcf_apply_pid},
             {"adhesion", ADHESION, CR_MJCF_GAIN_FIXED, apply_adhesion},
             {"dcmotor", cr_mjcf_dcmotor_table, CR_MJCF_GAIN_DCMOTOR, cr_mjcf_apply_dcmotor},
             {"plugin", cr_mjcf_plugin_table, CR_MJCF_GAIN_PID, cr_mjcf_apply_plugin}};

static const struct kind* find_kind(const char* name) {
  for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
    if (strcmp(KINDS[i].name, name) == 0) return &KINDS[i];
  return NULL;
}

bool cr_mjcf_is_actuator(const char* name) { return find_kind(name) != NULL; }

bool cr_mjcf_is_supported_actuator(const char* name) { return find_kind(name)->table != NULL; }

cr_mjcf_law cr_mjcf_law_default(void) {
  return (cr_mjcf_law){.gainprm = {.x = {1}}, .dynprm = {.x = {1}}};
}

/* Whether an element goes on from the last default: a general one does from any, others do from
 * their own kind, and from a general one with their kind of gain. */
static bool goes_on(const struct kind* kind, const cr_mjcf_actuator* a) {
  if (kind->table == GENERAL) return true;
  if (a->kind) return strcmp(a->kind, kind->name) == 0;
  return a->law.gaintype == kind->gaintype;
}

carom_status cr_mjcf_read_actuator_values(cr_mjcf* m, const cr_xml_element* element,
                                          bool is_default, cr_mjcf_actuator* actuator) {
  const struct kind* kind = find_kind(element->name);
  if (!kind->table) return CAROM_OK;
  actuator->kp = actuator->gain = actuator->kv = actuator->dampratio = NAN;
  actuator->area = actuator->diameter = actuator->tausmooth = NAN;
  actuator->timeconst = (cr_numbers){.x = {NAN, NAN}};
  actuator->bias = actuator->muscle_range = (cr_numbers){0};
  for (int i = 0; i < 9; i++) actuator->muscle[i] = NAN;
  cr_mjcf_forget_controller(actuator);
  if (!goes_on(kind, actuator)) {
    actuator->law = cr_mjcf_law_default();
    if (kind->gaintype == CR_MJCF_GAIN_AFFINE) actuator->law.gainprm.x[0] = 0;
  }
  CR_TRY(cr_mjcf_read_attributes(m, element, kind->table, actuator));
  if (kind->table != cr_mjcf_plugin_table) CR_TRY(cr_mjcf_expect_no_children(m, element));
  if (kind->apply) CR_TRY(kind->apply(m, element, actuator));
  if (is_default) actuator->kind = kind->table == GENERAL ? NULL : kind->name;
  return CAROM_OK;
}
