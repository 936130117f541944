/* Impulses that are handed out balance the momentum of the velocities to round-off, at any
 * tolerance and of every law, and lie in their sets. */
#include "support/dense.h"
#include "support/solution.h"

#include <math.h>
#include <stdlib.h>

/* Largest of |A (v - v*) - Jᵀ gamma| over the largest of |A| |v - v*| + |Jᵀ| |gamma|. */
static double find_imbalance(const cr_problem* p, const double* v, const double* gamma) {
  int n = p->pattern.num_rows;
  double *A = dense_A(p), *J = test_problem_dense_J(p), worst = 0, size = 0;
  for (int i = 0; i < n; i++) {
    double r = 0, sum = 0;
    for (int j = 0; j < n; j++) {
      double x = A[n * i + j] * (v[j] - p->v_star[j]);
      r += x, sum += fabs(x);
    }
    for (int k = 0; k < p->num_rows; k++) {
      double x = J[n * k + i] * gamma[k];
      r -= x, sum += fabs(x);
    }
    worst = fmax(worst, fabs(r)), size = fmax(size, sum);
  }
  free(A), free(J);
  return size > 0 ? worst / size : 0;
}

/* Largest distance of impulses from their sets, over the norm of all. */
static double find_outside(const cr_problem* p, const double* gamma) {
  test_solver s;
  double *projected = dense_zeros(p->num_rows), worst = 0;
  test_solver_init(&s, p);
  CR_FOR_EACH_LAW (k, s.system.batch) cr_law_get(k)->project(&s.system.batch[k], gamma, projected);
  for (int i = 0; i < p->num_rows; i++) worst = fmax(worst, fabs(projected[i] - gamma[i]));
  double size = dense_norm(gamma, p->num_rows);
  test_solver_destroy(&s);
  free(projected);
  return size > 0 ? worst / size : 0;
}

static test_problem_def random_def(check_random* random) {
  int contacts = check_random_int(random, 0, 20);
  bool is_rigid = check_random_int(random, 0, 1);
  return (test_problem_def){.bodies = check_random_int(random, 1, 8),
                            .contacts = contacts,
                            .mass_ratio = 10,
                            .stiffness_low = is_rigid ? 1e8 : 1e3,
                            .stiffness_high = is_rigid ? 1e10 : 1e6,
                            .mu_low = 0.1,
                            .mu_high = 1,
                            .sigma = is_rigid ? 1e-8 : 1e-2,
                            .redundant = check_random_uniform(random, 0, 0.3),
                            .bounds = check_random_int(random, contacts ? 0 : 1, 8),
                            .moments = check_random_uniform(random, 0, 1),
                            .length_low = 1e-3,
                            .length_high = 0.1,
                            .full_A = check_random_int(random, 0, 1)};
}

/* A step's problem, of which some islands have rows alone. */
static void check_balance(const cr_problem* p, const cr_solve_options* options) {
  double *v = dense_zeros(p->pattern.num_rows), *gamma = dense_zeros(p->num_rows);
  cr_solve_report report = test_solve(p, options, v, gamma);
  assert_int_equal(report.outcome, CR_SOLVE_CERTIFIED);
  assert_true(fmin(report.residual, report.relative_gap) <= options->tolerance);
  check_near(find_imbalance(p, v, gamma), 0, 1e-12);
  check_near(find_outside(p, gamma), 0, 1e-15);
  free(v), free(gamma);
}

static void check_friction(cr_friction friction) {
  for (int solver = 0; solver < CR_SOLVER_COUNT; solver++)
    for (int digits = 3; digits <= 6; digits += 3) {
      check_random random = {7};
      cr_solve_options options = cr_solve_options_default();
      options.solver = (cr_solver_kind)solver, options.friction = friction;
      options.tolerance = pow(10, -digits), options.budget = CR_BUDGET_BOUNDED;
      for (int k = 0; k < check_repeats(100); k++) {
        test_problem t;
        test_problem_def def = random_def(&random);
        test_problem_make_random(&def, &random, &t);
        check_balance(&t.problem, &options);
        test_problem_destroy(&t);
      }
    }
}

static void test_convex(void** state) {
  (void)state;
  check_friction(CR_FRICTION_CONVEX);
}

static void test_coulomb(void** state) {
  (void)state;
  check_friction(CR_FRICTION_COULOMB);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_convex),
      cmocka_unit_test(test_coulomb),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
