/* Problems as assembled against the rows as they were added: every constraint keeps its Jacobian,
 * data and law, whatever its group; products with J and the Delassus blocks are the dense ones. */
#include "problem/assembly.h"
#include "problem/law_table.h"
#include "support/dense.h"
#include "support/problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 12, MOST_ITEMS = 60, MOST_SIZE = 7, MOST_N = MOST_BLOCKS * MOST_SIZE };

/* A constraint as it was added, dense. */
typedef struct added {
  cr_law_kind kind;
  int rows;
  double J[CR_LAW_MAX_ROWS][MOST_N], R[CR_LAW_MAX_ROWS], v_hat[CR_LAW_MAX_ROWS], parameter[2];
} added;

typedef struct sample {
  cr_arena arena;
  cr_problem problem;
  cr_symbolic A_symbolic;
  int num_items, *order;
  added items[MOST_ITEMS];
} sample;

/* Some blocks, ascending; few choices, so that many constraints share them. */
static int choose_blocks(check_random* random, int num_blocks, int* blocks) {
  int count = 0, most = check_random_int(random, 1, 4);
  for (int b = check_random_int(random, 0, 2); b < num_blocks && count < most;
       b += check_random_int(random, 1, 4))
    blocks[count++] = b;
  if (count == 0) blocks[count++] = 0;
  return count;
}

static void add_item(sample* s, cr_assembly* assembly, check_random* random) {
  const cr_bsm_pattern* A = &s->problem.pattern;
  int blocks[4], count = choose_blocks(random, A->num_blocks, blocks), column = 0;
  added* x = &s->items[s->num_items++];
  *x = (added){.kind = (cr_law_kind)check_random_int(random, 0, CR_LAW_COUNT - 1)};
  x->rows = cr_law_get(x->kind)->rows;
  for (int k = 0; k < 2; k++) x->parameter[k] = check_random_uniform(random, 0, 1);
  cr_assembly_rows rows =
      cr_assembly_add(assembly, x->kind, blocks, count, x->parameter[0], x->parameter[1]);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < A->size[blocks[k]]; i++, column++)
      for (int r = 0; r < x->rows; r++) {
        double value = check_random_normal(random);
        assert_true(rows.J[r * rows.stride + column] == 0);
        rows.J[r * rows.stride + column] = x->J[r][A->row_start[blocks[k]] + i] = value;
      }
  assert_in_range(rows.stride, column, column + 3);
  for (int r = 0; r < x->rows; r++) {
    rows.R[r] = x->R[r] = check_random_uniform(random, 0, 1);
    rows.v_hat[r] = x->v_hat[r] = check_random_normal(random);
  }
}

/* A with blocks on the diagonal, 4 + a symmetric part. */
static void make_A(sample* s, check_random* random) {
  int count = check_random_int(random, 1, MOST_BLOCKS), size[MOST_BLOCKS], couplings[2][2];
  for (int b = 0; b < count; b++) size[b] = check_random_int(random, 1, MOST_SIZE);
  for (int k = 0; k < 4; k++) couplings[k / 2][k % 2] = check_random_int(random, 0, count - 1);
  assert_true(cr_bsm_pattern_build(&s->arena, count, size, 2, couplings, &s->problem.pattern));
  const cr_bsm_pattern* A = &s->problem.pattern;
  double* values = CR_PUSH(&s->arena, double, A->num_values);
  for (int i = 0; i < A->num_values; i++) values[i] = 0.1 * check_random_normal(random);
  for (int j = 0; j < count; j++) {
    double* block = values + A->value_start[A->col_start[j]];
    for (int r = 0; r < size[j]; r++)
      for (int c = 0; c <= r; c++)
        block[c * size[j] + r] = block[r * size[j] + c] += r == c ? 4 : 0;
  }
  s->problem.A = values;
  assert_true(cr_symbolic_analyze(A, CR_ORDERING_AUTO, &s->arena, &s->A_symbolic));
  double* factor = CR_PUSH(&s->arena, double, s->A_symbolic.factor_size);
  double* scratch = CR_PUSH(&s->arena, double, s->A_symbolic.scratch_size);
  cr_cholesky_load(&s->A_symbolic, values, factor);
  assert_int_equal(cr_cholesky_factor(&s->A_symbolic, factor, scratch), -1);
  s->problem.A_symbolic = &s->A_symbolic, s->problem.A_factor = factor;
}

static sample* sample_create(check_random* random) {
  sample* s = calloc(1, sizeof *s);
  assert_non_null(s);
  cr_arena_init(&s->arena, NULL);
  make_A(s, random);
  int count = check_random_int(random, 0, MOST_ITEMS);
  cr_assembly_capacity capacity = {count, CR_LAW_MAX_ROWS * count, 4 * count,
                                   (int64_t)count * CR_LAW_MAX_ROWS * 4 * 8};
  cr_assembly assembly;
  assert_true(cr_assembly_init(&assembly, &s->problem.pattern, &capacity, &s->arena));
  for (int i = 0; i < count; i++) add_item(s, &assembly, random);
  assert_true(cr_assembly_finish(&assembly, &s->arena, &s->problem, &s->order));
  return s;
}

static void sample_destroy(sample* s) {
  cr_arena_destroy(&s->arena);
  free(s);
}

/* Constraint by constraint, and each exactly once. */
static void test_rows(void** state) {
  (void)state;
  check_random random = {1};
  for (int repeat = 0; repeat < 300; repeat++) {
    sample* s = sample_create(&random);
    const cr_problem* p = &s->problem;
    double* J = test_problem_dense_J(p);
    int n = p->pattern.num_rows, rows = 0, seen[MOST_ITEMS] = {0};
    assert_int_equal(p->num_constraints, s->num_items);
    for (int i = 0; i < p->num_constraints; i++) {
      const added* x = &s->items[s->order[i]];
      int row = p->row[i];
      assert_int_equal(seen[s->order[i]]++, 0);
      assert_int_equal(p->kind[i], x->kind);
      assert_int_equal(row, rows);
      rows += x->rows;
      assert_memory_equal(p->parameter + 2 * i, x->parameter, sizeof x->parameter);
      assert_memory_equal(p->R + row, x->R, sizeof(double) * (size_t)x->rows);
      assert_memory_equal(p->v_hat + row, x->v_hat, sizeof(double) * (size_t)x->rows);
      for (int r = 0; r < x->rows; r++)
        check_near_array(J + (size_t)(row + r) * (size_t)n, x->J[r], n, 0);
    }
    assert_int_equal(p->num_rows, rows);
    free(J);
    sample_destroy(s);
  }
}

static bool same_blocks(const cr_problem* p, const cr_problem_group* a, const cr_problem_group* b) {
  return a->block_count == b->block_count &&
         memcmp(p->group_block + a->block_start, p->group_block + b->block_start,
                sizeof(int) * (size_t)a->block_count) == 0;
}

/* No two groups span the same blocks, and rows are padded with zeros. */
static void test_groups(void** state) {
  (void)state;
  check_random random = {2};
  int shared = 0;
  for (int repeat = 0; repeat < 300; repeat++) {
    sample* s = sample_create(&random);
    const cr_problem* p = &s->problem;
    shared += p->num_constraints - p->num_groups;
    for (int g = 0; g < p->num_groups; g++) {
      const cr_problem_group* group = &p->group[g];
      for (int h = 0; h < g; h++) assert_false(same_blocks(p, group, &p->group[h]));
      assert_in_range(group->stride, group->columns, p->max_stride);
      for (int r = 0; r < group->row_count; r++)
        for (int c = group->columns; c < group->stride; c++)
          assert_true(p->J[group->J_start + r * group->stride + c] == 0);
    }
    sample_destroy(s);
  }
  assert_true(shared > 1000);
}

/* J v and Jᵀ gamma, to round-off of sums of n and of rows terms. */
static void test_products(void** state) {
  (void)state;
  check_random random = {3};
  for (int repeat = 0; repeat < 300; repeat++) {
    sample* s = sample_create(&random);
    const cr_problem* p = &s->problem;
    int n = p->pattern.num_rows, m = p->num_rows;
    double *J = test_problem_dense_J(p), *JT = dense_transpose(J, m, n);
    double *v = dense_zeros(n), *gamma = dense_zeros(m), *v_c = dense_zeros(m), *x = dense_zeros(n);
    double* scratch = dense_zeros((int)cr_problem_scratch_size(p));
    for (int i = 0; i < n; i++) x[i] = v[i] = check_random_normal(&random);
    for (int i = 0; i < m; i++) gamma[i] = check_random_normal(&random);
    double *expected_v_c = dense_product(J, v, m, n, 1),
           *impulse = dense_product(JT, gamma, n, m, 1);
    cr_problem_apply_J(p, v, v_c, scratch);
    check_near_array(v_c, expected_v_c, m, 100 * DBL_EPSILON * dense_norm(v, n));
    cr_problem_add_J_transposed(p, gamma, x, scratch);
    for (int i = 0; i < n; i++)
      check_near(x[i], v[i] + impulse[i], 100 * DBL_EPSILON * (1 + dense_norm(gamma, m)));
    free(J), free(JT), free(v), free(gamma), free(v_c), free(x), free(scratch);
    free(expected_v_c), free(impulse);
    sample_destroy(s);
  }
}

/* W_ii from the sparse factor against J A^-1 Jᵀ; A's condition number is below ten. */
static void test_delassus(void** state) {
  (void)state;
  check_random random = {4};
  for (int repeat = 0; repeat < 100; repeat++) {
    sample* s = sample_create(&random);
    const cr_problem* p = &s->problem;
    int n = p->pattern.num_rows, m = p->num_rows;
    double *J = test_problem_dense_J(p), *X = dense_transpose(J, m, n), *A = dense_A(p);
    double* W = dense_zeros(CR_LAW_MAX_ROWS * m);
    double* scratch = dense_zeros((int)p->A_symbolic->scratch_size);
    dense_solve(A, n, X, m);
    double* full = dense_product(J, X, m, n, m);
    cr_problem_compute_delassus(p, W, scratch);
    for (int i = 0; i < p->num_constraints; i++) {
      int rows = cr_law_get(p->kind[i])->rows, row = p->row[i];
      for (int r = 0; r < rows; r++)
        check_near_array(W + p->ld * row + rows * r, full + (row + r) * m + row, rows,
                         1e-13 * (1 + full[(row + r) * m + row + r]));
    }
    free(J), free(X), free(A), free(W), free(scratch), free(full);
    sample_destroy(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_groups),
                                     cmocka_unit_test(test_products),
                                     cmocka_unit_test(test_delassus)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
