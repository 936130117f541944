/* A file that is written. Failures are kept until the end, so that writers need not look after each
 * byte. */
#ifndef CR_IO_FILE_H
#define CR_IO_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cr_file {
  const char* path; /* must outlive the file */
  FILE* stream;
  int64_t num_bytes; /* written */
  int failure;       /* errno of the first, 0: none */
} cr_file;

/* Creates the file, or empties the one that is there. */
carom_status cr_file_open(cr_file* file, const char* path, carom_error* error);

void cr_file_put(cr_file* file, const void* bytes, size_t count);
void cr_file_put_text(cr_file* file, const char* text);
CR_PRINTF(2, 3) void cr_file_print(cr_file* file, const char* format, ...);

/* Closes the file and tells what went wrong, if anything. */
carom_status cr_file_close(cr_file* file, carom_error* error);

#endif
