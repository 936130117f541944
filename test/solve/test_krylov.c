/* GMRES on dense operators, and the solves with the De Saxce term against dense elimination. */
#include "problem/law_table.h"
#include "solve/newton/gmres.h"
#include "solve/newton/woodbury.h"
#include "support/dense.h"
#include "support/memory.h"
#include "support/problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- GMRES --------------------------------------------------------------------------------------
 */

typedef struct matrix {
  int n, applied;
  const double* M;
} matrix;

static void apply(void* context, const double* x, double* y) {
  matrix* m = context;
  m->applied++;
  for (int i = 0; i < m->n; i++) {
    y[i] = 0;
    for (int j = 0; j < m->n; j++) y[i] += m->M[i * m->n + j] * x[j];
  }
}

/* Solves into x; returns the iterations, which are the applications. */
static int solve(const double* M, int n, double tolerance, int most, const double* b, double* x) {
  cr_arena arena;
  matrix context = {n, 0, M};
  cr_operator op = {n, apply, &context};
  cr_arena_init(&arena, NULL);
  memcpy(x, b, sizeof(double) * (size_t)n);
  int iterations = cr_gmres_solve(&op, tolerance, most, &arena, x);
  assert_int_equal(iterations, context.applied);
  assert_int_equal(arena.high, arena.capacity);
  cr_arena_destroy(&arena);
  return iterations;
}

static double residual(const double* M, int n, const double* b, const double* x) {
  double* r = dense_product(M, x, n, n, 1);
  for (int i = 0; i < n; i++) r[i] -= b[i];
  double norm = dense_norm(r, n);
  free(r);
  return norm;
}

/* 1 + a random matrix of norm about `size`. */
static double* random_matrix(check_random* random, int n, double size) {
  double* M = dense_zeros(n * n);
  for (int i = 0; i < n * n; i++)
    M[i] = size / sqrt(n) * check_random_normal(random) + (i % (n + 1) == 0);
  return M;
}

static double* random_vector(check_random* random, int n) {
  double* b = dense_zeros(n);
  for (int i = 0; i < n; i++) b[i] = check_random_normal(random);
  return b;
}

/* The tolerance is kept, and n iterations give the solution. */
static void test_tolerance(void** state) {
  (void)state;
  check_random random = {1};
  for (int repeat = 0; repeat < 300; repeat++) {
    int n = check_random_int(&random, 1, 30);
    double *M = random_matrix(&random, n, 0.4), *b = random_vector(&random, n), *x = dense_zeros(n);
    for (double tolerance = 1; tolerance > 1e-11; tolerance *= 0.1) {
      int iterations = solve(M, n, tolerance, 40, b, x);
      assert_in_range(iterations, 0, n);
      /* The residual's recursion loses what the basis loses of its orthogonality. */
      assert_true(residual(M, n, b, x) <= tolerance + 1e-13 * dense_norm(b, n));
    }
    free(M), free(b), free(x);
  }
}

/* 1 + rank r takes r + 1 iterations: the minimal polynomial has that degree. */
static void test_low_rank(void** state) {
  (void)state;
  check_random random = {2};
  for (int rank = 0; rank < 8; rank++) {
    int n = 50;
    double *P = random_vector(&random, n * (rank + 1)), *Q = random_vector(&random, n * (rank + 1));
    double* M = dense_product(P, Q, n, rank, n);
    double *b = random_vector(&random, n), *x = dense_zeros(n);
    for (int i = 0; i < n; i++) M[i * n + i] += 1;
    int iterations = solve(M, n, 1e-9 * dense_norm(b, n), 40, b, x);
    assert_int_equal(iterations, rank + 1);
    free(P), free(Q), free(M), free(b), free(x);
  }
}

/* Cut short, the residual is the least over the Krylov space: it never grows with the space. */
static void test_cut_short(void** state) {
  (void)state;
  check_random random = {3};
  int n = 60;
  double *M = random_matrix(&random, n, 0.9), *b = random_vector(&random, n), *x = dense_zeros(n);
  double last = dense_norm(b, n);
  for (int most = 1; most <= 40; most++) {
    assert_int_equal(solve(M, n, 0, most, b, x), most);
    double now = residual(M, n, b, x);
    assert_true(now <= last * (1 + 1e-12));
    last = now;
  }
  assert_true(last < 0.1 * dense_norm(b, n));
  /* The whole space holds the solution. */
  assert_int_equal(solve(M, n, 0, 1000, b, x), n);
  assert_true(residual(M, n, b, x) < 1e-10 * dense_norm(b, n));
  free(M), free(b), free(x);
}

static void test_nothing_to_do(void** state) {
  (void)state;
  double M[4] = {1, 2, 3, 4}, b[2] = {1e-3, 1e-3}, x[2];
  assert_int_equal(solve(M, 2, 0.1, 40, b, x), 0);
  assert_true(x[0] == 0 && x[1] == 0);
  b[0] = b[1] = 0;
  assert_int_equal(solve(M, 2, 0, 40, b, x), 0);
  assert_true(x[0] == 0 && x[1] == 0);
}

static void test_gmres_out_of_memory(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  matrix context = {2, 0, NULL};
  cr_operator op = {2, apply, &context};
  double x[2] = {1, 2};
  cr_arena arena;
  memory.fail_at = 0;
  cr_arena_init(&arena, &hooks);
  assert_int_equal(cr_gmres_solve(&op, 0, 10, &arena, x), -1);
  cr_arena_destroy(&arena);
}

#define DIRECT 11 /* sliding contacts of coupled bodies whose system is solved by elimination */

/* --- With the De Saxce term ---------------------------------------------------------------------
 */

/* Symmetric positive definite G, and G_coulomb = G + p qᵀ where a constraint slides. */
static int random_G(const cr_problem* p, check_random* random, double* G, double* G_coulomb) {
  int sliding = 0;
  for (int i = 0; i < p->num_constraints; i++) {
    int rows = cr_law_get(p->kind[i])->rows, at = p->ld * p->row[i];
    double B[CR_LAW_MAX_ROWS * CR_LAW_MAX_ROWS] = {0},
                               slide = rows >= 3 && check_random_int(random, 0, 1) ? 0.3 : 0;
    sliding += slide > 0;
    for (int k = 0; k < rows * rows; k++) B[k] = check_random_normal(random);
    for (int r = 0; r < rows; r++) {
      double left = check_random_normal(random);
      for (int c = 0; c < rows; c++) {
        for (int k = 0; k < rows; k++) G[at + rows * r + c] += B[rows * r + k] * B[rows * c + k];
        G_coulomb[at + rows * r + c] = G[at + rows * r + c] + slide * left * B[c];
      }
    }
  }
  return sliding;
}

/* A + Jᵀ G J. */
static double* dense_H(const cr_problem* p, const double* G) {
  int n = p->pattern.num_rows;
  double *H = dense_A(p), *J = test_problem_dense_J(p);
  for (int i = 0; i < p->num_constraints; i++) {
    int rows = cr_law_get(p->kind[i])->rows, row = p->row[i];
    for (int a = 0; a < rows * rows; a++) {
      const double *left = J + (row + a / rows) * n, *right = J + (row + a % rows) * n;
      double g = G[p->ld * row + a];
      for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) H[r * n + c] += left[r] * g * right[c];
    }
  }
  free(J);
  return H;
}

static test_problem_def small_def(check_random* random) {
  int bodies = check_random_int(random, 1, 6), contacts = check_random_int(random, 1, 40);
  return test_problem_def_mild(bodies, contacts, check_random_int(random, 0, 5), true);
}

/* One system: H by its sparse factor, then with the rank-one terms. */
static void check_system(const cr_problem* p, check_random* random) {
  cr_arena arena;
  cr_system system;
  cr_arena_init(&arena, NULL);
  assert_true(cr_system_init(&system, p, NULL, &arena));
  int n = p->pattern.num_rows, m = p->ld * p->num_rows;
  double *G = dense_zeros(m), *G_coulomb = dense_zeros(m), *b = random_vector(random, n);
  double *x = dense_zeros(n), *y = dense_zeros(n);
  int sliding = random_G(p, random, G, G_coulomb);
  double *H = dense_H(p, G), *H_coulomb = dense_H(p, G_coulomb);
  assert_true(cr_system_factor(&system, G));
  memcpy(x, b, sizeof(double) * (size_t)n);
  memcpy(y, b, sizeof(double) * (size_t)n);
  cr_system_solve(&system, x);
  dense_solve(H, n, y, 1);
  /* Condition numbers of H are below 1e7: inertias of 0.003 against masses of 10 and J'GJ. */
  check_near_array(x, y, n, 1e-9 * dense_norm(y, n));

  memcpy(x, b, sizeof(double) * (size_t)n);
  memcpy(y, b, sizeof(double) * (size_t)n);
  bool is_exact;
  int iterations = cr_woodbury_solve(&system, G, G_coulomb, 1e-12, n, &arena, x, &is_exact);
  dense_solve(H_coulomb, n, y, 1);
  bool is_small = cr_problem_is_articulated(p) && sliding <= DIRECT;
  assert_int_equal(is_exact, sliding == 0 || is_small);
  assert_in_range(iterations, !is_exact, is_exact ? 0 : sliding);
  double* check = dense_product(H_coulomb, x, n, n, 1);
  check_near_array(check, b, n, 1e-8 * dense_norm(b, n));
  check_near_array(x, y, n, 1e-6 * dense_norm(y, n));
  free(G), free(G_coulomb), free(b), free(x), free(y), free(H), free(H_coulomb), free(check);
  cr_arena_destroy(&arena);
}

static void test_slip(void** state) {
  (void)state;
  check_random random = {5};
  for (int repeat = 0; repeat < 300; repeat++) {
    test_problem p;
    test_problem_def def = small_def(&random);
    test_problem_make_random(&def, &random, &p);
    check_system(&p.problem, &random);
    test_problem_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tolerance),           cmocka_unit_test(test_low_rank),
      cmocka_unit_test(test_cut_short),           cmocka_unit_test(test_nothing_to_do),
      cmocka_unit_test(test_gmres_out_of_memory), cmocka_unit_test(test_slip)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
