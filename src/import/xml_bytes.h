/* The bytes of a document as UTF-8, whatever its author's editor has written. */
#ifndef CR_IMPORT_XML_BYTES_H
#define CR_IMPORT_XML_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* A byte becomes at most two, and up to three that were held back come before. */
#define CR_XML_BYTES_MOST(length) (2 * (length) + 8)

/* Where in the document a piece ends; zeroed at the start. */
typedef struct cr_xml_bytes {
  bool has_begun;
  bool is_wide;   /* two bytes a character: passes unchanged */
  bool is_latin;  /* the declaration says so: each byte is a character */
  bool has_ended; /* a zero byte came, behind which nothing counts */
  unsigned char held[4];
  int num_held, wanted; /* of a character of several bytes */
} cr_xml_bytes;

/* The next piece as UTF-8: bytes that are none are taken for Latin-1, control characters for
 * blanks, and the mark at the start is dropped.
 * @param out [CR_XML_BYTES_MOST(length)]
 * @return how many bytes it holds */
size_t cr_xml_bytes_piece(cr_xml_bytes* bytes, const char* piece, size_t length, char* out);

/* What is held back at the end of the document; returns its length, 8 at most. */
size_t cr_xml_bytes_end(cr_xml_bytes* bytes, char* out);

#endif
