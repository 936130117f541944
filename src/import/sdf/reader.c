/* Values: texts of child elements, poses. */
#include "import/sdf/reader.h"

#include <string.h>
#include <strings.h>

carom_status cr_sdf_word(cr_sdf* s, const cr_xml_element* element, const char* name,
                         const char** word) {
  const cr_xml_element* child;
  CR_TRY(cr_document_child(&s->document, element, name, &child));
  *word = child ? child->text : NULL;
  return CAROM_OK;
}

carom_status cr_sdf_numbers(cr_sdf* s, const cr_xml_element* element, const char* name, int count,
                            double* values) {
  const char* word;
  CR_TRY(cr_sdf_word(s, element, name, &word));
  return word ? cr_document_parse(&s->document, element, name, word, count, values) : CAROM_OK;
}

carom_status cr_sdf_bound(cr_sdf* s, const cr_xml_element* element, const char* name,
                          double* value) {
  const char* word;
  CR_TRY(cr_sdf_word(s, element, name, &word));
  return word ? cr_document_parse_bound(&s->document, element, name, word, value) : CAROM_OK;
}

static bool is_one_of(const char* word, const char* a, const char* b) {
  return strcasecmp(word, a) == 0 || strcmp(word, b) == 0;
}

carom_status cr_sdf_flag(cr_sdf* s, const cr_xml_element* element, const char* name, bool* flag) {
  const char* word;
  CR_TRY(cr_sdf_word(s, element, name, &word));
  if (!word) return CAROM_OK;
  *flag = is_one_of(word, "true", "1");
  if (*flag || is_one_of(word, "false", "0")) return CAROM_OK;
  cr_subject subject = cr_document_subject(&s->document, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s is '%.60s', must be true or false",
                         name, word);
}

/* Position, and roll, pitch, yaw in radians or degrees. */
static carom_status read_euler(cr_sdf* s, const cr_xml_element* element, pose* result) {
  const char* degrees = cr_xml_get(element, "degrees");
  double x[6];
  CR_TRY(cr_document_parse(&s->document, element, "its text", element->text, 6, x));
  if (degrees && is_one_of(degrees, "true", "1"))
    for (int i = 3; i < 6; i++) x[i] *= M_PI / 180;
  *result = (pose){v3_load(x), quat_to_m3(cr_quat_from_rpy(x + 3))};
  return CAROM_OK;
}

/* Position, and a quaternion with its real part last. */
static carom_status read_quaternion(cr_sdf* s, const cr_xml_element* element, pose* result) {
  cr_subject subject = cr_document_subject(&s->document, element);
  double x[7];
  CR_TRY(cr_document_parse(&s->document, element, "its text", element->text, 7, x));
  double q[4] = {x[6], x[3], x[4], x[5]};
  CR_TRY(cr_check_quaternion(&subject, "quaternion", q));
  *result = (pose){v3_load(x), quat_to_m3(cr_quat_unit(q))};
  return CAROM_OK;
}

carom_status cr_sdf_pose(cr_sdf* s, const cr_xml_element* element, pose* result) {
  *result = pose_identity();
  if (!element) return CAROM_OK;
  CR_TRY(cr_document_check_known(&s->document, element, " ",
                                 " relative_to frame degrees rotation_format "));
  if (!element->text) return CAROM_OK;
  const char* format = cr_xml_get(element, "rotation_format");
  if (!format || strcmp(format, "euler_rpy") == 0) return read_euler(s, element, result);
  if (strcmp(format, "quat_xyzw") == 0) return read_quaternion(s, element, result);
  cr_subject subject = cr_document_subject(&s->document, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT,
                         "rotation_format is '%.60s', must be euler_rpy or quat_xyzw", format);
}

const char* cr_sdf_join(cr_sdf* s, const char* a, const char* b) {
  size_t first = strlen(a), second = strlen(b);
  char* both = cr_pool_take(&s->document.xml.pool, first + second + 1);
  if (!both) return NULL;
  snprintf(both, first + second + 1, "%s%s", a, b);
  return both;
}
