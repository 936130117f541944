/* Orders made better: valid, repeatable, never worse, and better where there is something to be
 * had; what a new coupling spoils is mended. */
#include "support/graphs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_improved(graph_sample* s, cr_ordering ordering, int* first) {
  (void)ordering;
  size_t size = sizeof(int) * (size_t)s->num_blocks;
  int* second = graph_sample_allocate(s);
  memcpy(second, first, size);
  double before = graph_sample_count(s, first), after;
  for (uint64_t seed = 0; seed < 4; seed++) {
    assert_true(cr_ordering_improve(&s->graph, 6, seed, &s->arena, first, &after));
    assert_true(cr_ordering_improve(&s->graph, 6, seed, &s->arena, second, &after));
    assert_memory_equal(first, second, size);
    assert_true(graph_sample_count(s, first) == after);
    assert_true(after <= before);
    before = after;
  }
  free(second);
}

static void improved_orders_are_never_worse_and_repeat(void** state) {
  (void)state;
  graph_sample_for_each(check_improved);
}

/* Operations after so many tries over those of the better of minimum fill and AMD. */
static double compare_improved(matrix_shape shape, int num_blocks, int tries, uint64_t seed) {
  graph_sample s;
  cr_elimination elimination;
  double chosen, found;
  graph_sample_init(&s, shape, SIZES_SIX, num_blocks, seed);
  int* order = graph_sample_allocate(&s);
  assert_true(cr_ordering_choose(&s.graph, CR_ORDERING_AUTO, &s.arena, &elimination, &chosen));
  memcpy(order, elimination.permutation, sizeof(int) * (size_t)num_blocks);
  check_near(graph_sample_count(&s, order) / chosen, 1, 1e-15);
  assert_true(cr_ordering_improve(&s.graph, tries, seed, &s.arena, order, &found));
  assert_true(graph_sample_count(&s, order) == found);
  free(order);
  graph_sample_destroy(&s);
  return found / chosen;
}

/* What is had by luck: of twenty graphs each, some part is ordered better in every one. */
static void many_tries_find_better_orders(void** state) {
  (void)state;
  double grid = 0, random = 0;
  int count = check_repeats(20);
  for (int k = 0; k < count; k++) {
    grid += compare_improved(SHAPE_GRID, 400, 200, (uint64_t)(k + 1)) / count;
    random += compare_improved(SHAPE_RANDOM, 300, 200, (uint64_t)(k + 1)) / count;
  }
  print_message("operations after 200 tries: %.3f of a grid's, %.3f of random graphs'\n", grid,
                random);
  assert_true(grid < 1);
  assert_true(random < 0.97);
}

/* The first blocks alone are ordered, at the cost that their columns have; where that is too much
 * it ends. */
static void parts_leave_their_border(void** state) {
  (void)state;
  for (int n = 5; n < 150; n = 2 * n + 1) {
    graph_sample s;
    cr_elimination e;
    graph_sample_init(&s, SHAPE_FULL, SIZES_SMALL, n, (uint64_t)n);
    int *order = graph_sample_allocate(&s), count = n - n / 3;
    double cost = INFINITY, sum = 0, half;
    for (int k = 0; k < n; k++) order[k] = k;
    assert_true(cr_ordering_part(&s.graph, count, &s.arena, order, &cost));
    for (int k = 0; k < count; k++) assert_in_range(order[k], 0, count - 1);
    for (int k = count; k < n; k++) assert_int_equal(order[k], k);
    graph_sample_count(&s, order);
    assert_true(cr_elimination_compute(&s.graph, order, &s.arena, &e));
    for (int k = 0; k < n; k++)
      if (e.permutation[k] < count)
        sum += cr_elimination_count_column(e.below_rows[k], s.size[e.permutation[k]]);
    check_near(cost / sum, 1, 1e-14);
    half = 0.5 * cost;
    assert_true(cr_ordering_part(&s.graph, count, &s.arena, order, &half));
    assert_true(half >= 0.5 * cost && half <= cost);
    free(order);
    graph_sample_destroy(&s);
  }
}

/* The same of whole graphs of any shape: costs are those of the elimination. */
static void costs_are_exact(void** state) {
  (void)state;
  for (int shape = 0; shape < SHAPE_COUNT; shape++)
    for (int n = 5; n < 150; n = 2 * n + 1) {
      graph_sample s;
      graph_sample_init(&s, shape, SIZES_SMALL, n, (uint64_t)n);
      int* order = graph_sample_allocate(&s);
      double cost = INFINITY;
      assert_true(cr_ordering_part(&s.graph, n, &s.arena, order, &cost));
      check_near(cost / graph_sample_count(&s, order), 1, 1e-14);
      free(order);
      graph_sample_destroy(&s);
    }
}

/* Couplings of far blocks, one at a time, spoil an order by a tenth or more; delaying a block mends
 * most of it. */
static void spoilt_orders_are_mended(void** state) {
  (void)state;
  enum { SIDE = 24, COUNT = SIDE * SIDE };
  graph_sample s;
  cr_elimination elimination;
  check_random random = {5};
  double good, spoilt = 0, mended = 0;
  int tries = check_repeats(60), num_spoilt = 0;
  graph_sample_init(&s, SHAPE_GRID, SIZES_SIX, COUNT, 1);
  int *order = graph_sample_allocate(&s), *trial = graph_sample_allocate(&s);
  assert_true(cr_ordering_choose(&s.graph, CR_ORDERING_AUTO, &s.arena, &elimination, &good));
  memcpy(order, elimination.permutation, sizeof(int) * COUNT);
  s.count++;
  for (int k = 0; k < tries; k++) {
    int a = check_random_int(&random, 1, COUNT - 1), b = check_random_int(&random, 0, a - 1);
    s.couplings[s.count - 1][0] = a, s.couplings[s.count - 1][1] = b;
    graph_sample_build(&s);
    memcpy(trial, order, sizeof(int) * COUNT);
    double before = graph_sample_count(&s, trial), after = before;
    assert_true(cr_ordering_repair(&s.graph, 1.02 * good, &s.arena, trial, &after));
    check_near(graph_sample_count(&s, trial) / after, 1, 1e-15);
    assert_true(after <= before);
    if (before <= 1.1 * good) continue;
    spoilt += before / good - 1, mended += after / good - 1;
    num_spoilt++;
  }
  print_message("%d of %d couplings spoil: %.2f more operations, mended %.2f\n", num_spoilt, tries,
                spoilt / num_spoilt, mended / num_spoilt);
  assert_true(num_spoilt > 0);
  assert_true(mended < 0.5 * spoilt);
  free(order), free(trial);
  graph_sample_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(improved_orders_are_never_worse_and_repeat),
      cmocka_unit_test(many_tries_find_better_orders),
      cmocka_unit_test(parts_leave_their_border),
      cmocka_unit_test(costs_are_exact),
      cmocka_unit_test(spoilt_orders_are_mended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
