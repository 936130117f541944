/* Filling of carom_error, and checks. */
#ifndef CR_BASE_ERROR_H
#define CR_BASE_ERROR_H

#include "base/shared.h"

#include "carom/status.h"

#if defined(__GNUC__)
#define CR_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define CR_PRINTF(format_at, args_at)
#endif

/* Writes a status and a sentence; returns the status. `error` may be null. */
CR_PRINTF(3, 4)
CR_SHARED carom_status cr_error_set(carom_error* error, carom_status status, const char* format,
                                    ...);

/* Fills the error of an exhausted allocator; returns CAROM_ERROR_OUT_OF_MEMORY. */
CR_SHARED carom_status cr_error_memory(carom_error* error);

/* Empties an error; returns CAROM_OK. `error` may be null. */
CR_SHARED carom_status cr_error_clear(carom_error* error);

/* Returns from the calling function when an expression is not CAROM_OK. */
#define CR_TRY(expression)                        \
  do {                                            \
    const int cr_try_result = (int)(expression);  \
    if (cr_try_result != 0) return cr_try_result; \
  } while (0)

#endif
