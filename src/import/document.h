/* A file of elements on its way into a builder: remarks, refusals, numbers; what the readers of
 * URDF and SDF share. */
#ifndef CR_IMPORT_DOCUMENT_H
#define CR_IMPORT_DOCUMENT_H

#include "import/remark.h"
#include "model/record.h"

typedef struct cr_document {
  carom_allocator allocator;
  carom_error* error;
  bool permissive;
  cr_xml_tree xml;
  cr_list remarks;   /* of cr_remark */
  cr_list strangers; /* of const cr_remark: what is not known, one for each name */
} cr_document;

/* Empty; takes no memory. */
void cr_document_init(cr_document* document, const carom_allocator* allocator, bool permissive,
                      carom_error* error);

/* Frees the elements and the remarks. */
void cr_document_release(cr_document* document);

/* The subject of sentences about an element. */
cr_subject cr_document_subject(const cr_document* document, const cr_xml_element* element);

/* Notes that an element, or an attribute of it, is not used; one note for each text. */
carom_status cr_document_remark(cr_document* document, const cr_xml_element* element,
                                const char* attribute, const char* text);

/* What would change the physics: CAROM_ERROR_UNSUPPORTED, or a remark for a permissive reader. */
carom_status cr_document_refuse(cr_document* document, const cr_xml_element* element,
                                const char* attribute, const char* text);

/* Notes an element that is not known where it stands; one note for each name. Under what moves and
 * collides the note is of ignored physics.
 * @param known the names that are, " a b ", of which a note may suggest one; null: not said */
carom_status cr_document_note_stranger(cr_document* document, const cr_xml_element* element,
                                       const char* known);

/* Refuses what a xacro file has that is not expanded: its elements, and "${…}" or "$(…)" in values;
 * what is for other programs is not looked at. */
carom_status cr_document_refuse_xacro(cr_document* document, const cr_xml_element* root);

/* Is a word among those of a list, " a b "? */
bool cr_word_is_listed(const char* list, const char* word);

/* Notes the children and the attributes of an element that are in neither list (words with blanks
 * around them, " a b "). Attributes with a prefix are passed over. */
carom_status cr_document_check_known(cr_document* document, const cr_xml_element* element,
                                     const char* children, const char* attributes);

/* The first child of that name, or null; a second one is noted. */
carom_status cr_document_child(cr_document* document, const cr_xml_element* element,
                               const char* name, const cr_xml_element** child);

/* Reads `count` finite numbers of an attribute; leaves the values where it is not there. Of vectors
 * more numbers are noted and passed over, as Bullet's reader does it. */
carom_status cr_document_numbers(cr_document* document, const cr_xml_element* element,
                                 const char* name, int count, double* values);

/* The same of one number, which may be infinite. */
carom_status cr_document_bound(cr_document* document, const cr_xml_element* element,
                               const char* name, double* value);

/* Reads the number that an element holds: its attribute "value", else its text. */
carom_status cr_document_value(cr_document* document, const cr_xml_element* element, double* value);

/* The same, of a number that must not be negative, and of one that must be positive. */
carom_status cr_document_not_negative(cr_document* document, const cr_xml_element* element,
                                      double* value);
carom_status cr_document_positive(cr_document* document, const cr_xml_element* element,
                                  double* value);

/* ---- Values that are the texts of child elements. An empty element is none. */

/* The text of a child, or null. */
carom_status cr_document_child_word(cr_document* document, const cr_xml_element* element,
                                    const char* name, const char** word);

/* `count` finite numbers; leaves the values where there is no such child. */
carom_status cr_document_child_numbers(cr_document* document, const cr_xml_element* element,
                                       const char* name, int count, double* values);

/* One number, which may be infinite. */
carom_status cr_document_child_bound(cr_document* document, const cr_xml_element* element,
                                     const char* name, double* value);

/* true, false, 1 or 0. */
carom_status cr_document_child_flag(cr_document* document, const cr_xml_element* element,
                                    const char* name, bool* flag);

/* `a` and `b` one after the other, in the pool; null without memory. */
const char* cr_document_join(cr_document* document, const char* a, const char* b);

/* ---- More of attributes */

/* An attribute that must be there and not be empty. */
carom_status cr_document_require(const cr_document* document, const cr_xml_element* element,
                                 const char* name, const char** value);

/* Reads a text as `count` finite numbers; sentences call it `name`. */
carom_status cr_document_parse(const cr_document* document, const cr_xml_element* element,
                               const char* name, const char* text, int count, double* values);

/* The same of one number, which may be infinite. */
carom_status cr_document_parse_bound(const cr_document* document, const cr_xml_element* element,
                                     const char* name, const char* text, double* value);

/* Reads a colour, for drawing alone: three numbers, or four with the opacity, with blanks or commas
 * between. What is none is noted, and leaves the colour.
 * @param attribute null: the text is the element's
 * @param is_there receives whether it is one */
carom_status cr_document_colour(cr_document* document, const cr_xml_element* element,
                                const char* attribute, const char* text, float rgba[4],
                                bool* is_there);

/* Scales of a mesh along its axes: three numbers, or one for all. */
carom_status cr_document_scale(cr_document* document, const cr_xml_element* element,
                               const char* name, const char* text, double scale[3]);

/* Adds a shape; one without extent is left out, with a note, and so is one that is for drawing
 * alone and could not be added. A capsule without length is a sphere.
 * @param is_there receives whether it was added */
carom_status cr_document_add_shape(cr_document* document, carom_builder* builder,
                                   const cr_xml_element* element, const carom_geom_def* def,
                                   bool* is_there);

/* The rotation by roll about x, then pitch about y, then yaw about z, all of them fixed axes. */
quat cr_quat_from_rpy(const double rpy[3]);

/* Keeps links that overlap at the reference configuration from colliding, with a note, in models of
 * up to 300 geometries. */
carom_status cr_exclude_overlaps(carom_builder* builder, carom_error* error);

/* Adds an endless plane, with a note, for a robot that stands on none: at z = 0, or at the lowest
 * point of what moves and collides at the reference configuration, where that is lower.
 * @param bits of whom it meets */
carom_status cr_add_floor(carom_builder* builder, uint32_t bits, carom_error* error);

#endif
