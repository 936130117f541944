/* Adding springs between points. */
#include "model/kind.h"

#include <math.h>

carom_status cr_spring_check(const cr_addition* addition, void* definition) {
  const carom_spring_def* def = definition;
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
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, spring));
  cr_spring_record record = {.def = *def};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  CR_TRY(cr_spring_check(&addition, &record.def));
  int index;
  return cr_addition_finish(&addition, &record, &record.label, &index);
}
