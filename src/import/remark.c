/* Remarks of readers; see remark.h. */
#include "import/remark.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool cr_remark_add(cr_list* remarks, const carom_allocator* allocator, const cr_remark* remark) {
  for (int i = remarks->count - 1; i >= 0; i--) {
    cr_remark* known = CR_AT(remarks, cr_remark, i);
    if (known->key != remark->key) continue;
    if (known->count < INT_MAX) known->count++;
    return true;
  }
  return cr_list_push(remarks, allocator, remark);
}

bool cr_remark_add_form(cr_list* remarks, const carom_allocator* allocator,
                        const cr_xml_element* root) {
  static const char AGAIN[] = "an attribute is given twice: the first one counts";
  static const char MORE[] = "what stands behind its end is not read";
  for (const cr_xml_element* e = root; e; e = cr_xml_next(e, root)) {
    const cr_remark again = {AGAIN, e, NULL, AGAIN, 1}, more = {MORE, e, NULL, MORE, 1};
    if (e->gives_again && !cr_remark_add(remarks, allocator, &again)) return false;
    if (e->has_more && !cr_remark_add(remarks, allocator, &more)) return false;
  }
  return true;
}

/* "scene.xml:12: geom solref: text (3 places)" */
static carom_status write_one(const cr_remark* remark, carom_builder* builder, carom_error* error) {
  char note[512], places[32] = "";
  const cr_xml_element* first = remark->first;
  if (remark->count > 1) snprintf(places, sizeof places, " (%d places)", remark->count);
  snprintf(note, sizeof note, "%.200s:%d: %.60s%s%.60s: %s%s", first->file, first->line,
           first->name, remark->attribute ? " " : "", remark->attribute ? remark->attribute : "",
           remark->text, places);
  return carom_builder_add_note(builder, cr_note_find_kind(note), note, error);
}

carom_status cr_remark_write_all(const cr_list* remarks, carom_builder* builder,
                                 carom_error* error) {
  for (int i = 0; i < remarks->count; i++)
    CR_TRY(write_one(CR_AT(remarks, cr_remark, i), builder, error));
  return CAROM_OK;
}

cr_subject cr_xml_subject(const cr_xml_element* element, carom_error* error) {
  return (cr_subject){.kind = element->name,
                      .name = cr_xml_get(element, "name"),
                      .source = {element->file, element->line},
                      .error = error};
}

carom_status cr_note_on(carom_builder* builder, const cr_xml_element* element, const char* text,
                        carom_error* error) {
  carom_error note;
  cr_subject subject = cr_xml_subject(element, &note);
  cr_subject_fail(&subject, CAROM_OK, "%s", text);
  return carom_builder_add_note(builder, cr_note_find_kind(note.message), note.message, error);
}

carom_status cr_remark_refuse(const cr_xml_element* element, const char* attribute,
                              const char* text, carom_error* error) {
  static const char LEFT_OUT[] = ", left out";
  cr_subject subject = cr_xml_subject(element, error);
  size_t length = strlen(text), end = sizeof LEFT_OUT - 1;
  if (length > end && strcmp(text + length - end, LEFT_OUT) == 0) length -= end;
  const char* value = attribute ? cr_xml_get(element, attribute) : NULL;
  char begin[100] = "";
  if (attribute) snprintf(begin, sizeof begin, "%.30s is '%.60s': ", attribute, value ? value : "");
  return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED, "%s%.*s; --permissive makes it a note",
                         begin, (int)length, text);
}
