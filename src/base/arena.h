/* The step's memory: one block, results growing up from its start, scratch down from its end.
 *
 * A request that does not fit goes to a chained overflow block and is counted, of the scratch until
 * it is popped; cr_arena_reset then enlarges the block to 1.5 times the high-water mark, so that a
 * warm arena never allocates. After an allocation failure `failed` stays set until the next reset
 * and requests return null: a function makes all its requests, then checks `failed` once. */
#ifndef CR_BASE_ARENA_H
#define CR_BASE_ARENA_H

#include "base/alloc.h"
#include "base/shared.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct cr_arena_overflow cr_arena_overflow;

typedef struct cr_arena {
  carom_allocator allocator;
  char* base;
  size_t capacity;
  size_t low;         /* first free byte above the results */
  size_t high;        /* first used byte of the scratch */
  size_t chained;     /* bytes in overflow blocks */
  size_t high_water;  /* most bytes in use at once from the last reset to the last note of it */
  int overflow_count; /* overflow blocks since the arena was made */
  bool failed;
  cr_arena_overflow* overflow;
} cr_arena;

/* Takes no memory yet. */
CR_SHARED void cr_arena_init(cr_arena* arena, const carom_allocator* allocator);

/* Frees everything. */
CR_SHARED void cr_arena_destroy(cr_arena* arena);

/* Drops all contents and overflow blocks; enlarges the block where the last use outgrew it. */
CR_SHARED void cr_arena_reset(cr_arena* arena);

/* The same, with a block of at least `capacity` bytes where memory is there. */
void cr_arena_reserve(cr_arena* arena, size_t capacity);

/* What does not fit between the two sides, of the results or of the scratch. */
CR_SHARED void* cr_arena_push_overflow(cr_arena* arena, size_t wanted, bool is_scratch);

/* Takes what is in use into high_water; to be called before any of it is given back. */
static inline void cr_arena_note_high_water(cr_arena* arena) {
  size_t used = arena->low + (arena->capacity - arena->high) + arena->chained;
  if (used > arena->high_water) arena->high_water = used;
}

/* A size as it is taken; one that overflows becomes 0, one of 0 stays it. */
static inline size_t cr_arena_round_up(size_t size) {
  return (size + CR_ALIGNMENT - 1) & ~(size_t)(CR_ALIGNMENT - 1);
}

/* True when there is room for a rounded size that is not 0. */
static inline bool cr_arena_fits(const cr_arena* arena, size_t rounded) {
  return rounded - 1 < arena->high - arena->low;
}

/* `size` uninitialised bytes that live until the reset, or null. */
static inline void* cr_arena_push(cr_arena* arena, size_t size) {
  size_t rounded = cr_arena_round_up(size);
  if (!cr_arena_fits(arena, rounded)) {
    bool is_empty = size == 0 && arena->base;
    return is_empty ? arena->base + arena->low : cr_arena_push_overflow(arena, size, false);
  }
  void* block = arena->base + arena->low;
  arena->low += rounded;
  return block;
}

/* `size` uninitialised bytes that live until cr_arena_pop_scratch to an older mark, or null. */
static inline void* cr_arena_push_scratch(cr_arena* arena, size_t size) {
  size_t rounded = cr_arena_round_up(size);
  if (!cr_arena_fits(arena, rounded)) {
    bool is_empty = size == 0 && arena->base;
    return is_empty ? arena->base + arena->high : cr_arena_push_overflow(arena, size, true);
  }
  arena->high -= rounded;
  return arena->base + arena->high;
}

/* Where the scratch side was. */
typedef struct cr_scratch_mark {
  size_t high;
  const cr_arena_overflow* overflow;
} cr_scratch_mark;

static inline cr_scratch_mark cr_arena_mark_scratch(const cr_arena* arena) {
  return (cr_scratch_mark){arena->high, arena->overflow};
}

/* Gives overflow blocks of the scratch back that were taken since a mark. */
CR_SHARED void cr_arena_release_scratch(cr_arena* arena, cr_scratch_mark mark);

/* Return to a mark. */
static inline void cr_arena_pop_scratch(cr_arena* arena, cr_scratch_mark mark) {
  cr_arena_note_high_water(arena);
  arena->high = mark.high;
  if (arena->overflow != mark.overflow) cr_arena_release_scratch(arena, mark);
}

/* Typed arrays. The count may be zero. */
#define CR_PUSH(arena, type, count) ((type*)cr_arena_push((arena), sizeof(type) * (size_t)(count)))
#define CR_SCRATCH(arena, type, count) \
  ((type*)cr_arena_push_scratch((arena), sizeof(type) * (size_t)(count)))

#endif
