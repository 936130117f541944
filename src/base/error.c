/* Status texts and error sentences. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

const char* carom_status_text(carom_status status) {
  switch (status) {
  case CAROM_OK:
    return "success";
#define CR_STATUS_CASE(name, value, text) \
  case CAROM_ERROR_##name:                \
    return text;
    CAROM_STATUS_LIST(CR_STATUS_CASE)
#undef CR_STATUS_CASE
  }
  return "unknown status";
}

carom_status cr_error_set(carom_error* error, carom_status status, const char* format, ...) {
  if (!error) return status;
  error->status = status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

carom_status cr_error_memory(carom_error* error) {
  return cr_error_set(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
}

carom_status cr_error_clear(carom_error* error) {
  if (error) {
    error->status = CAROM_OK;
    error->message[0] = '\0';
  }
  return CAROM_OK;
}
