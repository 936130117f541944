/* Checks of a definition's fields; every failure is one sentence with subject, field and value. */
#include "model/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* Names longer than this are cut in sentences, so that what follows them is still read. */
#define NAME_SHOWN 100

/* "scene.xml:12: geom 'foot': " into text; returns its length. */
static int write_subject(const cr_subject* subject, char* text, size_t size) {
  char where[320] = "", which[NAME_SHOWN + 8] = "";
  const carom_source* source = &subject->source;
  if (source->file && source->line > 0)
    snprintf(where, sizeof where, "%.256s:%d: ", source->file, source->line);
  else if (source->file)
    snprintf(where, sizeof where, "%.256s: ", source->file);
  else if (source->line > 0)
    snprintf(where, sizeof where, "line %d: ", source->line);
  if (subject->name && subject->name[0])
    snprintf(which, sizeof which, " '%.*s'", NAME_SHOWN, subject->name);
  else if (!where[0] && subject->number > 0)
    snprintf(which, sizeof which, " %d", subject->number);
  int length = snprintf(text, size, "%s%s%s: ", where, subject->kind, which);
  return length < (int)size ? length : (int)size - 1;
}

carom_status cr_subject_fail(const cr_subject* subject, carom_status status, const char* format,
                             ...) {
  carom_error* error = subject->error;
  if (!error) return status;
  error->status = status;
  int length = write_subject(subject, error->message, sizeof error->message);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message + length, sizeof error->message - (size_t)length, format, arguments);
  va_end(arguments);
  return status;
}

/* "<field> is <value>, must be <wish>". */
static carom_status refuse(const cr_subject* subject, const char* field, double value,
                           const char* wish) {
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "%s is %.9g, must be %s", field, value,
                         wish);
}

carom_status cr_check_finite(const cr_subject* subject, const char* field, const double* values,
                             int count) {
  for (int i = 0; i < count; i++) {
    if (isfinite(values[i])) continue;
    if (count == 1) return refuse(subject, field, values[i], "a finite number");
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "%s[%d] is %g, must be a finite number",
                           field, i, values[i]);
  }
  return CAROM_OK;
}

carom_status cr_check_positive(const cr_subject* subject, const char* field, double value) {
  CR_TRY(cr_check_finite(subject, field, &value, 1));
  return value > 0 ? CAROM_OK : refuse(subject, field, value, "positive");
}

carom_status cr_check_not_negative(const cr_subject* subject, const char* field, double value) {
  CR_TRY(cr_check_finite(subject, field, &value, 1));
  return value >= 0 ? CAROM_OK : refuse(subject, field, value, "zero or positive");
}

/* A length that can be divided by. */
static bool is_long_enough(const double* values, int count) {
  double largest = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(values[i]));
  return largest > 1e-100;
}

carom_status cr_check_quaternion(const cr_subject* subject, const char* field,
                                 const double* quaternion) {
  CR_TRY(cr_check_finite(subject, field, quaternion, 4));
  if (is_long_enough(quaternion, 4)) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "%s is 0 0 0 0, must not be zero", field);
}

carom_status cr_check_direction(const cr_subject* subject, const char* field,
                                const double* vector) {
  CR_TRY(cr_check_finite(subject, field, vector, 3));
  if (is_long_enough(vector, 3)) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "%s is 0 0 0, must not be zero", field);
}

carom_status cr_check_range(const cr_subject* subject, const char* field, const double* range) {
  if (range[0] < range[1]) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "%s is %.9g %.9g, its first number must be smaller than its second", field,
                         range[0], range[1]);
}

carom_status cr_check_choice(const cr_subject* subject, const char* field, int value, int low,
                             int high) {
  if (value >= low && value <= high) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "%s is %d, must be between %d and %d",
                         field, value, low, high);
}

carom_status cr_check_compliance(const cr_subject* subject, const char* stiffness_field,
                                 double stiffness, bool may_be_unset, const char* dissipation_field,
                                 double dissipation) {
  bool is_unset = may_be_unset && isnan(stiffness);
  if (!is_unset && !(stiffness > 0))
    return refuse(subject, stiffness_field, stiffness, "positive or infinite");
  if (isnan(dissipation)) return CAROM_OK;
  return cr_check_not_negative(subject, dissipation_field, dissipation);
}

carom_status cr_check_condim(const cr_subject* subject, int condim, bool may_be_unset) {
  if (condim == 1 || condim == 3 || condim == 4 || condim == 6) return CAROM_OK;
  if (may_be_unset && condim == 0) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "condim is %d, must be %s1, 3, 4 or 6",
                         condim, may_be_unset ? "0, " : "");
}

carom_status cr_check_surface(const cr_subject* subject, const carom_surface* surface,
                              double friction, bool may_be_unset) {
  const struct {
    const char* field;
    double value;
  } values[] = {{"torsional_friction", surface->torsional_friction},
                {"rolling_friction", surface->rolling_friction},
                {"stribeck_speed", surface->stribeck_speed},
                {"hunt_crossley", surface->hunt_crossley},
                {"restitution", surface->restitution},
                {"adhesion", surface->adhesion}};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    if (!(may_be_unset && isnan(values[i].value)))
      CR_TRY(cr_check_not_negative(subject, values[i].field, values[i].value));
  if (surface->restitution > 1)
    return refuse(subject, "restitution", surface->restitution, "at most 1");
  if (isnan(surface->static_friction)) return CAROM_OK;
  CR_TRY(cr_check_not_negative(subject, "static_friction", surface->static_friction));
  if (!(surface->static_friction < friction)) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "static_friction is %.9g, must not be below friction, %.9g",
                         surface->static_friction, friction);
}
