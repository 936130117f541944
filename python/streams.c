/* The standard streams under the names that archives.cmake gives them. */
#include <stdio.h>

FILE *carom_stdin, *carom_stdout, *carom_stderr;

__attribute__((constructor)) static void name_streams(void) {
  carom_stdin = stdin;
  carom_stdout = stdout;
  carom_stderr = stderr;
}
