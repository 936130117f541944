/* Chord steps, with the factor of the last Newton step: as certified as others, and fewer factors.
 */
#include "solve/certificate.h"
#include "solve/newton/primal_dual.h"
#include "support/dense.h"
#include "support/solution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 80, CONTACTS = 240 };
#define TOLERANCE 1e-6
#define MOVED     1e-3 /* of velocities, which v* and the start differ by */

typedef struct outcome {
  double *v, bound;
  int iterations, factorizations;
} outcome;

/* From a solution whose v* was another.
 * @param has_chords whether factors are dear enough to be used again */
static outcome solve(const cr_problem* p, const double* v, const double* gamma, bool has_chords) {
  outcome o = {.v = dense_zeros(p->pattern.num_rows)};
  double* scratch = dense_zeros(p->num_rows);
  test_solver t;
  test_solver_init(&t, p);
  t.system.H.flops = has_chords ? 1e6 : 0;
  memcpy(t.iterate.v, v, sizeof(double) * (size_t)p->pattern.num_rows);
  memcpy(t.iterate.gamma, gamma, sizeof(double) * (size_t)p->num_rows);
  cr_iterate_update(&t.system, &t.iterate);
  cr_primal_dual_settings settings = cr_primal_dual_settings_default(&t.system, TOLERANCE);
  assert_int_equal(cr_primal_dual(&t.system, &settings, &t.arena, &t.iterate, &o.iterations),
                   CR_NEWTON_CONVERGED);
  double gap = cr_certificate_gap(&t.system, &t.iterate, scratch);
  assert_true(sqrt(2 * gap) <=
              TOLERANCE * cr_certificate_scale(&t.system, &t.iterate) * (1 + 1e-6));
  o.bound = sqrt(2 * gap), o.factorizations = t.system.factorizations;
  memcpy(o.v, t.iterate.v, sizeof(double) * (size_t)p->pattern.num_rows);
  free(scratch);
  test_solver_destroy(&t);
  return o;
}

static void test_chord_steps(void** state) {
  (void)state;
  check_random random = {3};
  int with = 0, without = 0, repeats = check_repeats(40);
  for (int repeat = 0; repeat < repeats; repeat++) {
    test_problem p;
    test_problem_def def = test_problem_def_mild(BODIES, CONTACTS, 0, false);
    test_problem_make_random(&def, &random, &p);
    int n = p.problem.pattern.num_rows;
    double *v = dense_zeros(n), *gamma = dense_zeros(p.problem.num_rows);
    cr_solve_options options = cr_solve_options_default();
    options.friction = CR_FRICTION_CONVEX;
    cr_solve_report report = test_solve(&p.problem, &options, v, gamma);
    assert_int_equal(report.outcome, CR_SOLVE_CERTIFIED);
    double* v_star = (double*)p.problem.v_star;
    for (int i = 0; i < n; i++) v_star[i] += MOVED * check_random_normal(&random);
    outcome one = solve(&p.problem, v, gamma, true), other = solve(&p.problem, v, gamma, false);
    assert_true(test_distance(&p.problem, one.v, other.v) <= one.bound + other.bound);
    assert_int_equal(one.iterations, one.factorizations);
    with += one.factorizations, without += other.factorizations;
    free(v), free(gamma), free(one.v), free(other.v);
    test_problem_destroy(&p);
  }
  print_message("%d factors in place of %d\n", with, without);
  assert_true(with < without);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chord_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
