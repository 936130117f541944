/* What the files of this folder share: poses and names. */
#include "import/urdf/reader.h"

#include <string.h>

carom_status cr_urdf_pose(cr_urdf* u, const cr_xml_element* element, double position[3],
                          double quaternion[4]) {
  const cr_xml_element* origin;
  double rpy[3] = {0};
  memset(position, 0, 3 * sizeof *position);
  CR_TRY(cr_document_child(&u->document, element, "origin", &origin));
  if (origin) {
    CR_TRY(cr_document_numbers(&u->document, origin, "xyz", 3, position));
    CR_TRY(cr_document_numbers(&u->document, origin, "rpy", 3, rpy));
    CR_TRY(cr_document_check_known(&u->document, origin, " ", " xyz rpy "));
  }
  quat_store(cr_quat_from_rpy(rpy), quaternion);
  return CAROM_OK;
}

bool cr_urdf_add_name(cr_urdf* u, int kind, const char* name, int id) {
  int offset = cr_text_add(&u->text, &u->document.allocator, name);
  return offset >= 0 && cr_name_add(&u->names, &u->document.allocator, &u->text, kind, offset, id);
}

carom_status cr_urdf_resolve(const cr_urdf* u, const cr_xml_element* element, const char* attribute,
                             const char* name, int kind, int* index) {
  *index = cr_name_find(&u->names, &u->text, kind, name);
  if (*index >= 0) return CAROM_OK;
  cr_subject subject = cr_document_subject(&u->document, element);
  return cr_subject_fail(&subject, CAROM_ERROR_BAD_INPUT, "%s is '%.60s', no %s has this name",
                         attribute, name, kind == CR_URDF_NAME_LINK ? "link" : "joint");
}
