/* Adding tendons. */
#include "model/record.h"

#include <math.h>
#include <string.h>

static carom_status check_terms(const cr_addition* addition, const carom_tendon_def* def) {
  const cr_subject* subject = &addition->subject;
  if (!def->terms || def->num_terms < 1)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "it runs over no joint");
  for (int i = 0; i < def->num_terms; i++) {
    CR_TRY(cr_check_scalar_joint(addition, "joint", def->terms[i].joint, 1));
    CR_TRY(cr_check_finite(subject, "coefficient", &def->terms[i].coefficient, 1));
  }
  return CAROM_OK;
}

static carom_status check_tendon(const cr_addition* addition, const carom_tendon_def* def) {
  const cr_subject* subject = &addition->subject;
  CR_TRY(check_terms(addition, def));
  CR_TRY(cr_check_finite(subject, "range", def->range, 2));
  if (def->limited) CR_TRY(cr_check_range(subject, "range", def->range));
  CR_TRY(cr_check_not_negative(subject, "limit_margin", def->limit_margin));
  CR_TRY(cr_check_compliance(subject, "limit_stiffness", def->limit_stiffness, false,
                             "limit_dissipation", def->limit_dissipation));
  CR_TRY(cr_check_not_negative(subject, "stiffness", def->stiffness));
  CR_TRY(cr_check_not_negative(subject, "damping", def->damping));
  CR_TRY(cr_check_not_negative(subject, "friction_loss", def->friction_loss));
  if (isnan(def->rest[0])) return CAROM_OK;
  CR_TRY(cr_check_finite(subject, "rest", def->rest, 2));
  if (def->rest[0] <= def->rest[1]) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "rest is %.9g %.9g, the first must not be larger", def->rest[0],
                         def->rest[1]);
}

carom_status carom_builder_add_tendon(carom_builder* builder, const carom_tendon_def* def,
                                      carom_tendon* tendon, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("tendon", builder, error);
  cr_addition addition = {builder,
                          &builder->tendons,
                          CR_PART_TENDON,
                          {"tendon", def->name, def->source, builder->tendons.count + 1, error}};
  CR_TRY(cr_addition_begin(&addition, def->cookie, CR_COOKIE_TENDON));
  CR_TRY(check_tendon(&addition, def));
  cr_list* terms = &builder->tendon_terms;
  if (!cr_list_reserve(terms, &builder->def.allocator, def->num_terms))
    return cr_error_memory(error);
  cr_tendon_record record = {.def = *def, .first_term = terms->count};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  record.def.terms = NULL;
  int index;
  CR_TRY(cr_addition_finish(&addition, &record, &record.label, &index));
  for (int i = 0; i < def->num_terms; i++)
    cr_list_push(terms, &builder->def.allocator, &def->terms[i]);
  if (tendon) tendon->id = index + 1;
  return CAROM_OK;
}
