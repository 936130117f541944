/** @file
 * Status codes and the error sentence that every fallible function fills.
 *
 * Misuse, bad data and the environment end in a status; numerical outcomes do not (they are fields
 * of a report). A function that fails leaves its objects as they were.
 */
#ifndef CAROM_STATUS_H
#define CAROM_STATUS_H

#include "carom/export.h"

CAROM_BEGIN_DECLS

/** Every failure: X(name, value, text). */
#define CAROM_STATUS_LIST(X)                                                            \
  X(INVALID_ARGUMENT, 1, "an argument is outside what the function accepts")            \
  X(BAD_INPUT, 2, "a file or a definition holds a value that cannot be used")           \
  X(FILE, 3, "a file cannot be opened, read or written")                                \
  X(OUT_OF_MEMORY, 4, "the allocator returned null")                                    \
  X(UNSUPPORTED, 5, "the input asks for something that this version does not do")       \
  X(NUMERICAL, 6, "a matrix is not positive definite or an iteration did not converge") \
  X(INTERRUPTED, 7, "the caller asked to stop")

/** Status of a call. CAROM_OK is zero; all others are failures. */
typedef enum carom_status {
  CAROM_OK = 0,
#define CAROM_STATUS_ENUM(name, value, text) CAROM_ERROR_##name = value,
  CAROM_STATUS_LIST(CAROM_STATUS_ENUM)
#undef CAROM_STATUS_ENUM
} carom_status;

/** What went wrong, in one sentence that names file, line, element, field and value. */
typedef struct carom_error {
  carom_status status; /**< as returned by the call that filled it */
  char message[512];   /**< zero-terminated, without a final newline; empty after success */
} carom_error;

/** The text of a status, never null. */
CAROM_API const char* carom_status_text(carom_status status);

CAROM_END_DECLS

#endif
