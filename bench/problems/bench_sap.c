/* Thread CPU time of Newton on problems of the form `sapproblem`, from v* and from v0, where
 * Drake's solvers start: from the impulses that the contacts' own laws give there. A line of CSV
 * for each solve, `us` of v, gamma and the solver's certificate, `us_measured` with all figures of
 * the report. Usage: bench_problems_sap SECONDS TOLERANCE FILE... SECONDS  that repeats of one
 * solve may take together; at least three are made, at most twenty */
#include "timing.h"

#include "carom/carom.h"
#include "carom/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BATCH 1e-3 /* s */
#define MOST_BATCH  100  /* solves */

/* The law of a compliant contact at v_c: y = R^-1 (v_hat - v_c), projected on the cone in R. */
static void apply_law(double mu, const double* R, const double* v_hat, const double* v_c,
                      double* gamma) {
  double y[3], muhat = mu * R[0] / R[2];
  for (int r = 0; r < 3; r++) gamma[r] = 0, y[r] = (v_hat[r] - v_c[r]) / R[r];
  double tangent = hypot(y[0], y[1]);
  if (tangent <= mu * y[2]) {
    memcpy(gamma, y, sizeof y);
  } else if (y[2] > -muhat * tangent) {
    gamma[2] = (y[2] + muhat * tangent) / (1 + mu * muhat);
    for (int r = 0; r < 2; r++) gamma[r] = mu * gamma[2] * y[r] / tangent;
  }
}

/* v_c of a constraint at velocities v. */
static void apply_J(const carom_problem* p, const carom_constraint_info* c, const double* v,
                    double* v_c) {
  const double* J = c->jacobian;
  memset(v_c, 0, sizeof(double) * (size_t)c->num_rows);
  for (int k = 0; k < c->num_blocks; k++) {
    int start = carom_problem_get_block_start(p, c->blocks[k]);
    int size = carom_problem_get_block_start(p, c->blocks[k] + 1) - start;
    for (int r = 0; r < c->num_rows; r++, J += size)
      for (int i = 0; i < size; i++) v_c[r] += J[i] * v[start + i];
  }
}

/* Impulses at v0 [rows]. */
static double* guess_at_v0(const carom_problem* p) {
  carom_problem_sizes sizes = carom_problem_get_sizes(p);
  const double *R = carom_problem_get_R(p), *v_hat = carom_problem_get_v_hat(p);
  double* gamma = calloc((size_t)sizes.num_rows + 1, sizeof(double));
  for (int i = 0; gamma && i < sizes.num_constraints; i++) {
    carom_constraint_info c = carom_problem_get_constraint(p, i);
    double v_c[3];
    apply_J(p, &c, carom_problem_get_v0(p), v_c);
    apply_law(c.mu, R + c.row, v_hat + c.row, v_c, gamma + c.row);
  }
  return gamma;
}

/* The time of some solves, s; negative where there is no solution. */
static double time_batch(const carom_problem* p, const carom_solve_def* def, int count,
                         carom_solve_report* report) {
  double begin = thread_time();
  for (int k = 0; k < count; k++) {
    carom_solution* solution;
    carom_error error;
    if (carom_problem_solve(p, def, &solution, &error) != CAROM_OK) return -1;
    *report = *carom_solution_get_report(solution);
    carom_solution_destroy(solution);
  }
  return thread_time() - begin;
}

/* Least time of a solve, s, and what was reported; negative where there is no solution. Short ones
 * are timed many at once, since to read the clock takes half a microsecond. */
static double solve(const carom_problem* p, const carom_solve_def* def, double seconds,
                    carom_solve_report* report) {
  double spent = time_batch(p, def, 1, report), least = INFINITY;
  if (spent < 0) return -1;
  int count = (int)fmin(fmax(LEAST_BATCH / spent, 1), MOST_BATCH);
  for (int k = 0; k < 20 && (k < 3 || spent < seconds); k++) {
    double time = time_batch(p, def, count, report);
    if (time < 0) return -1;
    spent += time;
    least = fmin(least, time / count);
  }
  return least;
}

static void bench(const carom_problem* p, const char* file, double tolerance, double seconds) {
  static const char* const STATUSES[] = {"certified", "stalled", "failed"};
  carom_problem_sizes sizes = carom_problem_get_sizes(p);
  double* guess = guess_at_v0(p);
  for (int warm = 0; warm < 2; warm++) {
    carom_solve_def def = carom_solve_def_default();
    carom_solve_report report = {.status = CAROM_SOLVE_FAILED};
    def.tolerance = tolerance;
    if (warm) def.guess = guess;
    def.unmeasured = true;
    double time = solve(p, &def, seconds, &report);
    def.unmeasured = false;
    double measured = solve(p, &def, seconds, &report);
    printf("%s,%d,%d,%s,%s,%.2f,%.2f,%d,%d,%.2g,%.2g\n", base_name(file), sizes.num_blocks,
           sizes.num_contacts, warm ? "v0" : "v*", STATUSES[report.status], 1e6 * time,
           1e6 * measured, report.iterations, report.factorizations, report.velocity_error,
           report.residual);
    fflush(stdout);
  }
  free(guess);
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: %s SECONDS TOLERANCE FILE...\n", argv[0]);
    return EXIT_FAILURE;
  }
  printf("file,blocks,contacts,start,status,us,us_measured,iterations,factorizations,error,"
         "residual\n");
  for (int i = 3; i < argc; i++) {
    carom_problem* problem;
    carom_error error;
    if (carom_problem_load(argv[i], &problem, &error) != CAROM_OK) {
      fprintf(stderr, "%s\n", error.message);
      continue;
    }
    bench(problem, argv[i], strtod(argv[2], NULL), strtod(argv[1], NULL));
    carom_problem_destroy(problem);
  }
  return EXIT_SUCCESS;
}
