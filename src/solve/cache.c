/* Analyses kept from step to step in two arenas that take turns. */
#include "solve/cache.h"

#include "base/hash.h"

#include <string.h>

typedef struct cache_entry {
  uint64_t hash;
  cr_symbolic symbolic;
} cache_entry;

typedef struct cache_turn {
  cr_arena arena;
  int count;
  cache_entry* entries; /* [capacity] */
} cache_turn;

struct cr_solve_cache {
  carom_allocator allocator;
  cache_turn turn[2];
  int capacity;
  int now;
};

static size_t size_of_entries(const cr_solve_cache* cache) {
  return sizeof(cache_entry) * (size_t)cache->capacity;
}

cr_solve_cache* cr_solve_cache_create(const carom_allocator* allocator, int capacity) {
  carom_allocator resolved = cr_allocator_resolve(allocator);
  cr_solve_cache* cache = cr_alloc_zero(&resolved, sizeof *cache);
  if (!cache) return NULL;
  cache->allocator = resolved;
  cache->capacity = capacity;
  for (int i = 0; i < 2; i++) {
    cr_arena_init(&cache->turn[i].arena, &resolved);
    cache->turn[i].entries = cr_alloc(&resolved, size_of_entries(cache));
  }
  if (cache->turn[0].entries && cache->turn[1].entries) return cache;
  cr_solve_cache_destroy(cache);
  return NULL;
}

void cr_solve_cache_destroy(cr_solve_cache* cache) {
  if (!cache) return;
  for (int i = 0; i < 2; i++) {
    cr_arena_destroy(&cache->turn[i].arena);
    cr_release(&cache->allocator, cache->turn[i].entries, size_of_entries(cache));
  }
  carom_allocator allocator = cache->allocator;
  cr_release(&allocator, cache, sizeof *cache);
}

void cr_solve_cache_turn(cr_solve_cache* cache) {
  cache->now = 1 - cache->now;
  cache->turn[cache->now].count = 0;
  cr_arena_reset(&cache->turn[cache->now].arena);
}

static uint64_t hash_pattern(const cr_bsm_pattern* pattern) {
  uint64_t hash = cr_hash_u64(CR_HASH_SEED, (uint64_t)pattern->num_blocks);
  for (int i = 0; i < pattern->num_blocks; i++)
    hash = cr_hash_u64(hash, (uint64_t)pattern->size[i]);
  for (int i = 0; i < pattern->num_lower; i++)
    hash = cr_hash_u64(hash, (uint64_t)pattern->row_index[i]);
  return hash;
}

static const cache_entry* find(const cache_turn* turn, uint64_t hash,
                               const cr_bsm_pattern* pattern) {
  for (int i = 0; i < turn->count; i++)
    if (turn->entries[i].hash == hash && cr_symbolic_matches(&turn->entries[i].symbolic, pattern))
      return &turn->entries[i];
  return NULL;
}

bool cr_solve_cache_analyze(cr_solve_cache* cache, const cr_bsm_pattern* pattern,
                            cr_ordering ordering, cr_arena* arena, cr_symbolic* symbolic) {
  uint64_t hash = hash_pattern(pattern) + (uint64_t)ordering;
  cache_turn* now = &cache->turn[cache->now];
  const cache_entry* entry = find(now, hash, pattern);
  if (entry) {
    *symbolic = entry->symbolic;
    return true;
  }
  if (now->count == cache->capacity) return cr_symbolic_analyze(pattern, ordering, arena, symbolic);
  entry = find(&cache->turn[1 - cache->now], hash, pattern);
  bool done = entry ? cr_symbolic_copy(&entry->symbolic, &now->arena, symbolic)
                    : cr_symbolic_analyze(pattern, ordering, &now->arena, symbolic);
  if (done) now->entries[now->count++] = (cache_entry){hash, *symbolic};
  return done;
}
