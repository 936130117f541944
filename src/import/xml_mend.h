/* What robots' files do against XML, mended on the way to the parser: "--" within a comment, and an
 * XML declaration that is not the first thing of the document. Lines stay where they are. */
#ifndef CR_IMPORT_XML_MEND_H
#define CR_IMPORT_XML_MEND_H

#include <stddef.h>

/* A piece may come out longer than it went in, by at most this. */
#define CR_XML_MEND_MORE 16

/* Where in the document a piece ends; zeroed at the start. */
typedef struct cr_xml_mend {
  int within;   /* text, a comment, or a section of characters */
  char held[9]; /* what may become the start or end of one */
  int num_held;
  size_t count; /* bytes that came in */
} cr_xml_mend;

/* Mends the next piece of a document.
 * @param out [length + CR_XML_MEND_MORE]
 * @return how many bytes it holds */
size_t cr_xml_mend_piece(cr_xml_mend* mend, const char* piece, size_t length, char* out);

/* What is held back at the end of the document; returns its length. */
size_t cr_xml_mend_end(cr_xml_mend* mend, char* out);

#endif
