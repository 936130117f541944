/* Memory that is taken piece by piece and given back at once; pieces do not move. */
#ifndef CR_IMPORT_POOL_H
#define CR_IMPORT_POOL_H

#include "base/alloc.h"

typedef struct cr_pool_chunk cr_pool_chunk;

typedef struct cr_pool {
  carom_allocator allocator;
  cr_pool_chunk* chunks;
  size_t used, size; /* of the newest chunk, bytes */
} cr_pool;

/* Takes no memory yet. */
void cr_pool_init(cr_pool* pool, const carom_allocator* allocator);

void cr_pool_destroy(cr_pool* pool);

/* `size` zeroed bytes, aligned for any type, or null. */
void* cr_pool_take(cr_pool* pool, size_t size);

/* A copy of `length` bytes with a zero behind, or null. */
char* cr_pool_copy(cr_pool* pool, const char* text, size_t length);

#endif
