/* Sweeps with Coulomb friction: what they end at is a solution of Coulomb's law, which dense
 * measures of its own confirm, and they find it from no impulses. */
#include "solve/first_order/gauss_seidel.h"
#include "support/dense.h"
#include "support/solution.h"

#include <string.h>

#define SWEEPS    500
#define ROUND_OFF 1e-12 /* of the scales of velocities and impulses */

/* The largest violation of Coulomb's law that sweeps from no impulses leave. */
static double sweep(const cr_problem* p, int sweeps) {
  test_solver t;
  test_solver_init(&t, p);
  assert_true(cr_gauss_seidel_coulomb(&t.system, sweeps, 0, &t.arena, &t.iterate));
  double violation = test_optimality(p, t.iterate.v, t.iterate.gamma, true);
  test_solver_destroy(&t);
  return violation;
}

/* Few contacts, some with moments. */
static test_problem_def small_def(check_random* random) {
  int bodies = check_random_int(random, 1, 6), contacts = check_random_int(random, 1, 8);
  test_problem_def def = test_problem_def_mild(bodies, contacts, 2, true);
  def.stiffness_high = 1e4;
  def.moments = 0.3, def.length_low = 0.01, def.length_high = 0.1;
  return def;
}

static void sweeps_end_at_a_solution(void** state) {
  (void)state;
  check_random random = {3};
  for (int repeat = 0; repeat < check_repeats(200); repeat++) {
    test_problem p;
    test_problem_def def = small_def(&random);
    test_problem_make_random(&def, &random, &p);
    assert_true(sweep(&p.problem, SWEEPS) <= ROUND_OFF);
    test_problem_destroy(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sweeps_end_at_a_solution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
