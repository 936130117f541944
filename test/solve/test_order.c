/* Orders that are kept: the analysis is that of the order, with a cache and without; new contacts
 * and new blocks leave a valid one; with time it takes fewer operations. */
#include "linalg/ordering.h"
#include "solve/newton/order.h"
#include "support/matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 400, MORE = 60 };
static const double HARDLY = 1.0301; /* see order.c */

/* Random couplings of a connected graph, of which any first part can be taken. */
typedef struct sample {
  cr_arena arena;
  int size[BLOCKS];
  int couplings[8 * BLOCKS][2];
  int count, base; /* all; those without the extra ones */
} sample;

static sample* sample_create(uint64_t seed) {
  check_random random = {seed};
  sample* s = check_alloc(sizeof *s);
  cr_arena_init(&s->arena, NULL);
  s->count = 0;
  for (int b = 0; b < BLOCKS; b++) {
    s->size[b] = 6;
    s->couplings[s->count][0] = s->couplings[s->count][1] = b, s->count++;
    for (int k = 0; k < 3 && b > 0; k++, s->count++)
      s->couplings[s->count][0] = b,
      s->couplings[s->count][1] = check_random_int(&random, b > 60 ? b - 60 : 0, b - 1);
  }
  s->base = s->count;
  for (int k = 0; k < MORE; k++, s->count++) {
    int b = check_random_int(&random, 1, BLOCKS - 1);
    s->couplings[s->count][0] = b, s->couplings[s->count][1] = check_random_int(&random, 0, b - 1);
  }
  return s;
}

static void sample_destroy(sample* s) {
  cr_arena_destroy(&s->arena);
  free(s);
}

/* The pattern with the first `count` couplings of the first `blocks` blocks. */
static cr_bsm_pattern build(sample* s, int blocks, int count) {
  cr_bsm_pattern pattern;
  int kept = 0, (*list)[2] = check_alloc(sizeof s->couplings);
  for (int k = 0; k < count; k++)
    if (s->couplings[k][0] < blocks) memcpy(list[kept++], s->couplings[k], sizeof *list);
  assert_true(
      cr_bsm_pattern_build(&s->arena, blocks, s->size, kept, (const int(*)[2])list, &pattern));
  free(list);
  return pattern;
}

static void expect_ranks(const cr_order_record* record, int blocks) {
  char seen[BLOCKS + 1] = {0};
  for (int b = 0; b < blocks; b++) {
    assert_true(cr_order_is_valid(&record[b], blocks));
    assert_in_range(record[b].rank, 1, blocks);
    assert_false(seen[record[b].rank]);
    seen[record[b].rank] = 1;
  }
}

static cr_symbolic analyze(sample* s, const cr_bsm_pattern* pattern, cr_order_record* record,
                           cr_solve_cache* cache) {
  cr_symbolic symbolic;
  assert_true(cr_order_analyze(pattern, record, cache, &s->arena, &symbolic));
  expect_ranks(record, pattern->num_blocks);
  assert_true(cr_symbolic_matches(&symbolic, pattern));
  return symbolic;
}

static void expect_same(const cr_symbolic* a, const cr_symbolic* b) {
  assert_true(a->flops == b->flops);
  assert_memory_equal(a->permutation, b->permutation, sizeof(int) * (size_t)a->pattern.num_blocks);
}

/* The same analyses whatever a cache holds; operations fall as long as the graph stays. */
static void test_better_with_time(void** state) {
  (void)state;
  sample* s = sample_create(1);
  cr_bsm_pattern pattern = build(s, BLOCKS, s->base);
  cr_order_record record[BLOCKS] = {0}, other[BLOCKS] = {0};
  cr_solve_cache* cache = cr_solve_cache_create(NULL, 4);
  cr_symbolic plain;
  assert_true(cr_symbolic_analyze(&pattern, CR_ORDERING_AUTO, &s->arena, &plain));
  double first = 0, last = 0;
  for (int k = 0; k < check_repeats(300); k++) {
    cr_solve_cache_turn(cache);
    cr_symbolic kept = analyze(s, &pattern, record, cache);
    cr_symbolic anew = analyze(s, &pattern, other, NULL);
    expect_same(&kept, &anew);
    assert_memory_equal(record, other, sizeof record);
    if (k == 0)
      first = kept.flops, assert_true(first == plain.flops);
    else
      assert_true(kept.flops <= last);
    last = kept.flops;
    check_near(record[0].operations / last, 1, 1e-7);
  }
  print_message("operations %.3g to %.3g in %d tries\n", first, last, record[0].tries);
  if (check_repeats(300) == 300) assert_true(last < 0.95 * first);
  cr_solve_cache_destroy(cache);
  sample_destroy(s);
}

/* Blocks that come are taken in; couplings that come and go leave an order that is hardly worse
 * than when it was made, or one found anew. */
static void test_what_changes(void** state) {
  (void)state;
  sample* s = sample_create(2);
  cr_order_record record[BLOCKS] = {0};
  cr_solve_cache* cache = cr_solve_cache_create(NULL, 4);
  double sum = 0;
  for (int k = 0; k < 2 * MORE; k++) {
    int blocks = k < 40 ? BLOCKS - 40 + k : BLOCKS;
    cr_bsm_pattern pattern = build(s, blocks, s->base + (k < MORE ? k : 2 * MORE - k));
    cr_symbolic plain;
    double before = record[0].operations;
    cr_solve_cache_turn(cache);
    cr_symbolic kept = analyze(s, &pattern, record, cache);
    assert_true(cr_symbolic_analyze(&pattern, CR_ORDERING_AUTO, &s->arena, &plain));
    assert_true(kept.flops <= (1 + 1e-7) * plain.flops || kept.flops <= HARDLY * before);
    if (k > 0) sum += kept.flops / plain.flops / (2 * MORE - 1);
  }
  print_message("operations of kept orders over those of new ones: %.3f\n", sum);
  assert_true(sum < 1);
  cr_solve_cache_destroy(cache);
  sample_destroy(s);
}

/* Ranks of two islands that have met stand beside each other. */
static void test_ranks_of_several(void** state) {
  (void)state;
  sample* s = sample_create(3);
  cr_bsm_pattern pattern = build(s, BLOCKS, s->base);
  cr_order_record record[BLOCKS];
  for (int b = 0; b < BLOCKS; b++)
    record[b] = (cr_order_record){.rank = 1 + b / 2, .operations = 1};
  analyze(s, &pattern, record, NULL);
  sample_destroy(s);
}

/* What no step has left is told. */
static void test_invalid(void** state) {
  (void)state;
  const cr_order_record wrong[] = {{.rank = -1},
                                   {.rank = 11},
                                   {.tries = -4},
                                   {.wait = -1},
                                   {.wait = (1 << 30) + 1},
                                   {.operations = -1},
                                   {.tries = INT32_MAX},
                                   {.operations = NAN}};
  assert_true(cr_order_is_valid(&(cr_order_record){0}, 10));
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    assert_false(cr_order_is_valid(&wrong[k], 10));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_better_with_time), cmocka_unit_test(test_what_changes),
      cmocka_unit_test(test_ranks_of_several), cmocka_unit_test(test_invalid)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
