/* The analysis as an object: exact matching, copies, one block of memory, failing allocations. */
#include "linalg/cholesky.h"
#include "support/matrices.h"

#include <stdlib.h>
#include <string.h>

/* An allocator that fails at one call and counts what is out. */
typedef struct failing {
  int calls, fail_at, live;
} failing;

static void* failing_allocate(void* user, size_t size, size_t alignment) {
  failing* f = user;
  if (f->calls++ == f->fail_at) return NULL;
  void* block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  f->live += block != NULL;
  return block;
}

static void failing_release(void* user, void* block, size_t size) {
  (void)size;
  if (block) ((failing*)user)->live--;
  free(block);
}

/* Runs build, analyse and copy with the k-th allocation failing, for all k until none fails. */
static void failing_allocations_are_reported(void** state) {
  (void)state;
  const int size[6] = {6, 1, 3, 12, 6, 6};
  const int couplings[7][2] = {{0, 1}, {1, 2}, {4, 2}, {5, 0}, {3, 5}, {5, 4}, {2, 3}};
  for (int ordering = CR_ORDERING_AUTO; ordering <= CR_ORDERING_AMD; ordering++) {
    bool done = false;
    int k = 0;
    for (; !done; k++) {
      failing f = {.fail_at = k};
      carom_allocator allocator = {failing_allocate, failing_release, &f};
      cr_arena arena;
      cr_arena_init(&arena, &allocator);
      cr_bsm_pattern pattern;
      cr_symbolic symbolic, copy;
      done = cr_bsm_pattern_build(&arena, 6, size, 7, couplings, &pattern) &&
             cr_symbolic_analyze(&pattern, ordering, &arena, &symbolic) &&
             cr_symbolic_copy(&symbolic, &arena, &copy);
      assert_int_equal(done, f.calls <= k);
      cr_arena_destroy(&arena);
      assert_int_equal(f.live, 0);
    }
    assert_true(k > 20);
  }
}

/* A warm arena serves an analysis without a single allocation. */
static void warm_analyses_do_not_allocate(void** state) {
  (void)state;
  matrix_sample s;
  matrix_def def = {SHAPE_RANDOM, SIZES_SIX, 60, 10, 1};
  matrix_sample_init(&s, &def);
  failing f = {.fail_at = -1};
  carom_allocator allocator = {failing_allocate, failing_release, &f};
  cr_arena arena;
  cr_arena_init(&arena, &allocator);
  cr_symbolic symbolic;
  assert_true(cr_symbolic_analyze(&s.pattern, CR_ORDERING_AUTO, &arena, &symbolic));
  cr_arena_reset(&arena);
  int calls = f.calls;
  for (int k = 0; k < 3; k++) {
    assert_true(cr_symbolic_analyze(&s.pattern, CR_ORDERING_AUTO, &arena, &symbolic));
    cr_arena_reset(&arena);
  }
  assert_int_equal(f.calls, calls);
  cr_arena_destroy(&arena);
  matrix_sample_destroy(&s);
}

/* Factors and solves; the answer in x. */
static void solve(const cr_symbolic* symbolic, const matrix_sample* s, double* x) {
  double* factor = check_alloc(sizeof(double) * (size_t)symbolic->factor_size);
  double* scratch = check_alloc(sizeof(double) * (size_t)symbolic->scratch_size);
  for (int k = 0; k < s->pattern.num_rows; k++) x[k] = k % 7 - 3;
  cr_cholesky_load(symbolic, s->values, factor);
  assert_int_equal(cr_cholesky_factor(symbolic, factor, scratch), -1);
  cr_cholesky_solve(symbolic, factor, x, 1, s->pattern.num_rows, scratch);
  free(factor);
  free(scratch);
}

static void copies_outlive_their_original(void** state) {
  (void)state;
  for (int shape = 0; shape < SHAPE_COUNT; shape++) {
    matrix_sample s;
    matrix_def def = {shape, SIZES_TREES, 25, 10, (uint64_t)shape};
    matrix_sample_init(&s, &def);
    cr_arena first, second;
    cr_arena_init(&first, NULL);
    cr_arena_init(&second, NULL);
    cr_symbolic original, copy;
    assert_true(cr_symbolic_analyze(&s.pattern, CR_ORDERING_AUTO, &first, &original));
    size_t bytes = sizeof(double) * (size_t)s.pattern.num_rows;
    double *x = check_alloc(bytes), *y = check_alloc(bytes);
    solve(&original, &s, x);
    assert_true(cr_symbolic_copy(&original, &second, &copy));
    assert_true(cr_symbolic_matches(&copy, &s.pattern));
    memset((void*)(uintptr_t)original.plan, 0xff, original.memory_size);
    cr_arena_destroy(&first);
    solve(&copy, &s, y);
    assert_memory_equal(x, y, bytes);
    assert_true(cr_symbolic_matches(&copy, &s.pattern));
    free(x);
    free(y);
    cr_arena_destroy(&second);
    matrix_sample_destroy(&s);
  }
}

static bool is_inside(const cr_symbolic* s, const void* array) {
  const char *block = s->plan, *at = array;
  return at >= block && at <= block + s->memory_size;
}

static void an_analysis_is_one_block(void** state) {
  (void)state;
  matrix_sample s;
  matrix_def def = {SHAPE_GRID, SIZES_SMALL, 30, 10, 1};
  matrix_sample_init(&s, &def);
  cr_symbolic a;
  assert_true(cr_symbolic_analyze(&s.pattern, CR_ORDERING_AUTO, &s.arena, &a));
  const void* arrays[] = {a.pattern.size,
                          a.pattern.row_start,
                          a.pattern.col_start,
                          a.pattern.row_index,
                          a.pattern.value_start,
                          a.permutation,
                          a.target};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
    assert_true(is_inside(&a, arrays[k]));
  matrix_sample_destroy(&s);
}

/* No two elements of the lower triangle share a place, and all places are inside. */
static void targets_are_distinct(void** state) {
  (void)state;
  for (int shape = 0; shape < SHAPE_COUNT; shape++) {
    matrix_sample s;
    matrix_def def = {shape, SIZES_TREES, 25, 10, (uint64_t)shape};
    matrix_sample_init(&s, &def);
    cr_symbolic a;
    assert_true(cr_symbolic_analyze(&s.pattern, CR_ORDERING_AUTO, &s.arena, &a));
    char* used = check_alloc((size_t)a.factor_size);
    memset(used, 0, (size_t)a.factor_size);
    const cr_bsm_pattern* p = &s.pattern;
    for (int j = 0; j < p->num_blocks; j++)
      for (int b = p->col_start[j]; b < p->col_start[j + 1]; b++)
        for (int c = 0; c < p->size[j]; c++)
          for (int r = 0; r < p->size[p->row_index[b]]; r++) {
            cr_factor_target t = a.target[b];
            int64_t at = t.offset + (int64_t)r * t.row_stride + (int64_t)c * t.col_stride;
            assert_true(at >= 0 && at < a.factor_size);
            assert_false(used[at]);
            used[at] = 1;
          }
    free(used);
    matrix_sample_destroy(&s);
  }
}

static void matching_is_exact(void** state) {
  (void)state;
  const int size[4] = {6, 3, 6, 6}, other_size[4] = {6, 3, 6, 5};
  const int couplings[3][2] = {{0, 1}, {1, 2}, {2, 3}};
  const int shuffled[5][2] = {{3, 2}, {2, 1}, {1, 1}, {0, 1}, {2, 3}};
  const int other[3][2] = {{0, 1}, {1, 3}, {2, 3}};
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  cr_bsm_pattern p;
  cr_symbolic a;
  assert_true(cr_bsm_pattern_build(&arena, 4, size, 3, couplings, &p));
  assert_true(cr_symbolic_analyze(&p, CR_ORDERING_AUTO, &arena, &a));
  assert_true(cr_symbolic_matches(&a, &p));
  assert_true(cr_bsm_pattern_build(&arena, 4, size, 5, shuffled, &p));
  assert_true(cr_symbolic_matches(&a, &p));
  assert_true(cr_bsm_pattern_build(&arena, 4, size, 3, other, &p));
  assert_false(cr_symbolic_matches(&a, &p));
  assert_true(cr_bsm_pattern_build(&arena, 4, other_size, 3, couplings, &p));
  assert_false(cr_symbolic_matches(&a, &p));
  assert_true(cr_bsm_pattern_build(&arena, 4, size, 2, couplings, &p));
  assert_false(cr_symbolic_matches(&a, &p));
  assert_true(cr_bsm_pattern_build(&arena, 3, size, 2, couplings, &p));
  assert_false(cr_symbolic_matches(&a, &p));
  cr_arena_destroy(&arena);
}

static void an_empty_matrix_is_factored(void** state) {
  (void)state;
  for (int ordering = CR_ORDERING_AUTO; ordering <= CR_ORDERING_AMD; ordering++) {
    cr_arena arena;
    cr_arena_init(&arena, NULL);
    cr_bsm_pattern p;
    cr_symbolic a;
    double x = 1, factor[64], scratch[128];
    assert_true(cr_bsm_pattern_build(&arena, 0, NULL, 0, NULL, &p));
    assert_true(cr_symbolic_analyze(&p, ordering, &arena, &a));
    assert_true(a.factor_size <= 64 && a.scratch_size <= 128);
    cr_cholesky_load(&a, &x, factor);
    assert_int_equal(cr_cholesky_factor(&a, factor, scratch), -1);
    cr_cholesky_solve(&a, factor, &x, 1, 0, scratch);
    assert_true(x == 1);
    cr_arena_destroy(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failing_allocations_are_reported),
      cmocka_unit_test(warm_analyses_do_not_allocate),
      cmocka_unit_test(copies_outlive_their_original),
      cmocka_unit_test(an_analysis_is_one_block),
      cmocka_unit_test(targets_are_distinct),
      cmocka_unit_test(matching_is_exact),
      cmocka_unit_test(an_empty_matrix_is_factored),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
