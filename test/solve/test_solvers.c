/* Solver = solver: the interior point, the primal-dual Newton and the published Newton on problems
 * with every kind of row agree within their certificates; rigid contact, convex and Coulomb, meets
 * its optimality conditions. */
#include "solve/driver.h"
#include "solve/interior/interior_point.h"
#include "solve/newton/primal.h"
#include "support/solution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Three solvers ------------------------------------------------------------------------------
 */

/* Well conditioned problems with every kind of row. */
static test_problem_def mixed_def(check_random* random) {
  int contacts = check_random_int(random, 0, 30), bodies = check_random_int(random, 1, 12);
  return test_problem_def_mild(bodies, contacts, check_random_int(random, contacts ? 0 : 1, 15),
                               true);
}

#define ROUND_OFF 1e-12

enum { INTERIOR, CORRECTED, PRIMAL_DUAL, PRIMAL, NUM_SOLVERS }; /* CORRECTED: for centrality */

/* The interior point is asked for what Newton asks of it: its products of point and slack cancel.
 */
static const double TOLERANCES[NUM_SOLVERS] = {1e-5, 1e-5, 1e-7, 1e-7};

typedef struct outcome {
  cr_newton_outcome outcome;
  int iterations;
  double *v, *gamma; /* gamma in C */
  double bound;      /* on |v - v_opt|_A */
  double violation;  /* of the optimality conditions, relative */
} outcome;

static cr_newton_outcome run(cr_system* system, int solver, cr_arena* arena, cr_iterate* iterate,
                             int* iterations) {
  const cr_law_mode mode = {0};
  double tolerance = TOLERANCES[solver];
  int outer = 0;
  if (solver == INTERIOR || solver == CORRECTED) {
    const cr_interior_settings settings = {CR_INTERIOR_COLD, tolerance, 60, solver == CORRECTED};
    return cr_interior_point(system, &mode, &settings, arena, iterate, iterations);
  }
  memset(iterate->gamma, 0, sizeof(double) * (size_t)system->problem->num_rows);
  cr_iterate_balance(system, iterate);
  if (solver == PRIMAL) {
    cr_primal_settings settings = {NULL, tolerance, 100, 0};
    return cr_primal_newton(system, &settings, arena, iterate, iterations, &outer);
  }
  cr_primal_dual_settings settings = cr_primal_dual_settings_default(system, tolerance);
  settings.max_iterations = 100;
  return cr_primal_dual(system, &settings, arena, iterate, iterations);
}

static outcome solve_by(const cr_problem* p, int solver) {
  outcome o = {.v = calloc((size_t)p->pattern.num_rows + 1, sizeof(double)),
               .gamma = calloc((size_t)p->num_rows + 1, sizeof(double))};
  test_solver t;
  test_solver_init(&t, p);
  o.outcome = run(&t.system, solver, &t.arena, &t.iterate, &o.iterations);
  o.bound = sqrt(2 * cr_certificate_gap(&t.system, &t.iterate, o.gamma));
  memcpy(o.v, t.iterate.v, sizeof(double) * (size_t)p->pattern.num_rows);
  o.violation = test_optimality(p, o.v, o.gamma, false);
  test_solver_destroy(&t);
  return o;
}

/* Every solver ends certified, meets the conditions, and is no farther from the others than both
 * certificates allow, which is met exactly where impulses are the solution's. `floor`: round-off of
 * velocities. */
static void compare(const cr_problem* p, int* stalled, double* worst) {
  outcome o[NUM_SOLVERS];
  double norm2, *gamma = calloc((size_t)p->num_rows + 1, sizeof(double));
  for (int s = 0; s < NUM_SOLVERS; s++) o[s] = solve_by(p, s);
  double floor = ROUND_OFF * sqrt(2 * test_primal_cost(p, o[PRIMAL].v, &norm2, gamma));
  for (int a = 0; a < NUM_SOLVERS; a++) {
    if (o[a].outcome != CR_NEWTON_CONVERGED) {
      stalled[a]++;
      continue;
    }
    worst[a] = fmax(worst[a], o[a].violation);
    for (int b = 0; b < a; b++)
      if (o[b].outcome == CR_NEWTON_CONVERGED)
        assert_true(test_distance(p, o[a].v, o[b].v) <=
                    (o[a].bound + o[b].bound) * (1 + ROUND_OFF) + floor);
  }
  for (int s = 0; s < NUM_SOLVERS; s++) free(o[s].v), free(o[s].gamma);
  free(gamma);
}

static void test_agreement(void** state) {
  (void)state;
  check_random random = {7};
  int stalled[NUM_SOLVERS] = {0}, count = check_repeats(1000);
  double worst[NUM_SOLVERS] = {0};
  for (int k = 0; k < count; k++) {
    test_problem p;
    test_problem_def def = mixed_def(&random);
    test_problem_make_random(&def, &random, &p);
    compare(&p.problem, stalled, worst);
    test_problem_destroy(&p);
  }
  print_message("%d problems; interior point, primal-dual, primal: %d, %d, %d stalled; violations "
                "%.1e, %.1e, %.1e\n",
                count, stalled[0], stalled[1], stalled[2], worst[0], worst[1], worst[2]);
  for (int s = 0; s < NUM_SOLVERS; s++) assert_true(worst[s] <= 10 * TOLERANCES[s]);
  assert_int_equal(stalled[INTERIOR], 0);
  assert_int_equal(stalled[CORRECTED], 0);
  assert_int_equal(stalled[PRIMAL], 0);
  assert_true(stalled[PRIMAL_DUAL] <= count / 100);
}

/* --- Rigid contact ------------------------------------------------------------------------------
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agreement),
                                     cmocka_unit_test(test_rigid)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
