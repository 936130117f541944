/* Subjects, remarks, known words, numbers; see document.h. */
#include "import/document.h"

#include "base/nearest.h"
#include "import/number.h"

#include <math.h>
#include <string.h>

void cr_document_init(cr_document* d, const carom_allocator* allocator, bool permissive,
                      carom_error* error) {
  *d = (cr_document){.allocator = *allocator, .error = error, .permissive = permissive};
  cr_xml_init(&d->xml, allocator);
  d->remarks = CR_LIST_INIT(cr_remark);
  d->strangers = CR_LIST_INIT(cr_remark);
}

void cr_document_release(cr_document* d) {
  cr_list_release(&d->remarks, &d->allocator);
  cr_list_release(&d->strangers, &d->allocator);
  cr_xml_destroy(&d->xml);
}

cr_subject cr_document_subject(const cr_document* d, const cr_xml_element* element) {
  return cr_xml_subject(element, d->error);
}

static carom_status add_remark(cr_document* d, const cr_remark* remark) {
  return cr_remark_add(&d->remarks, &d->allocator, remark) ? CAROM_OK : cr_error_memory(d->error);
}

carom_status cr_document_remark(cr_document* d, const cr_xml_element* element,
                                const char* attribute, const char* text) {
  return add_remark(d, &(cr_remark){text, element, attribute, text, 1});
}

carom_status cr_document_refuse(cr_document* d, const cr_xml_element* element,
                                const char* attribute, const char* text) {
  if (d->permissive) return cr_document_remark(d, element, attribute, text);
  return cr_remark_refuse(element, attribute, text, d->error);
}

/* More different names than this share one remark. */
#define MAX_STRANGERS 64

static bool is_same(const char* a, const char* b) { return a == b || (a && b && !strcmp(a, b)); }

static bool is_one_of(const char* const* names, const char* name) {
  for (; *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

/* Whether what stands in an element is for drawing, or for other programs. */
static bool is_no_physics(const cr_xml_element* element, const char* name) {
  static const char* const OTHERS[] = {"visual",       "material",
                                       "gazebo",       "transmission",
                                       "ros2_control", "sensor",
                                       "plugin",       "light",
                                       "scene",        "gui",
                                       "script",       "texture",
                                       "audio",        "state",
                                       "road",         "meta",
                                       "camera",       "lidar",
                                       "ray",          "imu",
                                       "noise",        "safety_controller",
                                       "calibration",  NULL};
  static const char* const NAMES[] = {
      "ros2_control",  "sensor",         "group",   "model_state",        "gripper",
      "meta",          "verbose",        "chain",   "disable_collisions", "author",
      "license",       "documentation",  "version", "passive_joint",      "end_effector",
      "virtual_joint", "command_effort", "current", "gear_velocity",      NULL};
  const char* colon = strchr(name, ':');
  if ((colon && strncmp(name, "drake:", 6) != 0) || is_one_of(NAMES, name)) return true;
  for (const cr_xml_element* e = element; e; e = e->parent)
    if (is_one_of(OTHERS, e->name)) return true;
  return false;
}

/* Why a stranger is not used, in the pool: under what moves and collides it may be physics that is
 * lost. */
static const char* explain_stranger(cr_document* d, const cr_xml_element* holder, const char* name,
                                    const char* known) {
  static const char NO_PART[] = "not used: it is not known here";
  char near[CR_NEAREST_MOST] = "", text[160];
  if (holder && is_no_physics(holder, name)) return NO_PART;
  if (known) cr_nearest_find(known, name, near);
  snprintf(text, sizeof text, "ignored, though it may be physics: the name is not known%s%s%s",
           near[0] ? "; is '" : "", near, near[0] ? "' meant?" : "");
  return cr_pool_copy(&d->xml.pool, text, strlen(text));
}

/* A remark of its own for each name of element and attribute.
 * @param names that are known there; null: not said */
static carom_status note_stranger(cr_document* d, const cr_xml_element* element,
                                  const char* attribute, const char* names) {
  cr_list* known = &d->strangers;
  cr_remark remark = {NULL, element, attribute, NULL, 1};
  for (int i = 0; i < known->count; i++) {
    const cr_remark* other = CR_AT(known, cr_remark, i);
    if (is_same(other->first->name, element->name) && is_same(other->attribute, attribute)) {
      remark.key = other->key;
      return add_remark(d, &remark);
    }
  }
  const cr_xml_element* holder = attribute ? element : element->parent;
  remark.text = explain_stranger(d, holder, attribute ? attribute : element->name, names);
  if (!remark.text) return cr_error_memory(d->error);
  static const char REST[] = "the rest of what is not known";
  remark.key = REST;
  if (known->count < MAX_STRANGERS) {
    remark.key = element;
    if (attribute) remark.key = cr_xml_get(element, attribute);
    if (!cr_list_push(known, &d->allocator, &remark)) return cr_error_memory(d->error);
  }
  return add_remark(d, &remark);
}

carom_status cr_document_note_stranger(cr_document* d, const cr_xml_element* element,
                                       const char* known) {
  return note_stranger(d, element, NULL, known);
}

bool cr_word_is_listed(const char* list, const char* word) {
  size_t length = strlen(word);
  for (const char* at = list; (at = strstr(at, word)); at++)
    if (at > list && at[-1] == ' ' && at[length] == ' ') return true;
  return false;
}

carom_status cr_document_check_known(cr_document* d, const cr_xml_element* element,
                                     const char* children, const char* attributes) {
  for (const cr_xml_element* child = element->first_child; child; child = child->next)
    if (!cr_word_is_listed(children, child->name)) CR_TRY(note_stranger(d, child, NULL, children));
  for (int i = 0; i < element->num_attributes; i++) {
    const char* name = element->attributes[i].name;
    if (!strchr(name, ':') && !cr_word_is_listed(attributes, name) && strcmp(name, "xmlns") != 0)
      CR_TRY(note_stranger(d, element, name, attributes));
  }
  return CAROM_OK;
}

carom_status cr_document_child(cr_document* d, const cr_xml_element* element, const char* name,
                               const cr_xml_element** child) {
  *child = NULL;
  for (const cr_xml_element* c = element->first_child; c; c = c->next) {
    if (strcmp(c->name, name) != 0) continue;
    if (*child)
      return cr_document_remark(d, c, NULL, "not used: the first one of this name counts");
    *child = c;
  }
  return CAROM_OK;
}

/* Reads the first numbers of a text; `found` receives how many it has. */
static carom_status parse_first(const cr_document* d, const cr_xml_element* element,
                                const char* name, const char* text, int count, double* values,
                                int* found) {
  cr_subject subject = cr_document_subject(d, element);
  int length = 0;
  *found = 0;
  for (const char* word = text; (word = cr_number_word(word, &length)); word += length, ++*found) {
    double value = 0;
    bool has_comma = length > 1 && word[length - 1] == ','; /* as people list numbers */
    cr_number_kind kind = cr_number_read(word, length - has_comma, &value);
    int shown = length < 60 ? length : 60;
    if (kind == CR_NUMBER_NONE)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s: '%.*s' is not a number", name,
                             shown, word);
    if (kind == CR_NUMBER_NOT_FINITE)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s is %.*s, must be a finite number",
                             name, shown, word);
    if (*found < count) values[*found] = value;
  }
  return CAROM_OK;
}

static carom_status expect_count(const cr_document* d, const cr_xml_element* element,
                                 const char* name, int found, int count) {
  if (found == count) return CAROM_OK;
  cr_subject subject = cr_document_subject(d, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s has %d number%s, takes %d", name,
                         found, found == 1 ? "" : "s", count);
}

carom_status cr_document_parse(const cr_document* d, const cr_xml_element* element,
                               const char* name, const char* text, int count, double* values) {
  int found;
  CR_TRY(parse_first(d, element, name, text, count, values, &found));
  return expect_count(d, element, name, found, count);
}

carom_status cr_document_numbers(cr_document* d, const cr_xml_element* element, const char* name,
                                 int count, double* values) {
  static const char MORE[] = "it has more numbers than it takes: the first ones count";
  const char* text = cr_xml_get(element, name);
  int found;
  if (!text) return CAROM_OK;
  CR_TRY(parse_first(d, element, name, text, count, values, &found));
  return found > count && count > 1 ? cr_document_remark(d, element, name, MORE)
                                    : expect_count(d, element, name, found, count);
}

carom_status cr_document_parse_bound(const cr_document* d, const cr_xml_element* element,
                                     const char* name, const char* text, double* value) {
  int length = 0, more = 0;
  const char* word = cr_number_word(text, &length);
  double bound;
  if (word && !cr_number_word(word + length, &more) &&
      cr_number_read(word, length, &bound) == CR_NUMBER_NOT_FINITE && !isnan(bound)) {
    *value = bound;
    return CAROM_OK;
  }
  return cr_document_parse(d, element, name, text, 1, value);
}

carom_status cr_document_bound(cr_document* d, const cr_xml_element* element, const char* name,
                               double* value) {
  const char* text = cr_xml_get(element, name);
  return text ? cr_document_parse_bound(d, element, name, text, value) : CAROM_OK;
}

carom_status cr_document_value(cr_document* d, const cr_xml_element* element, double* value) {
  if (cr_xml_get(element, "value")) return cr_document_numbers(d, element, "value", 1, value);
  return cr_document_parse(d, element, "its text", element->text ? element->text : "", 1, value);
}

carom_status cr_document_not_negative(cr_document* d, const cr_xml_element* element,
                                      double* value) {
  cr_subject subject = cr_document_subject(d, element);
  CR_TRY(cr_document_value(d, element, value));
  return cr_check_not_negative(&subject, "value", *value);
}

carom_status cr_document_positive(cr_document* d, const cr_xml_element* element, double* value) {
  cr_subject subject = cr_document_subject(d, element);
  CR_TRY(cr_document_value(d, element, value));
  return cr_check_positive(&subject, "value", *value);
}

carom_status cr_document_require(const cr_document* d, const cr_xml_element* element,
                                 const char* name, const char** value) {
  *value = cr_xml_get(element, name);
  if (*value && **value) return CAROM_OK;
  cr_subject subject = cr_document_subject(d, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute '%s' is %s", name,
                         *value ? "empty" : "missing");
}

quat cr_quat_from_rpy(const double rpy[3]) {
  quat q = quat_identity();
  for (int i = 0; i < 3; i++)
    q = quat_mul(quat_from_axis_angle(v3_set(v3_zero(), i, 1), rpy[i]), q);
  return quat_normalize(q);
}
