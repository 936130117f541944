/* Remarks that are kept with a model: what of a file is not used and why, one for all the places
 * that cause it. And the subjects of sentences about elements. */
#ifndef CR_IMPORT_REMARK_H
#define CR_IMPORT_REMARK_H

#include "import/xml.h"
#include "model/check.h"
#include "model/list.h"

#include "carom/builder.h"

typedef struct cr_remark {
  const void* key;
  const cr_xml_element* first;
  const char* attribute; /* null: the element itself */
  const char* text;
  int count;
} cr_remark;

/* Adds a remark to a list of cr_remark, or counts one more place of the one with this key; false
 * without memory. `text` and the element live as long as the list. */
bool cr_remark_add(cr_list* remarks, const carom_allocator* allocator, const cr_remark* remark);

/* Hands the remarks to the builder, in the order of their first places. */
carom_status cr_remark_write_all(const cr_list* remarks, carom_builder* builder,
                                 carom_error* error);

/* Notes what the XML of a tree was mended in that may not be what its author means. */
bool cr_remark_add_form(cr_list* remarks, const carom_allocator* allocator,
                        const cr_xml_element* root);

/* What a note speaks of, by the reason that it gives. */
carom_note_kind cr_note_find_kind(const char* note);

/* The subject of sentences about an element. */
cr_subject cr_xml_subject(const cr_xml_element* element, carom_error* error);

/* Refuses what would be a remark if that were permitted, and says how it is. A reason that ends
 * with
 * ", left out" does so without.
 * @param attribute of the element, whose value is named; may be null */
carom_status cr_remark_refuse(const cr_xml_element* element, const char* attribute,
                              const char* text, carom_error* error);

/* A note of its own about one element: "file:line: kind 'name': text". */
carom_status cr_note_on(carom_builder* builder, const cr_xml_element* element, const char* text,
                        carom_error* error);

#endif
