/* <tendon>: fixed and spatial tendons. */
#include "import/mjcf/body.h"
#include "import/mjcf/class.h"

#include <math.h>
#include <string.h>

static const char* const LIMITED[] = {"false", "true", "auto", NULL};

#define RIGID   "limits are rigid, or have the stiffness that carom:limit_stiffness gives"
#define DRAWING "it is for drawing"

/* Of fixed and spatial tendons and of their defaults. */
const cr_attribute cr_mjcf_tendon_table[] = {
    CR_ELSEWHERE("name"),
    CR_ELSEWHERE("class"),
    CR_WORD("limited", cr_mjcf_tendon, limited, LIMITED),
    CR_NUMBERS("range", cr_mjcf_tendon, range, 2, 2),
    CR_NUMBER("margin", cr_mjcf_tendon, margin, CR_RULE_NOT_NEGATIVE),
    CR_NUMBERS("stiffness", cr_mjcf_tendon, stiffness, 1, 3),
    CR_NUMBERS("damping", cr_mjcf_tendon, damping, 1, 3),
    CR_NUMBERS("springlength", cr_mjcf_tendon, springlength, 1, 2),
    CR_NUMBER("frictionloss", cr_mjcf_tendon, frictionloss, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:limit_stiffness", cr_mjcf_tendon, limit_stiffness, CR_RULE_STIFFNESS),
    CR_NUMBER("carom:limit_dissipation", cr_mjcf_tendon, limit_dissipation, CR_RULE_NOT_NEGATIVE),
    CR_NOTED("solreflimit", RIGID),
    CR_NOTED("solimplimit", RIGID),
    CR_NOTED("solreffriction", RIGID),
    CR_NOTED("solimpfriction", RIGID),
    CR_NOTED("group", DRAWING),
    CR_NOTED("width", DRAWING),
    CR_NOTED("material", DRAWING),
    CR_NOTED("rgba", DRAWING),
    CR_NOTED("user", "it is for the programs of the file's author"),
    CR_NUMBER("armature", cr_mjcf_tendon, armature, CR_RULE_NOT_NEGATIVE),
    CR_WORD("actuatorfrclimited", cr_mjcf_tendon, actuatorfrclimited, LIMITED),
    CR_NUMBERS("actuatorfrcrange", cr_mjcf_tendon, actuatorfrcrange, 2, 2),
    CR_END,
};

typedef struct term {
  const char* joint;
  double coefficient;
} term;

static const cr_attribute TERM[] = {
    CR_FIELD("joint", CR_ATTRIBUTE_TEXT, term, joint),
    CR_NUMBER("coef", term, coefficient, CR_RULE_ANY),
    CR_END,
};

/* The joints of a tendon, in the pool; `count` is 0 where one of them is left out of the model. */
static carom_status read_terms(cr_mjcf* m, const cr_xml_element* element, carom_tendon_term** terms,
                               int* count) {
  int size = 0;
  bool is_whole = true;
  for (const cr_xml_element* e = element->first_child; e; e = e->next) size++;
  *count = 0;
  *terms = cr_pool_take(&m->xml.pool, ((size_t)size + 1) * sizeof **terms);
  if (!*terms) return cr_error_memory(m->error);
  for (const cr_xml_element* e = element->first_child; e; e = e->next) {
    term given = {0};
    int joint;
    cr_subject subject = cr_mjcf_subject(m, e);
    if (strcmp(e->name, "joint") != 0) return cr_mjcf_unknown_element(m, e);
    CR_TRY(cr_mjcf_read_attributes(m, e, TERM, &given));
    CR_TRY(cr_mjcf_expect_no_children(m, e));
    if (!given.joint || !cr_xml_get(e, "coef"))
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute '%s' is missing",
                             given.joint ? "coef" : "joint");
    CR_TRY(cr_mjcf_resolve(m, e, "joint", given.joint, CR_PART_JOINT, &joint));
    is_whole &= joint >= 0;
    (*terms)[(*count)++] = (carom_tendon_term){{joint + 1}, given.coefficient};
  }
  if (!is_whole) *count = 0;
  return CAROM_OK;
}

static carom_status set_values(cr_mjcf* m, const cr_xml_element* element,
                               const cr_mjcf_tendon* tendon, carom_tendon_def* def) {
  const cr_numbers* rest = &tendon->springlength;
  CR_TRY(cr_mjcf_is_limited(m, element, "", tendon->limited, &tendon->range, &def->limited));
  memcpy(def->range, tendon->range.x, sizeof def->range);
  def->limit_margin = tendon->margin;
  def->limit_stiffness = tendon->limit_stiffness;
  def->limit_dissipation = tendon->limit_dissipation;
  CR_TRY(cr_mjcf_read_powers(m, element, "stiffness", &tendon->stiffness, &def->stiffness,
                             def->stiffness_more));
  CR_TRY(cr_mjcf_read_powers(m, element, "damping", &tendon->damping, &def->damping,
                             def->damping_more));
  def->friction_loss = tendon->frictionloss;
  def->armature = tendon->armature;
  CR_TRY(cr_mjcf_is_limited(m, element, "actuatorfrc", tendon->actuatorfrclimited,
                            &tendon->actuatorfrcrange, &def->drive_limited));
  memcpy(def->drive_range, tendon->actuatorfrcrange.x, sizeof def->drive_range);
  if (def->drive_limited) {
    cr_subject subject = cr_mjcf_subject(m, element);
    CR_TRY(cr_check_range(&subject, "actuatorfrcrange", def->drive_range));
  }
  if (rest->count && rest->x[0] != -1) {
    def->rest[0] = rest->x[0];
    def->rest[1] = rest->count > 1 ? rest->x[1] : rest->x[0];
  }
  if (m->option.no_spring) def->stiffness = def->stiffness_more[0] = def->stiffness_more[1] = 0;
  if (m->option.no_damper) def->damping = def->damping_more[0] = def->damping_more[1] = 0;
  if (m->option.no_limit || m->option.no_constraint) def->limited = false;
  if (m->option.no_frictionloss || m->option.no_constraint) def->friction_loss = 0;
  return CAROM_OK;
}

/* A tendon that is not in the model: what names it is left out too. */
static carom_status leave_out(cr_mjcf* m, const cr_xml_element* element) {
  const char* name = cr_xml_get(element, "name");
  int kind = CR_MJCF_NAME_LEFT_OUT + (int)CR_PART_TENDON;
  if (!name || cr_name_find(&m->names, &m->text, kind, name) >= 0) return CAROM_OK;
  return cr_mjcf_add_name(m, kind, name, 0);
}

static carom_status read_fixed(cr_mjcf* m, const cr_xml_element* element, carom_tendon_def* def) {
  carom_tendon_term* terms;
  CR_TRY(read_terms(m, element, &terms, &def->num_terms));
  def->terms = terms;
  return CAROM_OK;
}

/* --- Spatial ------------------------------------------------------------------------------------
 */

typedef struct station {
  const char *site, *geom, *sidesite;
  double divisor;
} station;

static const cr_attribute SITE[] = {CR_FIELD("site", CR_ATTRIBUTE_TEXT, station, site), CR_END};
static const cr_attribute GEOM[] = {
    CR_FIELD("geom", CR_ATTRIBUTE_TEXT, station, geom),
    CR_FIELD("sidesite", CR_ATTRIBUTE_TEXT, station, sidesite),
    CR_END,
};
static const cr_attribute PULLEY[] = {CR_NUMBER("divisor", station, divisor, CR_RULE_POSITIVE),
                                      CR_END};

/* Finds a part by name; `is_whole` turns false where it is left out of the model. */
static carom_status find_part(cr_mjcf* m, const cr_xml_element* e, const char* attribute,
                              const char* name, cr_part part, int32_t* id, bool* is_whole) {
  int index;
  cr_subject subject = cr_mjcf_subject(m, e);
  if (!name)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute '%s' is missing", attribute);
  CR_TRY(cr_mjcf_resolve(m, e, attribute, name, part, &index));
  *is_whole &= index >= 0;
  *id = index + 1;
  return CAROM_OK;
}

static carom_status read_point(cr_mjcf* m, const cr_xml_element* e, carom_tendon_point* point,
                               bool* is_whole) {
  station given = {.divisor = 1};
  *point = (carom_tendon_point){0};
  CR_TRY(cr_mjcf_expect_no_children(m, e));
  if (strcmp(e->name, "site") == 0) {
    CR_TRY(cr_mjcf_read_attributes(m, e, SITE, &given));
    point->type = CAROM_PATH_SITE;
    return find_part(m, e, "site", given.site, CR_PART_SITE, &point->site.id, is_whole);
  }
  if (strcmp(e->name, "pulley") == 0) {
    CR_TRY(cr_mjcf_read_attributes(m, e, PULLEY, &given));
    point->type = CAROM_PATH_PULLEY;
    point->divisor = given.divisor;
    return CAROM_OK;
  }
  if (strcmp(e->name, "geom") != 0) return cr_mjcf_unknown_element(m, e);
  CR_TRY(cr_mjcf_read_attributes(m, e, GEOM, &given));
  point->type = CAROM_PATH_GEOM;
  CR_TRY(find_part(m, e, "geom", given.geom, CR_PART_GEOM, &point->geom.id, is_whole));
  if (!given.sidesite) return CAROM_OK;
  return find_part(m, e, "sidesite", given.sidesite, CR_PART_SITE, &point->side_site.id, is_whole);
}

/* The stations of a tendon, in the pool; `count` is 0 where one of them is left out of the model.
 */
static carom_status read_path(cr_mjcf* m, const cr_xml_element* element,
                              carom_tendon_point** points, int* count) {
  int size = 0;
  bool is_whole = true;
  for (const cr_xml_element* e = element->first_child; e; e = e->next) size++;
  *points = cr_pool_take(&m->xml.pool, ((size_t)size + 1) * sizeof **points);
  if (!*points) return cr_error_memory(m->error);
  *count = 0;
  for (const cr_xml_element* e = element->first_child; e; e = e->next)
    CR_TRY(read_point(m, e, &(*points)[(*count)++], &is_whole));
  if (!is_whole) *count = 0;
  return CAROM_OK;
}

static carom_status read_spatial(cr_mjcf* m, const cr_xml_element* element, carom_tendon_def* def) {
  cr_subject subject = cr_mjcf_subject(m, element);
  carom_tendon_point* points;
  if (!element->first_child)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "its path has no points");
  CR_TRY(read_path(m, element, &points, &def->num_points));
  def->path = points;
  return CAROM_OK;
}

/* --- Both ---------------------------------------------------------------------------------------
 */

static carom_status read_tendon(cr_mjcf* m, const cr_xml_element* element, bool is_fixed) {
  const cr_mjcf_class* class;
  CR_TRY(cr_mjcf_class_of(m, element, 0, &class));
  cr_mjcf_tendon tendon = class->tendon;
  CR_TRY(cr_mjcf_read_attributes(m, element, cr_mjcf_tendon_table, &tendon));
  carom_tendon_def def = carom_tendon_def_default();
  def.name = cr_xml_get(element, "name");
  def.source = cr_mjcf_source(element);
  CR_TRY(is_fixed ? read_fixed(m, element, &def) : read_spatial(m, element, &def));
  if (element->first_child && def.num_terms + def.num_points == 0) return leave_out(m, element);
  CR_TRY(set_values(m, element, &tendon, &def));
  return carom_builder_add_tendon(m->builder, &def, NULL, m->error);
}

carom_status cr_mjcf_read_tendon(cr_mjcf* m, const cr_xml_element* section) {
  for (const cr_xml_element* child = section->first_child; child; child = child->next) {
    bool is_fixed = strcmp(child->name, "fixed") == 0;
    if (!is_fixed && strcmp(child->name, "spatial") != 0) return cr_mjcf_unknown_element(m, child);
    CR_TRY(read_tendon(m, child, is_fixed));
  }
  return CAROM_OK;
}
