#include "number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cli_read_number(const char* text, double* number) {
  char* end;
  if (!*text || strchr(" \t\n", *text)) return false;
  *number = strtod(text, &end);
  return *end == '\0' && isfinite(*number);
}
