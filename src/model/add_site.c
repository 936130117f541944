/* Adding sites: frames on bodies. */
#include "model/kind.h"

carom_status cr_site_check(const cr_addition* addition, void* definition) {
  const carom_site_def* def = definition;
  const cr_subject* subject = &addition->subject;
  CR_TRY(cr_check_body(addition, "body", def->body, 0));
  CR_TRY(cr_check_finite(subject, "position", def->position, 3));
  CR_TRY(cr_check_quaternion(subject, "quaternion", def->quaternion));
  CR_TRY(cr_check_choice(subject, "type", (int)def->type, CAROM_GEOM_SPHERE, CAROM_GEOM_ELLIPSOID));
  CR_TRY(cr_check_shape_size(subject, def->type, def->size));
  double rgba[4] = {def->rgba[0], def->rgba[1], def->rgba[2], def->rgba[3]};
  return cr_check_finite(subject, "rgba", rgba, 4);
}

carom_status carom_builder_add_site(carom_builder* builder, const carom_site_def* def,
                                    carom_site* site, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("site", builder, error);
  cr_addition addition = {builder,
                          &builder->sites,
                          CR_PART_SITE,
                          {"site", def->name, def->source, builder->sites.count + 1, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, site));
  cr_site_record record = {.def = *def};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  CR_TRY(cr_site_check(&addition, &record.def));
  int index;
  CR_TRY(cr_addition_finish(&addition, &record, &record.label, &index));
  if (site) site->id = index + 1;
  return CAROM_OK;
}
