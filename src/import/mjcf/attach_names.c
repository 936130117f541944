/* Names of attached models: prefixes, and what refers to parts that stay behind. */
#include "import/mjcf/attach.h"
#include "import/mjcf/body.h"

#include <string.h>

/* Attributes that name something; the part that what is named would be, or OTHER. */
#define OTHER   CR_NUM_PARTS
#define BY_TYPE (CR_NUM_PARTS + 1) /* the attribute before it says */

static const struct reference {
  const char* attribute;
  int part;
} REFERENCES[] = {
    {"name", OTHER},
    {"class", OTHER},
    {"childclass", OTHER},
    {"mesh", OTHER},
    {"material", OTHER},
    {"texture", OTHER},
    {"hfield", OTHER},
    {"target", OTHER},
    {"body", CR_PART_BODY},
    {"body1", CR_PART_BODY},
    {"body2", CR_PART_BODY},
    {"subtree1", CR_PART_BODY},
    {"joint", CR_PART_JOINT},
    {"joint1", CR_PART_JOINT},
    {"joint2", CR_PART_JOINT},
    {"jointinparent", CR_PART_JOINT},
    {"subtree2", CR_PART_BODY},
    {"geom", CR_PART_GEOM},
    {"geom1", CR_PART_GEOM},
    {"geom2", CR_PART_GEOM},
    {"site", CR_PART_SITE},
    {"site1", CR_PART_SITE},
    {"site2", CR_PART_SITE},
    {"refsite", CR_PART_SITE},
    {"slidersite", CR_PART_SITE},
    {"cranksite", CR_PART_SITE},
    {"sidesite", CR_PART_SITE},
    {"tendon", CR_PART_TENDON},
    {"tendon1", CR_PART_TENDON},
    {"tendon2", CR_PART_TENDON},
    {"actuator", CR_PART_ACTUATOR},
    {"objname", BY_TYPE},
    {"refname", BY_TYPE},
};

#define NUM_REFERENCES (sizeof REFERENCES / sizeof REFERENCES[0])

/* The part that a word of the format means, or OTHER. */
static int part_of(const char* word) {
  static const struct {
    const char* word;
    int part;
  } WORDS[] = {{"body", CR_PART_BODY},       {"xbody", CR_PART_BODY}, {"joint", CR_PART_JOINT},
               {"freejoint", CR_PART_JOINT}, {"geom", CR_PART_GEOM},  {"site", CR_PART_SITE}};
  for (size_t i = 0; word && i < sizeof WORDS / sizeof WORDS[0]; i++)
    if (strcmp(WORDS[i].word, word) == 0) return WORDS[i].part;
  return OTHER;
}

/* Memory for new names, which counts with what is read: a long prefix makes much of a short file.
 */
static carom_status take(cr_mjcf* m, const cr_xml_element* element, size_t size, void** memory) {
  cr_subject subject = cr_mjcf_subject(m, element);
  if (size > CR_XML_MAX_BYTES - m->xml.bytes)
    return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                           "files and the names of attached models have more than %d MiB",
                           (int)(CR_XML_MAX_BYTES >> 20));
  m->xml.bytes += size;
  *memory = cr_pool_take(&m->xml.pool, size);
  return *memory ? CAROM_OK : cr_error_memory(m->error);
}

carom_status cr_mjcf_set_attribute(cr_mjcf* m, cr_xml_element* element, const char* name,
                                   const char* value) {
  int count = element->num_attributes, at = 0;
  while (at < count && strcmp(element->attributes[at].name, name) != 0) at++;
  void* memory = NULL;
  CR_TRY(take(m, element, ((size_t)count + 1) * sizeof element->attributes[0], &memory));
  cr_xml_attribute* copies = memory;
  if (!copies) return cr_error_memory(m->error);
  if (count) memcpy(copies, element->attributes, (size_t)count * sizeof copies[0]);
  copies[at] = (cr_xml_attribute){name, value};
  element->attributes = copies;
  if (at == count) element->num_attributes++;
  return CAROM_OK;
}

static carom_status prefix_attribute(cr_mjcf* m, cr_xml_element* element, const char* name,
                                     const char* value, const char* prefix) {
  if (!value || !value[0] || !prefix[0]) return CAROM_OK;
  size_t size = strlen(prefix) + strlen(value) + 1;
  void* text = NULL;
  CR_TRY(take(m, element, size, &text));
  if (text) snprintf(text, size, "%s%s", prefix, value);
  return cr_mjcf_set_attribute(m, element, name, text);
}

/* The world has one name in all models. */
static bool is_world(const struct reference* reference, const char* value) {
  return (reference->part == CR_PART_BODY || reference->part == BY_TYPE) &&
         strcmp(value, "world") == 0;
}

/* Assets without a name go by that of their file. */
static carom_status name_asset(cr_mjcf* m, cr_xml_element* element) {
  const char* file = cr_xml_get(element, "file");
  bool is_asset = strcmp(element->name, "mesh") == 0 || strcmp(element->name, "hfield") == 0;
  if (!is_asset || !file || strcmp(element->parent->name, "asset") != 0) return CAROM_OK;
  const char* name = cr_mjcf_asset_name(m, element, file);
  return name ? cr_mjcf_set_attribute(m, element, "name", name) : cr_error_memory(m->error);
}

carom_status cr_mjcf_prefix_names(cr_mjcf* m, cr_xml_element* root, const char* prefix) {
  for (cr_xml_element* e = root; e; e = cr_xml_next(e, root)) {
    if (e == root && strcmp(e->name, "attach") == 0) continue; /* it names the other model's */
    CR_TRY(name_asset(m, e));
    for (size_t i = 0; i < NUM_REFERENCES; i++) {
      const char* value = cr_xml_get(e, REFERENCES[i].attribute);
      if (value && !is_world(&REFERENCES[i], value))
        CR_TRY(prefix_attribute(m, e, REFERENCES[i].attribute, value, prefix));
    }
  }
  return CAROM_OK;
}

static carom_status leave_name(cr_mjcf* m, cr_mjcf_leftover* left, int part, const char* name) {
  if (!name || !name[0] || part == OTHER ||
      cr_name_find(&left->names, &left->text, part, name) >= 0)
    return CAROM_OK;
  int offset = cr_text_add(&left->text, &m->allocator, name);
  if (offset < 0 || !cr_name_add(&left->names, &m->allocator, &left->text, part, offset, 0))
    return cr_error_memory(m->error);
  return CAROM_OK;
}

carom_status cr_mjcf_leave_behind(cr_mjcf* m, cr_mjcf_leftover* left,
                                  const cr_xml_element* element) {
  for (const cr_xml_element* e = element; e; e = cr_xml_next(e, element))
    CR_TRY(leave_name(m, left, part_of(e->name), cr_xml_get(e, "name")));
  return CAROM_OK;
}

/* The part that an element's reference names, or OTHER. */
static int part_of_reference(const cr_xml_element* e, const struct reference* reference) {
  if (reference->part != BY_TYPE) return reference->part;
  return part_of(cr_xml_get(e, reference->attribute[0] == 'o' ? "objtype" : "reftype"));
}

/* The value of an element's reference where that is a name of the list, or null. */
static const char* find_listed(const cr_mjcf_leftover* left, const cr_xml_element* e,
                               const struct reference* reference) {
  const char* value = cr_xml_get(e, reference->attribute);
  int part = value ? part_of_reference(e, reference) : OTHER;
  if (part == OTHER || cr_name_find(&left->names, &left->text, part, value) < 0) return NULL;
  return value;
}

carom_status cr_mjcf_add_leftover(cr_mjcf* m, cr_mjcf_leftover* left, const char* word,
                                  const char* name) {
  int part = part_of(word);
  if (strcmp(word, "tendon") == 0) part = CR_PART_TENDON;
  if (strcmp(word, "actuator") == 0) part = CR_PART_ACTUATOR;
  return leave_name(m, left, part, name);
}

bool cr_mjcf_refers_to(const cr_mjcf_leftover* left, const cr_xml_element* element) {
  for (const cr_xml_element* e = element; e; e = cr_xml_next(e, element))
    for (size_t i = 0; i < NUM_REFERENCES; i++)
      if (find_listed(left, e, &REFERENCES[i])) return true;
  return false;
}

carom_status cr_mjcf_rename(cr_mjcf* m, cr_xml_element* e, const char* attribute,
                            const cr_mjcf_affix* affix) {
  CR_TRY(prefix_attribute(m, e, attribute, cr_xml_get(e, attribute), affix->before));
  const char* value = cr_xml_get(e, attribute);
  if (!value || !affix->after[0]) return CAROM_OK;
  return prefix_attribute(m, e, attribute, affix->after, value);
}

carom_status cr_mjcf_rename_references(cr_mjcf* m, const cr_mjcf_leftover* left,
                                       cr_xml_element* element, const cr_mjcf_affix* affix) {
  for (cr_xml_element* e = element; e; e = cr_xml_next(e, element))
    for (size_t i = 0; i < NUM_REFERENCES; i++)
      if (find_listed(left, e, &REFERENCES[i]))
        CR_TRY(cr_mjcf_rename(m, e, REFERENCES[i].attribute, affix));
  return CAROM_OK;
}

void cr_mjcf_unlink(cr_xml_element* element) {
  cr_xml_element *parent = element->parent, *before = NULL;
  for (cr_xml_element* e = parent->first_child; e != element; e = e->next) before = e;
  if (before)
    before->next = element->next;
  else
    parent->first_child = element->next;
  if (parent->last_child == element) parent->last_child = before;
  element->next = NULL;
}

carom_status cr_mjcf_drop_strangers(cr_mjcf* m, cr_mjcf_leftover* left, cr_xml_element* section) {
  static const char TEXT[] = "not attached: it refers to what is not attached";
  int part = OTHER;
  if (strcmp(section->name, "tendon") == 0) part = CR_PART_TENDON;
  if (strcmp(section->name, "actuator") == 0) part = CR_PART_ACTUATOR;
  for (cr_xml_element *e = section->first_child, *next; e; e = next) {
    next = e->next;
    if (!cr_mjcf_refers_to(left, e)) continue;
    CR_TRY(leave_name(m, left, part, cr_xml_get(e, "name")));
    CR_TRY(cr_mjcf_remark_on(m, e, NULL, TEXT, TEXT));
    cr_mjcf_unlink(e);
  }
  return CAROM_OK;
}
