/* What files of robots do against XML and the readers of their formats take, mended on the way to
 * the parser: "--" within a comment, an XML declaration that is not the first thing of the
 * document,
 * '<' within a value, '&' that starts nothing, no blank between two attributes, an attribute given
 * twice. Lines stay where they are. */
#ifndef CR_IMPORT_XML_MEND_H
#define CR_IMPORT_XML_MEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long a piece may come out: '&' becomes "&amp;". */
#define CR_XML_MEND_MOST(length) (5 * (length) + 64)

/* Of a tag with more attributes, those behind are not held against each other here. */
#define CR_XML_MEND_NAMES 64

/* Ends the name of an attribute that its element has already, before a number: a character that
 * names may hold and no format uses. */
#define CR_XML_MEND_AGAIN "\xc2\xb7"

/* Where in the document a piece ends; zeroed at the start. */
typedef struct cr_xml_mend {
  int within;    /* text, a comment, a tag, … */
  char held[16]; /* what may become the start or end of one */
  int num_held;
  size_t count;                      /* bytes that came in */
  char quote, last;                  /* of a value; the byte before */
  uint64_t name;                     /* of the attribute so far, hashed */
  uint64_t names[CR_XML_MEND_NAMES]; /* of the tag */
  int num_names, num_again;
} cr_xml_mend;

/* Mends the next piece of a document.
 * @param out [CR_XML_MEND_MOST(length)]
 * @return how many bytes it holds */
size_t cr_xml_mend_piece(cr_xml_mend* mend, const char* piece, size_t length, char* out);

/* What is held back at the end of the document; returns its length, 64 at most. */
size_t cr_xml_mend_end(cr_xml_mend* mend, char* out);

#endif
