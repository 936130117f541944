/* A pool of chunks; a large request gets a chunk of its own. */
#include "import/pool.h"

#include <stdalign.h>
#include <string.h>

#define CHUNK_SIZE      ((size_t)64 * 1024)
#define PIECE_ALIGNMENT alignof(max_align_t)

struct cr_pool_chunk {
  cr_pool_chunk* next;
  size_t size; /* with this header */
};

static size_t round_up(size_t size) {
  return (size + PIECE_ALIGNMENT - 1) / PIECE_ALIGNMENT * PIECE_ALIGNMENT;
}

void cr_pool_init(cr_pool* pool, const carom_allocator* allocator) {
  *pool = (cr_pool){.allocator = *allocator};
}

void cr_pool_destroy(cr_pool* pool) {
  while (pool->chunks) {
    cr_pool_chunk* chunk = pool->chunks;
    pool->chunks = chunk->next;
    cr_release(&pool->allocator, chunk, chunk->size);
  }
  pool->used = pool->size = 0;
}

static bool add_chunk(cr_pool* pool, size_t wanted) {
  size_t header = round_up(sizeof(cr_pool_chunk));
  size_t size = header + (wanted > CHUNK_SIZE ? wanted : CHUNK_SIZE);
  cr_pool_chunk* chunk = cr_alloc(&pool->allocator, size);
  if (!chunk) return false;
  *chunk = (cr_pool_chunk){pool->chunks, size};
  pool->chunks = chunk;
  pool->used = header;
  pool->size = size;
  return true;
}

void* cr_pool_take(cr_pool* pool, size_t size) {
  size_t wanted = round_up(size ? size : 1);
  if (wanted > pool->size - pool->used && !add_chunk(pool, wanted)) return NULL;
  void* piece = (char*)pool->chunks + pool->used;
  pool->used += wanted;
  return memset(piece, 0, wanted);
}

char* cr_pool_copy(cr_pool* pool, const char* text, size_t length) {
  char* copy = cr_pool_take(pool, length + 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}
