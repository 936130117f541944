/* The step's memory; see arena.h. */
#include "base/arena.h"

#include <stdint.h>

struct cr_arena_overflow {
  cr_arena_overflow* next;
  size_t size;
  bool is_scratch;
};

/* Room for the link, kept aligned. */
#define OVERFLOW_HEADER CR_ALIGNMENT

/* No block is larger; a size beyond it comes from a negative count. */
#define LARGEST_BLOCK (SIZE_MAX / 4)

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

void cr_arena_release_scratch(cr_arena* arena, cr_scratch_mark mark) {
  cr_arena_overflow** link = &arena->overflow;
  while (*link && *link != mark.overflow) {
    cr_arena_overflow* block = *link;
    if (!block->is_scratch) {
      link = &block->next;
      continue;
    }
    *link = block->next;
    arena->chained -= block->size - OVERFLOW_HEADER;
    cr_release(&arena->allocator, block, block->size);
  }
}

void cr_arena_destroy(cr_arena* arena) {
  release_overflow(arena);
  cr_release(&arena->allocator, arena->base, arena->capacity);
  *arena = (cr_arena){.allocator = arena->allocator};
}

void cr_arena_reserve(cr_arena* arena, size_t capacity) {
  size_t wanted = capacity;
  cr_arena_note_high_water(arena);
  if (arena->high_water > arena->capacity) {
    size_t outgrown = cr_arena_round_up(arena->high_water + arena->high_water / 2);
    if (outgrown > wanted) wanted = outgrown;
  }
  release_overflow(arena);
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

void* cr_arena_push_overflow(cr_arena* arena, size_t wanted, bool is_scratch) {
  if (arena->failed) return NULL;
  size_t size = cr_arena_round_up(wanted);
  cr_arena_overflow* block =
      wanted > LARGEST_BLOCK ? NULL : cr_alloc(&arena->allocator, OVERFLOW_HEADER + size);
  if (!block) {
    arena->failed = true;
    return NULL;
  }
  *block = (cr_arena_overflow){arena->overflow, OVERFLOW_HEADER + size, is_scratch};
  arena->overflow = block;
  arena->overflow_count++;
  arena->chained += size;
  cr_arena_note_high_water(arena);
  return (char*)block + OVERFLOW_HEADER;
}
