/* Factorisation and substitution against dense LAPACK. */
#include "linalg/gram.h"
#include "linalg/half.h"
#include "support/matrices.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A factored sample. */
typedef struct factored {
  cr_symbolic symbolic;
  double *factor, *scratch;
  int bad;
} factored;

static double* alloc_doubles(size_t count) { return check_alloc(sizeof(double) * count); }

static void factored_init(factored* f, matrix_sample* s, cr_ordering ordering,
                          cr_kernel_level level) {
  assert_true(cr_symbolic_analyze(&s->pattern, ordering, &s->arena, &f->symbolic));
  f->symbolic.kernels = cr_kernels_get(level);
  f->factor = alloc_doubles((size_t)f->symbolic.factor_size);
  f->scratch = alloc_doubles((size_t)f->symbolic.scratch_size);
  cr_cholesky_load(&f->symbolic, s->values, f->factor);
  f->bad = cr_cholesky_factor(&f->symbolic, f->factor, f->scratch);
}

static void factored_destroy(factored* f) {
  free(f->factor);
  free(f->scratch);
}

/* One norm of the dense matrix. */
static double compute_norm(const matrix_sample* s) {
  int n = s->pattern.num_rows;
  return LAPACKE_dlansy(LAPACK_COL_MAJOR, '1', 'L', n, s->dense, n);
}

/* Solves with LAPACK in place; returns the condition number in the one norm. */
static double solve_dense(const matrix_sample* s, int num_rhs, double* X) {
  int n = s->pattern.num_rows;
  double* L = alloc_doubles((size_t)n * (size_t)n);
  memcpy(L, s->dense, sizeof(double) * (size_t)n * (size_t)n);
  assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', n, num_rhs, L, n, X, n), 0);
  double reciprocal = 0;
  assert_int_equal(LAPACKE_dpocon(LAPACK_COL_MAJOR, 'L', n, L, n, compute_norm(s), &reciprocal), 0);
  free(L);
  return 1 / reciprocal;
}

static void fill_random(double* x, int count, uint64_t seed) {
  check_random random = {seed};
  for (int k = 0; k < count; k++) x[k] = check_random_uniform(&random, -1, 1);
}

static double max_norm(const double* x, int n) {
  double largest = 0;
  for (int k = 0; k < n; k++) largest = fmax(largest, fabs(x[k]));
  return largest;
}

/* Backward error: the computed x solves a system with a matrix (3 n + 1) eps |A| away (Higham,
 * Accuracy and Stability of Numerical Algorithms, theorem 10.4, with ||L||² ~ ||A||); forward error
 * of both solvers: that times the condition number. */
static void check_solution(const matrix_sample* s, const double* x, const double* b,
                           const double* x_dense, double condition) {
  int n = s->pattern.num_rows;
  double unit = (3 * n + 1) * DBL_EPSILON;
  double* r = alloc_doubles((size_t)n);
  cr_bsm_multiply(&s->pattern, s->values, x, r);
  double bound = unit * (compute_norm(s) * max_norm(x, n) + max_norm(b, n));
  check_near_array(r, b, n, bound);
  check_near_array(x, x_dense, n, 2 * unit * condition * max_norm(x_dense, n));
  free(r);
}

static void check_against_dense(const matrix_def* def, cr_ordering ordering,
                                cr_kernel_level level) {
  matrix_sample s;
  factored f;
  matrix_sample_init(&s, def);
  factored_init(&f, &s, ordering, level);
  assert_int_equal(f.bad, -1);
  int n = s.pattern.num_rows;
  double* b = alloc_doubles((size_t)n);
  double* x = alloc_doubles((size_t)n);
  double* x_dense = alloc_doubles((size_t)n);
  fill_random(b, n, def->seed + 1);
  memcpy(x, b, sizeof(double) * (size_t)n);
  memcpy(x_dense, b, sizeof(double) * (size_t)n);
  double condition = solve_dense(&s, 1, x_dense);
  cr_cholesky_solve(&f.symbolic, f.factor, x, 1, n, f.scratch);
  check_solution(&s, x, b, x_dense, condition);
  double norm2 = 0, size = 0;
  for (int i = 0; i < n; i++) norm2 += b[i] * x[i], size += fabs(b[i] * x[i]);
  check_near(cr_cholesky_inverse_norm2(&f.symbolic, f.factor, b, f.scratch), norm2,
             1e-15 * n * condition * size);
  free(b);
  free(x);
  free(x_dense);
  factored_destroy(&f);
  matrix_sample_destroy(&s);
}

static void solutions_match_lapack(void** state) {
  (void)state;
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    if (!cr_kernels_get(level)) continue;
    for (int shape = 0; shape < SHAPE_COUNT; shape++)
      for (int sizes = 0; sizes < SIZES_COUNT; sizes++)
        for (int n = 1; n < 40; n = 2 * n + 3) {
          matrix_def def = {shape, sizes, n, 10, (uint64_t)(level + 7 * shape + 31 * sizes + n)};
          for (int order = CR_ORDERING_AUTO; order <= CR_ORDERING_AMD; order++)
            check_against_dense(&def, order, level);
        }
  }
}

/* Large enough for panels, and updates between panels, of several blocks of each kind. */
static void large_matrices_match_lapack(void** state) {
  (void)state;
  matrix_def wide = {SHAPE_FULL, SIZES_TREES, 70, 10, 1};
  matrix_def panels = {SHAPE_CLIQUES, SIZES_LARGE, 26, 10, 4};
  matrix_def many = {SHAPE_RANDOM, SIZES_SIX, 150, 10, 2};
  matrix_def nodes = {SHAPE_GRID, SIZES_SMALL, 600, 10, 3};
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    if (!cr_kernels_get(level)) continue;
    check_against_dense(&wide, CR_ORDERING_AUTO, level);
    check_against_dense(&panels, CR_ORDERING_AUTO, level);
    check_against_dense(&many, CR_ORDERING_AUTO, level);
    check_against_dense(&nodes, CR_ORDERING_AUTO, level);
  }
}

static void ill_conditioned_systems_keep_a_small_backward_error(void** state) {
  (void)state;
  for (double stiffness = 1e2; stiffness < 1e12; stiffness *= 1e3)
    for (int shape = SHAPE_CHAIN; shape < SHAPE_COUNT; shape++) {
      matrix_def def = {shape, SIZES_TREES, 30, stiffness, (uint64_t)shape};
      check_against_dense(&def, CR_ORDERING_AUTO, CR_KERNELS_BASE);
      if (cr_kernels_get(CR_KERNELS_AVX2))
        check_against_dense(&def, CR_ORDERING_AUTO, CR_KERNELS_AVX2);
    }
}

/* The factor in single precision of what f holds in doubles before it is factored. */
static float* factor_single(const matrix_sample* s, factored* f) {
  size_t size = (size_t)f->symbolic.factor_size;
  float* single = check_alloc(sizeof(float) * size);
  cr_cholesky_load(&f->symbolic, s->values, f->factor);
  for (size_t k = 0; k < size; k++) single[k] = (float)f->factor[k];
  f->bad = cr_cholesky_factor_single(&f->symbolic, single);
  return single;
}

/* The same bounds in floats; one more unit is the rounding of the matrix. A right-hand side that is
 * 2^-140 times as large, below a float's range, has the same bits of solution. */
static void check_single(const matrix_def* def, cr_kernel_level level) {
  matrix_sample s;
  factored f;
  matrix_sample_init(&s, def);
  factored_init(&f, &s, CR_ORDERING_AUTO, level);
  float* single = factor_single(&s, &f);
  assert_int_equal(f.bad, -1);
  int n = s.pattern.num_rows;
  double *b = alloc_doubles((size_t)n), *x = alloc_doubles((size_t)n);
  double *small = alloc_doubles((size_t)n), *r = alloc_doubles((size_t)n);
  fill_random(b, n, def->seed + 1);
  for (int i = 0; i < n; i++) x[i] = b[i], small[i] = ldexp(b[i], -140);
  cr_cholesky_solve_single(&f.symbolic, single, x, f.scratch);
  cr_cholesky_solve_single(&f.symbolic, single, small, f.scratch);
  cr_bsm_multiply(&s.pattern, s.values, x, r);
  double unit = (3 * n + 2) * (double)FLT_EPSILON;
  check_near_array(r, b, n, unit * (compute_norm(&s) * max_norm(x, n) + max_norm(b, n)));
  for (int i = 0; i < n; i++) assert_true(ldexp(small[i], 140) == x[i]);
  memset(x, 0, sizeof(double) * (size_t)n);
  cr_cholesky_solve_single(&f.symbolic, single, x, f.scratch);
  for (int i = 0; i < n; i++) assert_true(x[i] == 0);
  free(b), free(x), free(small), free(r), free(single);
  factored_destroy(&f);
  matrix_sample_destroy(&s);
}

static void single_precision_keeps_its_own_backward_error(void** state) {
  (void)state;
  matrix_def many = {SHAPE_RANDOM, SIZES_SIX, 150, 10, 2};
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    if (!cr_kernels_get(level)) continue;
    check_single(&many, level);
    for (int shape = 0; shape < SHAPE_COUNT; shape++)
      for (int sizes = 0; sizes < SIZES_COUNT; sizes++)
        for (double stiffness = 10; stiffness < 1e5; stiffness *= 20) {
          matrix_def def = {shape, sizes, 17, stiffness, (uint64_t)(shape + 7 * sizes)};
          check_single(&def, level);
        }
  }
}

/* What is positive definite in doubles alone has a bad pivot in floats. */
static void single_precision_fails_where_it_does_not_reach(void** state) {
  (void)state;
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    if (!cr_kernels_get(level)) continue;
    matrix_sample s;
    factored f;
    matrix_def def = {SHAPE_CHAIN, SIZES_SIX, 8, 10, 3};
    matrix_sample_init(&s, &def);
    for (int k = 0; k < s.pattern.num_values; k++) s.values[k] *= 1e-42;
    factored_init(&f, &s, CR_ORDERING_AUTO, level);
    assert_int_equal(f.bad, -1);
    float* single = factor_single(&s, &f);
    assert_true(f.bad >= 0);
    free(single);
    factored_destroy(&f);
    matrix_sample_destroy(&s);
  }
}

/* However many right-hand sides go together, each solution has the bits it has alone. */
static void many_right_hand_sides_are_single_ones(void** state) {
  (void)state;
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    if (!cr_kernels_get(level)) continue;
    matrix_sample s;
    factored f;
    matrix_def def = {SHAPE_RANDOM, SIZES_TREES, 40, 100, 5};
    matrix_sample_init(&s, &def);
    factored_init(&f, &s, CR_ORDERING_AUTO, level);
    int n = s.pattern.num_rows, ldx = n + 3;
    for (int num_rhs = 1; num_rhs <= 11; num_rhs++) {
      double* X = alloc_doubles((size_t)(num_rhs * ldx));
      double* x = alloc_doubles((size_t)(num_rhs * ldx));
      fill_random(X, num_rhs * ldx, (uint64_t)num_rhs);
      memcpy(x, X, sizeof(double) * (size_t)(num_rhs * ldx));
      cr_cholesky_solve(&f.symbolic, f.factor, X, num_rhs, ldx, f.scratch);
      for (int k = 0; k < num_rhs; k++)
        cr_cholesky_solve(&f.symbolic, f.factor, x + k * ldx, 1, ldx, f.scratch);
      assert_memory_equal(X, x, sizeof(double) * (size_t)(num_rhs * ldx));
      free(X);
      free(x);
    }
    factored_destroy(&f);
    matrix_sample_destroy(&s);
  }
}

/* Assembling through `target` is the same as loading. */
static void assembly_in_place_is_loading(void** state) {
  (void)state;
  for (int shape = 0; shape < SHAPE_COUNT; shape++) {
    matrix_sample s;
    factored f;
    matrix_def def = {shape, SIZES_TREES, 20, 10, (uint64_t)shape};
    matrix_sample_init(&s, &def);
    factored_init(&f, &s, CR_ORDERING_AUTO, CR_KERNELS_BASE);
    size_t size = sizeof(double) * (size_t)f.symbolic.factor_size;
    double* assembled = check_alloc(size);
    memset(assembled, 0, size);
    const cr_bsm_pattern* p = &s.pattern;
    for (int j = 0; j < p->num_blocks; j++)
      for (int b = p->col_start[j]; b < p->col_start[j + 1]; b++) {
        cr_factor_target t = f.symbolic.target[b];
        int rows = p->size[p->row_index[b]];
        for (int c = 0; c < p->size[j]; c++)
          for (int r = 0; r < rows; r++)
            assembled[t.offset + r * t.row_stride + c * t.col_stride] +=
                s.values[p->value_start[b] + r + c * rows];
      }
    assert_int_equal(cr_cholesky_factor(&f.symbolic, assembled, f.scratch), -1);
    assert_memory_equal(assembled, f.factor, size);
    free(assembled);
    factored_destroy(&f);
    matrix_sample_destroy(&s);
  }
}

/* Bᵀ A⁻¹ B by LAPACK for a B [n, num_rhs] row-major; returns the condition number. */
static double compute_dense_gram(const matrix_sample* s, int num_rhs, const double* B, double* G) {
  int n = s->pattern.num_rows;
  double* X = alloc_doubles((size_t)(n * num_rhs));
  for (int i = 0; i < n; i++)
    for (int k = 0; k < num_rhs; k++) X[i + k * n] = B[i * num_rhs + k];
  double condition = solve_dense(s, num_rhs, X);
  for (int a = 0; a < num_rhs; a++)
    for (int c = 0; c < num_rhs; c++) {
      G[a * num_rhs + c] = 0;
      for (int i = 0; i < n; i++) G[a * num_rhs + c] += B[i * num_rhs + a] * X[i + c * n];
    }
  free(X);
  return condition;
}

/* A random B on a few different blocks: full [n, num_rhs], and its touched rows side by side in
 * stacked [num_rhs, n]. */
static int fill_touched(const cr_bsm_pattern* p, int num_touched, int num_rhs, check_random* random,
                        int* blocks, double* full, double* stacked) {
  memset(full, 0, sizeof(double) * (size_t)(p->num_rows * num_rhs));
  int count = 0;
  for (int t = 0; t < num_touched; t++) {
    int block = check_random_int(random, 0, p->num_blocks - 1);
    bool repeated = false;
    for (int k = 0; k < count; k++) repeated |= blocks[k] == block;
    if (repeated) continue;
    blocks[count++] = block;
    for (int r = 0; r < p->size[block]; r++, stacked++)
      for (int k = 0; k < num_rhs; k++)
        stacked[k * p->num_rows] = full[(p->row_start[block] + r) * num_rhs + k] =
            check_random_uniform(random, -1, 1);
  }
  return count;
}

static void check_gram(const matrix_def* def, cr_kernel_level level, int num_rhs, int num_touched) {
  matrix_sample s;
  factored f;
  matrix_sample_init(&s, def);
  factored_init(&f, &s, CR_ORDERING_AUTO, level);
  int n = s.pattern.num_rows, blocks[8];
  double* full = alloc_doubles((size_t)(n * num_rhs));
  double* stacked = alloc_doubles((size_t)(n * num_rhs));
  double G[36], expected[36];
  check_random random = {def->seed};
  int count = fill_touched(&s.pattern, num_touched, num_rhs, &random, blocks, full, stacked);
  double condition = compute_dense_gram(&s, num_rhs, full, expected);
  memset(f.scratch, 0xff, sizeof(double) * (size_t)f.symbolic.scratch_size);
  cr_gram gram;
  cr_gram_init(&gram, &f.symbolic, f.factor, count, blocks, f.scratch);
  cr_gram_compute(&gram, stacked, num_rhs, n, G);
  double tolerance =
      2 * (3 * n + 1) * DBL_EPSILON * condition * max_norm(expected, num_rhs * num_rhs);
  check_near_array(G, expected, num_rhs * num_rhs, tolerance);
  free(full);
  free(stacked);
  factored_destroy(&f);
  matrix_sample_destroy(&s);
}

static void gram_matrices_match_lapack(void** state) {
  (void)state;
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    if (!cr_kernels_get(level)) continue;
    for (int shape = 0; shape < SHAPE_COUNT; shape++)
      for (int sizes = 0; sizes < SIZES_COUNT; sizes++)
        for (int num_rhs = 1; num_rhs <= CR_GRAM_COLUMNS; num_rhs++)
          for (int num_touched = 0; num_touched <= 5; num_touched++) {
            matrix_def def = {shape, sizes, 15, 10, (uint64_t)(shape + num_rhs * 10)};
            check_gram(&def, level, num_rhs, num_touched);
          }
  }
}

/* Adds columns with random elements in a few blocks, which are also written to B [n, columns]. */
static void add_columns(const matrix_sample* s, check_random* random, int columns, int num_touched,
                        cr_half* half, double* B) {
  int block[3], stride = 0, n = s->pattern.num_rows, blocks = s->pattern.num_blocks;
  int first = check_random_int(random, 0, blocks - 1);
  if (num_touched > blocks) num_touched = blocks;
  for (int t = 0; t < num_touched; t++) {
    block[t] = (first + t) % blocks;
    stride += s->pattern.size[block[t]];
  }
  double* values = check_alloc(sizeof(double) * (size_t)(stride * columns + 1));
  for (int k = 0; k < columns; k++)
    for (int t = 0, at = stride * k; t < num_touched; t++)
      for (int i = 0; i < s->pattern.size[block[t]]; i++)
        values[at++] = B[n * k + s->pattern.row_start[block[t]] + i] =
            check_random_uniform(random, -1, 1);
  assert_true(cr_half_add(half, block, num_touched, values, stride, columns));
  free(values);
}

/* Products of half solutions are those of right-hand sides with whole ones by LAPACK, and the other
 * half makes them whole. */
static void check_half(const matrix_def* def, cr_kernel_level level, cr_precision precision,
                       int num_rhs, int num_touched) {
  enum { CALLS = 3, MOST = CALLS * (2 * CR_SOLVE_GROUP + 1) };
  matrix_sample s;
  factored f;
  matrix_sample_init(&s, def);
  factored_init(&f, &s, CR_ORDERING_AUTO, level);
  int n = s.pattern.num_rows, all = CALLS * num_rhs;
  double* B = check_alloc(4 * sizeof(double) * (size_t)(n * all));
  double *X = B + n * all, *Y = X + n * all, *x = Y + n * all, G[MOST * MOST], c[MOST];
  memset(B, 0, sizeof(double) * (size_t)(n * all));
  memset(f.scratch, 0xff, sizeof(double) * (size_t)f.symbolic.scratch_size);
  double unit = precision == CR_SINGLE ? (double)FLT_EPSILON : DBL_EPSILON;
  float* single = precision == CR_SINGLE ? factor_single(&s, &f) : NULL;
  cr_half half;
  assert_true(cr_half_init(&half, &f.symbolic, all, &s.arena));
  cr_half_start(&half, precision, single ? (const void*)single : f.factor, f.scratch, Y,
                n * all / 2);
  check_random random = {def->seed};
  for (int call = 0; call < CALLS; call++) {
    add_columns(&s, &random, num_rhs, num_touched, &half, B + n * num_rhs * call);
    cr_half_compute_gram(&half, num_rhs * call, G, MOST);
  }
  memcpy(X, B, sizeof(double) * (size_t)(n * all));
  double condition = solve_dense(&s, all, X), largest = 0;
  for (int k = 0; k < all; k++) {
    double size = 0;
    for (int i = 0; i < n; i++) size += B[k * n + i] * X[k * n + i];
    largest = fmax(largest, size);
    c[k] = check_random_uniform(&random, -1, 1);
  }
  for (int k = 0; k < all; k++)
    for (int l = 0; l < all; l++) {
      double whole = 0;
      for (int i = 0; i < n; i++) whole += B[k * n + i] * X[l * n + i];
      check_near(G[MOST * k + l], whole, (6 * n + 4) * unit * condition * largest);
    }
  cr_half_solve(&half, c, x);
  double norm = 0;
  for (int i = 0; i < n; i++) {
    Y[i] = 0;
    for (int k = 0; k < all; k++) Y[i] += X[k * n + i] * c[k];
    norm = fmax(norm, fabs(Y[i]));
  }
  for (int i = 0; i < n; i++)
    check_near(x[i], Y[i], (6 * n + 4) * unit * condition * norm + 1e-300);
  free(single);
  free(B);
  factored_destroy(&f);
  matrix_sample_destroy(&s);
}

static void half_solutions_make_whole_products(void** state) {
  (void)state;
  for (int level = CR_KERNELS_BASE; level <= CR_KERNELS_AVX512; level++) {
    if (!cr_kernels_get(level)) continue;
    for (int shape = 0; shape < SHAPE_COUNT; shape++)
      for (int num_rhs = 1; num_rhs <= 2 * CR_SOLVE_GROUP + 1; num_rhs++)
        for (int num_touched = 0; num_touched <= 3; num_touched++) {
          matrix_def def = {shape, (matrix_sizes)(num_rhs % SIZES_COUNT), 15, 10,
                            (uint64_t)(shape + num_rhs * 10)};
          check_half(&def, level, CR_DOUBLE, num_rhs, num_touched);
          check_half(&def, level, CR_SINGLE, num_rhs, num_touched);
        }
  }
}

/* The pattern and values of two copies of a matrix side by side. */
static void double_sample(const matrix_sample* one, matrix_sample* two) {
  const cr_bsm_pattern* p = &one->pattern;
  int blocks = p->num_blocks, count = 0;
  int* size = CR_PUSH(&two->arena, int, 2 * blocks);
  int(*couplings)[2] = cr_arena_push(&two->arena, sizeof(int[2]) * 2 * (size_t)p->num_lower);
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < blocks; j++) {
      size[k * blocks + j] = p->size[j];
      for (int b = p->col_start[j] + 1; b < p->col_start[j + 1]; b++, count++)
        couplings[count][0] = k * blocks + p->row_index[b], couplings[count][1] = k * blocks + j;
    }
  assert_true(cr_bsm_pattern_build(&two->arena, 2 * blocks, size, count, couplings, &two->pattern));
  two->values = CR_PUSH(&two->arena, double, two->pattern.num_values);
  for (int k = 0; k < 2; k++)
    memcpy(two->values + k * p->num_values, one->values, sizeof(double) * (size_t)p->num_values);
}

/* The factor of a whole of two parts is put together from theirs, to the bit, or not at all. */
static void factors_of_parts_make_the_whole(void** state) {
  (void)state;
  int joined = 0;
  for (int seed = 1; seed <= 60; seed++) {
    matrix_def def = {(matrix_shape)(seed % SHAPE_COUNT), (matrix_sizes)(seed % SIZES_COUNT),
                      1 + seed % 9, 100, (uint64_t)seed};
    matrix_sample one, two = {0};
    matrix_sample_init(&one, &def);
    cr_arena_init(&two.arena, NULL);
    double_sample(&one, &two);
    factored part, whole;
    factored_init(&part, &one, CR_ORDERING_REVERSE, CR_KERNELS_BASE);
    factored_init(&whole, &two, CR_ORDERING_REVERSE, CR_KERNELS_BASE);
    size_t size = sizeof(double) * (size_t)whole.symbolic.factor_size;
    double* made = check_alloc(size);
    memset(made, 0xff, size);
    bool done = true;
    for (int k = 0; k < 2; k++)
      done = done && cr_cholesky_insert(&part.symbolic, part.factor, &whole.symbolic,
                                        k * one.pattern.num_blocks, made);
    if (done) assert_memory_equal(made, whole.factor, size);
    joined += done;
    free(made);
    factored_destroy(&part), factored_destroy(&whole);
    matrix_sample_destroy(&one);
    cr_arena_destroy(&two.arena);
  }
  assert_true(joined > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_match_lapack),
      cmocka_unit_test(large_matrices_match_lapack),
      cmocka_unit_test(ill_conditioned_systems_keep_a_small_backward_error),
      cmocka_unit_test(single_precision_keeps_its_own_backward_error),
      cmocka_unit_test(single_precision_fails_where_it_does_not_reach),
      cmocka_unit_test(many_right_hand_sides_are_single_ones),
      cmocka_unit_test(assembly_in_place_is_loading),
      cmocka_unit_test(gram_matrices_match_lapack),
      cmocka_unit_test(half_solutions_make_whole_products),
      cmocka_unit_test(factors_of_parts_make_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
