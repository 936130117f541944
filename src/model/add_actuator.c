/* Adding actuators. */
#include "model/kind.h"

#include <math.h>
#include <string.h>

static carom_status check_ranges(const cr_subject* subject, const carom_actuator_def* def) {
  const struct {
    const char* name;
    bool limited;
    const double* range;
  } RANGES[] = {{"control_range", def->control_limited, def->control_range},
                {"force_range", def->force_limited, def->force_range},
                {"velocity_range", def->velocity_limited, def->velocity_range},
                {"feedforward_range", def->feedforward_limited, def->feedforward_range},
                {"activation_range", def->activation_limited, def->activation_range},
                {"length_range", !isnan(def->length_range[0]), def->length_range}};
  for (size_t i = 0; i < sizeof RANGES / sizeof RANGES[0]; i++) {
    if (!RANGES[i].limited) continue;
    CR_TRY(cr_check_finite(subject, RANGES[i].name, RANGES[i].range, 2));
    CR_TRY(cr_check_range(subject, RANGES[i].name, RANGES[i].range));
  }
  return CAROM_OK;
}

static carom_status check_muscle(const cr_subject* subject, const carom_muscle* m) {
  const double values[] = {m->force, m->scale, m->low, m->high, m->speed, m->passive, m->eccentric};
  CR_TRY(cr_check_finite(subject, "muscle", values, 7));
  CR_TRY(cr_check_finite(subject, "muscle range", m->range, 2));
  CR_TRY(cr_check_range(subject, "muscle range", m->range));
  CR_TRY(cr_check_not_negative(subject, "muscle scale", m->scale));
  CR_TRY(cr_check_positive(subject, "muscle speed", m->speed));
  if (m->low < 1 && m->high > 1) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "muscle low and high are %.9g and %.9g, 1 must lie between", m->low,
                         m->high);
}

static carom_status check_law(const cr_subject* subject, const carom_actuator_def* def) {
  CR_TRY(cr_check_finite(subject, "gear", &def->gear, 1));
  CR_TRY(cr_check_finite(subject, "wrench", def->wrench, 6));
  CR_TRY(cr_check_finite(subject, "gain", &def->gain, 1));
  CR_TRY(cr_check_finite(subject, "gain_feedback", def->gain_feedback, 2));
  CR_TRY(cr_check_finite(subject, "bias", def->bias, 3));
  if (def->is_muscle_gain) CR_TRY(check_muscle(subject, &def->muscle_gain));
  if (def->is_muscle_bias) CR_TRY(check_muscle(subject, &def->muscle_bias));
  CR_TRY(cr_check_choice(subject, "activation", (int)def->activation, CAROM_ACTIVATION_NONE,
                         CAROM_ACTIVATION_MUSCLE));
  for (int i = 0; i < 3; i++)
    CR_TRY(cr_check_not_negative(subject, "time_constant", def->time_constant[i]));
  return CAROM_OK;
}

/* Controllers and motors work along one length, without what the general law has. */
static carom_status check_controls(const cr_subject* subject, const carom_actuator_def* def) {
  static const int KINDS[] = {[CAROM_LAW_PID] = 7, [CAROM_LAW_DC_MOTOR] = 15};
  bool is_empty = def->law == CAROM_LAW_DC_MOTOR && def->controls == CAROM_CONTROL_NONE;
  if (def->controls < 0 || (def->controls & ~KINDS[def->law] && !is_empty))
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "controls is %d, which the law does not have", def->controls);
  if (def->activation != CAROM_ACTIVATION_NONE || def->is_muscle_gain || def->is_muscle_bias)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "a controller or motor has no other activation and is no muscle");
  if (def->body.id)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "it acts on a body, where a controller or motor has no length");
  return CAROM_OK;
}

/* Which states ask for which controls. */
static carom_status check_controller(const cr_subject* subject, const carom_actuator_def* def) {
  const carom_controller* c = &def->controller;
  bool is_motor = def->law == CAROM_LAW_DC_MOTOR;
  int given = def->controls & 7;
  if (!def->controls) given = is_motor ? 0 : CAROM_CONTROL_POSITION | CAROM_CONTROL_VELOCITY;
  const double numbers[] = {c->proportional, c->derivative};
  CR_TRY(cr_check_finite(subject, "controller", numbers, 2));
  CR_TRY(cr_check_not_negative(subject, "controller integral", c->integral));
  CR_TRY(cr_check_not_negative(subject, "controller integral_limit", c->integral_limit));
  CR_TRY(cr_check_not_negative(subject, "controller slew_limit", c->slew_limit));
  CR_TRY(cr_check_not_negative(subject, "controller voltage_limit", c->voltage_limit));
  bool needs_position = c->integral > 0 || (!is_motor && c->slew_limit > 0);
  if (needs_position && !(given & CAROM_CONTROL_POSITION))
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "the controller's states need a control of position");
  bool controls =
      c->proportional != 0 || c->derivative != 0 || c->integral > 0 || c->slew_limit > 0;
  if (!is_motor || given || !controls) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "the motor's controller needs a control of position, velocity or force");
}

static carom_status check_motor(const cr_subject* subject, const carom_actuator_def* def) {
  const carom_motor* m = &def->motor;
  const struct {
    const char* name;
    double value;
  } NUMBERS[] = {{"motor constant", m->constant},
                 {"motor time_constant", m->time_constant},
                 {"motor current_rate", m->current_rate},
                 {"motor thermal_resistance", m->thermal_resistance},
                 {"motor bristle_stiffness", m->bristle_stiffness},
                 {"motor bristle_damping", m->bristle_damping},
                 {"motor coulomb_friction", m->coulomb_friction},
                 {"motor static_friction", m->static_friction},
                 {"motor stribeck_speed", m->stribeck_speed}};
  CR_TRY(cr_check_positive(subject, "motor resistance", m->resistance));
  if (def->controls != CAROM_CONTROL_NONE)
    CR_TRY(cr_check_positive(subject, "motor constant", m->constant));
  for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++)
    CR_TRY(cr_check_not_negative(subject, NUMBERS[i].name, NUMBERS[i].value));
  CR_TRY(cr_check_finite(subject, "motor cogging", m->cogging, 3));
  const double heat[] = {m->ambient_temperature, m->reference_temperature,
                         m->temperature_coefficient};
  CR_TRY(cr_check_finite(subject, "motor temperatures", heat, 3));
  if (m->thermal_resistance > 0)
    CR_TRY(cr_check_positive(subject, "motor thermal_capacitance", m->thermal_capacitance));
  return CAROM_OK;
}

/* What makes laws with states of their own. */
static carom_status check_kind(const cr_subject* subject, const carom_actuator_def* def) {
  CR_TRY(cr_check_choice(subject, "law", (int)def->law, CAROM_LAW_GENERAL, CAROM_LAW_DC_MOTOR));
  if (def->law == CAROM_LAW_GENERAL) return CAROM_OK;
  CR_TRY(check_controls(subject, def));
  CR_TRY(check_controller(subject, def));
  return def->law == CAROM_LAW_DC_MOTOR ? check_motor(subject, def) : CAROM_OK;
}

/* A fraction of critical damping needs a spring, and one length to move along. */
static carom_status check_damping_ratio(const cr_addition* addition,
                                        const carom_actuator_def* def) {
  const cr_subject* subject = &addition->subject;
  if (isnan(def->damping_ratio)) return CAROM_OK;
  if (def->body.id)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "damping_ratio is given, but adhesion has no length");
  CR_TRY(cr_check_not_negative(subject, "damping_ratio", def->damping_ratio));
  if (def->gear != 0 && def->gain >= 0) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "damping_ratio needs a gear that is not 0 and a gain that is not "
                         "negative; they are %.9g and %.9g",
                         def->gear, def->gain);
}

/* It works on one thing. */
static carom_status check_place(const cr_addition* addition, const carom_actuator_def* def) {
  const cr_subject* subject = &addition->subject;
  CR_TRY(cr_check_joint(addition, "joint", def->joint, 0));
  CR_TRY(cr_check_tendon(addition, "tendon", def->tendon, 0));
  CR_TRY(cr_check_site(addition, "site", def->site, 0));
  CR_TRY(cr_check_site(addition, "reference_site", def->reference_site, 0));
  CR_TRY(cr_check_site(addition, "slider_site", def->slider_site, 0));
  CR_TRY(cr_check_body(addition, "body", def->body, 0));
  int count =
      !!def->joint.id + !!def->tendon.id + !!def->site.id + !!def->slider_site.id + !!def->body.id;
  if (count == 0)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "no joint, tendon, site, slider_site or body is given");
  if (count > 1)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "more than one of joint, tendon, site, slider_site and body is given");
  if (def->body.id && (def->is_muscle_gain || def->is_muscle_bias))
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "it acts on a body, where a muscle has no length");
  if (!def->slider_site.id) return CAROM_OK;
  CR_TRY(cr_check_site(addition, "crank_site", def->crank_site, 1));
  return cr_check_positive(subject, "crank_length", def->crank_length);
}

carom_status cr_actuator_check(const cr_addition* addition, void* definition) {
  const carom_actuator_def* def = definition;
  CR_TRY(check_place(addition, def));
  CR_TRY(check_law(&addition->subject, def));
  CR_TRY(check_kind(&addition->subject, def));
  CR_TRY(check_damping_ratio(addition, def));
  return check_ranges(&addition->subject, def);
}

carom_status cr_actuator_make_way(const cr_addition* addition, const void* resolved,
                                  const char* field, void* definition) {
  (void)resolved;
  const carom_actuator_def* def = definition;
  if (strcmp(field, "bias") != 0 || isnan(def->damping_ratio)) return CAROM_OK;
  return cr_subject_fail(&addition->subject, CAROM_ERROR_UNSUPPORTED,
                         "bias cannot be set while its third number follows from damping_ratio, "
                         "%.9g",
                         def->damping_ratio);
}

carom_status carom_builder_add_actuator(carom_builder* builder, const carom_actuator_def* def,
                                        carom_actuator* actuator, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("actuator", builder, error);
  cr_addition addition = {
      builder,
      &builder->actuators,
      CR_PART_ACTUATOR,
      {"actuator", def->name, def->source, builder->actuators.count + 1, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, actuator));
  cr_actuator_record record = {.def = *def};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  CR_TRY(cr_actuator_check(&addition, &record.def));
  int index;
  CR_TRY(cr_addition_finish(&addition, &record, &record.label, &index));
  if (actuator) actuator->id = index + 1;
  return CAROM_OK;
}
