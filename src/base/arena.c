/* The step's memory; see arena.h. */
#include "base/arena.h"

#include <stdint.h>

struct cr_arena_overflow {
  cr_arena_overflow* next;
  size_t size;
};

/* Room for the link, kept aligned. */
#define OVERFLOW_HEADER CR_ALIGNMENT

/* No block is larger; a size beyond it comes from a negative count. */
#define LARGEST_BLOCK (SIZE_MAX / 4)

static size_t round_up(size_t size) {
  return (size + CR_ALIGNMENT - 1) / CR_ALIGNMENT * CR_ALIGNMENT;
}

/* An empty arena has no block to point into, not even for a size of zero. */
static bool fits(const cr_arena* arena, size_t size) {
  return arena->base && size <= arena->high - arena->low;
}

void cr_arena_init(cr_arena* arena, const carom_allocator* allocator) {
  *arena = (cr_arena){.allocator = cr_allocator_resolve(allocator)};
}

static void release_overflow(cr_arena* arena) {
  while (arena->overflow) {
    cr_arena_overflow* block = arena->overflow;
    arena->overflow = block->next;
    cr_release(&arena->allocator, block, block->size);
  }
  arena->chained = 0;
}

void cr_arena_destroy(cr_arena* arena) {
  release_overflow(arena);
  cr_release(&arena->allocator, arena->base, arena->capacity);
  *arena = (cr_arena){.allocator = arena->allocator};
}

void cr_arena_reserve(cr_arena* arena, size_t capacity) {
  size_t wanted = capacity;
  if (arena->overflow) {
    size_t outgrown = round_up(arena->high_water + arena->high_water / 2);
    if (outgrown > wanted) wanted = outgrown;
    release_overflow(arena);
  }
  if (wanted > arena->capacity) {
    cr_release(&arena->allocator, arena->base, arena->capacity);
    arena->base = cr_alloc(&arena->allocator, wanted);
    arena->capacity = arena->base ? wanted : 0;
  }
  arena->low = 0;
  arena->high = arena->capacity;
  arena->high_water = 0;
  arena->failed = false;
}

void cr_arena_reset(cr_arena* arena) { cr_arena_reserve(arena, 0); }

static void note_high_water(cr_arena* arena) {
  size_t used = arena->low + (arena->capacity - arena->high) + arena->chained;
  if (used > arena->high_water) arena->high_water = used;
}

static void* push_overflow(cr_arena* arena, size_t size) {
  if (arena->failed) return NULL;
  cr_arena_overflow* block =
      size > LARGEST_BLOCK ? NULL : cr_alloc(&arena->allocator, OVERFLOW_HEADER + size);
  if (!block) {
    arena->failed = true;
    return NULL;
  }
  *block = (cr_arena_overflow){arena->overflow, OVERFLOW_HEADER + size};
  arena->overflow = block;
  arena->overflow_count++;
  arena->chained += size;
  note_high_water(arena);
  return (char*)block + OVERFLOW_HEADER;
}

void* cr_arena_push(cr_arena* arena, size_t size) {
  if (size <= LARGEST_BLOCK) size = round_up(size);
  if (!fits(arena, size)) return push_overflow(arena, size);
  void* block = arena->base + arena->low;
  arena->low += size;
  note_high_water(arena);
  return block;
}

void* cr_arena_push_scratch(cr_arena* arena, size_t size) {
  if (size <= LARGEST_BLOCK) size = round_up(size);
  if (!fits(arena, size)) return push_overflow(arena, size);
  arena->high -= size;
  note_high_water(arena);
  return arena->base + arena->high;
}

size_t cr_arena_mark_scratch(const cr_arena* arena) { return arena->high; }

void cr_arena_pop_scratch(cr_arena* arena, size_t mark) { arena->high = mark; }
