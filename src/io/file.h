/* Files that are read, regular ones only, and a file that is written: its failures are kept until
 * the end, so that writers need not look after each byte. */
#ifndef CR_IO_FILE_H
#define CR_IO_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Opens a regular file for reading, its bytes as they are. Pipes, devices, sockets and folders are
 * refused without waiting; null for all that cannot be opened. */
FILE* cr_file_open_regular(const char* path);

/* Names files that are not to be read in this thread, under whatever name: outputs. They count
 * until the next call; names that are null are passed over. */
void cr_file_keep_for_writing(const char* const* paths, int count);

/* Whether a file that a document names, read or not, may be one of them: one that is there and
 * whose path ends as the name does. */
bool cr_file_may_be_output(const char* name);

/* Why that is refused, to follow a colon in a sentence. */
const char* cr_file_fault(const char* path);

/* Whether it is there, but no regular file. */
bool cr_file_is_special(const char* path);

/* Whether a file that is there really lies in a folder, symbolic links followed; true for what is
 * not there. */
bool cr_file_lies_in(const char* path, const char* folder);

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
