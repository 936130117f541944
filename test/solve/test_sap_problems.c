/* Both Newtons, the published and the primal-dual one, on the public sap problems with the
 * regularisation that each file states: cost, velocities and certificate against the reference. */
#include "problem/law.h"
#include "support/problem.h"
#include "support/solution.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 500, NAME = 200 };

#define TOLERANCE 1e-9

/* Where the pair gap, a difference of energies, drowns in round-off: relative to velocities the
 * root of 2^-52. */
#define GAP_FLOOR 1.5e-8

/* Of the cost, relative: second order in v. Of velocities, m/s or rad/s: the tolerance is one in
 * the norm of A, and the arms' last joints weigh a hundredth of the boxes and less. The references
 * stop at a residual of 1e-13; their smoothed norm of friction moves impulses by 3e-11. */
#define COST_TOLERANCE     1e-10
#define VELOCITY_TOLERANCE 1e-8

static int compare_names(const void* a, const void* b) { return strcmp(a, b); }

/* Names of the problems in a folder, without ending, in order. */
static int list_problems(const char* folder, char names[MOST_FILES][NAME]) {
  DIR* directory = opendir(folder);
  int count = 0;
  if (!directory) return 0;
  for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
    char* dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".txt") != 0) continue;
    assert_true(count < MOST_FILES && dot - entry->d_name < NAME);
    snprintf(names[count++], NAME, "%.*s", (int)(dot - entry->d_name), entry->d_name);
  }
  closedir(directory);
  qsort(names, (size_t)count, NAME, compare_names);
  return count;
}

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
  double* v_c = calloc(2 * (size_t)p->num_rows + (size_t)p->max_stride + 1, sizeof(double));
  double *gamma = v_c + p->num_rows, cost = half_norm2(p, v, p->v_star);
  cr_problem_apply_J(p, v, v_c, gamma + p->num_rows);
  for (int i = 0; i < p->num_constraints; i++) {
    double scale = 1;
    cr_law_batch batch = {1, p->row + i, p->parameter + 2 * i, &scale};
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
  check_near(report->relative_gap, 0, GAP_FLOOR);
  assert_true(apart <= report->error_bound + GAP_FLOOR * scale);
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
  check_certificate(&p->problem, &report, v, s);
  check_near(dv, 0, VELOCITY_TOLERANCE);
  check_near(cost, 0, COST_TOLERANCE);
  *most = (worst){fmax(most->cost, cost), fmax(most->v, dv), most->iterations + report.iterations};
  free(v), free(gamma);
}

static void test_reference(void** state) {
  (void)state;
  static char names[MOST_FILES][NAME];
  char folder[1100], path[1400];
  const char* shared = check_shared_folder();
  if (!shared) skip();
  snprintf(folder, sizeof folder, "%s/problems/sap", shared);
  int count = list_problems(folder, names), tried = check_repeats(count);
  if (count == 0) {
    print_error("SKIPPED: there are no problems in %s\n", folder);
    skip();
  }
  worst most[2] = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < tried; i++) {
    const char* name = names[(long)i * count / tried];
    test_problem p;
    test_solution s;
    snprintf(path, sizeof path, "%s/%s.txt", folder, name);
    test_problem_load_sap(path, &p);
    snprintf(path, sizeof path, "%s/%s.sol", folder, name);
    test_solution_load_sap(path, &s);
    solve_one(&p, &s, CR_SOLVER_NEWTON, &most[0]);
    solve_one(&p, &s, CR_SOLVER_PRIMAL, &most[1]);
    test_problem_destroy(&p);
    test_solution_destroy(&s);
  }
  for (int k = 0; k < 2; k++)
    print_message("%s: %d problems, %d iterations, cost off by %.1e, v by %.1e\n",
                  k ? "primal" : "primal-dual", tried, most[k].iterations, most[k].cost, most[k].v);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reference)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
