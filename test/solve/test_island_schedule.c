/* Dealing islands out: each to one share, evenly, and the same way every time. */
#include "solve/schedule/island_schedule.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ISLANDS = 200 };

/* A problem without constraints, each of whose blocks is an island. */
typedef struct blocks {
  int size[MOST_ISLANDS], block[MOST_ISLANDS], start[MOST_ISLANDS + 1];
  int group_start[MOST_ISLANDS + 1];
  cr_problem problem;
  cr_islands islands;
} blocks;

static void init_blocks(blocks* b, int count, int largest, check_random* random) {
  memset(b, 0, sizeof *b);
  for (int i = 0; i < count; i++) {
    b->size[i] = check_random_int(random, 1, largest);
    b->block[i] = i;
    b->start[i + 1] = i + 1;
  }
  b->problem.pattern = (cr_bsm_pattern){.num_blocks = count, .size = b->size};
  b->islands = (cr_islands){count, b->group_start, NULL, b->start, b->block};
}

static int64_t work_of(const blocks* b, int island) {
  return cr_island_work(&b->problem, &b->islands, island);
}

/* The longest share exceeds the mean by one island at most: it was the shortest, and so no longer
 * than the mean, when its last one came. */
static void check_shares(const blocks* b, int count, const cr_island_schedule* schedule) {
  int seen[MOST_ISLANDS] = {0};
  int64_t total = 0, longest = 0, largest = 0;
  for (int s = 0; s < count; s++) {
    int64_t load = 0;
    for (int k = schedule->start[s]; k < schedule->start[s + 1]; k++) {
      seen[schedule->island[k]]++;
      load += work_of(b, schedule->island[k]);
    }
    if (load > longest) longest = load;
    total += load;
  }
  for (int i = 0; i < b->islands.count; i++) {
    assert_int_equal(seen[i], 1);
    if (work_of(b, i) > largest) largest = work_of(b, i);
  }
  assert_int_equal(schedule->start[0], 0);
  assert_true(schedule->work == total);
  assert_true(longest <= total / count + largest);
}

static void test_each_once_and_evenly(void** state) {
  (void)state;
  check_random random = {11};
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  for (int i = 0; i < 300; i++) {
    blocks b;
    cr_island_schedule schedule, again;
    int count = check_random_int(&random, 1, 9);
    init_blocks(&b, check_random_int(&random, 0, MOST_ISLANDS), i % 2 ? 6 : 20000, &random);
    cr_arena_reset(&arena);
    assert_true(cr_island_schedule_build(&b.problem, &b.islands, count, &arena, &schedule));
    check_shares(&b, count, &schedule);
    assert_true(cr_island_schedule_build(&b.problem, &b.islands, count, &arena, &again));
    assert_memory_equal(schedule.start, again.start, sizeof(int) * (size_t)(count + 1));
    for (int k = 0; k < b.islands.count; k++) assert_int_equal(schedule.island[k], again.island[k]);
  }
  cr_arena_destroy(&arena);
}

/* Large ones come first, so that what is left evens the shares out. */
static void test_largest_first(void** state) {
  (void)state;
  check_random random = {1};
  cr_arena arena;
  cr_island_schedule schedule;
  blocks b;
  cr_arena_init(&arena, NULL);
  init_blocks(&b, 8, 1, &random);
  b.size[5] = b.size[7] = 100;
  assert_true(cr_island_schedule_build(&b.problem, &b.islands, 2, &arena, &schedule));
  const int expected[] = {5, 0, 2, 4, 7, 1, 3, 6};
  assert_int_equal(schedule.start[1], 4);
  for (int k = 0; k < 8; k++) assert_int_equal(schedule.island[k], expected[k]);
  cr_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_once_and_evenly),
                                     cmocka_unit_test(test_largest_first)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
