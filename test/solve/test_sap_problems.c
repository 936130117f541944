/* Both Newtons, the published and the primal-dual one, on the public sap problems with the
 * regularisation that each file states: cost, velocities and certificate against the reference. The
 * other solvers to 1e-6 where the problems' condition allows. Iterations on piles for any
 * regularisation. */
#include "problem/law_table.h"
#include "support/problem.h"
#include "support/solution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 500 };

#define TOLERANCE 1e-10

/* The references stop at a residual of 1e-13 of the velocities. */
#define REFERENCE_FLOOR 1e-12

/* Of the cost, relative: second order in v. Of velocities, m/s or rad/s: the tolerance is one in
 * the norm of A, and the arms' last joints weigh a hundredth of the boxes and less. The references'
 * smoothed norm of friction moves impulses by 3e-11. */
#define COST_TOLERANCE     1e-10
#define VELOCITY_TOLERANCE 1e-8

static double largest_difference(const double* a, const double* b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* 1/2 |a - b|² in A. */
static double half_norm2(const cr_problem* p, const double* a, const double* b) {
  int n = p->pattern.num_rows;
  double *d = calloc(2 * (size_t)n + 1, sizeof(double)), sum = 0;
  for (int i = 0; i < n; i++) d[i] = a[i] - b[i];
  cr_bsm_multiply(&p->pattern, p->A, d, d + n);
  for (int i = 0; i < n; i++) sum += 0.5 * d[i] * d[n + i];
  free(d);
  return sum;
}

/* The cost by products with the sparse Jacobian. */
static double sparse_cost(const cr_problem* p, const double* v) {
  double* v_c = calloc(2 * (size_t)p->num_rows + cr_problem_scratch_size(p) + 1, sizeof(double));
  double *gamma = v_c + p->num_rows, cost = half_norm2(p, v, p->v_star);
  cr_problem_apply_J(p, v, v_c, gamma + p->num_rows);
  for (int i = 0; i < p->num_constraints; i++) {
    double scale = 1;
    int rows = cr_law_get(p->kind[i])->rows;
    cr_law_batch batch = {1, p->row + i, p->parameter + 2 * i, &scale, rows, p->ld};
    cr_law_point point = {p->R, p->v_hat, v_c, NULL};
    cost += cr_law_get(p->kind[i])->evaluate(&batch, &point, gamma, NULL);
  }
  free(v_c);
  return cost;
}

typedef struct worst {
  double cost, v;
  int iterations;
} worst;

/* The bound of the certificate, |v - v_opt|_A <= sqrt(2 gap), against the reference. */
static void check_certificate(const cr_problem* p, const cr_solve_report* report, const double* v,
                              const test_solution* s) {
  double apart = sqrt(2 * half_norm2(p, v, s->v)), scale = sqrt(2 * s->cost);
  assert_int_equal(report->outcome, CR_SOLVE_CERTIFIED);
  assert_true(report->relative_gap <= TOLERANCE);
  assert_true(apart <= report->error_bound + REFERENCE_FLOOR * scale);
}

static void solve_one(const test_problem* p, const test_solution* s, cr_solver_kind solver,
                      worst* most) {
  cr_solve_options options = cr_solve_options_default();
  options.solver = solver;
  options.friction = CR_FRICTION_CONVEX;
  options.tolerance = TOLERANCE;
  assert_int_equal(p->problem.pattern.num_rows, s->n);
  assert_int_equal(p->problem.num_rows, s->rows);
  double* v = calloc((size_t)s->n + 1, sizeof(double));
  double* gamma = calloc((size_t)s->rows + 1, sizeof(double));
  cr_solve_report report = test_solve(&p->problem, &options, v, gamma);
  double dv = largest_difference(v, s->v, s->n);
  double cost = fabs(sparse_cost(&p->problem, v) - s->cost) / s->cost;
  assert_int_equal(report.outcome, CR_SOLVE_CERTIFIED);
  check_certificate(&p->problem, &report, v, s);
  check_near(dv, 0, VELOCITY_TOLERANCE);
  check_near(cost, 0, COST_TOLERANCE);
  *most = (worst){fmax(most->cost, cost), fmax(most->v, dv), most->iterations + report.iterations};
  free(v), free(gamma);
}

/* Calls `solve` with every problem (under sanitizers a tenth of them) and its reference.
 * @return how many there were, 0: none to be found */
static int for_problems(void (*solve)(const test_problem*, const test_solution*, void*),
                        void* data) {
  static char names[MOST_FILES][CHECK_FILE_NAME];
  char folder[1100], path[1400];
  const char* shared = check_shared_folder();
  if (!shared) return 0;
  snprintf(folder, sizeof folder, "%s/problems/sap", shared);
  int count = check_list_files(folder, ".txt", MOST_FILES, names), tried = check_repeats(count);
  if (count == 0) {
    print_error("SKIPPED: there are no problems in %s\n", folder);
    return 0;
  }
  for (int i = 0; i < tried; i++) {
    const char* name = names[(long)i * count / tried];
    test_problem p;
    test_solution s;
    snprintf(path, sizeof path, "%s/%s.txt", folder, name);
    test_problem_load_sap(path, &p);
    snprintf(path, sizeof path, "%s/%s.sol", folder, name);
    test_solution_load_sap(path, &s);
    solve(&p, &s, data);
    test_problem_destroy(&p);
    test_solution_destroy(&s);
  }
  return tried;
}

static void solve_by_newtons(const test_problem* p, const test_solution* s, void* data) {
  worst* most = data;
  solve_one(p, s, CR_SOLVER_NEWTON, &most[0]);
  solve_one(p, s, CR_SOLVER_PRIMAL, &most[1]);
}

static void test_reference(void** state) {
  (void)state;
  worst most[2] = {{0, 0, 0}, {0, 0, 0}};
  int tried = for_problems(solve_by_newtons, most);
  if (tried == 0) skip();
  for (int k = 0; k < 2; k++)
    print_message("%s: %d problems, %d iterations, cost off by %.1e, v by %.1e\n",
                  k ? "primal" : "primal-dual", tried, most[k].iterations, most[k].cost, most[k].v);
}

/* --- Iterations for any regularisation -----------------------------------------------------------
 */

#define MOST_ITERATIONS 10 /* on piles, from rest, to 1e-6; the project's aim is 12 */
#define LEAST_SIGMA     1e-8
#define FILE_SIGMA      1e-3 /* of the files */

/* R_t = sigma w. */
static void divide_sigma(cr_problem* p, double divisor) {
  for (int i = 0; i < p->num_constraints; i++)
    for (int k = 0; k < 2; k++) p->R[p->row[i] + k] /= divisor;
}

static void solve_for_any_sigma(const test_problem* p, const test_solution* s, void* data) {
  (void)s;
  int* most = data;
  if (strncmp(p->name, "pile", 4) != 0) return;
  cr_problem problem = p->problem;
  double* v = calloc((size_t)problem.pattern.num_rows + 1, sizeof(double));
  double* gamma = calloc((size_t)problem.num_rows + 1, sizeof(double));
  cr_solve_options options = cr_solve_options_default();
  options.friction = CR_FRICTION_CONVEX;
  for (double sigma = FILE_SIGMA; sigma > 0.5 * LEAST_SIGMA; sigma /= 10) {
    cr_solve_report report = test_solve(&problem, &options, v, gamma);
    assert_int_equal(report.outcome, CR_SOLVE_CERTIFIED);
    if (report.iterations > MOST_ITERATIONS)
      fail_msg("%s at sigma %g: %d iterations", p->name, sigma, report.iterations);
    if (report.iterations > *most) *most = report.iterations;
    divide_sigma(&problem, 10);
  }
  free(v), free(gamma);
}

static void test_any_sigma(void** state) {
  (void)state;
  int most = 0;
  if (for_problems(solve_for_any_sigma, &most) == 0) skip();
  print_message("piles, sigma from %g to %g: %d iterations at most\n", FILE_SIGMA, LEAST_SIGMA,
                most);
}

/* --- The other solvers --------------------------------------------------------------------------
 */

enum { PGS, APGD, IPM, NUM_OTHERS };

/* `rows`: larger problems are left out, to save time; `newton_iterations`: of the budget. */
static const struct other {
  cr_solver_kind solver;
  const char* name;
  double epsilon; /* the least at which the tolerance is owed */
  int rows, newton_iterations;
} OTHERS[NUM_OTHERS] = {{CR_SOLVER_PGS, "pgs", TEST_EPSILON_PGS, 300, 20},
                        {CR_SOLVER_APGD, "apgd", TEST_EPSILON_APGD, 1200, 100},
                        {CR_SOLVER_IPM, "ipm", 0, 3000, 100}};

typedef struct others_tally {
  int tried[NUM_OTHERS], certified[NUM_OTHERS], owed[NUM_OTHERS];
} others_tally;

/* Certified or not, the certificate's bound holds against the reference. */
static void solve_by_other(const test_problem* p, const test_solution* s, const struct other* o,
                           int* certified) {
  cr_solve_options options = cr_solve_options_default();
  options.solver = o->solver;
  options.friction = CR_FRICTION_CONVEX;
  options.max_iterations = o->newton_iterations;
  double* v = calloc((size_t)s->n + 1, sizeof(double));
  double* gamma = calloc((size_t)s->rows + 1, sizeof(double));
  cr_solve_report report = test_solve(&p->problem, &options, v, gamma);
  double apart = sqrt(2 * half_norm2(&p->problem, v, s->v)), scale = sqrt(2 * s->cost);
  assert_true(apart <= report.error_bound + REFERENCE_FLOOR * scale);
  bool reached = report.relative_gap <= options.tolerance;
  assert_int_equal(report.outcome, reached ? CR_SOLVE_CERTIFIED : CR_SOLVE_STALLED);
  *certified += reached;
  if (!reached && test_smallest_epsilon(&p->problem) >= o->epsilon)
    fail_msg("%s on %s: stalled at %g, epsilon %g", o->name, p->name, report.relative_gap,
             test_smallest_epsilon(&p->problem));
  free(v), free(gamma);
}

static void solve_by_others(const test_problem* p, const test_solution* s, void* data) {
  others_tally* t = data;
  for (int k = 0; k < NUM_OTHERS; k++) {
    if (p->problem.num_rows > OTHERS[k].rows) continue;
    t->tried[k]++;
    t->owed[k] += test_smallest_epsilon(&p->problem) >= OTHERS[k].epsilon;
    solve_by_other(p, s, &OTHERS[k], &t->certified[k]);
  }
}

static void test_others(void** state) {
  (void)state;
  others_tally t = {0};
  if (for_problems(solve_by_others, &t) == 0) skip();
  for (int k = 0; k < NUM_OTHERS; k++)
    print_message("%s: %d of %d problems certified to 1e-6, %d had to be\n", OTHERS[k].name,
                  t.certified[k], t.tried[k], t.owed[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reference),
                                     cmocka_unit_test(test_any_sigma),
                                     cmocka_unit_test(test_others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
