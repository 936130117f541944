/* Values: texts of child elements, poses. */
#include "import/sdf/reader.h"

#include <string.h>
#include <strings.h>

/* Position, and roll, pitch, yaw in radians or degrees. */
static carom_status read_euler(cr_sdf* s, const cr_xml_element* element, pose* result) {
  const char* degrees = cr_xml_get(element, "degrees");
  double x[6];
  CR_TRY(cr_document_parse(&s->document, element, "its text", element->text, 6, x));
  if (degrees && (strcasecmp(degrees, "true") == 0 || strcmp(degrees, "1") == 0))
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
