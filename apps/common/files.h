/* Files as a whole; which ones may be read, and which written. */
#ifndef COMMON_FILES_H
#define COMMON_FILES_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Opens a regular file for reading: pipes, devices and folders are refused without waiting.
 * @param why receives the reason where null is returned, to follow a colon; may be null */
FILE* cli_open_input(const char* path, const char** why);

/* All bytes of a file with a zero after them, to be freed; null where they cannot be had.
 * @param size receives their number, may be null */
char* cli_read_file(const char* path, size_t* size);

/* Whether two paths lead to the same file; what is not there yet is told by its folder and name. */
bool cli_is_same_file(const char* a, const char* b);

/* The files of a command; null among them counts as none. */
typedef struct cli_files {
  const char* const* inputs;  /* [num_inputs] */
  const char* const* outputs; /* [num_outputs] */
  int num_inputs, num_outputs;
} cli_files;

/* Refuses an output that is an input or another output, under whatever name. */
carom_status cli_check_files(const cli_files* files, carom_error* error);

#endif
