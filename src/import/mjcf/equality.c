/* <equality>: connect, weld, joint and tendon. */
#include "import/mjcf/class.h"
#include "import/stand.h"

#include <math.h>
#include <string.h>

#define RIGID "constraints are rigid, or have the stiffness that carom:stiffness gives"

const cr_attribute cr_mjcf_equality_table[] = {
    CR_ELSEWHERE("name"),
    CR_ELSEWHERE("class"),
    CR_FIELD("active", CR_ATTRIBUTE_FLAG, cr_mjcf_equality, active),
    CR_NUMBER("carom:stiffness", cr_mjcf_equality, stiffness, CR_RULE_STIFFNESS),
    CR_NUMBER("carom:dissipation", cr_mjcf_equality, dissipation, CR_RULE_NOT_NEGATIVE),
    CR_NOTED("solref", RIGID),
    CR_NOTED("solimp", RIGID),
    CR_END,
};

static const cr_attribute CONNECT[] = {
    CR_FIELD("body1", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, body1),
    CR_FIELD("body2", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, body2),
    CR_NUMBERS("anchor", cr_mjcf_equality, anchor, 3, 3),
    CR_NUMBERS("carom:anchor2", cr_mjcf_equality, anchor2, 3, 3),
    CR_FIELD("site1", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, site[0]),
    CR_FIELD("site2", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, site[1]),
    CR_MORE(cr_mjcf_equality_table),
};

/* Ours: points of two bodies that keep their distance. */
static const cr_attribute DISTANCE[] = {
    CR_FIELD("body1", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, body1),
    CR_FIELD("body2", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, body2),
    CR_NUMBERS("anchor", cr_mjcf_equality, anchor, 3, 3),
    CR_NUMBERS("carom:anchor2", cr_mjcf_equality, anchor2, 3, 3),
    CR_NUMBER("distance", cr_mjcf_equality, distance, CR_RULE_POSITIVE),
    CR_MORE(cr_mjcf_equality_table),
};

static const cr_attribute WELD[] = {
    CR_FIELD("body1", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, body1),
    CR_FIELD("body2", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, body2),
    CR_NUMBERS("anchor", cr_mjcf_equality, anchor, 3, 3),
    CR_NUMBERS("relpose", cr_mjcf_equality, relpose, 7, 7),
    CR_NOTED("torquescale", RIGID),
    CR_FIELD("site1", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, site[0]),
    CR_FIELD("site2", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, site[1]),
    CR_MORE(cr_mjcf_equality_table),
};

static const cr_attribute JOINT[] = {
    CR_FIELD("joint1", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, joint1),
    CR_FIELD("joint2", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, joint2),
    CR_NUMBERS("polycoef", cr_mjcf_equality, polycoef, 1, 5),
    CR_MORE(cr_mjcf_equality_table),
};

static const cr_attribute TENDON[] = {
    CR_FIELD("tendon1", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, tendon1),
    CR_FIELD("tendon2", CR_ATTRIBUTE_TEXT, cr_mjcf_equality, tendon2),
    CR_NUMBERS("polycoef", cr_mjcf_equality, polycoef, 1, 5),
    CR_MORE(cr_mjcf_equality_table),
};

static carom_status missing(const cr_mjcf* m, const cr_xml_element* element, const char* name) {
  cr_subject subject = cr_mjcf_subject(m, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute '%s' is missing", name);
}

/* The two bodies; the second one may be the world. */
static carom_status set_bodies(cr_mjcf* m, const cr_xml_element* element,
                               const cr_mjcf_equality* equality, carom_equality_def* def) {
  int body1, body2 = 0;
  if (!equality->body1) return missing(m, element, "body1");
  CR_TRY(cr_mjcf_resolve(m, element, "body1", equality->body1, CR_PART_BODY, &body1));
  if (equality->body2)
    CR_TRY(cr_mjcf_resolve(m, element, "body2", equality->body2, CR_PART_BODY, &body2));
  def->body1 = (carom_body){body1};
  def->body2 = (carom_body){body2};
  return CAROM_OK;
}

/* The bodies of the two sites, and where these are on them. */
static carom_status set_sites(cr_mjcf* m, const cr_xml_element* element,
                              const cr_mjcf_equality* equality, carom_site_def sites[2],
                              carom_equality_def* def) {
  static const char* const NAMES[2] = {"site1", "site2"};
  carom_body* bodies[2] = {&def->body1, &def->body2};
  cr_subject subject = cr_mjcf_subject(m, element);
  if (equality->body1 || equality->body2 || equality->anchor.count || equality->relpose.count)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "sites and bodies, anchor or relpose are both given");
  for (int k = 0; k < 2; k++) {
    int index;
    if (!equality->site[k]) return missing(m, element, NAMES[k]);
    CR_TRY(cr_mjcf_resolve(m, element, NAMES[k], equality->site[k], CR_PART_SITE, &index));
    sites[k] = CR_AT(&m->builder->sites, cr_site_record, index)->def;
    *bodies[k] = sites[k].body;
  }
  return CAROM_OK;
}

/* The origins of the sites coincide. */
static carom_status connect_sites(cr_mjcf* m, const cr_xml_element* element,
                                  const cr_mjcf_equality* equality, carom_equality_def* def) {
  carom_site_def sites[2] = {carom_site_def_default(), carom_site_def_default()};
  CR_TRY(set_sites(m, element, equality, sites, def));
  memcpy(def->anchor1, sites[0].position, sizeof def->anchor1);
  memcpy(def->anchor2, sites[1].position, sizeof def->anchor2);
  return CAROM_OK;
}

/* The frames of the sites coincide: body 2 is in body 1 as site 1 is there, seen from site 2. */
static carom_status weld_sites(cr_mjcf* m, const cr_xml_element* element,
                               const cr_mjcf_equality* equality, carom_equality_def* def) {
  carom_site_def sites[2] = {carom_site_def_default(), carom_site_def_default()};
  CR_TRY(set_sites(m, element, equality, sites, def));
  memcpy(def->relative_position, sites[0].position, sizeof def->relative_position);
  memcpy(def->anchor2, sites[1].position, sizeof def->anchor2);
  quat first = cr_quat_unit(sites[0].quaternion), second = cr_quat_unit(sites[1].quaternion);
  quat_store(quat_mul(first, quat_conjugate(second)), def->relative_quaternion);
  return CAROM_OK;
}

static bool names_sites(const cr_mjcf_equality* equality) {
  return equality->site[0] || equality->site[1];
}

static carom_status set_connect(cr_mjcf* m, const cr_xml_element* element,
                                const cr_mjcf_equality* equality, carom_equality_def* def) {
  def->type = CAROM_EQUALITY_CONNECT;
  if (names_sites(equality)) return connect_sites(m, element, equality, def);
  CR_TRY(set_bodies(m, element, equality, def));
  if (!equality->anchor.count) return missing(m, element, "anchor");
  memcpy(def->anchor1, equality->anchor.x, sizeof def->anchor1);
  if (equality->anchor2.count) memcpy(def->anchor2, equality->anchor2.x, sizeof def->anchor2);
  return CAROM_OK;
}

static carom_status set_distance(cr_mjcf* m, const cr_xml_element* element,
                                 const cr_mjcf_equality* equality, carom_equality_def* def) {
  CR_TRY(set_connect(m, element, equality, def));
  def->type = CAROM_EQUALITY_DISTANCE;
  if (equality->distance > 0) def->distance = equality->distance;
  return CAROM_OK;
}

/* The anchor is a point of body 2, and relpose says where it is in body 1; a relpose without a
 * rotation is none. */
static carom_status set_weld(cr_mjcf* m, const cr_xml_element* element,
                             const cr_mjcf_equality* equality, carom_equality_def* def) {
  def->type = CAROM_EQUALITY_WELD;
  if (names_sites(equality)) return weld_sites(m, element, equality, def);
  CR_TRY(set_bodies(m, element, equality, def));
  memcpy(def->anchor2, equality->anchor.x, sizeof def->anchor2);
  const double* relpose = equality->relpose.x;
  bool is_posed = relpose[3] != 0 || relpose[4] != 0 || relpose[5] != 0 || relpose[6] != 0;
  if (!is_posed) return CAROM_OK;
  memcpy(def->relative_position, relpose, sizeof def->relative_position);
  memcpy(def->relative_quaternion, relpose + 3, sizeof def->relative_quaternion);
  return CAROM_OK;
}

static carom_status set_joint(cr_mjcf* m, const cr_xml_element* element,
                              const cr_mjcf_equality* equality, carom_equality_def* def) {
  def->type = CAROM_EQUALITY_JOINT;
  int joint1, joint2 = -1;
  if (!equality->joint1) return missing(m, element, "joint1");
  CR_TRY(cr_mjcf_resolve(m, element, "joint1", equality->joint1, CR_PART_JOINT, &joint1));
  if (equality->joint2)
    CR_TRY(cr_mjcf_resolve(m, element, "joint2", equality->joint2, CR_PART_JOINT, &joint2));
  def->joint1 = (carom_joint){joint1 + 1};
  def->joint2 = (carom_joint){joint2 + 1};
  memcpy(def->polynomial, equality->polycoef.x, sizeof def->polynomial);
  return CAROM_OK;
}

/* A tendon that is left out of the model stays null, and the caller leaves out the constraint. */
static carom_status set_tendon(cr_mjcf* m, const cr_xml_element* element,
                               const cr_mjcf_equality* equality, carom_equality_def* def) {
  def->type = CAROM_EQUALITY_TENDON;
  const char* names[2] = {equality->tendon1, equality->tendon2};
  carom_tendon* tendons[2] = {&def->tendon1, &def->tendon2};
  if (!names[0]) return missing(m, element, "tendon1");
  for (int k = 0; k < 2; k++) {
    int index = -1;
    if (!names[k]) continue;
    CR_TRY(
        cr_mjcf_resolve(m, element, k ? "tendon2" : "tendon1", names[k], CR_PART_TENDON, &index));
    if (index < 0) return CAROM_OK;
    tendons[k]->id = index + 1;
  }
  memcpy(def->polynomial, equality->polycoef.x, sizeof def->polynomial);
  return CAROM_OK;
}

/* The kinds of constraint that are read. */
static const struct kind {
  const char* name;
  const cr_attribute* table;
  carom_status (*set)(cr_mjcf*, const cr_xml_element*, const cr_mjcf_equality*,
                      carom_equality_def*);
} KINDS[] = {{"connect", CONNECT, set_connect},
             {"carom:distance", DISTANCE, set_distance},
             {"weld", WELD, set_weld},
             {"joint", JOINT, set_joint},
             {"tendon", TENDON, set_tendon}};

/* Whether a constraint holds a rigid body on itself. */
static bool is_idle(const cr_mjcf* m, const carom_equality_def* def) {
  bool joins_bodies = def->type != CAROM_EQUALITY_JOINT && def->type != CAROM_EQUALITY_TENDON;
  return joins_bodies && def->body1.id != def->body2.id &&
         cr_stand_link(m->builder, def->body1.id) == cr_stand_link(m->builder, def->body2.id);
}

static carom_status read_equality(cr_mjcf* m, const cr_xml_element* element,
                                  const struct kind* kind) {
  static const char IDLE[] = "not used: what it joins is one rigid body";
  const cr_mjcf_class* class;
  CR_TRY(cr_mjcf_class_of(m, element, 0, &class));
  cr_mjcf_equality equality = class->equality;
  CR_TRY(cr_mjcf_read_attributes(m, element, kind->table, &equality));
  CR_TRY(cr_mjcf_expect_no_children(m, element));
  carom_equality_def def = carom_equality_def_default();
  def.name = cr_xml_get(element, "name");
  def.source = cr_mjcf_source(element);
  def.active = equality.active && !m->option.no_equality && !m->option.no_constraint;
  def.stiffness = equality.stiffness;
  def.dissipation = equality.dissipation;
  CR_TRY(kind->set(m, element, &equality, &def));
  bool is_left_out = def.type == CAROM_EQUALITY_TENDON &&
                     (!def.tendon1.id || (equality.tendon2 && !def.tendon2.id));
  if (is_left_out) return CAROM_OK;
  if (is_idle(m, &def)) return cr_mjcf_remark_on(m, element, NULL, IDLE, IDLE);
  cr_mjcf_apply_compliance(m, CR_PART_EQUALITY, def.name, &def.stiffness, &def.dissipation);
  return carom_builder_add_equality(m->builder, &def, NULL, m->error);
}

carom_status cr_mjcf_read_equality(cr_mjcf* m, const cr_xml_element* section) {
  static const char* const UNSUPPORTED[] = {"flex", "flexvert", "flexstrain", NULL};
  static const char TEXT[] = "constraints of this kind are not supported yet";
  for (const cr_xml_element* child = section->first_child; child; child = child->next) {
    bool is_read = false;
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0] && !is_read; i++) {
      is_read = strcmp(child->name, KINDS[i].name) == 0;
      if (is_read) CR_TRY(read_equality(m, child, &KINDS[i]));
    }
    for (int i = 0; UNSUPPORTED[i] && !is_read; i++) {
      is_read = strcmp(child->name, UNSUPPORTED[i]) == 0;
      if (is_read) CR_TRY(cr_mjcf_refuse(m, child, NULL, UNSUPPORTED[i], TEXT));
    }
    if (!is_read) return cr_mjcf_unknown_element(m, child);
  }
  return CAROM_OK;
}
