/* What the files of this folder share: subjects, remarks, names. */
#include "import/mjcf/reader.h"

#include <string.h>

carom_source cr_mjcf_source(const cr_xml_element* element) {
  return (carom_source){element->file, element->line};
}

cr_subject cr_mjcf_subject(const cr_mjcf* m, const cr_xml_element* element) {
  return cr_xml_subject(element, m->error);
}

carom_status cr_mjcf_note(cr_mjcf* m, const cr_xml_element* element, const char* text) {
  return cr_note_on(m->builder, element, text, m->error);
}

carom_status cr_mjcf_remark_on(cr_mjcf* m, const cr_xml_element* element, const char* attribute,
                               const void* key, const char* text) {
  cr_remark remark = {key, element, attribute, text, 1};
  return cr_remark_add(&m->remarks, &m->allocator, &remark) ? CAROM_OK : cr_error_memory(m->error);
}

carom_status cr_mjcf_refuse(cr_mjcf* m, const cr_xml_element* element, const char* attribute,
                            const void* key, const char* text) {
  if (m->permissive) return cr_mjcf_remark_on(m, element, attribute, key, text);
  return cr_remark_refuse(element, attribute, text, m->error);
}

carom_status cr_mjcf_write_remarks(cr_mjcf* m) {
  return cr_remark_write_all(&m->remarks, m->builder, m->error);
}

carom_status cr_mjcf_add_name(cr_mjcf* m, int kind, const char* name, int id) {
  int offset = cr_text_add(&m->text, &m->allocator, name);
  if (offset < 0 || !cr_name_add(&m->names, &m->allocator, &m->text, kind, offset, id))
    return cr_error_memory(m->error);
  return CAROM_OK;
}

int cr_mjcf_find_part(const cr_mjcf* m, cr_part part, const char* name) {
  if (cr_name_find(&m->names, &m->text, CR_MJCF_NAME_LEFT_OUT + (int)part, name) >= 0) return -1;
  return cr_name_find(&m->builder->names, &m->builder->text, (int)part, name);
}

carom_status cr_mjcf_resolve(cr_mjcf* m, const cr_xml_element* element, const char* attribute,
                             const char* name, cr_part part, int* index) {
  static const char* const KINDS[CR_NUM_PARTS] = {
      [CR_PART_BODY] = "body",     [CR_PART_JOINT] = "joint", [CR_PART_GEOM] = "geom",
      [CR_PART_TENDON] = "tendon", [CR_PART_SITE] = "site",   [CR_PART_ACTUATOR] = "actuator"};
  *index = cr_mjcf_find_part(m, part, name);
  if (*index >= 0) return CAROM_OK;
  cr_subject subject = cr_mjcf_subject(m, element);
  if (cr_name_find(&m->names, &m->text, CR_MJCF_NAME_LEFT_OUT + (int)part, name) >= 0) {
    if (m->permissive)
      return cr_mjcf_note(m, element, "left out, because a part that it names is left out");
    return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED,
                           "%s is '%.60s', which is left out of the model", attribute, name);
  }
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s is '%.60s', no %s has this name",
                         attribute, name, KINDS[part]);
}

void cr_mjcf_select_document(cr_mjcf* m, int document) {
  if (document == m->document) return;
  CR_AT(&m->documents, cr_mjcf_document, m->document)->compiler = m->compiler;
  m->compiler = CR_AT(&m->documents, cr_mjcf_document, document)->compiler;
  m->document = document;
}

const cr_mjcf_compiler* cr_mjcf_compiler_of(const cr_mjcf* m, const cr_xml_element* element) {
  if (element->document == m->document) return &m->compiler;
  return &CR_AT(&m->documents, cr_mjcf_document, element->document)->compiler;
}

carom_status cr_mjcf_unknown_element(const cr_mjcf* m, const cr_xml_element* element) {
  cr_subject subject = cr_mjcf_subject(m, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "this element is not known within '%.60s'",
                         element->parent ? element->parent->name : "the file");
}

carom_status cr_mjcf_expect_no_children(const cr_mjcf* m, const cr_xml_element* element) {
  return element->first_child ? cr_mjcf_unknown_element(m, element->first_child) : CAROM_OK;
}
