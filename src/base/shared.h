/* The seam between the two libraries: what libcarom_io, which reads and writes files, uses of
 * libcarom beside its public interface. Both are built together; the names carry a version of their
 * own (CAROM_PRIVATE) and are a promise to nobody else. */
#ifndef CR_BASE_SHARED_H
#define CR_BASE_SHARED_H

#include "carom/export.h"

#define CR_SHARED CAROM_API

#endif
