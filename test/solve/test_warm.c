/* Warm starts of large, nearly rigid problems, whose first Newton step may hardly be taken: they
 * end where cold starts do. */
#include "support/dense.h"
#include "support/solution.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-6

static cr_solve_report solve(const cr_problem* p, cr_start start, double* v, double* gamma) {
  cr_solve_options options = cr_solve_options_default();
  options.friction = CR_FRICTION_CONVEX;
  options.tolerance = TOLERANCE;
  options.start = start;
  cr_solve_report report = test_solve(p, &options, v, gamma);
  assert_int_equal(report.outcome, CR_SOLVE_CERTIFIED);
  return report;
}

static void warm_starts_end_where_cold_ones_do(void** state) {
  (void)state;
  check_random random = {51};
  int most = 0;
  for (int repeat = 0; repeat < check_repeats(60); repeat++) {
    test_problem_def def = test_problem_def_mild(100, 500, 20, repeat % 2);
    def.sigma = repeat % 3 ? 1e-8 : 1e-6, def.redundant = 0.3;
    test_problem t;
    test_problem_make_random(&def, &random, &t);
    cr_problem* p = &t.problem;
    int n = p->pattern.num_rows;
    double *v = dense_zeros(2 * n), *v_warm = v + n;
    double* v_star = dense_zeros(n);
    double* gamma = dense_zeros(p->num_rows);
    solve(p, CR_START_COLD, v_warm, gamma);
    for (int i = 0; i < n; i++)
      v_star[i] = p->v_star[i] * (1 + 0.01 * check_random_uniform(&random, -1, 1));
    p->v_star = v_star, p->v0 = v_warm, p->v_c_star = p->v_c0 = NULL;
    cr_solve_report warm = solve(p, CR_START_IMPULSES, v_warm, gamma);
    cr_solve_report cold = solve(p, CR_START_COLD, v, gamma);
    assert_true(test_distance(p, v, v_warm) <= warm.error_bound + cold.error_bound);
    if (warm.iterations > most) most = warm.iterations;
    free(v), free(v_star), free(gamma);
    test_problem_destroy(&t);
  }
  print_message("%d iterations at most\n", most);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(warm_starts_end_where_cold_ones_do)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
