/* XML as a tree that keeps file and line of every element. Over expat, without namespaces: a prefix
 * is part of the name and need not be declared. What else files of robots do against XML is mended
 * (xml_mend.h), their bytes are read as UTF-8 whatever they declare (xml_bytes.h), and what stands
 * behind the root's end is not read. No entities but the five of XML itself, no external ones;
 * depth, size and number of elements are bounded. */
#ifndef CR_IMPORT_XML_H
#define CR_IMPORT_XML_H

#include "import/pool.h"

#include "carom/status.h"

#include <stdbool.h>
#include <stdio.h>

/* Bounds on what is read, files and included files together. */
#define CR_XML_MAX_BYTES    ((size_t)256 << 20)
#define CR_XML_MAX_DEPTH    20000
#define CR_XML_MAX_ELEMENTS 4000000

typedef struct cr_xml_attribute {
  const char* name;
  const char* value;
} cr_xml_attribute;

typedef struct cr_xml_element cr_xml_element;
struct cr_xml_element {
  const char* name;
  const char* file;
  int line;         /* of the start tag */
  int text_line;    /* of the first text within that is not blank; 0: none */
  int depth;        /* 0: the root */
  const char* text; /* before the first child, without blanks around it; null: none */
  cr_xml_element *parent, *first_child, *last_child, *next;
  const cr_xml_attribute* attributes; /* [num_attributes] in the order of the file */
  int num_attributes;
  int document, slot; /* numbers for the reader's use, 0 when read */
  bool gives_again;   /* attributes that it has already; the first ones count */
  bool has_more;      /* the root: something stands behind its end */
};

/* What one or several files add up to. */
typedef struct cr_xml_tree {
  cr_pool pool;
  size_t bytes; /* read so far */
  int elements;
} cr_xml_tree;

void cr_xml_init(cr_xml_tree* tree, const carom_allocator* allocator);

/* Frees all elements. */
void cr_xml_destroy(cr_xml_tree* tree);

/* Where a document comes from. */
typedef struct cr_xml_source {
  const char* name; /* what errors call it; copied */
  FILE* file;       /* read to its end; null: the text */
  const char* text;
  size_t length;
  int depth;      /* of the root, for a document that will stand inside another */
  bool root_only; /* stop behind the start tag of the root */
} cr_xml_source;

/* Reads a document; `root` receives its root element, which has no parent. */
carom_status cr_xml_read(cr_xml_tree* tree, const cr_xml_source* source, cr_xml_element** root,
                         carom_error* error);

/* Makes an element the last child of another. */
void cr_xml_append(cr_xml_element* parent, cr_xml_element* child);

/* The value of an attribute, or null. */
const char* cr_xml_get(const cr_xml_element* element, const char* name);

/* The next element in a walk that visits children before siblings, within `root`; null at the end.
 */
cr_xml_element* cr_xml_next(const cr_xml_element* element, const cr_xml_element* root);

#endif
