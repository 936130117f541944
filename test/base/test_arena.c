/* The step's arena: blocks never overlap, outgrowing it is counted and happens once, a warm arena
 * does not allocate, a failed allocation is kept in mind until the reset. */
#include "base/arena.h"
#include "support/check.h"
#include "support/memory.h"

#include <string.h>

#define MAX_BLOCKS 200

typedef struct block {
  unsigned char* data;
  size_t size;
  unsigned char pattern;
} block;

static void fill(block* b, unsigned char* data, size_t size, int number) {
  assert_non_null(data);
  assert_int_equal((uintptr_t)data % CR_ALIGNMENT, 0);
  *b = (block){data, size, (unsigned char)(number * 37 + 1)};
  memset(data, b->pattern, size);
}

static void expect_intact(const block* blocks, int count) {
  for (int i = 0; i < count; i++)
    for (size_t k = 0; k < blocks[i].size; k++)
      assert_int_equal(blocks[i].data[k], blocks[i].pattern);
}

/* One round of random results and scratch, all of which must keep their contents. */
static void use_randomly(cr_arena* arena, check_random* random, int count) {
  block results[MAX_BLOCKS], scratch[MAX_BLOCKS];
  int num_results = 0;
  while (num_results < count) {
    cr_scratch_mark mark = cr_arena_mark_scratch(arena);
    int num_scratch = check_random_int(random, 0, 5);
    for (int i = 0; i < num_scratch; i++) {
      size_t size = (size_t)check_random_int(random, 0, 500);
      fill(&scratch[i], cr_arena_push_scratch(arena, size), size, i + 100);
    }
    size_t size = (size_t)check_random_int(random, 0, 500);
    fill(&results[num_results], cr_arena_push(arena, size), size, num_results);
    num_results++;
    expect_intact(scratch, num_scratch);
    cr_arena_pop_scratch(arena, mark);
  }
  expect_intact(results, num_results);
  assert_false(arena->failed);
}

static void test_blocks_keep_their_contents(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  cr_arena arena;
  cr_arena_init(&arena, &hooks);
  assert_int_equal(memory.num_allocations, 0);
  check_random random = {1};
  for (int round = 0; round < 50; round++) {
    cr_arena_reset(&arena);
    use_randomly(&arena, &random, check_random_int(&random, 0, MAX_BLOCKS));
  }
  cr_arena_destroy(&arena);
  check_memory_expect_empty(&memory);
}

static void test_warm_arena_does_not_allocate(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  cr_arena arena;
  cr_arena_init(&arena, &hooks);
  int allocations = 0, overflows = 0;
  for (int round = 0; round < 10; round++) {
    cr_arena_reset(&arena);
    if (round == 1) allocations = memory.num_allocations, overflows = arena.overflow_count;
    check_random random = {7};
    use_randomly(&arena, &random, 100);
  }
  assert_true(overflows > 0);
  assert_int_equal(arena.overflow_count, overflows);
  assert_int_equal(memory.num_allocations, allocations);
  cr_arena_destroy(&arena);
  check_memory_expect_empty(&memory);
}

static void test_reset_grows_to_one_and_a_half_times_the_use(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  cr_arena arena;
  cr_arena_init(&arena, &hooks);
  for (int i = 0; i < 10; i++) assert_non_null(cr_arena_push(&arena, 6400));
  assert_int_equal(arena.overflow_count, 10);
  assert_int_equal(arena.high_water, 64000);
  cr_arena_reset(&arena);
  assert_int_equal(arena.capacity, 96000);
  assert_int_equal(memory.num_blocks, 1);

  /* Exactly full from both sides, then one byte more. */
  assert_non_null(cr_arena_push(&arena, 64000));
  assert_non_null(cr_arena_push_scratch(&arena, 32000));
  assert_int_equal(arena.overflow_count, 10);
  assert_non_null(cr_arena_push_scratch(&arena, 1));
  assert_int_equal(arena.overflow_count, 11);
  cr_arena_destroy(&arena);
  check_memory_expect_empty(&memory);
}

/* Scratch that did not fit is given back when it is popped, results that did not stay; what was in
 * use at once counts, not what was asked for in all. */
static void test_popped_scratch_is_given_back(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  cr_arena arena;
  cr_arena_init(&arena, &hooks);
  block results[10], outer;
  fill(&outer, cr_arena_push_scratch(&arena, 640), 640, 50);
  for (int i = 0; i < 10; i++) {
    cr_scratch_mark mark = cr_arena_mark_scratch(&arena);
    assert_non_null(cr_arena_push_scratch(&arena, 64000));
    fill(&results[i], cr_arena_push(&arena, 64), 64, i);
    assert_non_null(cr_arena_push_scratch(&arena, 6400));
    assert_int_equal(memory.num_blocks, i + 4);
    cr_arena_pop_scratch(&arena, mark);
    assert_int_equal(memory.num_blocks, i + 2);
  }
  expect_intact(results, 10);
  expect_intact(&outer, 1);
  assert_int_equal(arena.high_water, 640 + 64000 + 6400 + 10 * 64);
  cr_arena_reset(&arena);
  assert_int_equal(memory.num_blocks, 1);
  assert_int_equal(arena.capacity, cr_arena_round_up((640 + 64000 + 6400 + 10 * 64) * 3 / 2));
  cr_arena_destroy(&arena);
  check_memory_expect_empty(&memory);
}

static void test_empty_blocks_are_valid_and_no_failure(void** state) {
  (void)state;
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  assert_non_null(CR_PUSH(&arena, double, 0));
  assert_non_null(CR_SCRATCH(&arena, double, 0));
  assert_false(arena.failed);
  cr_arena_reset(&arena);
  assert_non_null(CR_PUSH(&arena, double, 0));
  assert_false(arena.failed);
  cr_arena_destroy(&arena);
}

static void test_failure_lasts_until_the_reset(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  cr_arena arena;
  cr_arena_init(&arena, &hooks);
  memory.fail_at = 1;
  assert_non_null(cr_arena_push(&arena, 100));
  assert_null(cr_arena_push(&arena, 100));
  assert_true(arena.failed);
  memory.fail_at = -1;
  assert_null(cr_arena_push_scratch(&arena, 100));
  assert_true(arena.failed);
  cr_arena_reset(&arena);
  assert_false(arena.failed);
  assert_non_null(cr_arena_push(&arena, 100));
  cr_arena_destroy(&arena);
  check_memory_expect_empty(&memory);
}

static void test_reset_may_fail_to_grow(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  cr_arena arena;
  cr_arena_init(&arena, &hooks);
  assert_non_null(cr_arena_push(&arena, 100));
  memory.fail_at = 0;
  cr_arena_reset(&arena);
  assert_null(cr_arena_push(&arena, 100));
  assert_true(arena.failed);
  memory.fail_at = -1;
  cr_arena_reset(&arena);
  assert_non_null(cr_arena_push(&arena, 100));
  cr_arena_destroy(&arena);
  check_memory_expect_empty(&memory);
}

static void test_reserve_is_the_least_that_a_reset_leaves(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  cr_arena arena;
  cr_arena_init(&arena, &hooks);
  cr_arena_reserve(&arena, 640);
  assert_int_equal(memory.num_allocations, 1);
  assert_non_null(cr_arena_push(&arena, 640));
  assert_int_equal(memory.num_allocations, 1);
  assert_non_null(cr_arena_push(&arena, 640));
  cr_arena_reserve(&arena, 640);
  assert_int_equal(arena.capacity, 1920);
  cr_arena_reserve(&arena, 640);
  assert_int_equal(memory.num_allocations, 3);
  cr_arena_destroy(&arena);
  check_memory_expect_empty(&memory);
}

static void test_impossible_size_fails(void** state) {
  (void)state;
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  assert_null(cr_arena_push(&arena, SIZE_MAX));
  assert_true(arena.failed);
  cr_arena_reset(&arena);
  assert_null(cr_arena_push_scratch(&arena, SIZE_MAX - 100));
  assert_true(arena.failed);
  cr_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks_keep_their_contents),
      cmocka_unit_test(test_warm_arena_does_not_allocate),
      cmocka_unit_test(test_reset_grows_to_one_and_a_half_times_the_use),
      cmocka_unit_test(test_popped_scratch_is_given_back),
      cmocka_unit_test(test_empty_blocks_are_valid_and_no_failure),
      cmocka_unit_test(test_failure_lasts_until_the_reset),
      cmocka_unit_test(test_reset_may_fail_to_grow),
      cmocka_unit_test(test_reserve_is_the_least_that_a_reset_leaves),
      cmocka_unit_test(test_impossible_size_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
