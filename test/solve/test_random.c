/* Random convex problems: the solver always reaches its tolerance by the pair certificate, solvers
 * agree, primal and dual costs obey l_p + l_d = 1/2 |grad l|² in A^-1, and the conic form's
 * optimality conditions hold. */
#include "support/solution.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static test_problem_def random_def(check_random* random) {
  int contacts = check_random_int(random, 1, 50);
  double mu = check_random_uniform(random, 0, 5);
  return (test_problem_def){.bodies = check_random_int(random, 1, 1 + contacts / 3),
                            .contacts = contacts,
                            .mass_ratio = pow(10, check_random_uniform(random, 0, 6)),
                            .stiffness_low = 1e2,
                            .stiffness_high = 1e12,
                            .mu_low = check_random_int(random, 0, 3) ? 0.5 * mu : 0,
                            .mu_high = mu,
                            .sigma = pow(10, check_random_uniform(random, -6, 0)),
                            .redundant = check_random_uniform(random, 0, 0.6),
                            .full_A = check_random_int(random, 0, 3) == 0};
}

/* gamma(v) at any v, in place of the optimum: the identity holds for every v. */
static void check_duality(const cr_problem* p, const double* v) {
  double* gamma = calloc((size_t)p->num_rows + 1, sizeof(double));
  double norm2, primal = test_primal_cost(p, v, &norm2, gamma), dual = test_dual_cost(p, gamma);
  check_near(primal + dual, 0.5 * norm2, 1e-12 * (fabs(primal) + fabs(dual)));
  free(gamma);
}

static void test_convex(void** state) {
  (void)state;
  check_random random = {20261120};
  cr_solve_options options = cr_solve_options_default();
  options.friction = CR_FRICTION_CONVEX;
  long iterations = 0;
  int largest = 0, slow = 0, count = check_repeats(10000);
  for (int k = 0; k < count; k++) {
    test_problem p;
    test_problem_def def = random_def(&random);
    test_problem_make_random(&def, &random, &p);
    double* v = malloc(sizeof(double) * (size_t)p.problem.pattern.num_rows);
    double* gamma = calloc((size_t)p.problem.num_rows + 1, sizeof(double));
    cr_solve_report report = test_solve(&p.problem, &options, v, gamma);
    if (report.outcome != CR_SOLVE_CERTIFIED || !(report.relative_gap <= 1e-6))
      fail_msg("problem %d: outcome %d, relative gap %g, residual %g after %d iterations", k,
               report.outcome, report.relative_gap, report.residual, report.iterations);
    check_duality(&p.problem, v);
    check_duality(&p.problem, p.problem.v0);
    iterations += report.iterations;
    slow += report.outer_iterations > 1;
    if (report.iterations > largest) largest = report.iterations;
    free(v), free(gamma);
    test_problem_destroy(&p);
  }
  print_message("%d problems: %.1f iterations on average, %d at most, %d restarted\n", count,
                (double)iterations / count, largest, slow);
}

/* --- Optimality, agreement of solvers -----------------------------------------------------------
 */

/* Solves to a tight tolerance; returns the violation of the optimality conditions. */
static double solve_tightly(const cr_problem* p, cr_solver_kind solver, cr_friction friction,
                            double tolerance, double* v, double* gamma, cr_solve_report* report) {
  cr_solve_options options = cr_solve_options_default();
  options.solver = solver;
  options.friction = friction;
  options.tolerance = tolerance;
  options.max_iterations = 400;
  memset(gamma, 0, sizeof(double) * (size_t)p->num_rows);
  *report = test_solve(p, &options, v, gamma);
  return test_optimality(p, v, gamma, friction == CR_FRICTION_COULOMB);
}

/* Largest difference of two velocities, over the largest of the first. */
static double difference(const double* a, const double* b, int n) {
  double most = 0, scale = DBL_MIN;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    scale = fmax(scale, fabs(a[i]));
  }
  return most / scale;
}

/* Well conditioned problems with every kind of row. */
static test_problem_def mixed_def(check_random* random) {
  int contacts = check_random_int(random, 0, 30);
  return (test_problem_def){.bodies = check_random_int(random, 1, 12),
                            .contacts = contacts,
                            .mass_ratio = 10,
                            .stiffness_low = 1e3,
                            .stiffness_high = 1e6,
                            .mu_low = 0.1,
                            .mu_high = 1,
                            .sigma = 1e-2,
                            .bounds = check_random_int(random, contacts ? 0 : 1, 15),
                            .full_A = true};
}

static void test_agreement(void** state) {
  (void)state;
  check_random random = {7};
  double worst = 0, apart = 0;
  for (int k = 0; k < check_repeats(1000); k++) {
    test_problem p;
    test_problem_def def = mixed_def(&random);
    test_problem_make_random(&def, &random, &p);
    int n = p.problem.pattern.num_rows, rows = p.problem.num_rows;
    double *v[2], *gamma[2];
    cr_solve_report report;
    for (int s = 0; s < 2; s++) {
      v[s] = malloc(sizeof(double) * (size_t)n),
      gamma[s] = malloc(sizeof(double) * (size_t)(rows + 1));
      double violation = solve_tightly(&p.problem, s ? CR_SOLVER_PRIMAL : CR_SOLVER_NEWTON,
                                       CR_FRICTION_CONVEX, 1e-8, v[s], gamma[s], &report);
      if (report.outcome != CR_SOLVE_CERTIFIED || !(violation <= 1e-7))
        fail_msg("problem %d, solver %d: outcome %d, violation %g, gap %g", k, s, report.outcome,
                 violation, report.relative_gap);
      worst = fmax(worst, violation);
    }
    apart = fmax(apart, difference(v[0], v[1], n));
    for (int s = 0; s < 2; s++) free(v[s]), free(gamma[s]);
    test_problem_destroy(&p);
  }
  print_message("largest violation %.1e, solvers apart by %.1e\n", worst, apart);
  assert_true(apart <= 1e-7);
}

/* Rigid contact (R = 0), redundant or not, to 1e-8 by the natural residual. The convex problem is
 * always solved; Coulomb's is not convex, and a few of these bodies wedged between many random
 * contacts are left stalled, and say so. */
static void test_rigid(void** state) {
  (void)state;
  check_random random = {11};
  int failures[2] = {0}, most[2] = {0}, count = check_repeats(2000);
  double iterations[2] = {0}, worst[2] = {0};
  for (int k = 0; k < count; k++) {
    test_problem p;
    test_problem_def def = {.bodies = check_random_int(&random, 1, 12),
                            .contacts = check_random_int(&random, 1, 30),
                            .mass_ratio = pow(10, check_random_uniform(&random, 0, 2)),
                            .stiffness_low = INFINITY,
                            .stiffness_high = INFINITY,
                            .mu_low = 0.1,
                            .mu_high = 1,
                            .redundant = check_random_uniform(&random, 0, 0.5)};
    test_problem_make_random(&def, &random, &p);
    double* v = malloc(sizeof(double) * (size_t)p.problem.pattern.num_rows);
    double* gamma = malloc(sizeof(double) * (size_t)p.problem.num_rows);
    for (int f = 0; f < 2; f++) {
      cr_solve_report report;
      double violation =
          solve_tightly(&p.problem, CR_SOLVER_NEWTON, f ? CR_FRICTION_COULOMB : CR_FRICTION_CONVEX,
                        1e-8, v, gamma, &report);
      iterations[f] += report.iterations;
      if (report.iterations > most[f]) most[f] = report.iterations;
      if (report.outcome != CR_SOLVE_CERTIFIED)
        failures[f]++;
      else
        worst[f] = fmax(worst[f], violation);
    }
    free(v), free(gamma);
    test_problem_destroy(&p);
  }
  for (int f = 0; f < 2; f++)
    print_message(
        "%s: %d of %d not certified, %.1f iterations on average, %d at most, violation %.1e\n",
        f ? "Coulomb" : "convex", failures[f], count, iterations[f] / count, most[f], worst[f]);
  assert_int_equal(failures[0], 0);
  assert_true(failures[1] <= count / 200);
  assert_true(worst[0] <= 1e-6 && worst[1] <= 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_convex),
                                     cmocka_unit_test(test_agreement),
                                     cmocka_unit_test(test_rigid)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
