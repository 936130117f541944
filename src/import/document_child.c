/* Values that stand in the texts of child elements, as in SDF. */
#include "import/document.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

carom_status cr_document_child_word(cr_document* d, const cr_xml_element* element, const char* name,
                                    const char** word) {
  const cr_xml_element* child;
  CR_TRY(cr_document_child(d, element, name, &child));
  *word = child ? child->text : NULL;
  return CAROM_OK;
}

carom_status cr_document_child_numbers(cr_document* d, const cr_xml_element* element,
                                       const char* name, int count, double* values) {
  const char* word;
  CR_TRY(cr_document_child_word(d, element, name, &word));
  return word ? cr_document_parse(d, element, name, word, count, values) : CAROM_OK;
}

carom_status cr_document_child_bound(cr_document* d, const cr_xml_element* element,
                                     const char* name, double* value) {
  const char* word;
  CR_TRY(cr_document_child_word(d, element, name, &word));
  return word ? cr_document_parse_bound(d, element, name, word, value) : CAROM_OK;
}

static bool is_one_of(const char* word, const char* a, const char* b) {
  return strcasecmp(word, a) == 0 || strcmp(word, b) == 0;
}

carom_status cr_document_child_flag(cr_document* d, const cr_xml_element* element, const char* name,
                                    bool* flag) {
  const char* word;
  CR_TRY(cr_document_child_word(d, element, name, &word));
  if (!word) return CAROM_OK;
  *flag = is_one_of(word, "true", "1");
  if (*flag || is_one_of(word, "false", "0")) return CAROM_OK;
  cr_subject subject = cr_document_subject(d, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s is '%.60s', must be true or false",
                         name, word);
}

const char* cr_document_join(cr_document* d, const char* a, const char* b) {
  size_t first = strlen(a), second = strlen(b);
  char* both = cr_pool_take(&d->xml.pool, first + second + 1);
  if (!both) return NULL;
  snprintf(both, first + second + 1, "%s%s", a, b);
  return both;
}
