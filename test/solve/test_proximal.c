/* Proximal iterations on the impulses, as docs/theory.md states them: the solution is their fixed
 * point, with the true R, and every iteration comes nearer by the resolvent's inequality. */
#include "support/dense.h"
#include "support/solution.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-9

typedef struct proximal {
  test_problem p;
  double *rho, *R, *v_hat; /* weights, and the problem's own data */
  double *v, *gamma, *v_opt, *gamma_opt, *last;
} proximal;

static double* reals(int count) { return calloc((size_t)count + 1, sizeof(double)); }

static double* copy(const double* from, int count) {
  double* to = reals(count);
  memcpy(to, from, sizeof(double) * (size_t)count);
  return to;
}

static void solve(const cr_problem* p, double* v, double* gamma) {
  cr_solve_options options = cr_solve_options_default();
  options.friction = CR_FRICTION_CONVEX;
  options.tolerance = TOLERANCE;
  cr_solve_report report = test_solve(p, &options, v, gamma);
  assert_int_equal(report.outcome, CR_SOLVE_CERTIFIED);
}

/* A random problem, its solution, and weights over three decades. */
static void init(proximal* x, check_random* random) {
  test_problem_def def = {.bodies = check_random_int(random, 1, 6),
                          .contacts = check_random_int(random, 1, 12),
                          .mass_ratio = 10,
                          .stiffness_low = 1e3,
                          .stiffness_high = 1e5,
                          .mu_low = 0.1,
                          .mu_high = 1,
                          .sigma = 1e-2};
  test_problem_make_random(&def, random, &x->p);
  const cr_problem* p = &x->p.problem;
  int n = p->pattern.num_rows, m = p->num_rows;
  x->rho = reals(m), x->R = copy(p->R, m), x->v_hat = copy(p->v_hat, m);
  x->v = reals(n), x->gamma = reals(m), x->v_opt = reals(n), x->gamma_opt = reals(m);
  x->last = reals(m);
  solve(p, x->v_opt, x->gamma_opt);
  double size = pow(10, check_random_uniform(random, -3, 0));
  for (int r = 0; r < m; r++) x->rho[r] = size;
}

static void destroy(proximal* x) {
  double* arrays[] = {x->rho, x->R, x->v_hat, x->v, x->gamma, x->v_opt, x->gamma_opt, x->last};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  test_problem_destroy(&x->p);
}

/* gamma <- the solution with R + rho, v_hat + rho gamma. */
static void iterate(proximal* x) {
  cr_problem* p = &x->p.problem;
  memcpy(x->last, x->gamma, sizeof(double) * (size_t)p->num_rows);
  for (int r = 0; r < p->num_rows; r++) {
    p->R[r] = x->R[r] + x->rho[r];
    p->v_hat[r] = x->v_hat[r] + x->rho[r] * x->last[r];
  }
  solve(p, x->v, x->gamma);
  memcpy(p->R, x->R, sizeof(double) * (size_t)p->num_rows);
  memcpy(p->v_hat, x->v_hat, sizeof(double) * (size_t)p->num_rows);
}

/* |a - b|² in weights. */
static double norm2(const proximal* x, const double* weight, const double* a, const double* b) {
  double sum = 0;
  for (int r = 0; r < x->p.problem.num_rows; r++) sum += weight[r] * (a[r] - b[r]) * (a[r] - b[r]);
  return sum;
}

/* Of W + R. */
static double least_eigenvalue(const cr_problem* p) {
  int n = p->pattern.num_rows, m = p->num_rows;
  double *A = dense_A(p), *J = test_problem_dense_J(p), *X = dense_transpose(J, m, n);
  dense_solve(A, n, X, m);
  double *W = dense_product(J, X, m, n, m), *lambda = dense_zeros(m);
  for (int r = 0; r < m; r++) W[(m + 1) * r] += p->R[r];
  assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', m, W, m, lambda), 0);
  double least = fmax(lambda[0], 0);
  free(A), free(J), free(X), free(W), free(lambda);
  return least;
}

static void test_fixed_point(void** state) {
  (void)state;
  check_random random = {41};
  for (int k = 0; k < check_repeats(200); k++) {
    proximal x;
    init(&x, &random);
    memcpy(x.gamma, x.gamma_opt, sizeof(double) * (size_t)x.p.problem.num_rows);
    iterate(&x);
    double size = test_distance(&x.p.problem, x.p.problem.v_star, x.p.problem.v0);
    double floor = 3e-8 + TOLERANCE;
    assert_true(test_distance(&x.p.problem, x.v, x.v_opt) <=
                10 * floor * fmax(size, test_distance(&x.p.problem, x.v_opt, x.p.problem.v_star)));
    destroy(&x);
  }
}

/* With e_k = gamma_k - gamma_opt: |e_(k+1)|²_rho + |gamma_(k+1) - gamma_k|²_rho + 2
 * |e_(k+1)|²_(W+R)
 * <= |e_k|²_rho. So its square shrinks by rho / (rho + 2 lambda) at least, with lambda the least
 * eigenvalue of W + R. */
static void test_resolvent(void** state) {
  (void)state;
  check_random random = {42};
  for (int k = 0; k < check_repeats(200); k++) {
    proximal x;
    init(&x, &random);
    double first = norm2(&x, x.rho, x.gamma, x.gamma_opt), rho = x.rho[0];
    double least = least_eigenvalue(&x.p.problem);
    for (int i = 0; i < 5; i++) {
      double before = norm2(&x, x.rho, x.gamma, x.gamma_opt);
      iterate(&x);
      double moved = norm2(&x, x.rho, x.gamma, x.last);
      double after = norm2(&x, x.rho, x.gamma, x.gamma_opt);
      double inside = 2 * norm2(&x, x.R, x.gamma, x.gamma_opt);
      double dv = test_distance(&x.p.problem, x.v, x.v_opt);
      assert_true(after + moved + inside + 2 * dv * dv <= before + 1e-6 * first);
      assert_true(after <= rho / (rho + 2 * least) * before + 1e-6 * first);
    }
    destroy(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fixed_point),
                                     cmocka_unit_test(test_resolvent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
