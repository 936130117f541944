/* Thread CPU time of every solver on contact problems from files, cold, to several tolerances. A
 * line of CSV for each solve, as it is done; a solve whose problem cannot be made has status
 * "failed". Usage: bench_problems_solve SECONDS convex|coulomb TOLERANCE[,TOLERANCE...] FILE...
 *   SECONDS  that repeats of one solve may take together; at least one is made, at most five */
#include "timing.h"

#include "carom/carom.h"
#include "carom/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const carom_solver SOLVERS[] = {CAROM_SOLVER_NEWTON, CAROM_SOLVER_PRIMAL, CAROM_SOLVER_PGS,
                                       CAROM_SOLVER_APGD, CAROM_SOLVER_IPM};
static const char* const NAMES[] = {"newton", "primal", "pgs", "apgd", "ipm"};
static const char* const STATUSES[] = {"certified", "stalled", "failed"};

typedef struct result {
  carom_solve_report report;
  double seconds; /* least of the repeats */
} result;

static bool solve(const carom_problem* problem, const carom_solve_def* def, double seconds,
                  result* out) {
  double spent = 0;
  out->seconds = INFINITY;
  for (int k = 0; k < 5 && (k == 0 || spent < seconds); k++) {
    carom_solution* solution;
    carom_error error;
    double begin = thread_time();
    if (carom_problem_solve(problem, def, &solution, &error) != CAROM_OK) return false;
    double time = thread_time() - begin;
    out->report = *carom_solution_get_report(solution);
    carom_solution_destroy(solution);
    spent += time;
    out->seconds = fmin(out->seconds, time);
  }
  return true;
}

/* All solvers to one tolerance. */
static void compare(const carom_problem* problem, const char* file, const char* friction,
                    double tolerance, double seconds) {
  carom_solve_def def = carom_solve_def_default();
  def.tolerance = tolerance;
  if (strcmp(friction, "coulomb") == 0) def.friction = CAROM_FRICTION_COULOMB;
  int rows = carom_problem_get_sizes(problem).num_rows;
  for (int k = 0; k < 5; k++) {
    result r = {0};
    def.solver = SOLVERS[k];
    bool done = solve(problem, &def, seconds, &r);
    printf("%s,%d,%s,%g,%s,%s,%.1f,%d,%.2g\n", base_name(file), rows, friction, tolerance, NAMES[k],
           done ? STATUSES[r.report.status] : "failed", 1e6 * r.seconds, r.report.iterations,
           r.report.residual);
    fflush(stdout);
  }
}

int main(int argc, char** argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: %s SECONDS convex|coulomb TOLERANCE[,TOLERANCE...] FILE...\n", argv[0]);
    return EXIT_FAILURE;
  }
  printf("file,rows,friction,tolerance,solver,status,us,iterations,residual\n");
  for (int i = 4; i < argc; i++) {
    carom_problem* problem;
    carom_error error;
    if (carom_problem_load(argv[i], &problem, &error) != CAROM_OK) {
      fprintf(stderr, "%s\n", error.message);
      continue;
    }
    for (char* text = argv[3]; *text;) {
      compare(problem, argv[i], argv[2], strtod(text, &text), strtod(argv[1], NULL));
      if (*text == ',') text++;
    }
    carom_problem_destroy(problem);
  }
  return EXIT_SUCCESS;
}
