/* Thread CPU time of Siconos's solvers on contact problems with Coulomb friction, cold, to several
 * tolerances. Prints the same lines of CSV as bench_problems_solve, whose yardstick it uses: the
 * natural residual that Carom computes from the impulses which Siconos returns. A solver is asked
 * for the tolerance by its own measure, and for a tenth of it as long as it ends happily without
 * meeting the yardstick; what counts is the run that meets it, or the last.
 * Usage: bench_peers_siconos SECONDS TOLERANCE[,TOLERANCE...] FILE...
 *   SECONDS  that repeats of one solve may take together; at least one is made, at most five */
#include "timing.h"

#include "carom/carom.h"
#include "carom/solve.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUM_SOLVERS = 3, TRIES = 6, MOST_DENSE = 250 };

static const struct {
  const char* name;
  int id, iterations;
} SOLVERS[NUM_SOLVERS] = {{"siconos nsgs", SICONOS_FRICTION_3D_NSGS, 10000},
                          {"siconos nsn", SICONOS_FRICTION_3D_NSN_AC, 100},
                          {"siconos admm", SICONOS_FRICTION_3D_ADMM, 10000}};

/* A problem for both: as it was read, and as Siconos takes it. */
typedef struct bench {
  carom_problem* problem;
  int rows;
  double* W; /* [rows, rows], each contact's rows normal first */
  double *q, *mu, *reaction, *velocity, *gamma;
  double unit; /* N s, of the reactions */
} bench;

/* --- The problem --------------------------------------------------------------------------------
 */

/* The same problem in contact coordinates: A the identity, W = J Jᵀ + R. */
static carom_problem* reduce(const carom_problem* problem, carom_error* error) {
  char path[] = "/tmp/bench-siconos-XXXXXX";
  int file = mkstemp(path);
  if (file < 0) return NULL;
  close(file);
  carom_problem* local = NULL;
  if (carom_problem_save(problem, path, CAROM_PROBLEM_FCLIB_LOCAL, error) == CAROM_OK)
    carom_problem_load(path, &local, error);
  unlink(path);
  return local;
}

/* Row of Carom (t1 t2 n) to that of Siconos (n t1 t2). */
static int turn(int row) { return row - row % 3 + (row + 1) % 3; }

/* J of a problem as a dense matrix [rows, unknowns]. */
static double* expand_J(const carom_problem* p) {
  carom_problem_sizes sizes = carom_problem_get_sizes(p);
  int n = sizes.num_unknowns;
  double* J = calloc((size_t)sizes.num_rows * (size_t)n, sizeof *J);
  if (!J) return NULL;
  for (int i = 0; i < sizes.num_constraints; i++) {
    carom_constraint_info c = carom_problem_get_constraint(p, i);
    const double* from = c.jacobian;
    for (int k = 0; k < c.num_blocks; k++) {
      int start = carom_problem_get_block_start(p, c.blocks[k]);
      int size = carom_problem_get_block_start(p, c.blocks[k] + 1) - start;
      for (int r = 0; r < c.num_rows; r++, from += size)
        memcpy(J + (size_t)(c.row + r) * (size_t)n + start, from, sizeof(double) * (size_t)size);
    }
  }
  return J;
}

static double multiply(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* What Carom takes off the diagonal of J Jᵀ where W is indefinite by rounding [rows]: seen in u at
 * impulses that move every row, so large that nothing is lost beside v_hat. */
static bool find_concave(const carom_problem* local, double* concave) {
  int rows = carom_problem_get_sizes(local).num_rows;
  const double* v_hat = carom_problem_get_v_hat(local);
  double most = 1;
  for (int i = 0; i < rows; i++) most = fmax(most, fabs(v_hat[i]));
  double size = 100 * most * rows / carom_problem_compute_trace(local);
  carom_solution* solution;
  carom_error error;
  for (int i = 0; i < rows; i++)
    concave[i] = size * (i % 3 == 2 ? 1 : 0.5 * carom_problem_get_constraint(local, i / 3).mu);
  if (carom_problem_evaluate(local, NULL, NULL, concave, &solution, &error) != CAROM_OK)
    return false;
  const double *gamma = carom_solution_get_gamma(solution), *u = carom_solution_get_u(solution);
  const double* v_c = carom_solution_get_v_c(solution);
  for (int i = 0; i < rows; i++)
    concave[i] = gamma[i] > 0 ? (v_c[i] - v_hat[i] - u[i]) / gamma[i] : 0;
  carom_solution_destroy(solution);
  return true;
}

/* W and q; `concave` is in b->gamma. */
static void fill(bench* b, const carom_problem* local, const double* J) {
  int n = carom_problem_get_sizes(local).num_unknowns;
  const double *R = carom_problem_get_R(local), *v_hat = carom_problem_get_v_hat(local);
  const double* v_star = carom_problem_get_v_star(local);
  for (int i = 0; i < b->rows; i++) {
    const double* row = J + (size_t)i * (size_t)n;
    size_t at = (size_t)turn(i) * (size_t)b->rows;
    for (int j = 0; j < b->rows; j++)
      b->W[at + (size_t)turn(j)] = multiply(row, J + (size_t)j * (size_t)n, n);
    b->W[at + (size_t)turn(i)] += R[i] - b->gamma[i];
    b->q[turn(i)] = multiply(row, v_star, n) - v_hat[i];
    b->mu[i / 3] = carom_problem_get_constraint(local, i / 3).mu;
  }
}

/* Units in which the trace of W is `rows` and |q| = 1: there Siconos's measure, which has rho = 1,
 * is that of carom_solve_report.residual. */
static void scale(bench* b) {
  double trace = 0, q = sqrt(multiply(b->q, b->q, b->rows));
  for (int i = 0; i < b->rows; i++) trace += b->W[(size_t)i * (size_t)(b->rows + 1)];
  double mean = trace / b->rows;
  if (!(q > 0)) q = 1;
  for (size_t k = 0; k < (size_t)b->rows * (size_t)b->rows; k++) b->W[k] /= mean;
  for (int i = 0; i < b->rows; i++) b->q[i] /= q;
  b->unit = q / mean;
}

static bool read_problem(const char* path, bench* b) {
  carom_error error = {0};
  if (carom_problem_load(path, &b->problem, &error) != CAROM_OK) {
    fprintf(stderr, "%s\n", error.message);
    return false;
  }
  carom_problem* local = reduce(b->problem, &error);
  if (!local) return fprintf(stderr, "%s: %s\n", path, error.message), false;
  b->rows = carom_problem_get_sizes(local).num_rows;
  size_t rows = (size_t)b->rows;
  double* J = expand_J(local);
  b->W = calloc(rows * rows, sizeof(double));
  double** vectors[] = {&b->q, &b->mu, &b->reaction, &b->velocity, &b->gamma};
  for (int k = 0; k < 5; k++) *vectors[k] = calloc(rows, sizeof(double));
  bool done = J && b->W && b->q && b->mu && b->reaction && b->velocity && b->gamma;
  done = done && find_concave(local, b->gamma);
  if (done) fill(b, local, J), scale(b);
  free(J);
  carom_problem_destroy(local);
  return done;
}

static void destroy(bench* b) {
  double* vectors[] = {b->W, b->q, b->mu, b->reaction, b->velocity, b->gamma};
  for (int k = 0; k < 6; k++) free(vectors[k]);
  carom_problem_destroy(b->problem);
}

/* --- Siconos ------------------------------------------------------------------------------------
 */

/* W by elements; what is left of zeros by rounding is left out. */
static NumericsMatrix* make_elements(const bench* b) {
  int n = b->rows;
  NumericsMatrix* M = NM_create(NM_SPARSE, n, n);
  NM_triplet_alloc(M, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double* W = b->W;
      double least =
          8 * DBL_EPSILON * sqrt(W[(size_t)i * (size_t)(n + 1)] * W[(size_t)j * (size_t)(n + 1)]);
      double value = W[(size_t)i * (size_t)n + (size_t)j];
      if (fabs(value) > least) NM_entry(M, i, j, value);
    }
  NM_csc(M);
  return M;
}

static NumericsMatrix* make_blocks(const bench* b) {
  NumericsMatrix* elements = make_elements(b);
  SparseBlockStructuredMatrix* blocks = SBM_new();
  SBM_from_csparse(3, NM_csc(elements), blocks);
  NM_clear(elements);
  free(elements);
  return NM_new_SBM(b->rows, b->rows, blocks);
}

static NumericsMatrix* make_dense(const bench* b) {
  NumericsMatrix* M = NM_create(NM_DENSE, b->rows, b->rows);
  memcpy(M->matrix0, b->W, sizeof(double) * (size_t)b->rows * (size_t)b->rows);
  return M;
}

/* W as the solver is fastest with: Newton dense as long as it is small, ADMM with the factorisation
 * of CXSparse (that of MUMPS, which Siconos would take, costs 50 times as much). */
static NumericsMatrix* make_matrix(const bench* b, int solver) {
  if (SOLVERS[solver].id == SICONOS_FRICTION_3D_NSGS) return make_blocks(b);
  if (SOLVERS[solver].id == SICONOS_FRICTION_3D_NSN_AC && b->rows <= MOST_DENSE)
    return make_dense(b);
  NumericsMatrix* M = make_elements(b);
  if (SOLVERS[solver].id == SICONOS_FRICTION_3D_ADMM)
    NSM_linearSolverParams(M)->solver = NSM_CSPARSE;
  return M;
}

static double* copy(const double* values, int count) {
  double* to = malloc(sizeof(double) * ((size_t)count + 1));
  if (!to) abort();
  return memcpy(to, values, sizeof(double) * (size_t)count);
}

/* A problem that owns all its numbers. */
static FrictionContactProblem* make_problem(const bench* b, int solver) {
  FrictionContactProblem* problem = frictionContactProblem_new();
  problem->dimension = 3;
  problem->numberOfContacts = b->rows / 3;
  problem->M = make_matrix(b, solver);
  problem->q = copy(b->q, b->rows);
  problem->mu = copy(b->mu, b->rows / 3);
  return problem;
}

typedef struct result {
  double seconds, residual;
  int iterations;
  bool ended, certified; /* by Siconos's own measure, by the yardstick */
} result;

/* One cold solve to a tolerance of Siconos's own, of a problem made for it: solvers keep what they
 * made of its matrix. */
static void solve_once(bench* b, int solver, double tolerance, result* out) {
  FrictionContactProblem* problem = make_problem(b, solver);
  SolverOptions* options = solver_options_create(SOLVERS[solver].id);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = SOLVERS[solver].iterations;
  memset(b->reaction, 0, sizeof(double) * (size_t)b->rows);
  memset(b->velocity, 0, sizeof(double) * (size_t)b->rows);
  double begin = thread_time();
  out->ended = fc3d_driver(problem, b->reaction, b->velocity, options) == 0;
  out->seconds = thread_time() - begin;
  out->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  solver_options_delete(options);
  free(options);
  frictionContactProblem_free(problem);
}

/* The yardstick: what Carom says of the impulses. */
static void judge(bench* b, double tolerance, result* out) {
  carom_solve_def def = carom_solve_def_default();
  carom_solution* solution;
  carom_error error;
  def.friction = CAROM_FRICTION_COULOMB;
  def.tolerance = tolerance;
  for (int i = 0; i < b->rows; i++) b->gamma[i] = b->unit * b->reaction[turn(i)];
  out->certified = false, out->residual = INFINITY;
  if (carom_problem_evaluate(b->problem, &def, NULL, b->gamma, &solution, &error) != CAROM_OK)
    return;
  const carom_solve_report* report = carom_solution_get_report(solution);
  out->certified = report->status == CAROM_SOLVE_CERTIFIED;
  out->residual = report->residual;
  carom_solution_destroy(solution);
}

/* The first of ever smaller tolerances with which the yardstick is met, and the least time of
 * repeats with it. */
static result solve(bench* b, int solver, double tolerance, double seconds) {
  result out = {0};
  double own = tolerance;
  for (int k = 0; k < TRIES && own > 1e-16; k++, own /= 10) {
    solve_once(b, solver, own, &out);
    judge(b, tolerance, &out);
    if (out.certified || !out.ended) break;
  }
  double spent = out.seconds;
  for (int k = 1; k < 5 && spent < seconds && out.certified; k++) {
    result again;
    solve_once(b, solver, own, &again);
    spent += again.seconds;
    out.seconds = fmin(out.seconds, again.seconds);
  }
  return out;
}

static void compare(bench* b, const char* file, double tolerance, double seconds) {
  for (int k = 0; k < NUM_SOLVERS; k++) {
    result r = solve(b, k, tolerance, seconds);
    printf("%s,%d,coulomb,%g,%s,%s,%.1f,%d,%.2g\n", base_name(file), b->rows, tolerance,
           SOLVERS[k].name, r.certified ? "certified" : "stalled", 1e6 * r.seconds, r.iterations,
           r.residual);
    fflush(stdout);
  }
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: %s SECONDS TOLERANCE[,TOLERANCE...] FILE...\n", argv[0]);
    return EXIT_FAILURE;
  }
  numerics_set_verbose(0);
  printf("file,rows,friction,tolerance,solver,status,us,iterations,residual\n");
  for (int i = 3; i < argc; i++) {
    bench b = {0};
    if (read_problem(argv[i], &b))
      for (char* text = argv[2]; *text;) {
        compare(&b, argv[i], strtod(text, &text), strtod(argv[1], NULL));
        if (*text == ',') text++;
      }
    destroy(&b);
  }
  return EXIT_SUCCESS;
}
