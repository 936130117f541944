/* Adding tendons. */
#include "model/kind.h"

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

/* What a spatial tendon winds around stands between two sites of one string. */
static carom_status check_geom_point(const cr_addition* addition, const carom_tendon_def* def,
                                     int i) {
  const cr_subject* subject = &addition->subject;
  const carom_tendon_point* p = &def->path[i];
  CR_TRY(cr_check_geom(addition, "geom", p->geom));
  CR_TRY(cr_check_site(addition, "side_site", p->side_site, 0));
  carom_geom_type type = CR_AT(&addition->builder->geoms, cr_geom_record, p->geom.id - 1)->def.type;
  if (type != CAROM_GEOM_SPHERE && type != CAROM_GEOM_CYLINDER)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                           "it winds around a geometry that is neither a sphere nor a cylinder");
  if (i > 0 && i + 1 < def->num_points && p[-1].type == CAROM_PATH_SITE &&
      p[1].type == CAROM_PATH_SITE)
    return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "a geometry on its path is not between two sites");
}

/* Each string runs over two sites or more. */
static carom_status check_path(const cr_addition* addition, const carom_tendon_def* def) {
  const cr_subject* subject = &addition->subject;
  int num_sites = 0;
  if (!def->path || def->num_points < 1)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "its path has no points");
  for (int i = 0; i < def->num_points; i++) {
    const carom_tendon_point* p = &def->path[i];
    bool ends = i + 1 == def->num_points || p[1].type == CAROM_PATH_PULLEY;
    CR_TRY(cr_check_choice(subject, "path type", (int)p->type, CAROM_PATH_SITE, CAROM_PATH_PULLEY));
    if (p->type == CAROM_PATH_PULLEY)
      CR_TRY(cr_check_positive(subject, "divisor", p->divisor));
    else if (p->type == CAROM_PATH_SITE)
      CR_TRY(cr_check_site(addition, "site", p->site, 1));
    else
      CR_TRY(check_geom_point(addition, def, i));
    num_sites = p->type == CAROM_PATH_PULLEY ? 0 : num_sites + (p->type == CAROM_PATH_SITE);
    if (ends && num_sites < 2)
      return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                             "a string of its path runs over fewer than two sites");
  }
  return CAROM_OK;
}

carom_status cr_tendon_check(const cr_addition* addition, void* definition) {
  const carom_tendon_def* def = definition;
  const cr_subject* subject = &addition->subject;
  if (def->num_terms && def->num_points)
    return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT, "terms and a path are both given");
  CR_TRY(def->num_points ? check_path(addition, def) : check_terms(addition, def));
  CR_TRY(cr_check_finite(subject, "range", def->range, 2));
  if (def->limited) CR_TRY(cr_check_range(subject, "range", def->range));
  CR_TRY(cr_check_not_negative(subject, "limit_margin", def->limit_margin));
  CR_TRY(cr_check_compliance(subject, "limit_stiffness", def->limit_stiffness, false,
                             "limit_dissipation", def->limit_dissipation));
  CR_TRY(cr_check_not_negative(subject, "stiffness", def->stiffness));
  CR_TRY(cr_check_finite(subject, "stiffness_more", def->stiffness_more, 2));
  CR_TRY(cr_check_finite(subject, "damping_more", def->damping_more, 2));
  CR_TRY(cr_check_not_negative(subject, "damping", def->damping));
  CR_TRY(cr_check_not_negative(subject, "friction_loss", def->friction_loss));
  CR_TRY(cr_check_not_negative(subject, "armature", def->armature));
  for (int i = 0; def->armature > 0 && i < def->num_points; i++)
    if (def->path[i].type == CAROM_PATH_GEOM)
      return cr_subject_fail(subject, CAROM_ERROR_UNSUPPORTED,
                             "armature is %.9g, which is not supported around geometries",
                             def->armature);
  if (def->drive_limited) {
    CR_TRY(cr_check_finite(subject, "drive_range", def->drive_range, 2));
    CR_TRY(cr_check_range(subject, "drive_range", def->drive_range));
  }
  if (isnan(def->rest[0])) return CAROM_OK;
  CR_TRY(cr_check_finite(subject, "rest", def->rest, 2));
  if (def->rest[0] <= def->rest[1]) return CAROM_OK;
  return cr_subject_fail(subject, CAROM_ERROR_BAD_INPUT,
                         "rest is %.9g %.9g, the first must not be larger", def->rest[0],
                         def->rest[1]);
}

void cr_tendon_lend(const carom_builder* builder, const void* record, void* definition) {
  const cr_tendon_record* tendon = record;
  carom_tendon_def* def = definition;
  bool has_terms = builder && def->num_terms, has_path = builder && def->num_points;
  def->terms =
      has_terms ? CR_AT(&builder->tendon_terms, carom_tendon_term, tendon->first_term) : NULL;
  def->path =
      has_path ? CR_AT(&builder->tendon_points, carom_tendon_point, tendon->first_point) : NULL;
}

carom_status carom_builder_add_tendon(carom_builder* builder, const carom_tendon_def* def,
                                      carom_tendon* tendon, carom_error* error) {
  cr_error_clear(error);
  if (!builder || !def) return cr_refuse_null("tendon", builder, error);
  cr_addition addition = {builder,
                          &builder->tendons,
                          CR_PART_TENDON,
                          {"tendon", def->name, def->source, builder->tendons.count + 1, error}};
  CR_TRY(CR_ADDITION_BEGIN(&addition, def, tendon));
  cr_list *terms = &builder->tendon_terms, *points = &builder->tendon_points;
  cr_tendon_record record = {.def = *def, .first_term = terms->count, .first_point = points->count};
  record.def.name = NULL;
  record.def.source = (carom_source){0};
  CR_TRY(cr_tendon_check(&addition, &record.def));
  cr_tendon_lend(NULL, &record, &record.def);
  if (!cr_list_reserve(terms, &builder->def.allocator, def->num_terms) ||
      !cr_list_reserve(points, &builder->def.allocator, def->num_points))
    return cr_error_memory(error);
  int index;
  CR_TRY(cr_addition_finish(&addition, &record, &record.label, &index));
  for (int i = 0; i < def->num_terms; i++)
    cr_list_push(terms, &builder->def.allocator, &def->terms[i]);
  for (int i = 0; i < def->num_points; i++)
    cr_list_push(points, &builder->def.allocator, &def->path[i]);
  if (tendon) tendon->id = index + 1;
  return CAROM_OK;
}
