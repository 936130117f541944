/* <custom>: compliance and surfaces for files that other programs must load too, as
 * <numeric name="carom.geom.NAME.stiffness" data="1e6"/>. Names of parts may hold dots. A value
 * here replaces what the part or its class says. */
#include "import/mjcf/class.h"

#include <math.h>
#include <string.h>

#define MOST_FIELDS 6

/* Fields of each part: the stiffness, the dissipation, and those of surfaces. */
static const struct target {
  const char* part;
  int kind;
  const char* fields[MOST_FIELDS];
} TARGETS[] = {
    {"geom",
     CR_PART_GEOM,
     {"stiffness", "dissipation", "static_friction", "stribeck_speed", "hunt_crossley",
      "restitution"}},
    {"joint", CR_PART_JOINT, {"limit_stiffness", "limit_dissipation"}},
    {"equality", CR_PART_EQUALITY, {"stiffness", "dissipation"}},
    {"pair",
     CR_MJCF_PART_PAIR,
     {"stiffness", "dissipation", "static_friction", "stribeck_speed", "hunt_crossley",
      "restitution"}},
};

/* The kind of name under which a field of a part is kept. */
static int name_kind(int part, int field) {
  return CR_MJCF_NAME_COMPLIANCE + MOST_FIELDS * part + field;
}

typedef struct cr_mjcf_numeric {
  const char* name;
  cr_numbers data;
} cr_mjcf_numeric;

static const cr_attribute STIFFNESS[] = {
    CR_FIELD("name", CR_ATTRIBUTE_TEXT, cr_mjcf_numeric, name),
    CR_NOTED("size", "the data says it"),
    {"data", CR_ATTRIBUTE_NUMBERS, offsetof(cr_mjcf_numeric, data), 1, 1, CR_RULE_STIFFNESS, NULL,
     NULL, NULL, NULL},
    CR_END,
};

static const cr_attribute DISSIPATION[] = {
    CR_FIELD("name", CR_ATTRIBUTE_TEXT, cr_mjcf_numeric, name),
    CR_NOTED("size", "the data says it"),
    {"data", CR_ATTRIBUTE_NUMBERS, offsetof(cr_mjcf_numeric, data), 1, 1, CR_RULE_NOT_NEGATIVE,
     NULL, NULL, NULL, NULL},
    CR_END,
};

static carom_status store(cr_mjcf* m, int kind, const cr_mjcf_compliance* entry) {
  cr_subject subject = cr_mjcf_subject(m, entry->element);
  if (cr_name_find(&m->names, &m->text, kind, entry->name) >= 0)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "the name is used twice");
  int index = m->compliance.count;
  if (!cr_list_push(&m->compliance, &m->allocator, entry)) return cr_error_memory(m->error);
  return cr_mjcf_add_name(m, kind, entry->name, index);
}

/* "carom.geom.NAME.stiffness": finds the target, the field, and NAME between them. */
static const struct target* parse_name(const char* name, int* field, const char** part,
                                       size_t* length) {
  const char* rest = name + strlen("carom.");
  const char* last = strrchr(rest, '.');
  for (size_t i = 0; last && i < sizeof TARGETS / sizeof TARGETS[0]; i++) {
    size_t width = strlen(TARGETS[i].part);
    if (strncmp(rest, TARGETS[i].part, width) != 0 || rest[width] != '.') continue;
    *part = rest + width + 1;
    if (*part >= last) return NULL;
    *length = (size_t)(last - *part);
    for (*field = 0; *field < MOST_FIELDS && TARGETS[i].fields[*field]; (*field)++)
      if (strcmp(last + 1, TARGETS[i].fields[*field]) == 0) return &TARGETS[i];
  }
  return NULL;
}

static carom_status read_numeric(cr_mjcf* m, const cr_xml_element* element) {
  static const char TEXT[] = "not used: it is for the programs of the file's author";
  const char* name = cr_xml_get(element, "name");
  if (!name || strncmp(name, "carom.", 6) != 0)
    return cr_mjcf_remark_on(m, element, NULL, TEXT, TEXT);
  int field = 0;
  const char* part = NULL;
  size_t length = 0;
  const struct target* target = parse_name(name, &field, &part, &length);
  cr_subject subject = cr_mjcf_subject(m, element);
  if (!target)
    return cr_subject_fail(
        &subject, CAROM_ERROR_BAD_INPUT,
        "the name must be carom.PART.NAME.FIELD, with geom, equality or pair and "
        "stiffness or dissipation, geom or pair and static_friction, stribeck_speed, "
        "hunt_crossley or restitution, or joint and limit_stiffness or limit_dissipation");
  cr_mjcf_numeric numeric = {0};
  CR_TRY(cr_mjcf_read_attributes(m, element, field == 0 ? STIFFNESS : DISSIPATION, &numeric));
  if (!numeric.data.count)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute 'data' is missing");
  const char* copy = cr_pool_copy(&m->xml.pool, part, length);
  if (!copy) return cr_error_memory(m->error);
  cr_mjcf_compliance entry = {element, target->part, copy, numeric.data.x[0], false};
  return store(m, name_kind(target->kind, field), &entry);
}

carom_status cr_mjcf_read_custom(cr_mjcf* m, const cr_xml_element* section) {
  static const char TEXT[] = "not used: it is for the programs of the file's author";
  for (const cr_xml_element* child = section->first_child; child; child = child->next) {
    if (strcmp(child->name, "numeric") == 0)
      CR_TRY(read_numeric(m, child));
    else if (strcmp(child->name, "text") == 0 || strcmp(child->name, "tuple") == 0)
      CR_TRY(cr_mjcf_remark_on(m, child, NULL, TEXT, TEXT));
    else
      return cr_mjcf_unknown_element(m, child);
  }
  return CAROM_OK;
}

/* Replaces a value by that which is kept under a kind of name. */
static void apply(cr_mjcf* m, int kind, const char* name, double* value) {
  int index = cr_name_find(&m->names, &m->text, kind, name);
  if (index < 0) return;
  cr_mjcf_compliance* entry = CR_AT(&m->compliance, cr_mjcf_compliance, index);
  entry->is_used = true;
  *value = entry->value;
}

void cr_mjcf_apply_compliance(cr_mjcf* m, int part, const char* name, double* stiffness,
                              double* dissipation) {
  if (!name || !m->compliance.count) return;
  apply(m, name_kind(part, 0), name, stiffness);
  apply(m, name_kind(part, 1), name, dissipation);
}

void cr_mjcf_apply_surface(cr_mjcf* m, int part, const char* name, carom_surface* surface) {
  double* values[] = {&surface->static_friction, &surface->stribeck_speed, &surface->hunt_crossley,
                      &surface->restitution};
  if (!name || !m->compliance.count) return;
  for (int i = 0; i < 4; i++) apply(m, name_kind(part, 2 + i), name, values[i]);
}

carom_status cr_mjcf_check_compliance(const cr_mjcf* m) {
  for (int i = 0; i < m->compliance.count; i++) {
    const cr_mjcf_compliance* entry = CR_AT(&m->compliance, cr_mjcf_compliance, i);
    if (entry->is_used) continue;
    cr_subject subject = cr_mjcf_subject(m, entry->element);
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "no %s has the name '%.60s'",
                           entry->kind, entry->name);
  }
  return CAROM_OK;
}
