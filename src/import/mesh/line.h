/* Lines and words of a file in memory, which need not end with a zero. */
#ifndef CR_IMPORT_MESH_LINE_H
#define CR_IMPORT_MESH_LINE_H

#include "import/mesh/read.h"

/* A walk over the words of a file; `number` is the line of the word read last, from 1. */
typedef struct cr_line_reader {
  const cr_mesh_source* source;
  const char *at, *end;
  int number;
  carom_error* error;
} cr_line_reader;

typedef struct cr_line_word {
  const char* text;
  int length; /* 0: the line has ended */
} cr_line_word;

cr_line_reader cr_line_reader_make(const cr_mesh_source* source, carom_error* error);

/* Goes to the next line that is not blank, at its first word; false at the end of the file. */
bool cr_line_next(cr_line_reader* reader, cr_line_word* first);

/* The next word of the line; a backslash before the end of a line continues it. */
cr_line_word cr_line_word_next(cr_line_reader* reader);

bool cr_line_word_is(cr_line_word word, const char* text);

/* Three finite numbers; the sentence of an error begins with what they are. */
carom_status cr_line_read_position(cr_line_reader* reader, const char* what, double position[3]);

/* "file:line: what 'word' rest" */
carom_status cr_line_fail(const cr_line_reader* reader, const char* what, cr_line_word word,
                          const char* rest);

#endif
