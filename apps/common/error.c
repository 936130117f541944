#include "error.h"

#include <stdarg.h>
#include <stdio.h>

carom_status cli_error(carom_error* error, carom_status status, const char* format, ...) {
  if (!error) return status;
  error->status = status;
  va_list arguments;
  va_start(arguments, format);
  /* The analyser of version 14 does not see va_start. */
  /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}
