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

/* Adds a name of a part to those of a list; words of the format say the part ("body", "site", …).
 */
carom_status cr_mjcf_add_leftover(cr_mjcf* m, cr_mjcf_leftover* left, const char* word,
                                  const char* name);

/* Whether an element, or one within it, refers to a name of a list. */
bool cr_mjcf_refers_to(const cr_mjcf_leftover* left, const cr_xml_element* element);

/* What stands before and behind the names of a copy. */
typedef struct cr_mjcf_affix {
  const char *before, *after;
} cr_mjcf_affix;

/* Renames what an attribute says, or nothing where that is empty. */
carom_status cr_mjcf_rename(cr_mjcf* m, cr_xml_element* element, const char* attribute,
                            const cr_mjcf_affix* affix);

/* Renames what an element, or one within it, refers to of a list. */
carom_status cr_mjcf_rename_references(cr_mjcf* m, const cr_mjcf_leftover* left,
                                       cr_xml_element* element, const cr_mjcf_affix* affix);

/* A copy of an element and all within it, which stands nowhere yet. */
carom_status cr_mjcf_clone(cr_mjcf* m, const cr_xml_element* element, cr_xml_element* parent,
                           cr_xml_element** copy);

/* How to copy: once for each affix; what is copied stays where it keeps. */
typedef struct cr_mjcf_copies {
  const cr_mjcf_affix* affixes;
  int count;
  bool keeps;
} cr_mjcf_copies;

/* Copies what refers to the names of a list, in the sections of `root`, behind all else; the names
 * of what is copied join the list. */
carom_status cr_mjcf_copy_references(cr_mjcf* m, cr_mjcf_leftover* list, cr_xml_element* root,
                                     const cr_mjcf_copies* copies);

/* <attach> without a model: a body or frame of the document itself, a second time. */
carom_status cr_mjcf_attach_self(cr_mjcf* m, cr_xml_element* root, cr_xml_element* attach,
                                 const cr_xml_element* part);

/* How often a <replicate> copies; what is no count is refused where it is read. */
int cr_mjcf_count_of(const cr_xml_element* replicate);

/* Lets what refers to parts that a <replicate> copies be copied with them, in the sections of
 * `root`. Those within it have been seen to. */
carom_status cr_mjcf_replicate_references(cr_mjcf* m, cr_xml_element* root,
                                          const cr_xml_element* replicate);

/* The suffix of a copy: "sep07" of the eighth of up to 99; null without memory. */
const char* cr_mjcf_copy_suffix(cr_mjcf* m, const char* sep, int count, int index);

/* Takes an element out of its parent. */
void cr_mjcf_unlink(cr_xml_element* element);

#endif
