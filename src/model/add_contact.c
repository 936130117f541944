/* Adding explicit pairs and excludes: exceptions to the collision filter. */
#include "model/kind.h"

#include <math.h>

/* A field that may stay NaN, else must not be negative. */
static carom_status check_optional(const cr_subject* subject, const char* field, double value) {
  return isnan(value) ? CAROM_OK : cr_check_not_negative(subject, field, value);
}

/* What is only drawn has no shape that could touch. */
static carom_status check_touchable(const cr_addition* addition, const char* field,
                                    carom_geom geom) {
  CR_TRY(cr_check_geom(addition, field, geom));
  const carom_geom_def* def = &CR_AT(&addition->builder->geoms, cr_geom_record, geom.id - 1)->def;
  if (def->type != CAROM_GEOM_MESH || !cr_mesh_is_drawn(cr_geom_mesh(addition->builder, def)))
    return CAROM_OK;
  return cr_subject_fail(&addition->subject, CAROM_ERROR_BAD_INPUT,
                         "%s has a mesh that is only drawn", field);
}

carom_status cr_pair_check(const cr_addition* addition, void* definition) {
  const carom_pair_def* def = definition;
  const cr_subject* subject = &addition->subject;
  CR_TRY(check_touchable(addition, "geom1", def->geom1));
  CR_TRY(check_touchable(addition, "geom2", def->geom2));
  if (def->geom1.id == def->geom2.id)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "geom1 and geom2 are the same");
  CR_TRY(cr_check_condim(subject, def->condim, true));
  CR_TRY(check_optional(subject, "friction", def->friction));
  CR_TRY(cr_check_surface(subject, &def->surface, def->friction, true));
  CR_TRY(check_optional(subject, "margin", def->margin));
  CR_TRY(check_optional(subject, "gap", def->gap));
  return cr_check_compliance(subject, "stiffness", def->stiffness, true, "dissipation",
                             def->dissipation);
}

carom_status carom_builder_add_pair(carom_builder* builder, const carom_pair_def* def,
                                    carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("pair", builder, error);
  cr_addition addition = {
      builder, &builder->pairs, -1, {"pair", NULL, def->source, builder->pairs.count + 1, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, pair));
  cr_pair_record record = {.def = *def};
  record.def.source = (carom_source){0};
  CR_TRY(cr_pair_check(&addition, &record.def));
  int index;
  return cr_addition_finish(&addition, &record, &record.label, &index);
}

carom_status carom_builder_add_exclude(carom_builder* builder, carom_body body1, carom_body body2,
                                       carom_error* error) {
  cr_error_clear(error);
  if (!builder) return cr_refuse_null("exclude", builder, error);
  cr_addition addition = {
      .builder = builder,
      .subject = {.kind = "exclude", .number = builder->excludes.count + 1, .error = error}};
  CR_TRY(cr_check_body(&addition, "body1", body1, 0));
  CR_TRY(cr_check_body(&addition, "body2", body2, 0));
  cr_exclude_record record = {body1.id, body2.id};
  if (!cr_list_push(&builder->excludes, &builder->def.allocator, &record))
    return cr_error_memory(error);
  return CAROM_OK;
}
