/* Files that still are templates of xacro: of such a robot parts would be missing. */
#include "import/document.h"

#include <string.h>

static const char UNEXPANDED[] =
    "this is xacro, a template: expand it first ('xacro FILE > robot.urdf', of ROS)";

/* "${…}" or "$(…)". */
static bool has_macro(const char* text) {
  const char* start = text ? strpbrk(text, "$") : NULL;
  for (; start; start = strchr(start + 1, '$'))
    if ((start[1] == '{' && strchr(start, '}')) || (start[1] == '(' && strchr(start, ')')))
      return true;
  return false;
}

static bool is_template(const cr_xml_element* e) {
  if (strncmp(e->name, "xacro:", 6) == 0 || has_macro(e->text)) return true;
  for (int i = 0; i < e->num_attributes; i++)
    if (has_macro(e->attributes[i].value)) return true;
  return false;
}

static bool is_for_others(const cr_xml_element* e) {
  static const char* const OTHERS[] = {"gazebo", "plugin", "ros2_control", "transmission",
                                       "sensor"};
  for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++)
    if (strcmp(OTHERS[i], e->name) == 0) return true;
  return false;
}

carom_status cr_document_refuse_xacro(cr_document* d, const cr_xml_element* root) {
  const cr_xml_element* e = root;
  while (e) {
    if (is_template(e) && d->permissive) return cr_document_remark(d, e, NULL, UNEXPANDED);
    cr_subject subject = cr_document_subject(d, e);
    if (is_template(e)) return cr_subject_fail(&subject, CAROM_ERROR_UNSUPPORTED, UNEXPANDED);
    if (!is_for_others(e) || e == root) {
      e = cr_xml_next(e, root);
      continue;
    }
    while (e != root && !e->next) e = e->parent;
    e = e == root ? NULL : e->next;
  }
  return CAROM_OK;
}
