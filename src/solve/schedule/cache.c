/* Analyses kept from step to step in two arenas that take turns. */
#include "solve/schedule/cache.h"

#include "base/hash.h"

#include <string.h>

typedef struct cache_entry {
  uint64_t hash;
  const int* order; /* [num_blocks] that was given; null: none */
  cr_symbolic symbolic;
} cache_entry;

/* What is asked for. */
typedef struct request {
  const cr_bsm_pattern* pattern;
  cr_ordering ordering;
  const int* order; /* in place of the ordering; null: none */
  uint64_t hash;
} request;

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

static request make_request(const cr_bsm_pattern* pattern, cr_ordering ordering, const int* order) {
  uint64_t hash = cr_hash_u64(CR_HASH_SEED, (uint64_t)pattern->num_blocks);
  for (int i = 0; i < pattern->num_blocks; i++)
    hash = cr_hash_u64(hash, (uint64_t)pattern->size[i]);
  for (int i = 0; i < pattern->num_lower; i++)
    hash = cr_hash_u64(hash, (uint64_t)pattern->row_index[i]);
  for (int i = 0; order && i < pattern->num_blocks; i++)
    hash = cr_hash_u64(hash, (uint64_t)order[i]);
  return (request){pattern, ordering, order, hash + (uint64_t)ordering};
}

static bool matches(const cache_entry* entry, const request* r) {
  if (entry->hash != r->hash || !cr_symbolic_matches(&entry->symbolic, r->pattern)) return false;
  if (!entry->order || !r->order) return entry->order == r->order;
  return memcmp(entry->order, r->order, sizeof(int) * (size_t)r->pattern->num_blocks) == 0;
}

static const cache_entry* find(const cache_turn* turn, const request* r) {
  for (int i = 0; i < turn->count; i++)
    if (matches(&turn->entries[i], r)) return &turn->entries[i];
  return NULL;
}

static bool analyze(const request* r, cr_arena* arena, cr_symbolic* symbolic) {
  return r->order ? cr_symbolic_analyze_ordered(r->pattern, r->order, arena, symbolic)
                  : cr_symbolic_analyze(r->pattern, r->ordering, arena, symbolic);
}

static bool add(cache_turn* turn, const request* r, const cr_symbolic* symbolic) {
  int* order = NULL;
  if (r->order) {
    size_t size = sizeof(int) * (size_t)r->pattern->num_blocks;
    order = cr_arena_push(&turn->arena, size);
    if (!order) return false;
    memcpy(order, r->order, size);
  }
  turn->entries[turn->count++] = (cache_entry){r->hash, order, *symbolic};
  return true;
}

static bool answer(cr_solve_cache* cache, const request* r, cr_arena* arena,
                   cr_symbolic* symbolic) {
  cache_turn* now = &cache->turn[cache->now];
  const cache_entry* entry = find(now, r);
  if (entry) {
    *symbolic = entry->symbolic;
    return true;
  }
  if (now->count == cache->capacity) return analyze(r, arena, symbolic);
  entry = find(&cache->turn[1 - cache->now], r);
  bool done = entry ? cr_symbolic_copy(&entry->symbolic, &now->arena, symbolic)
                    : analyze(r, &now->arena, symbolic);
  return done && add(now, r, symbolic);
}

bool cr_solve_cache_analyze(cr_solve_cache* cache, const cr_bsm_pattern* pattern,
                            cr_ordering ordering, cr_arena* arena, cr_symbolic* symbolic) {
  request r = make_request(pattern, ordering, NULL);
  return answer(cache, &r, arena, symbolic);
}

bool cr_solve_cache_analyze_ordered(cr_solve_cache* cache, const cr_bsm_pattern* pattern,
                                    const int* order, cr_arena* arena, cr_symbolic* symbolic) {
  request r = make_request(pattern, CR_ORDERING_NATURAL, order);
  return answer(cache, &r, arena, symbolic);
}

bool cr_solve_cache_has(const cr_solve_cache* cache, const cr_bsm_pattern* pattern,
                        const int* order) {
  request r = make_request(pattern, CR_ORDERING_NATURAL, order);
  return find(&cache->turn[cache->now], &r) || find(&cache->turn[1 - cache->now], &r);
}
