/* An allocator for several threads at once, over hooks that need not know of threads. */
#ifndef CR_BASE_LOCKED_H
#define CR_BASE_LOCKED_H

#include "base/alloc.h"

#include <pthread.h>

typedef struct cr_locked {
  carom_allocator hooks;
  pthread_mutex_t mutex;
} cr_locked;

void cr_locked_init(cr_locked* locked, const carom_allocator* hooks);
void cr_locked_destroy(cr_locked* locked);

/* Hooks that call the others one at a time; `locked` must outlive them. */
carom_allocator cr_locked_allocator(cr_locked* locked);

#endif
