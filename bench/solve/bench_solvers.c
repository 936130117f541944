/* Solvers side by side on problems of the sapproblem format, cold from v*, each to the same
 * tolerance of the same certificate.
 * Usage: bench_solve_solvers TOLERANCE FILE.txt... */
#include "solve/solve.h"
#include "support/problem.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const NAMES[CR_SOLVER_COUNT] = {
    [CR_SOLVER_NEWTON] = "newton", [CR_SOLVER_PRIMAL] = "primal", [CR_SOLVER_PGS] = "pgs",
    [CR_SOLVER_APGD] = "apgd",     [CR_SOLVER_IPM] = "ipm",
};

typedef struct result {
  cr_solve_report report;
  double seconds;
} result;

/* Least time of a few runs; one where a run is long. */
static result solve(const cr_problem* p, cr_solver_kind solver, double tolerance) {
  cr_solve_options options = cr_solve_options_default();
  options.solver = solver;
  options.friction = CR_FRICTION_CONVEX;
  options.tolerance = tolerance;
  double* v = calloc((size_t)p->pattern.num_rows + 1, sizeof(double));
  double* gamma = calloc((size_t)p->num_rows + 1, sizeof(double));
  cr_arena arena;
  result r = {.seconds = INFINITY};
  double spent = 0;
  cr_arena_init(&arena, NULL);
  for (int k = 0; k < 5 && spent < 1; k++) {
    double start = thread_time();
    if (cr_solve(p, &options, NULL, &arena, v, gamma, &r.report) != CAROM_OK) abort();
    double seconds = thread_time() - start;
    spent += seconds;
    r.seconds = fmin(r.seconds, seconds);
    cr_arena_reset(&arena);
  }
  cr_arena_destroy(&arena);
  free(v), free(gamma);
  return r;
}

static void print_result(const result* r) {
  const char* mark = r->report.outcome == CR_SOLVE_CERTIFIED ? "" : "*";
  printf(" | %5d%1s %9.3f %7.1e", r->report.iterations, mark, 1e3 * r->seconds,
         r->report.relative_gap);
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: bench_solve_solvers TOLERANCE FILE.txt...\n");
    return 1;
  }
  double tolerance = strtod(argv[1], NULL);
  printf("%-32s %5s %5s", "iterations, ms, relative gap", "v", "rows");
  for (int s = 0; s < CR_SOLVER_COUNT; s++) printf(" | %24s", NAMES[s]);
  printf("    (* stalled)\n");
  for (int i = 2; i < argc; i++) {
    test_problem p;
    test_problem_load_sap(argv[i], &p);
    printf("%-32s %5d %5d", base_name(argv[i]), p.problem.pattern.num_rows, p.problem.num_rows);
    for (int s = 0; s < CR_SOLVER_COUNT; s++) {
      result r = solve(&p.problem, (cr_solver_kind)s, tolerance);
      print_result(&r);
    }
    printf("\n");
    fflush(stdout);
    test_problem_destroy(&p);
  }
  return 0;
}
