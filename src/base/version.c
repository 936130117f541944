/* The version the library was compiled as. */
#include "carom/version.h"

const char* carom_version(void) { return CAROM_VERSION_STRING; }
