/* Fills errors. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

carom_status cli_error(carom_error* error, carom_status status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  error->status = status;
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}
