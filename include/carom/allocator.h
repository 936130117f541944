/** @file
 * Hooks through which the library takes memory and reports events.
 */
#ifndef CAROM_ALLOCATOR_H
#define CAROM_ALLOCATOR_H

#include "carom/export.h"

#include <stddef.h>

CAROM_BEGIN_DECLS

/** Where memory comes from. Both hooks null (a zeroed struct) means the C library. */
typedef struct carom_allocator {
  /** Returns at least `size` bytes aligned to `alignment` (a power of two, at most 64), or null. */
  void* (*allocate)(void* user, size_t size, size_t alignment);
  /** Takes back a block that `allocate` returned, with its size; `block` may be null. */
  void (*release)(void* user, void* block, size_t size);
  void* user; /**< handed to both hooks */
} carom_allocator;

/** How grave a log line is. */
typedef enum carom_log_level { CAROM_LOG_DEBUG, CAROM_LOG_INFO, CAROM_LOG_WARNING } carom_log_level;

/** Receives one line (without newline). The library itself never prints. */
typedef struct carom_log {
  void (*write)(void* user, carom_log_level level, const char* message); /**< null: silence */
  void* user;                                                            /**< handed to `write` */
} carom_log;

CAROM_END_DECLS

#endif
