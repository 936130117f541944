/* What the files of this folder share: subjects, remarks, numbers. */
#include "import/urdf/reader.h"

#include "import/number.h"

#include <math.h>
#include <string.h>

cr_subject cr_urdf_subject(const cr_urdf* u, const cr_xml_element* element) {
  return cr_xml_subject(element, u->error);
}

static carom_status add_remark(cr_urdf* u, const cr_remark* remark) {
  return cr_remark_add(&u->remarks, &u->allocator, remark) ? CAROM_OK : cr_error_memory(u->error);
}

carom_status cr_urdf_remark(cr_urdf* u, const cr_xml_element* element, const char* attribute,
                            const char* text) {
  return add_remark(u, &(cr_remark){text, element, attribute, text, 1});
}

carom_status cr_urdf_refuse(cr_urdf* u, const cr_xml_element* element, const char* attribute,
                            const char* text) {
  if (u->permissive) return cr_urdf_remark(u, element, attribute, text);
  cr_subject subject = cr_urdf_subject(u, element);
  if (!attribute) return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED, "%s", text);
  return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED, "%s is '%.60s': %s", attribute,
                         cr_xml_get(element, attribute), text);
}

/* More different names than this share one remark. */
#define MAX_STRANGERS 64

static bool is_same(const char* a, const char* b) { return a == b || (a && b && !strcmp(a, b)); }

/* A remark of its own for each name of element and attribute. */
static carom_status note_stranger(cr_urdf* u, const cr_xml_element* element,
                                  const char* attribute) {
  static const char TEXT[] = "not used: it is not known here";
  cr_list* known = &u->strangers;
  cr_remark remark = {TEXT, element, attribute, TEXT, 1};
  for (int i = 0; i < known->count; i++) {
    const cr_remark* other = CR_AT(known, cr_remark, i);
    if (is_same(other->first->name, element->name) && is_same(other->attribute, attribute)) {
      remark.key = other->key;
      return add_remark(u, &remark);
    }
  }
  if (known->count < MAX_STRANGERS) {
    remark.key = element;
    if (attribute) remark.key = cr_xml_get(element, attribute);
    if (!cr_list_push(known, &u->allocator, &remark)) return cr_error_memory(u->error);
  }
  return add_remark(u, &remark);
}

carom_status cr_urdf_note_stranger(cr_urdf* u, const cr_xml_element* element) {
  return note_stranger(u, element, NULL);
}

bool cr_urdf_is_listed(const char* list, const char* word) {
  size_t length = strlen(word);
  for (const char* at = list; (at = strstr(at, word)); at++)
    if (at > list && at[-1] == ' ' && at[length] == ' ') return true;
  return false;
}

carom_status cr_urdf_check_known(cr_urdf* u, const cr_xml_element* element, const char* children,
                                 const char* attributes) {
  for (const cr_xml_element* child = element->first_child; child; child = child->next)
    if (!cr_urdf_is_listed(children, child->name)) CR_TRY(note_stranger(u, child, NULL));
  for (int i = 0; i < element->num_attributes; i++) {
    const char* name = element->attributes[i].name;
    if (!strchr(name, ':') && !cr_urdf_is_listed(attributes, name) && strcmp(name, "xmlns") != 0)
      CR_TRY(note_stranger(u, element, name));
  }
  return CAROM_OK;
}

carom_status cr_urdf_child(cr_urdf* u, const cr_xml_element* element, const char* name,
                           const cr_xml_element** child) {
  *child = NULL;
  for (const cr_xml_element* c = element->first_child; c; c = c->next) {
    if (strcmp(c->name, name) != 0) continue;
    if (*child) return cr_urdf_remark(u, c, NULL, "not used: the first one of this name counts");
    *child = c;
  }
  return CAROM_OK;
}

/* A text as `count` numbers; `name` is that of the attribute. */
static carom_status read_numbers(const cr_urdf* u, const cr_xml_element* element, const char* name,
                                 const char* text, int count, double* values) {
  cr_subject subject = cr_urdf_subject(u, element);
  int found = 0, length = 0;
  for (const char* word = text; (word = cr_number_word(word, &length)); word += length, found++) {
    double value = 0;
    cr_number_kind kind = cr_number_read(word, length, &value);
    int shown = length < 60 ? length : 60;
    if (kind == CR_NUMBER_NONE)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s: '%.*s' is not a number", name,
                             shown, word);
    if (kind == CR_NUMBER_NOT_FINITE)
      return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s is %.*s, must be a finite number",
                             name, shown, word);
    if (found < count) values[found] = value;
  }
  if (found == count) return CAROM_OK;
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s has %d number%s, takes %d", name,
                         found, found == 1 ? "" : "s", count);
}

carom_status cr_urdf_numbers(cr_urdf* u, const cr_xml_element* element, const char* name, int count,
                             double* values) {
  const char* text = cr_xml_get(element, name);
  return text ? read_numbers(u, element, name, text, count, values) : CAROM_OK;
}

carom_status cr_urdf_bound(cr_urdf* u, const cr_xml_element* element, const char* name,
                           double* value) {
  const char* text = cr_xml_get(element, name);
  int length = 0, more = 0;
  const char* word = text ? cr_number_word(text, &length) : NULL;
  double bound;
  if (word && !cr_number_word(word + length, &more) &&
      cr_number_read(word, length, &bound) == CR_NUMBER_NOT_FINITE && !isnan(bound)) {
    *value = bound;
    return CAROM_OK;
  }
  return cr_urdf_numbers(u, element, name, 1, value);
}

carom_status cr_urdf_value(cr_urdf* u, const cr_xml_element* element, double* value) {
  if (cr_xml_get(element, "value")) return cr_urdf_numbers(u, element, "value", 1, value);
  return read_numbers(u, element, "its text", element->text ? element->text : "", 1, value);
}

carom_status cr_urdf_require(const cr_urdf* u, const cr_xml_element* element, const char* name,
                             const char** value) {
  *value = cr_xml_get(element, name);
  if (*value && **value) return CAROM_OK;
  cr_subject subject = cr_urdf_subject(u, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "attribute '%s' is %s", name,
                         *value ? "empty" : "missing");
}

/* Roll about x, then pitch about y, then yaw about z, all of them fixed axes. */
static quat from_rpy(const double* rpy) {
  quat q = quat_identity();
  for (int i = 0; i < 3; i++)
    q = quat_mul(quat_from_axis_angle(v3_set(v3_zero(), i, 1), rpy[i]), q);
  return quat_normalize(q);
}

carom_status cr_urdf_pose(cr_urdf* u, const cr_xml_element* element, double position[3],
                          double quaternion[4]) {
  const cr_xml_element* origin;
  double rpy[3] = {0};
  memset(position, 0, 3 * sizeof *position);
  CR_TRY(cr_urdf_child(u, element, "origin", &origin));
  if (origin) {
    CR_TRY(cr_urdf_numbers(u, origin, "xyz", 3, position));
    CR_TRY(cr_urdf_numbers(u, origin, "rpy", 3, rpy));
    CR_TRY(cr_urdf_check_known(u, origin, " ", " xyz rpy "));
  }
  quat_store(from_rpy(rpy), quaternion);
  return CAROM_OK;
}

bool cr_urdf_add_name(cr_urdf* u, int kind, const char* name, int id) {
  int offset = cr_text_add(&u->text, &u->allocator, name);
  return offset >= 0 && cr_name_add(&u->names, &u->allocator, &u->text, kind, offset, id);
}

carom_status cr_urdf_resolve(const cr_urdf* u, const cr_xml_element* element, const char* attribute,
                             const char* name, int kind, int* index) {
  *index = cr_name_find(&u->names, &u->text, kind, name);
  if (*index >= 0) return CAROM_OK;
  cr_subject subject = cr_urdf_subject(u, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s is '%.60s', no %s has this name",
                         attribute, name, kind == CR_URDF_NAME_LINK ? "link" : "joint");
}
