/* Errors of the program's own readers. */
#ifndef COMMON_ERROR_H
#define COMMON_ERROR_H

#include "carom/status.h"

/* Fills an error of the program's own, which may be null; returns the status. */
__attribute__((format(printf, 3, 4))) carom_status
cli_error(carom_error* error, carom_status status, const char* format, ...);

#endif
