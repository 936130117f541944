/* Random convex problems, up to fifty contacts, redundant or not, masses over six decades and
 * stiffnesses over ten: Newton always reaches its tolerance by the pair certificate, the conic
 * form's optimality conditions hold as well as the certificate says, and costs obey l_p + l_d = 1/2
 * |grad l|² in A^-1 for every v. */
#include "support/solution.h"

#include <math.h>
#include <stdlib.h>

static test_problem_def random_def(check_random* random) {
  int contacts = check_random_int(random, 1, 50);
  double mu = check_random_int(random, 0, 9) ? check_random_uniform(random, 0, 5) : 0;
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

/* Gaps below this share of the costs are less than the round-off of the conditions' own sums, which
 * adds to what is violated: to the root of the gap, not to the gap. */
#define GAP_FLOOR 1e-20

static double check_conic_form(const cr_problem* p, const double* v, const double* gamma,
                               double gap) {
  double* own = calloc((size_t)p->num_rows + 1, sizeof(double));
  double norm2, cost = fabs(test_primal_cost(p, v, &norm2, own)) + fabs(test_dual_cost(p, gamma));
  free(own);
  double excess = test_gap_excess(p, v, gamma, pow(sqrt(gap) + sqrt(GAP_FLOOR * cost), 2));
  assert_true(excess <= 1 + 1e-6);
  return excess;
}

static void test_convex(void** state) {
  (void)state;
  check_random random = {20261120};
  cr_solve_options options = cr_solve_options_default();
  options.friction = CR_FRICTION_CONVEX;
  long iterations = 0;
  double excess = 0;
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
    excess = fmax(excess, check_conic_form(&p.problem, v, gamma, report.gap));
    check_duality(&p.problem, v);
    check_duality(&p.problem, p.problem.v0);
    iterations += report.iterations;
    slow += report.outer_iterations > 1;
    if (report.iterations > largest) largest = report.iterations;
    free(v), free(gamma);
    test_problem_destroy(&p);
  }
  print_message("%d problems: %.1f iterations on average, %d at most, %d restarted; conditions "
                "violated by up to %.2f of their bounds\n",
                count, (double)iterations / count, largest, slow, excess);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_convex)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
