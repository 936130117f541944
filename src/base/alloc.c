/* Memory through the caller's hooks; the default hooks use aligned_alloc and free. */
#include "base/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#define LARGE ((size_t)1 << 20) /* a block that is gone for good: arenas grow, and models go */

static void* libc_allocate(void* user, size_t size, size_t alignment) {
  (void)user;
  size_t rounded = (size + alignment - 1) / alignment * alignment;
  return aligned_alloc(alignment, rounded);
}

static void libc_release(void* user, void* block, size_t size) {
  (void)user;
  free(block);
#if defined(__GLIBC__)
  /* Else its pages may stay with the process, under smaller blocks that came after it. */
  if (size >= LARGE) malloc_trim(0);
#else
  (void)size;
#endif
}

carom_allocator cr_allocator_resolve(const carom_allocator* allocator) {
  if (allocator && allocator->allocate && allocator->release) return *allocator;
  return (carom_allocator){libc_allocate, libc_release, NULL};
}

void* cr_alloc(const carom_allocator* allocator, size_t size) {
  return allocator->allocate(allocator->user, size ? size : 1, CR_ALIGNMENT);
}

void* cr_alloc_zero(const carom_allocator* allocator, size_t size) {
  void* block = cr_alloc(allocator, size);
  if (block) memset(block, 0, size);
  return block;
}

void cr_release(const carom_allocator* allocator, void* block, size_t size) {
  if (block) allocator->release(allocator->user, block, size ? size : 1);
}

void* cr_realloc(const carom_allocator* allocator, void* block, size_t old_size, size_t new_size) {
  void* grown = cr_alloc(allocator, new_size);
  if (!grown) return NULL;
  if (block) memcpy(grown, block, old_size < new_size ? old_size : new_size);
  cr_release(allocator, block, old_size);
  return grown;
}

bool cr_reserve_one(const carom_allocator* allocator, void** items, int count, int* capacity,
                    size_t element_size) {
  if (count < *capacity) return true;
  if (*capacity > INT_MAX / 2) return false;
  int wanted = *capacity ? 2 * *capacity : 16;
  void* grown = cr_realloc(allocator, *items, (size_t)*capacity * element_size,
                           (size_t)wanted * element_size);
  if (!grown) return false;
  *items = grown;
  *capacity = wanted;
  return true;
}
