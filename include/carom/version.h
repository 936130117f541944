/** @file
 * Version of the library, as compiled and as linked.
 */
#ifndef CAROM_VERSION_H
#define CAROM_VERSION_H

#include "carom/export.h"

CAROM_BEGIN_DECLS

#define CAROM_VERSION_MAJOR  0
#define CAROM_VERSION_MINOR  1
#define CAROM_VERSION_PATCH  0
#define CAROM_VERSION_STRING "0.1.0"

/** Version of the linked library, "major.minor.patch". */
CAROM_API const char* carom_version(void);

CAROM_END_DECLS

#endif
