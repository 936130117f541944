#include "base/cookie.h"

carom_status cr_cookie_check(uint32_t cookie, uint32_t expected, const char* what, const char* type,
                             carom_error* error) {
  const uint32_t mask = (UINT32_C(1) << CR_COOKIE_SIZE) - 1;
  if (cookie == expected) return CAROM_OK;
  if (cookie >> CR_COOKIE_SIZE == expected >> CR_COOKIE_SIZE)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "%s: the program's %s has %u bytes, the library's %u: they are of "
                        "different versions",
                        what, type, cookie & mask, expected & mask);
  return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                      "%s: the definition was not made by %s_default()", what, type);
}
