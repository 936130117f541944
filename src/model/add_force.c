/* Adding springs between points and actuators. */
#include "model/record.h"

#include <math.h>

static carom_status check_spring(const cr_addition* addition, const carom_spring_def* def) {
  const cr_subject* subject = &addition->subject;
  CR_TRY(cr_check_body(addition, "body1", def->body1, 0));
  CR_TRY(cr_check_body(addition, "body2", def->body2, 0));
  CR_TRY(cr_check_finite(subject, "point1", def->point1, 3));
  CR_TRY(cr_check_finite(subject, "point2", def->point2, 3));
  CR_TRY(cr_check_not_negative(subject, "stiffness", def->stiffness));
  CR_TRY(cr_check_not_negative(subject, "damping", def->damping));
  if (isnan(def->rest_length)) return CAROM_OK;
  return cr_check_not_negative(subject, "rest_length", def->rest_length);
}

carom_status carom_builder_add_spring(carom_builder* builder, const carom_spring_def* def,
                                      carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("spring", builder, error);
  cr_addition addition = {builder,
                          &builder->springs,
                          CR_PART_SPRING,
                          {"spring", def->name, def->source, builder->springs.count + 1, error}};
  CR_TRY(cr_addition_begin(&addition, def->cookie, CR_COOKIE_SPRING));
  CR_TRY(check_spring(&addition, def));
  cr_spring_record record = {.def = *def};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  int index;
  return cr_addition_finish(&addition, &record, &record.label, &index);
}

static carom_status check_ranges(const cr_subject* subject, const carom_actuator_def* def) {
  if (def->control_limited) {
    CR_TRY(cr_check_finite(subject, "control_range", def->control_range, 2));
    CR_TRY(cr_check_range(subject, "control_range", def->control_range));
  }
  if (!def->force_limited) return CAROM_OK;
  CR_TRY(cr_check_finite(subject, "force_range", def->force_range, 2));
  return cr_check_range(subject, "force_range", def->force_range);
}

static carom_status check_actuator(const cr_addition* addition, const carom_actuator_def* def) {
  const cr_subject* subject = &addition->subject;
  CR_TRY(cr_check_tendon(addition, "tendon", def->tendon, 0));
  CR_TRY(cr_check_scalar_joint(addition, "joint", def->joint, def->tendon.id ? 0 : 1));
  if (def->tendon.id && def->joint.id)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "joint and tendon are both given");
  CR_TRY(cr_check_finite(subject, "gear", &def->gear, 1));
  CR_TRY(cr_check_finite(subject, "gain", &def->gain, 1));
  CR_TRY(cr_check_finite(subject, "bias", def->bias, 3));
  if (!isnan(def->damping_ratio)) {
    if (def->tendon.id)
      return cr_subject_fail(subject, CAROM_ERROR_UNSUPPORTED,
                             "damping_ratio is not supported on a tendon");
    CR_TRY(cr_check_not_negative(subject, "damping_ratio", def->damping_ratio));
    if (def->gear == 0 || def->gain < 0)
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                             "damping_ratio needs a gear that is not 0 and a gain that is not "
                             "negative; they are %.9g and %.9g",
                             def->gear, def->gain);
  }
  return check_ranges(subject, def);
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
  CR_TRY(cr_addition_begin(&addition, def->cookie, CR_COOKIE_ACTUATOR));
  CR_TRY(check_actuator(&addition, def));
  cr_actuator_record record = {.def = *def};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  int index;
  CR_TRY(cr_addition_finish(&addition, &record, &record.label, &index));
  if (actuator) actuator->id = index + 1;
  return CAROM_OK;
}
