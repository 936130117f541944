/* Memory through the caller's hooks. Every block is aligned to CR_ALIGNMENT. */
#ifndef CR_BASE_ALLOC_H
#define CR_BASE_ALLOC_H

#include "base/shared.h"

#include "carom/allocator.h"

#include <stdbool.h>
#include <stddef.h>

/* One cache line, and the widest vector register. */
#define CR_ALIGNMENT 64

/* The hooks to use: the caller's, or the C library's where they are null. */
CR_SHARED carom_allocator cr_allocator_resolve(const carom_allocator* allocator);

/* Returns `size` uninitialised bytes, or null; a size of zero gives a valid block. */
CR_SHARED void* cr_alloc(const carom_allocator* allocator, size_t size);

/* The same, filled with zeros. */
CR_SHARED void* cr_alloc_zero(const carom_allocator* allocator, size_t size);

/* Gives back a block with the size it was asked with; null is allowed. */
CR_SHARED void cr_release(const carom_allocator* allocator, void* block, size_t size);

/* Grows a block from `old_size` to `new_size` bytes, contents kept; null and unchanged on failure.
 */
CR_SHARED void* cr_realloc(const carom_allocator* allocator, void* block, size_t old_size,
                           size_t new_size);

/* Makes room for one more element in a growing array of `element_size` bytes each; `*items` and
 * `*capacity` change only on success. */
CR_SHARED bool cr_reserve_one(const carom_allocator* allocator, void** items, int count,
                              int* capacity, size_t element_size);

#endif
