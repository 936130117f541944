/** @file
 * Work that may be done in parallel, and the hook through which a host does it on its own threads.
 */
#ifndef CAROM_TASKS_H
#define CAROM_TASKS_H

#include "carom/export.h"

CAROM_BEGIN_DECLS

/** One of several pieces of work that do not depend on each other. Never calls back into the host
 * except through the allocator's hooks. */
typedef void carom_task(void* data, int index);

/** Who does the work. `run` null (a zeroed struct) means the library's own threads. */
typedef struct carom_tasks {
  /** Calls task(data, i) exactly once for every i from 0 to count - 1 and returns when all of these
   * calls have returned. Their order and the threads they run on, the caller's among them, are
   * free: nothing that is computed depends on them. */
  void (*run)(void* user, int count, carom_task* task, void* data);
  void* user; /**< handed to `run` */
} carom_tasks;

CAROM_END_DECLS

#endif
