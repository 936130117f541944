/* Matrices that are not positive definite: the row is named, and nothing becomes NaN in silence. */
#include "linalg/cholesky.h"
#include "support/matrices.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first bad row by our factorisation. */
static int find_bad_row(const cr_symbolic* symbolic, const matrix_sample* s) {
  double* factor = check_alloc(sizeof(double) * (size_t)symbolic->factor_size);
  double* scratch = check_alloc(sizeof(double) * (size_t)symbolic->scratch_size);
  cr_cholesky_load(symbolic, s->values, factor);
  int bad = cr_cholesky_factor(symbolic, factor, scratch);
  free(factor);
  free(scratch);
  return bad;
}

/* The rows of the matrix in the order of elimination. */
static void list_rows(const cr_symbolic* symbolic, int* row) {
  const cr_bsm_pattern* p = &symbolic->pattern;
  for (int k = 0; k < p->num_blocks; k++)
    for (int r = 0; r < p->size[symbolic->permutation[k]]; r++)
      *row++ = p->row_start[symbolic->permutation[k]] + r;
}

/* The first bad row by LAPACK in the same order. */
static int find_bad_row_dense(const cr_symbolic* symbolic, const matrix_sample* s) {
  int n = s->pattern.num_rows;
  int* row = check_alloc(sizeof(int) * (size_t)n);
  double* dense = check_alloc(sizeof(double) * (size_t)n * (size_t)n);
  list_rows(symbolic, row);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) dense[i + j * n] = s->dense[row[i] + row[j] * n];
  int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, dense, n);
  int bad = info > 0 ? row[info - 1] : -1;
  free(row);
  free(dense);
  return bad;
}

static double* get_diagonal(const matrix_sample* s, int block, int r) {
  const cr_bsm_pattern* p = &s->pattern;
  return s->values + p->value_start[p->col_start[block]] + r * (p->size[block] + 1);
}

/* One or two strongly negative diagonal elements anywhere. */
static void indefinite_matrices_name_the_first_bad_row(void** state) {
  (void)state;
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    if (!cr_kernels_get(level)) continue;
    for (int k = 0; k < check_repeats(400); k++) {
      matrix_sample s;
      matrix_def def = {k % SHAPE_COUNT, k % 3 + 1, 20, 10, (uint64_t)k};
      if (k % 5 == 0) def.sizes = SIZES_TREES;
      matrix_sample_init(&s, &def);
      check_random random = {(uint64_t)k};
      for (int e = 0; e <= k % 2; e++) {
        int block = check_random_int(&random, 0, s.pattern.num_blocks - 1);
        *get_diagonal(&s, block, check_random_int(&random, 0, s.pattern.size[block] - 1)) -= 1e4;
      }
      matrix_sample_update_dense(&s);
      cr_symbolic symbolic;
      cr_ordering ordering = (cr_ordering)(k % (CR_ORDERING_AMD + 1));
      assert_true(cr_symbolic_analyze(&s.pattern, ordering, &s.arena, &symbolic));
      symbolic.kernels = cr_kernels_get(level);
      int bad = find_bad_row(&symbolic, &s);
      assert_true(bad >= 0);
      assert_int_equal(bad, find_bad_row_dense(&symbolic, &s));
      matrix_sample_destroy(&s);
    }
  }
}

/* The Laplacian of a tree is singular, and its elimination from the leaves is exact: the last pivot
 * is exactly zero. */
static void semidefinite_matrices_fail_at_the_last_row(void** state) {
  (void)state;
  for (int k = 0; k < 12; k++) {
    int size[30], couplings[29][2], n = 30;
    check_random random = {(uint64_t)k};
    for (int v = 0; v < n; v++) size[v] = 1;
    for (int v = 1; v < n; v++) {
      couplings[v - 1][0] = k % 3 == 0   ? v - 1
                            : k % 3 == 1 ? 0
                                         : check_random_int(&random, 0, v - 1);
      couplings[v - 1][1] = v;
    }
    cr_arena arena;
    cr_arena_init(&arena, NULL);
    matrix_sample s;
    cr_symbolic symbolic;
    assert_true(
        cr_bsm_pattern_build(&arena, n, size, n - 1, (const int(*)[2])couplings, &s.pattern));
    s.values = check_alloc(sizeof(double) * (size_t)s.pattern.num_values);
    memset(s.values, 0, sizeof(double) * (size_t)s.pattern.num_values);
    for (int e = 0; e < n - 1; e++) {
      s.values[cr_bsm_find_block(&s.pattern, couplings[e][0], couplings[e][1])] = -1;
      *get_diagonal(&s, couplings[e][0], 0) += 1;
      *get_diagonal(&s, couplings[e][1], 0) += 1;
    }
    cr_ordering ordering = k < 6 ? CR_ORDERING_REVERSE : CR_ORDERING_MINIMUM_DEGREE;
    assert_true(cr_symbolic_analyze(&s.pattern, ordering, &arena, &symbolic));
    assert_int_equal(find_bad_row(&symbolic, &s), symbolic.permutation[n - 1]);
    free(s.values);
    cr_arena_destroy(&arena);
  }
}

/* A NaN or an infinity anywhere in the lower triangle is found at its row or before. */
static void non_finite_elements_are_found(void** state) {
  (void)state;
  const double bad_values[] = {NAN, INFINITY, -INFINITY};
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    if (!cr_kernels_get(level)) continue;
    for (int k = 0; k < check_repeats(300); k++) {
      matrix_sample s;
      matrix_def def = {k % SHAPE_COUNT, SIZES_SMALL, 12, 10, (uint64_t)k};
      matrix_sample_init(&s, &def);
      cr_symbolic symbolic;
      assert_true(cr_symbolic_analyze(&s.pattern, CR_ORDERING_AUTO, &s.arena, &symbolic));
      symbolic.kernels = cr_kernels_get(level);
      check_random random = {(uint64_t)k};
      int b = check_random_int(&random, 0, s.pattern.num_lower - 1);
      int j = 0;
      while (s.pattern.col_start[j + 1] <= b) j++;
      int rows = s.pattern.size[s.pattern.row_index[b]],
          c = check_random_int(&random, 0, s.pattern.size[j] - 1);
      int r = check_random_int(&random, s.pattern.row_index[b] == j ? c : 0, rows - 1);
      s.values[s.pattern.value_start[b] + r + c * rows] = bad_values[k % 3];
      assert_true(find_bad_row(&symbolic, &s) >= 0);
      matrix_sample_destroy(&s);
    }
  }
}

/* Factors, and solves for a fixed right-hand side. */
static void solve(const cr_symbolic* symbolic, const matrix_sample* s, double* x) {
  double* factor = check_alloc(sizeof(double) * (size_t)symbolic->factor_size);
  double* scratch = check_alloc(sizeof(double) * (size_t)symbolic->scratch_size);
  for (int k = 0; k < s->pattern.num_rows; k++) x[k] = cos(k);
  cr_cholesky_load(symbolic, s->values, factor);
  assert_int_equal(cr_cholesky_factor(symbolic, factor, scratch), -1);
  cr_cholesky_solve(symbolic, factor, x, 1, s->pattern.num_rows, scratch);
  free(factor);
  free(scratch);
}

/* What stands above the diagonal of a diagonal block has no effect. */
static void the_upper_triangle_is_not_read(void** state) {
  (void)state;
  for (int k = 0; k < 40 * 3; k++) {
    if (!cr_kernels_get((cr_kernel_level)(k / 40))) continue;
    matrix_sample s;
    matrix_def def = {k % SHAPE_COUNT, k % SIZES_COUNT, 12, 10, (uint64_t)k};
    matrix_sample_init(&s, &def);
    cr_symbolic symbolic;
    assert_true(cr_symbolic_analyze(&s.pattern, CR_ORDERING_AUTO, &s.arena, &symbolic));
    symbolic.kernels = cr_kernels_get((cr_kernel_level)(k / 40));
    size_t bytes = sizeof(double) * (size_t)s.pattern.num_rows;
    double *x = check_alloc(bytes), *y = check_alloc(bytes);
    solve(&symbolic, &s, x);
    const cr_bsm_pattern* p = &s.pattern;
    for (int j = 0; j < p->num_blocks; j++)
      for (int c = 0; c < p->size[j]; c++)
        for (int r = 0; r < c; r++)
          s.values[p->value_start[p->col_start[j]] + r + c * p->size[j]] = NAN;
    solve(&symbolic, &s, y);
    assert_memory_equal(x, y, bytes);
    free(x);
    free(y);
    matrix_sample_destroy(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(indefinite_matrices_name_the_first_bad_row),
      cmocka_unit_test(semidefinite_matrices_fail_at_the_last_row),
      cmocka_unit_test(non_finite_elements_are_found),
      cmocka_unit_test(the_upper_triangle_is_not_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
