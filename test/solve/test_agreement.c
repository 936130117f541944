/* Every solver on the same problems: no two are farther apart than both certificates allow, each
 * says whether it reached the tolerance, and the first-order ones reach it wherever their theory
 * says that they must. */
#include "solve/solve.h"
#include "support/solution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const NAMES[CR_SOLVER_COUNT] = {
    [CR_SOLVER_NEWTON] = "newton", [CR_SOLVER_PRIMAL] = "primal", [CR_SOLVER_PGS] = "pgs",
    [CR_SOLVER_APGD] = "apgd",     [CR_SOLVER_IPM] = "ipm",
};

#define TOLERANCE 1e-6

/* Least epsilon (test_smallest_epsilon) at which a solver owes the tolerance. The interior point's
 * products of point and slack end at round-off, 2^-52 of an energy, which is 1.5e-8 / sqrt(epsilon)
 * as a velocity. */
static const double EPSILON[CR_SOLVER_COUNT] = {
    [CR_SOLVER_PGS] = TEST_EPSILON_PGS,
    [CR_SOLVER_APGD] = TEST_EPSILON_APGD,
    [CR_SOLVER_IPM] = 3e-4,
};

/* Round-off of velocities. */
#define FLOOR 1e-12

typedef struct outcome {
  cr_solve_report report;
  double *v, *gamma;
} outcome;

static cr_solve_options options_for(cr_solver_kind solver, double tolerance) {
  cr_solve_options options = cr_solve_options_default();
  options.solver = solver;
  options.friction = CR_FRICTION_CONVEX;
  options.tolerance = tolerance;
  return options;
}

static outcome solve_by(const cr_problem* p, const cr_solve_options* options) {
  outcome o = {.v = calloc((size_t)p->pattern.num_rows + 1, sizeof(double)),
               .gamma = calloc((size_t)p->num_rows + 1, sizeof(double))};
  o.report = test_solve(p, options, o.v, o.gamma);
  return o;
}

static void outcome_free(outcome* o) { free(o->v), free(o->gamma); }

/* --- Random convex problems ---------------------------------------------------------------------
 */

static test_problem_def random_def(check_random* random) {
  int contacts = check_random_int(random, 0, 30);
  double stiffness = pow(10, check_random_uniform(random, 3, 8));
  return (test_problem_def){.bodies = check_random_int(random, 1, 12),
                            .contacts = contacts,
                            .mass_ratio = pow(10, check_random_uniform(random, 0, 3)),
                            .length_low = 1e-4,
                            .length_high = 0.1,
                            .stiffness_low = 1e2,
                            .stiffness_high = stiffness,
                            .mu_low = 0.1,
                            .mu_high = 1,
                            .sigma = pow(10, check_random_uniform(random, -4, 0)),
                            .redundant = check_random_uniform(random, 0, 0.5),
                            .bounds = check_random_int(random, contacts ? 0 : 1, 10),
                            .full_A = check_random_int(random, 0, 1) == 1};
}

typedef struct tally {
  long iterations[CR_SOLVER_COUNT];
  int stalled[CR_SOLVER_COUNT], owed[CR_SOLVER_COUNT]; /* of those that must not stall */
  double largest_stalled[CR_SOLVER_COUNT];             /* epsilon */
} tally;

/* The bound holds for stalled solvers too: a certificate needs no convergence. */
static void compare(const cr_problem* p, tally* t) {
  outcome o[CR_SOLVER_COUNT];
  double epsilon = test_smallest_epsilon(p), norm2;
  double* gamma = calloc((size_t)p->num_rows + 1, sizeof(double));
  for (int s = 0; s < CR_SOLVER_COUNT; s++) {
    cr_solve_options options = options_for((cr_solver_kind)s, TOLERANCE);
    o[s] = solve_by(p, &options);
    bool certified = o[s].report.outcome == CR_SOLVE_CERTIFIED;
    assert_true(certified == (o[s].report.relative_gap <= TOLERANCE));
    t->iterations[s] += o[s].report.iterations;
    t->owed[s] += epsilon >= EPSILON[s];
    if (certified) continue;
    t->stalled[s]++;
    t->largest_stalled[s] = fmax(t->largest_stalled[s], epsilon);
  }
  double floor = FLOOR * sqrt(2 * fmax(test_primal_cost(p, o[0].v, &norm2, gamma), 0));
  for (int a = 0; a < CR_SOLVER_COUNT; a++)
    for (int b = 0; b < a; b++) {
      double bound = o[a].report.error_bound + o[b].report.error_bound + floor;
      if (!(test_distance(p, o[a].v, o[b].v) <= bound * (1 + FLOOR)))
        fail_msg("%s and %s: %g apart, bound %g", NAMES[a], NAMES[b],
                 test_distance(p, o[a].v, o[b].v), bound);
    }
  for (int s = 0; s < CR_SOLVER_COUNT; s++) outcome_free(&o[s]);
  free(gamma);
}

static void solve_random(uint64_t seed, double moments) {
  check_random random = {seed};
  tally t = {0};
  int count = check_repeats(1000);
  for (int k = 0; k < count; k++) {
    test_problem p;
    test_problem_def def = random_def(&random);
    def.moments = moments;
    if (moments > 0) def.contacts = (def.contacts + 2) / 3, def.bodies = (def.bodies + 1) / 2;
    test_problem_make_random(&def, &random, &p);
    compare(&p.problem, &t);
    test_problem_destroy(&p);
  }
  for (int s = 0; s < CR_SOLVER_COUNT; s++) {
    print_message("%s: %.1f iterations on average, %d of %d stalled, epsilon below %.1e; %d had to "
                  "be solved\n",
                  NAMES[s], (double)t.iterations[s] / count, t.stalled[s], count,
                  t.largest_stalled[s], t.owed[s]);
    if (t.stalled[s]) assert_true(t.largest_stalled[s] < EPSILON[s]);
  }
}

static void test_random(void** state) {
  (void)state;
  solve_random(2015, 0);
}

/* Small ones, most of the contacts with torsional and perhaps rolling friction. */
static void test_moments(void** state) {
  (void)state;
  solve_random(2026, 0.6);
}

/* --- Rigid contact ------------------------------------------------------------------------------
 */

/* What a class of problems came to. */
typedef struct class_tally {
  int stalled[CR_SOLVER_COUNT];
  long iterations[CR_SOLVER_COUNT];
  double violation[CR_SOLVER_COUNT]; /* of the optimality conditions, where certified */
} class_tally;

static test_problem_def rigid_def(check_random* random, double redundant) {
  return (test_problem_def){.bodies = check_random_int(random, 1, 10),
                            .contacts = check_random_int(random, 1, 20),
                            .mass_ratio = pow(10, check_random_uniform(random, 0, 1)),
                            .stiffness_low = INFINITY,
                            .stiffness_high = INFINITY,
                            .mu_low = 0.1,
                            .mu_high = 1,
                            .redundant = redundant};
}

static void solve_rigid(const cr_problem* p, cr_friction friction, class_tally* t) {
  for (int s = 0; s < CR_SOLVER_COUNT; s++) {
    cr_solve_options options = options_for((cr_solver_kind)s, TOLERANCE);
    options.friction = friction;
    if (s == CR_SOLVER_PRIMAL) options.max_iterations = 400;
    outcome o = solve_by(p, &options);
    bool certified = o.report.outcome == CR_SOLVE_CERTIFIED;
    assert_true(certified == (o.report.residual <= TOLERANCE));
    t->iterations[s] += o.report.iterations;
    t->stalled[s] += !certified;
    double violation = test_optimality(p, o.v, o.gamma, friction == CR_FRICTION_COULOMB);
    if (certified) t->violation[s] = fmax(t->violation[s], violation);
    outcome_free(&o);
  }
}

static class_tally solve_class(cr_friction friction, double redundant, double moments, int count) {
  check_random random = {99};
  class_tally t = {0};
  for (int k = 0; k < count; k++) {
    test_problem p;
    test_problem_def def = rigid_def(&random, redundant);
    def.moments = moments, def.length_low = 1e-4, def.length_high = 0.1;
    test_problem_make_random(&def, &random, &p);
    solve_rigid(&p.problem, friction, &t);
    test_problem_destroy(&p);
  }
  for (int s = 0; s < CR_SOLVER_COUNT; s++)
    print_message("%s: %.1f iterations on average, %d of %d stalled, violation %.1e\n", NAMES[s],
                  (double)t.iterations[s] / count, t.stalled[s], count, t.violation[s]);
  return t;
}

/* Where a solver says that a rigid problem is solved, its conditions hold. The residual counts
 * impulses in units of the free motion's; a violation may be larger by the problem's size. Half of
 * the redundant contacts repeat others with a slightly different bias: Gauss-Seidel hands the
 * impulse over in small steps and may not get to the end. */
static void test_rigid(void** state) {
  (void)state;
  int count = check_repeats(200);
  for (int redundant = 0; redundant < 2; redundant++) {
    class_tally t = solve_class(CR_FRICTION_CONVEX, 0.5 * redundant, 0, count);
    for (int s = 0; s < CR_SOLVER_COUNT; s++) {
      assert_true(t.violation[s] <= 100 * TOLERANCE);
      if (s != CR_SOLVER_PGS || !redundant) assert_int_equal(t.stalled[s], 0);
    }
  }
}

/* True Coulomb friction: the default solver, and the fixed point around each of the others. */
static void test_coulomb(void** state) {
  (void)state;
  int count = check_repeats(100);
  class_tally t = solve_class(CR_FRICTION_COULOMB, 0.2, 0, count);
  for (int s = 0; s < CR_SOLVER_COUNT; s++) {
    assert_true(t.violation[s] <= 100 * TOLERANCE);
    assert_true(s == CR_SOLVER_PGS || t.stalled[s] <= (count + 19) / 20);
  }
}

/* Rigid contacts with moments, whose rows see inverse masses of ten decades. */
static void test_rigid_moments(void** state) {
  (void)state;
  int count = check_repeats(60);
  for (int coulomb = 0; coulomb < 2; coulomb++) {
    class_tally t =
        solve_class(coulomb ? CR_FRICTION_COULOMB : CR_FRICTION_CONVEX, 0.2, 0.8, count);
    for (int s = 0; s < CR_SOLVER_COUNT; s++) assert_true(t.violation[s] <= 100 * TOLERANCE);
    assert_int_equal(t.stalled[CR_SOLVER_NEWTON], 0);
  }
}

/* --- Warm starts --------------------------------------------------------------------------------
 */

/* Iterations from a guess that is `off` from the solution, relative. */
static int solve_warm(const cr_problem* p, cr_solver_kind solver, const double* gamma, double off,
                      check_random* random) {
  cr_solve_options options = options_for(solver, TOLERANCE);
  options.start = CR_START_IMPULSES;
  double* v = calloc((size_t)p->pattern.num_rows + 1, sizeof(double));
  double* guess = calloc((size_t)p->num_rows + 1, sizeof(double));
  for (int r = 0; r < p->num_rows; r++)
    guess[r] = gamma[r] * (1 + off * check_random_normal(random));
  cr_solve_report report = test_solve(p, &options, v, guess);
  assert_int_equal(report.outcome, CR_SOLVE_CERTIFIED);
  free(v), free(guess);
  return report.iterations;
}

/* From the solution nothing is left to do (Newton checks it with one step); from near it, less than
 * from afar. */
static void test_warm(void** state) {
  (void)state;
  check_random random = {5};
  long cold[CR_SOLVER_COUNT] = {0}, near[CR_SOLVER_COUNT] = {0};
  for (int k = 0; k < check_repeats(50); k++) {
    test_problem p;
    test_problem_def def = {.bodies = 8,
                            .contacts = 20,
                            .mass_ratio = 10,
                            .stiffness_low = 1e3,
                            .stiffness_high = 1e5,
                            .mu_low = 0.1,
                            .mu_high = 1,
                            .sigma = 1e-2};
    test_problem_make_random(&def, &random, &p);
    for (int s = 0; s < CR_SOLVER_COUNT; s++) {
      cr_solve_options options = options_for((cr_solver_kind)s, 1e-2 * TOLERANCE);
      outcome o = solve_by(&p.problem, &options);
      cold[s] += o.report.iterations;
      int again = solve_warm(&p.problem, (cr_solver_kind)s, o.gamma, 0, &random);
      assert_true(again <= (s == CR_SOLVER_NEWTON));
      near[s] += solve_warm(&p.problem, (cr_solver_kind)s, o.gamma, 1e-4, &random);
      outcome_free(&o);
    }
    test_problem_destroy(&p);
  }
  for (int s = 0; s < CR_SOLVER_COUNT; s++) {
    print_message("%s: %ld iterations cold, %ld warm\n", NAMES[s], cold[s], near[s]);
    assert_true(near[s] < cold[s]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),        cmocka_unit_test(test_moments),
      cmocka_unit_test(test_rigid),         cmocka_unit_test(test_coulomb),
      cmocka_unit_test(test_rigid_moments), cmocka_unit_test(test_warm)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
