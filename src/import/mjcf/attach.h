/* <attach>: a subtree of another model, with what refers to it, stands in this one. */
#ifndef CR_IMPORT_MJCF_ATTACH_H
#define CR_IMPORT_MJCF_ATTACH_H

#include "import/mjcf/reader.h"

/* Names of what stays behind when a part of a model is attached. */
typedef struct cr_mjcf_leftover {
  cr_name_table names; /* of cr_part */
  cr_text text;
} cr_mjcf_leftover;

/* Sets an attribute, which may be new, to a text that lives as long as the reader. */
carom_status cr_mjcf_set_attribute(cr_mjcf* m, cr_xml_element* element, const char* name,
                                   const char* value);

/* Puts a prefix before all names, and before all that refers to them, in a document. */
carom_status cr_mjcf_prefix_names(cr_mjcf* m, cr_xml_element* root, const char* prefix);

/* Notes the names of what stands within an element. */
carom_status cr_mjcf_leave_behind(cr_mjcf* m, cr_mjcf_leftover* left,
                                  const cr_xml_element* element);

/* Unlinks the children of a section that refer to what stays behind, with a remark; their own names
 * stay behind too. */
carom_status cr_mjcf_drop_strangers(cr_mjcf* m, cr_mjcf_leftover* left, cr_xml_element* section);

/* Takes an element out of its parent. */
void cr_mjcf_unlink(cr_xml_element* element);

#endif
