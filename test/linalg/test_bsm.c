/* Patterns of block-sparse matrices against a dense picture of the couplings, and products. */
#include "linalg/bsm.h"
#include "support/matrices.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows ascend, the diagonal comes first, and the starts count sizes and areas. */
static void check_layout(const cr_bsm_pattern* p) {
  int row = 0, value = 0;
  for (int j = 0; j < p->num_blocks; j++) {
    assert_int_equal(p->row_start[j], row);
    row += p->size[j];
    assert_true(p->col_start[j] < p->col_start[j + 1]);
    assert_int_equal(p->row_index[p->col_start[j]], j);
    for (int b = p->col_start[j]; b < p->col_start[j + 1]; b++) {
      if (b > p->col_start[j]) assert_true(p->row_index[b] > p->row_index[b - 1]);
      assert_int_equal(p->value_start[b], value);
      value += p->size[j] * p->size[p->row_index[b]];
    }
  }
  assert_int_equal(p->row_start[p->num_blocks], row);
  assert_int_equal(p->num_rows, row);
  assert_int_equal(p->col_start[p->num_blocks], p->num_lower);
  assert_int_equal(p->value_start[p->num_lower], value);
  assert_int_equal(p->num_values, value);
}

/* The pattern holds exactly the couplings, found from either side. */
static void check_couplings(const cr_bsm_pattern* p, int count, int (*couplings)[2]) {
  int n = p->num_blocks, found = 0;
  char* coupled = check_alloc((size_t)(n * n));
  memset(coupled, 0, (size_t)(n * n));
  for (int k = 0; k < n; k++) coupled[k * n + k] = 1;
  for (int e = 0; e < count; e++) {
    coupled[couplings[e][0] * n + couplings[e][1]] = 1;
    coupled[couplings[e][1] * n + couplings[e][0]] = 1;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int b = cr_bsm_find_block(p, i, j);
      assert_int_equal(b >= 0, coupled[i * n + j]);
      if (b < 0) continue;
      assert_int_equal(p->row_index[b], i > j ? i : j);
      found += i >= j;
    }
  assert_int_equal(found, p->num_lower);
  free(coupled);
}

static void patterns_hold_the_couplings(void** state) {
  (void)state;
  for (int shape = 0; shape < SHAPE_COUNT; shape++)
    for (int n = 1; n <= 33; n += 8) {
      check_random random = {(uint64_t)(100 * shape + n)};
      int* size = check_alloc(sizeof(int) * (size_t)n);
      int(*couplings)[2] = check_alloc(sizeof(int[2]) * (size_t)matrix_max_couplings(n));
      for (int k = 0; k < n; k++) size[k] = matrix_random_size(SIZES_SMALL, &random);
      int count = matrix_fill_couplings(shape, n, &random, couplings);
      cr_arena arena;
      cr_arena_init(&arena, NULL);
      cr_bsm_pattern pattern;
      assert_true(
          cr_bsm_pattern_build(&arena, n, size, count, (const int(*)[2])couplings, &pattern));
      check_layout(&pattern);
      check_couplings(&pattern, count, couplings);
      cr_arena_destroy(&arena);
      free(size);
      free(couplings);
    }
}

static void an_empty_pattern_is_valid(void** state) {
  (void)state;
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  cr_bsm_pattern pattern;
  assert_true(cr_bsm_pattern_build(&arena, 0, NULL, 0, NULL, &pattern));
  assert_int_equal(pattern.num_rows, 0);
  assert_int_equal(pattern.num_lower, 0);
  cr_arena_destroy(&arena);
}

/* Each of the n products and sums of a row is rounded once: |error| <= n eps |A| |x|. */
static void products_match_the_dense_matrix(void** state) {
  (void)state;
  for (int k = 0; k < SHAPE_COUNT * SIZES_COUNT; k++) {
    matrix_sample s;
    matrix_def def = {k % SHAPE_COUNT, k / SHAPE_COUNT, 12, 10, (uint64_t)k};
    matrix_sample_init(&s, &def);
    int n = s.pattern.num_rows;
    check_random random = {(uint64_t)k};
    double* x = check_alloc(sizeof(double) * (size_t)n);
    double* y = check_alloc(sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++) x[i] = check_random_uniform(&random, -1, 1);
    cr_bsm_multiply(&s.pattern, s.values, x, y);
    for (int i = 0; i < n; i++) {
      double sum = 0, scale = 0;
      for (int j = 0; j < n; j++) {
        sum += s.dense[i + j * n] * x[j];
        scale += fabs(s.dense[i + j * n] * x[j]);
      }
      check_near(y[i], sum, 2 * n * DBL_EPSILON * scale);
    }
    free(x);
    free(y);
    matrix_sample_destroy(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns_hold_the_couplings),
      cmocka_unit_test(an_empty_pattern_is_valid),
      cmocka_unit_test(products_match_the_dense_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
