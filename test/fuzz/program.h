/* What files of the program call in its main file, for fuzz targets: sentences are kept. */
#ifndef CR_FUZZ_PROGRAM_H
#define CR_FUZZ_PROGRAM_H

#include "cli.h"

#include <stdarg.h>
#include <stdio.h>

static char fuzz_sentence[400];

int cli_fail(int exit_code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fuzz_sentence, sizeof fuzz_sentence, format, arguments);
  va_end(arguments);
  return exit_code;
}

int cli_finish_output(int exit_code) {
  snprintf(fuzz_sentence, sizeof fuzz_sentence, "help");
  return exit_code;
}

#endif
