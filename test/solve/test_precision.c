/* Newton with factors in single precision finds what it finds with doubles, within the
 * certificates' bounds. Tolerances of 1e-8 and more allow them, in problems as large as these. */
#include "support/solution.h"

#include <math.h>
#include <stdlib.h>

#define SINGLE_TOLERANCE 1e-8
#define DOUBLE_TOLERANCE 7e-9

static double* reals(int count) { return calloc((size_t)count, sizeof(double)); }

/* Solves from v0 and no impulses; returns the certified bound on |v - v_opt|_A. */
static double solve(const test_problem* p, double tolerance, double* v) {
  cr_solve_options options = cr_solve_options_default();
  options.friction = CR_FRICTION_CONVEX;
  options.tolerance = tolerance;
  double* gamma = reals(p->problem.num_rows);
  cr_solve_report report = test_solve(&p->problem, &options, v, gamma);
  assert_int_equal(report.outcome, CR_SOLVE_CERTIFIED);
  free(gamma);
  return report.error_bound;
}

static void check_precisions(double sigma, double stiffness, uint64_t seed) {
  check_random random = {seed};
  test_problem p;
  test_problem_def def = {.bodies = 120,
                          .contacts = 400,
                          .mass_ratio = 10,
                          .stiffness_low = 1e3,
                          .stiffness_high = stiffness,
                          .mu_low = 0.1,
                          .mu_high = 1,
                          .sigma = sigma};
  test_problem_make_random(&def, &random, &p);
  int n = p.problem.pattern.num_rows;
  size_t size = sizeof(double) * (size_t)n;
  double *v_single = reals(n), *v_double = reals(n);
  double bound = solve(&p, SINGLE_TOLERANCE, v_single) + solve(&p, DOUBLE_TOLERANCE, v_double);
  double distance = test_distance(&p.problem, v_single, v_double);
  /* Round-off of velocities. */
  double change = test_distance(&p.problem, v_double, p.problem.v_star);
  assert_true(distance <= bound + 1e-12 * change);
  /* The bits differ, or factors would have been the same. */
  assert_memory_not_equal(v_single, v_double, size);
  free(v_single), free(v_double);
  test_problem_destroy(&p);
}

static void precisions_agree(void** state) {
  (void)state;
  for (int k = 0; k < check_repeats(12); k++) check_precisions(1e-2, 1e6, (uint64_t)k + 1);
}

/* Where R is smaller, single precision leaves more, and doubles may take over. */
static void stiff_problems_agree(void** state) {
  (void)state;
  for (int k = 0; k < check_repeats(12); k++) check_precisions(1e-5, 1e6, (uint64_t)k + 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(precisions_agree),
      cmocka_unit_test(stiff_problems_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
