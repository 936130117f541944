/* Kernels for Jacobian rows against plain loops, and all kernels of AVX2 against those of AVX-512
 * bit by bit. */
#include "linalg/gram.h"
#include "linalg/plan.h"
#include "support/matrices.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Random padded matrices of one shape, and results that are known to be too long. */
typedef struct rows_sample {
  cr_rows J;
  double *J_values, *B, *C, *expected, *x, *y;
} rows_sample;

#define GUARD 12345.0

static double* random_padded(check_random* random, int rows, int cols, int stride) {
  double* values = check_alloc(sizeof(double) * (size_t)(rows * stride + 1));
  for (int k = 0; k < rows; k++)
    for (int i = 0; i < stride; i++)
      values[k * stride + i] = i < cols ? check_random_uniform(random, -1, 1) : 0;
  values[rows * stride] = GUARD;
  return values;
}

static void rows_sample_init(rows_sample* s, int num_rows, int num_cols, uint64_t seed) {
  check_random random = {seed};
  int stride = (num_cols + 3) / 4 * 4;
  s->J_values = random_padded(&random, num_rows, num_cols, stride);
  s->J = (cr_rows){s->J_values, num_rows, num_cols, stride};
  s->B = random_padded(&random, num_rows, num_cols, stride);
  s->C = random_padded(&random, num_cols, num_cols, stride);
  s->expected = check_alloc(sizeof(double) * (size_t)(num_cols * stride));
  memcpy(s->expected, s->C, sizeof(double) * (size_t)(num_cols * stride));
  s->x = random_padded(&random, 1, num_cols, stride);
  s->y = random_padded(&random, 1, num_rows, num_rows);
}

static void rows_sample_destroy(rows_sample* s) {
  double* arrays[] = {s->J_values, s->B, s->C, s->expected, s->x, s->y};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) free(arrays[k]);
}

/* Sums of K products of numbers below one, in any order: K² eps. */
static double get_tolerance(int K) { return (K + 1) * (K + 1) * DBL_EPSILON; }

static void check_products(const cr_kernels* kernels, rows_sample* s) {
  int n = s->J.num_cols, K = s->J.num_rows, stride = s->J.stride;
  for (int k = 0; k < K; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        s->expected[i * stride + j] += s->J_values[k * stride + i] * s->B[k * stride + j];
  size_t size = sizeof(double) * (size_t)(n * stride + 1);
  double *upper = check_alloc(size), *alone = check_alloc(size);
  memcpy(upper, s->C, size); /* what stands there does not matter */
  memset(alone, 0, size);
  kernels->accumulate_product(&s->J, s->B, s->C);
  kernels->accumulate_product(&s->J, s->B, alone);
  kernels->multiply_product_upper(&s->J, s->B, upper);
  for (int i = 0; i < n; i++) {
    check_near_array(s->C + i * stride, s->expected + i * stride, stride, get_tolerance(K));
    assert_memory_equal(upper + i * stride + i, alone + i * stride + i,
                        sizeof(double) * (size_t)(stride - i));
  }
  assert_true(s->C[n * stride] == GUARD && upper[n * stride] == GUARD);
  free(alone);
  free(upper);
}

/* Rows that belong together `rows` by `rows`, whose matrices stand `next` apart. */
static void check_weights(const cr_kernels* kernels, const rows_sample* s, int rows, int next) {
  int n = s->J.num_cols, K = s->J.num_rows, stride = s->J.stride;
  double G[12 * 20];
  for (int k = 0; k < 12 * 20; k++) G[k] = sin(k);
  kernels->weight_rows(&s->J, rows, G, next, s->B);
  for (int k = 0; k < K; k++)
    for (int i = 0; i < stride; i++) {
      const double* g = G + k / rows * next + k % rows * rows;
      const double* column = s->J_values + k / rows * rows * stride + i;
      double sum = 0;
      for (int l = 0; l < rows; l++) sum += g[l] * column[l * stride];
      check_near(s->B[k * stride + i], sum, get_tolerance(rows));
      if (i >= n) assert_true(s->B[k * stride + i] == 0);
    }
  assert_true(s->B[K * stride] == GUARD);
}

static void check_vectors(const cr_kernels* kernels, rows_sample* s) {
  int n = s->J.num_cols, K = s->J.num_rows, stride = s->J.stride;
  double* y = check_alloc(sizeof(double) * (size_t)(K + 1));
  y[K] = GUARD;
  kernels->multiply_rows(&s->J, s->x, y);
  for (int k = 0; k < K; k++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += s->J_values[k * stride + i] * s->x[i];
    check_near(y[k], sum, get_tolerance(n));
  }
  assert_true(y[K] == GUARD);
  for (int i = 0; i < n; i++) {
    s->expected[i] = 0;
    for (int k = 0; k < K; k++) s->expected[i] += s->J_values[k * stride + i] * s->y[k];
  }
  kernels->multiply_transposed(&s->J, s->y, s->x);
  check_near_array(s->x, s->expected, n, get_tolerance(K));
  for (int i = n; i < stride; i++) assert_true(s->x[i] == 0);
  assert_true(s->x[stride] == GUARD);
  for (int i = 0; i < n; i++) {
    s->expected[i] = s->x[i];
    for (int k = 0; k < K; k++) s->expected[i] -= s->J_values[k * stride + i] * s->y[k];
  }
  double kept = s->x[n];
  kernels->subtract_rows(s->y, s->J.values, stride, K, n, s->x);
  check_near_array(s->x, s->expected, n, get_tolerance(K));
  assert_true(s->x[n] == kept);
  free(y);
}

/* Rows of J by rows of B, as many as fit of either. */
static void check_dots(const cr_kernels* kernels, const rows_sample* s) {
  int n = s->J.num_cols, K = s->J.num_rows, stride = s->J.stride;
  int most = K < CR_SOLVE_GROUP ? K : CR_SOLVE_GROUP;
  for (int a = 1; a <= most; a++)
    for (int b = 1; b <= most; b++) {
      double C[CR_SOLVE_GROUP * CR_SOLVE_GROUP];
      for (int k = 0; k < CR_SOLVE_GROUP * CR_SOLVE_GROUP; k++) C[k] = GUARD;
      for (int i = 0; i < a; i++)
        for (int j = 0; j < b; j++) C[CR_SOLVE_GROUP * i + j] = i - j;
      kernels->add_dots(s->J_values, stride, a, s->B, stride, b, n, C);
      for (int i = 0; i < CR_SOLVE_GROUP; i++)
        for (int j = 0; j < CR_SOLVE_GROUP; j++) {
          double sum = i - j, got = C[CR_SOLVE_GROUP * i + j];
          if (i >= a || j >= b) {
            assert_true(got == GUARD);
            continue;
          }
          for (int k = 0; k < n; k++) sum += s->J_values[stride * i + k] * s->B[stride * j + k];
          check_near(got, sum, get_tolerance(n + CR_SOLVE_GROUP));
        }
    }
}

static void row_kernels_match_plain_loops(void** state) {
  (void)state;
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    const cr_kernels* kernels = cr_kernels_get(level);
    if (!kernels) continue;
    for (int n = 1; n <= 60; n++)
      for (int K = 0; K <= 12; K++) {
        rows_sample s;
        rows_sample_init(&s, K, n, (uint64_t)(n * 100 + K));
        check_dots(kernels, &s);
        check_products(kernels, &s);
        rows_sample_destroy(&s);
        rows_sample_init(&s, K, n, (uint64_t)(n * 100 + K));
        check_vectors(kernels, &s);
        check_weights(kernels, &s, K, 0);
        for (int rows = 1; rows <= 6; rows++)
          if (K % rows == 0) check_weights(kernels, &s, rows, rows * rows + 2);
        rows_sample_destroy(&s);
      }
  }
}

static void blocks_are_added(void** state) {
  (void)state;
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    const cr_kernels* kernels = cr_kernels_get(level);
    if (!kernels) continue;
    for (int rows = 1; rows <= 9; rows++)
      for (int cols = 1; cols <= 9; cols++) {
        double source[9 * 12], target[9 * 11], before[9 * 11];
        for (int k = 0; k < 9 * 12; k++) source[k] = k;
        for (int k = 0; k < 9 * 11; k++) target[k] = before[k] = 1000 * k;
        cr_rows block = {source, rows, cols, 12};
        cr_factor_target to = {0, 1, 11};
        kernels->panels[CR_DOUBLE]->add_block(&block, &to, target);
        for (int r = 0; r < 9; r++)
          for (int c = 0; c < 11; c++) {
            double added = r < rows && c < cols ? source[r * 12 + c] : 0;
            assert_true(target[r * 11 + c] == before[r * 11 + c] + added);
          }
      }
  }
}

/* The lower triangle of blocks, some of whose places are transposed. */
static void triangles_of_blocks_are_added(void** state) {
  (void)state;
  enum { BLOCKS = 3, STRIDE = 16, ROOM = 20 };
  const int size[5] = {2, 6, 9, 3, 6}, block[BLOCKS] = {1, 3, 4};
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    const cr_kernels* kernels = cr_kernels_get(level);
    if (!kernels) continue;
    double C[15 * STRIDE], factor[6 * ROOM * ROOM] = {0};
    cr_factor_target to[6];
    for (int k = 0; k < 15 * STRIDE; k++) C[k] = k + 1;
    for (int k = 0; k < 6; k++)
      to[k] = (cr_factor_target){k * ROOM * ROOM, k % 2 ? ROOM : 1, k % 2 ? 1 : ROOM};
    float single[6 * ROOM * ROOM] = {0};
    for (int twice = 0; twice < 2; twice++) {
      kernels->panels[CR_DOUBLE]->add_blocks(C, STRIDE, size, block, BLOCKS, to, factor);
      kernels->panels[CR_SINGLE]->add_blocks(C, STRIDE, size, block, BLOCKS, to, single);
    }
    for (int i = 0; i < 6 * ROOM * ROOM; i++) assert_true(single[i] == (float)factor[i]);
    int touched = 0, first_row = 0, k = 0;
    for (int a = 0; a < BLOCKS; first_row += size[block[a++]])
      for (int b = 0, first_column = 0; b <= a; first_column += size[block[b++]], k++)
        for (int r = 0; r < size[block[a]]; r++)
          for (int c = 0; c < size[block[b]]; c++, touched++)
            assert_true(factor[to[k].offset + r * to[k].row_stride + c * to[k].col_stride] ==
                        2 * C[(first_column + c) * STRIDE + first_row + r]);
    for (k = 0; k < 6 * ROOM * ROOM; k++) touched -= factor[k] != 0;
    assert_int_equal(touched, 0);
  }
}

static bool have_both(void) {
  return cr_kernels_get(CR_KERNELS_AVX2) && cr_kernels_get(CR_KERNELS_AVX512);
}

static void row_kernels_have_the_same_bits(void** state) {
  (void)state;
  if (!have_both()) skip();
  for (int n = 1; n <= 60; n++)
    for (int K = 0; K <= 12; K++) {
      rows_sample s[2];
      double y[2][12] = {{0}}, dots[2][CR_SOLVE_GROUP * CR_SOLVE_GROUP] = {{0}};
      int rows = K < CR_SOLVE_GROUP ? K : CR_SOLVE_GROUP;
      for (int k = 0; k < 2; k++) {
        const cr_kernels* kernels = cr_kernels_get(k ? CR_KERNELS_AVX512 : CR_KERNELS_AVX2);
        rows_sample_init(&s[k], K, n, (uint64_t)n);
        kernels->add_dots(s[k].J_values, s[k].J.stride, rows, s[k].B, s[k].J.stride, rows, n,
                          dots[k]);
        kernels->accumulate_product(&s[k].J, s[k].B, s[k].C);
        kernels->multiply_rows(&s[k].J, s[k].x, y[k]);
        kernels->multiply_transposed(&s[k].J, s[k].y, s[k].x);
        kernels->subtract_rows(s[k].y, s[k].J.values, s[k].J.stride, K, n, s[k].x);
      }
      assert_memory_equal(s[0].C, s[1].C, sizeof(double) * (size_t)(n * s[0].J.stride));
      assert_memory_equal(s[0].x, s[1].x, sizeof(double) * (size_t)s[0].J.stride);
      assert_memory_equal(y[0], y[1], sizeof y[0]);
      assert_memory_equal(dots[0], dots[1], sizeof dots[0]);
      for (int k = 0; k < 2; k++) rows_sample_destroy(&s[k]);
    }
}

/* What one instruction set makes of a sample. */
typedef struct outcome {
  double *factor, *scratch, *x, G[9];
  float* single;
} outcome;

static void outcome_init(outcome* o, const matrix_sample* s, cr_symbolic symbolic,
                         cr_kernel_level level) {
  int n = s->pattern.num_rows;
  symbolic.kernels = cr_kernels_get(level);
  o->factor = check_alloc(sizeof(double) * (size_t)symbolic.factor_size);
  o->scratch = check_alloc(sizeof(double) * (size_t)symbolic.scratch_size);
  o->x = check_alloc(sizeof(double) * (size_t)(6 * n));
  o->single = check_alloc(sizeof(float) * (size_t)symbolic.factor_size);
  cr_cholesky_load(&symbolic, s->values, o->factor);
  for (int64_t k = 0; k < symbolic.factor_size; k++) o->single[k] = (float)o->factor[k];
  assert_int_equal(cr_cholesky_factor(&symbolic, o->factor, o->scratch), -1);
  assert_int_equal(cr_cholesky_factor_single(&symbolic, o->single), -1);
  for (int k = 0; k < 6 * n; k++) o->x[k] = sin(k);
  cr_cholesky_solve(&symbolic, o->factor, o->x, 5, n, o->scratch);
  cr_cholesky_solve_single(&symbolic, o->single, o->x + 5 * n, o->scratch);
  double B[3 * 64];
  int block = s->pattern.num_blocks / 2;
  for (int k = 0; k < 3 * 64; k++) B[k] = cos(k);
  cr_gram gram;
  cr_gram_init(&gram, &symbolic, o->factor, 1, &block, o->scratch);
  cr_gram_compute(&gram, B, 3, 64, o->G);
}

static void outcome_destroy(outcome* o) {
  free(o->factor);
  free(o->single);
  free(o->scratch);
  free(o->x);
}

/* The factor's lower triangle; above it kernels may leave anything. */
static void check_same_factor(const cr_symbolic* symbolic, size_t number, const void* a,
                              const void* b) {
  const cr_plan* plan = symbolic->plan;
  const char *x = a, *y = b;
  for (int s = 0; s < plan->num_supernodes; s++) {
    const cr_supernode* node = &plan->supernode[s];
    for (int c = 0; c < node->width; c++) {
      size_t at = (size_t)(node->offset + (int64_t)c * node->stride);
      size_t diagonal = number * (at + (size_t)c), below = number * (at + (size_t)node->below);
      assert_memory_equal(x + diagonal, y + diagonal, number * (size_t)(node->width - c));
      assert_memory_equal(x + below, y + below, number * (size_t)(node->rows - node->below));
    }
  }
}

static void check_same_bits(const matrix_def* def) {
  matrix_sample s;
  matrix_sample_init(&s, def);
  cr_symbolic symbolic;
  assert_true(cr_symbolic_analyze(&s.pattern, CR_ORDERING_AUTO, &s.arena, &symbolic));
  outcome a, b;
  outcome_init(&a, &s, symbolic, CR_KERNELS_AVX2);
  outcome_init(&b, &s, symbolic, CR_KERNELS_AVX512);
  check_same_factor(&symbolic, sizeof(double), a.factor, b.factor);
  check_same_factor(&symbolic, sizeof(float), a.single, b.single);
  assert_memory_equal(a.x, b.x, sizeof(double) * (size_t)(6 * s.pattern.num_rows));
  assert_memory_equal(a.G, b.G, sizeof a.G);
  outcome_destroy(&a);
  outcome_destroy(&b);
  matrix_sample_destroy(&s);
}

static void factors_and_solutions_have_the_same_bits(void** state) {
  (void)state;
  if (!have_both()) skip();
  for (int shape = 0; shape < SHAPE_COUNT; shape++)
    for (int sizes = 0; sizes < SIZES_COUNT; sizes++)
      for (int n = 3; n < 60; n = 3 * n + 1) {
        matrix_def def = {shape, sizes, n, 1e3, (uint64_t)(n + 7 * shape)};
        check_same_bits(&def);
      }
  const matrix_def large[] = {{SHAPE_FULL, SIZES_TREES, 70, 10, 1},
                              {SHAPE_RANDOM, SIZES_SIX, 200, 10, 1},
                              {SHAPE_CLIQUES, SIZES_LARGE, 26, 10, 1}};
  for (int k = 0; k < 3; k++) check_same_bits(&large[k]);
}

static void tables_are_chosen_by_the_machine(void** state) {
  (void)state;
  assert_non_null(cr_kernels_get(CR_KERNELS_BASE));
  const cr_kernels* best = cr_kernels_select();
  assert_ptr_equal(best, cr_kernels_select());
  if (cr_kernels_get(CR_KERNELS_AVX512))
    assert_ptr_equal(best, cr_kernels_get(CR_KERNELS_AVX512));
  else if (cr_kernels_get(CR_KERNELS_AVX2))
    assert_ptr_equal(best, cr_kernels_get(CR_KERNELS_AVX2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(row_kernels_match_plain_loops),
      cmocka_unit_test(blocks_are_added),
      cmocka_unit_test(triangles_of_blocks_are_added),
      cmocka_unit_test(row_kernels_have_the_same_bits),
      cmocka_unit_test(factors_and_solutions_have_the_same_bits),
      cmocka_unit_test(tables_are_chosen_by_the_machine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
