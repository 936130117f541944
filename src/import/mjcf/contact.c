/* <contact>: explicit pairs and excluded bodies. */
#include "import/mjcf/body.h"
#include "import/stand.h"

#include <string.h>

#define SOFT_CONTACT "contact is rigid, or has the stiffness in N/m that carom:stiffness gives"

const cr_attribute cr_mjcf_pair_table[] = {
    CR_ELSEWHERE("name"),
    CR_ELSEWHERE("class"),
    CR_FIELD("geom1", CR_ATTRIBUTE_TEXT, cr_mjcf_pair, geom1),
    CR_FIELD("geom2", CR_ATTRIBUTE_TEXT, cr_mjcf_pair, geom2),
    CR_FIELD("condim", CR_ATTRIBUTE_INTEGER, cr_mjcf_pair, condim),
    CR_NUMBERS("friction", cr_mjcf_pair, friction, 1, 5),
    CR_NUMBER("margin", cr_mjcf_pair, margin, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("gap", cr_mjcf_pair, gap, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:stiffness", cr_mjcf_pair, stiffness, CR_RULE_STIFFNESS),
    CR_NUMBER("carom:dissipation", cr_mjcf_pair, dissipation, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:static_friction", cr_mjcf_pair, surface.static_friction, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:stribeck_speed", cr_mjcf_pair, surface.stribeck_speed, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:hunt_crossley", cr_mjcf_pair, surface.hunt_crossley, CR_RULE_NOT_NEGATIVE),
    CR_NUMBER("carom:restitution", cr_mjcf_pair, surface.restitution, CR_RULE_NOT_NEGATIVE),
    CR_NOTED("solref", SOFT_CONTACT),
    CR_NOTED("solimp", SOFT_CONTACT),
    CR_NOTED("solreffriction", SOFT_CONTACT),
    CR_NUMBER("adhesion", cr_mjcf_pair, surface.adhesion, CR_RULE_NOT_NEGATIVE),
    CR_END,
};

/* An attribute that must be there. */
static carom_status require(const cr_mjcf* m, const cr_xml_element* element, const char* name,
                            const char* value) {
  if (value) return CAROM_OK;
  cr_subject subject = cr_mjcf_subject(m, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute '%s' is missing", name);
}

static carom_status resolve_geom(cr_mjcf* m, const cr_xml_element* element, const char* attribute,
                                 const char* name, int* index) {
  CR_TRY(require(m, element, attribute, name));
  return cr_mjcf_resolve(m, element, attribute, name, CR_PART_GEOM, index);
}

/* Friction that differs along the two tangents is not had here. */
static carom_status set_friction(cr_mjcf* m, const cr_xml_element* element,
                                 const cr_mjcf_pair* pair, carom_pair_def* def) {
  static const char TEXT[] =
      "friction that differs between directions is not supported, the first value counts";
  const double* friction = pair->friction.x;
  cr_subject subject = cr_mjcf_subject(m, element);
  CR_TRY(cr_check_not_negative(&subject, "friction", friction[0]));
  def->friction = friction[0];
  def->surface = pair->surface;
  def->surface.torsional_friction = friction[2];
  def->surface.rolling_friction = friction[3];
  bool slides_alike = pair->friction.count < 2 || friction[0] == friction[1] || def->condim == 1;
  if (slides_alike && (friction[3] == friction[4] || def->condim < 6)) return CAROM_OK;
  return cr_mjcf_refuse(m, element, "friction", TEXT, TEXT);
}

static int link_of(const cr_mjcf* m, carom_geom geom) {
  const carom_builder* b = m->builder;
  return cr_stand_link(b, CR_AT(&b->geoms, cr_geom_record, geom.id - 1)->def.body.id);
}

/* The record of a pair of the same geometries, or null. */
static cr_pair_record* find_pair(const cr_mjcf* m, const carom_pair_def* def) {
  int a = def->geom1.id, b = def->geom2.id;
  for (int i = 0; i < m->builder->pairs.count; i++) {
    cr_pair_record* record = CR_AT(&m->builder->pairs, cr_pair_record, i);
    int c = record->def.geom1.id, d = record->def.geom2.id;
    if ((a == c && b == d) || (a == d && b == c)) return record;
  }
  return NULL;
}

/* A pair that is there already takes its place; one that cannot part is left out. */
static carom_status add_pair(cr_mjcf* m, const cr_xml_element* element, const carom_pair_def* def) {
  static const char RIGID[] = "not used: its geometries are on one rigid body";
  static const char AGAIN[] = "given again: the later one counts";
  if (def->geom1.id != def->geom2.id && link_of(m, def->geom1) == link_of(m, def->geom2))
    return cr_mjcf_remark_on(m, element, NULL, RIGID, RIGID);
  cr_pair_record* other = find_pair(m, def);
  carom_status status = carom_builder_add_pair(m->builder, def, m->error);
  if (status != CAROM_OK || !other) return status;
  other = find_pair(m, def);
  other->def = CR_AT(&m->builder->pairs, cr_pair_record, --m->builder->pairs.count)->def;
  return cr_mjcf_remark_on(m, element, NULL, AGAIN, AGAIN);
}

static carom_status read_pair(cr_mjcf* m, const cr_xml_element* element) {
  const cr_mjcf_class* class;
  CR_TRY(cr_mjcf_class_of(m, element, 0, &class));
  cr_mjcf_pair pair = class->pair;
  CR_TRY(cr_mjcf_read_attributes(m, element, cr_mjcf_pair_table, &pair));
  CR_TRY(cr_mjcf_expect_no_children(m, element));
  int geom1, geom2 = -1;
  CR_TRY(resolve_geom(m, element, "geom1", pair.geom1, &geom1));
  if (geom1 >= 0) CR_TRY(resolve_geom(m, element, "geom2", pair.geom2, &geom2));
  if (geom1 < 0 || geom2 < 0) return CAROM_OK;

  carom_pair_def def = carom_pair_def_default();
  def.source = cr_mjcf_source(element);
  def.geom1 = (carom_geom){geom1 + 1};
  def.geom2 = (carom_geom){geom2 + 1};
  def.margin = pair.margin;
  def.gap = pair.gap;
  def.stiffness = pair.stiffness;
  def.dissipation = pair.dissipation;
  def.condim = pair.condim;
  CR_TRY(set_friction(m, element, &pair, &def));
  if (!m->option.no_override) {
    const double* friction = m->option.o_friction.x;
    def.friction = friction[0], def.margin = m->option.o_margin;
    def.surface.torsional_friction = friction[2], def.surface.rolling_friction = friction[3];
  }
  const char* name = cr_xml_get(element, "name");
  cr_mjcf_apply_compliance(m, CR_MJCF_PART_PAIR, name, &def.stiffness, &def.dissipation);
  cr_mjcf_apply_surface(m, CR_MJCF_PART_PAIR, name, &def.surface);
  return add_pair(m, element, &def);
}

typedef struct cr_mjcf_exclude {
  const char *body1, *body2;
} cr_mjcf_exclude;

static const cr_attribute EXCLUDE[] = {
    CR_ELSEWHERE("name"),
    CR_FIELD("body1", CR_ATTRIBUTE_TEXT, cr_mjcf_exclude, body1),
    CR_FIELD("body2", CR_ATTRIBUTE_TEXT, cr_mjcf_exclude, body2),
    CR_END,
};

static carom_status read_exclude(cr_mjcf* m, const cr_xml_element* element) {
  cr_mjcf_exclude exclude = {0};
  CR_TRY(cr_mjcf_read_attributes(m, element, EXCLUDE, &exclude));
  CR_TRY(cr_mjcf_expect_no_children(m, element));
  CR_TRY(require(m, element, "body1", exclude.body1));
  CR_TRY(require(m, element, "body2", exclude.body2));
  int body1, body2;
  CR_TRY(cr_mjcf_resolve(m, element, "body1", exclude.body1, CR_PART_BODY, &body1));
  CR_TRY(cr_mjcf_resolve(m, element, "body2", exclude.body2, CR_PART_BODY, &body2));
  return carom_builder_add_exclude(m->builder, (carom_body){body1}, (carom_body){body2}, m->error);
}

carom_status cr_mjcf_read_contact(cr_mjcf* m, const cr_xml_element* section) {
  for (const cr_xml_element* child = section->first_child; child; child = child->next) {
    if (strcmp(child->name, "pair") == 0)
      CR_TRY(read_pair(m, child));
    else if (strcmp(child->name, "exclude") == 0)
      CR_TRY(read_exclude(m, child));
    else
      return cr_mjcf_unknown_element(m, child);
  }
  return CAROM_OK;
}
