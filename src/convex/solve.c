/* Solving a problem with one of the solvers of solve/, and measuring solutions from anywhere. */
#include "solve/solve.h"

#include "base/cookie.h"
#include "base/copy.h"
#include "convex/solution.h"

#include <math.h>
#include <string.h>

/* Of problems with negative R: convex problems, those without progress, and their share of the
 * tolerance. */
#define CONCAVE_MAX      100
#define CONCAVE_PATIENCE 10
#define CONCAVE_SHARE    0.1

#define ROUND_OFF        1e-15 /* of an impulse */

#define VECTORS          7   /* of a solution */
#define ROOM             640 /* bytes for an unknown or a row, which most solutions do with */

carom_solve_def carom_solve_def_default(void) {
  return (carom_solve_def){.cookie = CR_COOKIE(solve),
                           .solver = CAROM_SOLVER_NEWTON,
                           .friction = CAROM_FRICTION_CONVEX,
                           .tolerance = 1e-6,
                           .max_iterations = 100};
}

/* --- Solutions ----------------------------------------------------------------------------------
 */

/* What is measured of a solution beside v and gamma. */
static void init_measures(const carom_problem* p, carom_solution* s) {
  s->v_c = CR_PUSH(&s->arena, double, p->num_rows);
  s->u = CR_PUSH(&s->arena, double, p->num_rows);
  s->states = CR_PUSH(&s->arena, carom_constraint_state, p->num_constraints);
  s->slip = CR_PUSH(&s->arena, double, p->num_constraints);
  s->float_speed = CR_PUSH(&s->arena, double, p->num_constraints);
}

static bool init(const carom_problem* p, bool measured, carom_solution* s) {
  size_t reals = (size_t)p->num_unknowns + (size_t)p->num_rows;
  if (measured) reals += 2 * (size_t)p->num_rows + 3 * (size_t)p->num_constraints;
  cr_arena_reserve(&s->arena, sizeof(double) * reals + VECTORS * CR_ALIGNMENT);
  s->num_unknowns = p->num_unknowns;
  s->num_constraints = p->num_constraints, s->num_rows = p->num_rows;
  s->v = CR_PUSH(&s->arena, double, p->num_unknowns);
  s->gamma = CR_PUSH(&s->arena, double, p->num_rows);
  if (measured) init_measures(p, s);
  return !s->arena.failed;
}

static carom_solution* create(const carom_problem* p, bool measured) {
  carom_solution* s = cr_alloc_zero(&p->allocator, sizeof *s);
  if (!s) return NULL;
  s->allocator = p->allocator;
  cr_arena_init(&s->arena, &p->allocator);
  if (init(p, measured, s)) return s;
  carom_solution_destroy(s);
  return NULL;
}

carom_solution* cr_convex_solution_create(const carom_problem* p) { return create(p, true); }

void carom_solution_destroy(carom_solution* s) {
  if (!s) return;
  carom_allocator allocator = s->allocator;
  cr_arena_destroy(&s->arena);
  cr_release(&allocator, s, sizeof *s);
}

const carom_solve_report* carom_solution_get_report(const carom_solution* s) { return &s->report; }
const double* carom_solution_get_v(const carom_solution* s) { return s->v; }
const double* carom_solution_get_gamma(const carom_solution* s) { return s->gamma; }
const double* carom_solution_get_v_c(const carom_solution* s) { return s->v_c; }
const double* carom_solution_get_u(const carom_solution* s) { return s->u; }
const double* carom_solution_get_slip(const carom_solution* s) { return s->slip; }
const double* carom_solution_get_float(const carom_solution* s) { return s->float_speed; }

const carom_constraint_state* carom_solution_get_states(const carom_solution* s) {
  return s->states;
}

/* By carom_solver. */
static const cr_solver_kind SOLVERS[] = {CR_SOLVER_NEWTON, CR_SOLVER_PRIMAL, CR_SOLVER_PGS,
                                         CR_SOLVER_APGD, CR_SOLVER_IPM};

/* --- Options ------------------------------------------------------------------------------------
 */

static carom_status refuse(const char* text, carom_error* error) {
  return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "solve: %s", text);
}

static carom_status check_def(const carom_problem* p, const carom_solve_def* def,
                              carom_error* error) {
  CR_TRY(CR_CHECK_COOKIE(def, solve, "solve", error));
  if ((unsigned)def->solver >= sizeof SOLVERS / sizeof SOLVERS[0])
    return refuse("there is no such solver", error);
  if (def->friction != CAROM_FRICTION_COULOMB && def->friction != CAROM_FRICTION_CONVEX)
    return refuse("friction must be Coulomb or convex", error);
  if (!(def->tolerance > 0) || isinf(def->tolerance))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "solve: tolerance is %g, must be positive", def->tolerance);
  if (def->max_iterations < 1)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "solve: max_iterations is %d, must be 1 or more", def->max_iterations);
  return def->guess ? cr_convex_check_finite("guess", def->guess, p->num_rows, error) : CAROM_OK;
}

/* Checks what solve and evaluate share. */
static carom_status check(const carom_problem* problem, const carom_solve_def* options,
                          carom_solution** solution, carom_error* error) {
  if (!solution) return refuse("the result is null", error);
  *solution = NULL;
  CR_TRY(cr_convex_check_finished(problem, error));
  return check_def(problem, options, error);
}

static cr_solve_options solver_options(const carom_problem* p, const carom_solve_def* def) {
  cr_solve_options options = cr_solve_options_default();
  options.solver = SOLVERS[def->solver];
  options.friction =
      def->friction == CAROM_FRICTION_COULOMB ? CR_FRICTION_COULOMB : CR_FRICTION_CONVEX;
  options.tolerance = def->tolerance;
  options.max_iterations = def->max_iterations;
  if (def->guess) options.start = p->has_v0 ? CR_START_VELOCITIES : CR_START_IMPULSES;
  return options;
}

/* --- Solving ------------------------------------------------------------------------------------
 */

static carom_solve_status status_of(cr_solve_outcome outcome) {
  switch (outcome) {
  case CR_SOLVE_CERTIFIED:
    return CAROM_SOLVE_CERTIFIED;
  case CR_SOLVE_FAILED:
    return CAROM_SOLVE_FAILED;
  default:
    return CAROM_SOLVE_STALLED;
  }
}

static void take_report(const cr_solve_report* from, carom_solve_report* to) {
  to->status = status_of(from->outcome);
  to->iterations = from->iterations;
  to->outer_iterations = from->outer_iterations;
  to->factorizations = from->factorizations;
  to->islands = from->islands;
}

/* The solver's own figures, of a solution that is not measured. */
static void take_certificate(const cr_solve_report* from, bool by_gap, carom_solve_report* to) {
  to->gap = from->gap;
  to->velocity_error = from->relative_gap;
  to->row_residual = to->momentum = by_gap ? NAN : from->residual;
  to->primal_cost = to->dual_cost = to->relative_gap = to->residual = NAN;
  to->stick_slip = to->sliding_float = NAN;
}

/* Takes impulses in the problem's order as the solution, and measures it. */
static carom_status take(const carom_problem* p, bool coulomb, const double* gamma, cr_arena* arena,
                         carom_solution* s) {
  cr_convex_scatter(p, gamma, s->gamma);
  s->report.stick_slip = s->report.sliding_float = 0;
  return cr_convex_solution_measure(p, coulomb, arena, s) ? CAROM_OK : CAROM_ERROR_OUT_OF_MEMORY;
}

/* The convex problem around impulses: R+ = max(R, 0), and v_hat moved by (R+ - R) gamma. */
static void convexify(const carom_problem* p, const double* gamma, cr_problem* convex) {
  for (int r = 0; r < p->problem.num_rows; r++) {
    convex->R[r] = fmax(p->problem.R[r], 0);
    convex->v_hat[r] = p->problem.v_hat[r] + (convex->R[r] - p->problem.R[r]) * gamma[r];
  }
}

/* Solves the convex problem at hand and measures its solution as one of the problem itself. */
static carom_status solve_convexified(const carom_problem* p, const cr_problem* convex,
                                      const cr_solve_options* options, cr_arena* work,
                                      double* gamma, carom_solution* s) {
  cr_solve_report report;
  carom_solve_report* sum = &s->report;
  int iterations = sum->iterations, outer = sum->outer_iterations;
  int factorizations = sum->factorizations;
  cr_arena_reset(work);
  CR_TRY(cr_solve(convex, options, NULL, work, s->v, gamma, &report));
  take_report(&report, sum);
  sum->iterations += iterations, sum->factorizations += factorizations;
  sum->outer_iterations = outer + 1;
  return take(p, options->friction == CR_FRICTION_COULOMB, gamma, work, s);
}

/* A problem with negative R, by convex ones until its own residual is within the tolerance (the
 * convex-concave procedure, here the same as proximal point iterations). */
static carom_status solve_concave(const carom_problem* p, cr_solve_options options, cr_arena* arena,
                                  double* gamma, carom_solution* s) {
  cr_problem convex = p->problem;
  double tolerance = options.tolerance, best = INFINITY;
  bool coulomb = options.friction == CR_FRICTION_COULOMB;
  carom_status status = CAROM_OK;
  convex.R = CR_PUSH(arena, double, p->problem.num_rows);
  convex.v_hat = CR_PUSH(arena, double, p->problem.num_rows);
  if (arena->failed) return CAROM_ERROR_OUT_OF_MEMORY;
  cr_arena work;
  cr_arena_init(&work, &p->allocator);
  options.tolerance = CONCAVE_SHARE * tolerance;
  for (int i = 0, since = 0; i < CONCAVE_MAX && since < CONCAVE_PATIENCE; i++, since++) {
    convexify(p, gamma, &convex);
    status = solve_convexified(p, &convex, &options, &work, gamma, s);
    if (status != CAROM_OK || s->report.status == CAROM_SOLVE_FAILED) break;
    double value = cr_convex_solution_get_measure(p, coulomb, s);
    s->report.status = value <= tolerance ? CAROM_SOLVE_CERTIFIED : CAROM_SOLVE_STALLED;
    if (value <= tolerance) break;
    if (value < 0.9 * best) best = value, since = 0;
    options.start = CR_START_IMPULSES;
  }
  cr_arena_destroy(&work);
  return status;
}

static carom_status solve(const carom_problem* p, const carom_solve_def* def, cr_arena* arena,
                          carom_solution* s) {
  cr_solve_options options = solver_options(p, def);
  cr_solve_report report;
  bool coulomb = def->friction == CAROM_FRICTION_COULOMB;
  double* gamma = CR_PUSH(arena, double, p->problem.num_rows);
  if (arena->failed) return CAROM_ERROR_OUT_OF_MEMORY;
  memset(gamma, 0, sizeof(double) * (size_t)p->problem.num_rows);
  if (def->guess) cr_convex_gather(p, def->guess, gamma);
  if (!cr_convex_is_convex(p)) return solve_concave(p, options, arena, gamma, s);
  options.preparation = p->preparation;
  options.without_residual = def->unmeasured && !coulomb;
  CR_TRY(cr_solve(&p->problem, &options, NULL, arena, s->v, gamma, &report));
  take_report(&report, &s->report);
  if (def->unmeasured) {
    take_certificate(&report, cr_convex_is_measured_by_gap(p, coulomb), &s->report);
    cr_convex_scatter(p, gamma, s->gamma);
    return CAROM_OK;
  }
  return take(p, coulomb, gamma, arena, s);
}

carom_status carom_problem_solve(const carom_problem* problem, const carom_solve_def* def,
                                 carom_solution** solution, carom_error* error) {
  carom_solve_def options = def ? *def : carom_solve_def_default();
  CR_TRY(check(problem, &options, solution, error));
  carom_solution* s = create(problem, !options.unmeasured || !cr_convex_is_convex(problem));
  if (!s) return cr_error_memory(error);
  cr_arena arena;
  cr_arena_init(&arena, &problem->allocator);
  cr_arena_reserve(&arena, ROOM * (size_t)(problem->num_unknowns + problem->num_rows));
  carom_status status = solve(problem, &options, &arena, s);
  cr_arena_destroy(&arena);
  if (status == CAROM_OK) {
    *solution = s;
    return cr_error_clear(error);
  }
  carom_solution_destroy(s);
  return cr_error_memory(error);
}

/* --- Measuring ----------------------------------------------------------------------------------
 */

/* v = v* + A^-1 Jᵀ gamma. */
static void balance(const carom_problem* p, const double* gamma, double* solve, double* local,
                    double* v) {
  memset(v, 0, sizeof(double) * (size_t)p->num_unknowns);
  cr_problem_add_J_transposed(&p->problem, gamma, v, local);
  cr_convex_solve_A(p, v, solve);
  for (int i = 0; i < p->num_unknowns; i++) v[i] += p->v_star[i];
}

/* The projection of gamma, but for what it moves by round-off alone: impulses that were projected
 * before are measured as they are. */
static void project(const carom_problem* p, const double* gamma, double* projected) {
  CR_FOR_EACH_LAW (k, p->batch) cr_law_get(k)->project(&p->batch[k], gamma, projected);
  for (int r = 0; r < p->problem.num_rows; r++)
    if (fabs(projected[r] - gamma[r]) <= ROUND_OFF * fabs(gamma[r])) projected[r] = gamma[r];
}

static bool evaluate(const carom_problem* p, const carom_solve_def* def, const double* v,
                     const double* gamma, carom_solution* s) {
  cr_scratch_mark mark = cr_arena_mark_scratch(&s->arena);
  double* given = CR_SCRATCH(&s->arena, double, p->problem.num_rows);
  double* projected = CR_SCRATCH(&s->arena, double, p->problem.num_rows);
  double* local = CR_SCRATCH(&s->arena, double, cr_problem_scratch_size(&p->problem));
  double* scratch = CR_SCRATCH(&s->arena, double, p->A_symbolic.scratch_size);
  if (s->arena.failed) return false;
  cr_convex_gather(p, gamma, given);
  project(p, given, projected);
  cr_convex_scatter(p, projected, s->gamma);
  if (v)
    CR_COPY(s->v, v, p->num_unknowns);
  else
    balance(p, projected, scratch, local, s->v);
  cr_arena_pop_scratch(&s->arena, mark);
  bool coulomb = def->friction == CAROM_FRICTION_COULOMB;
  if (!cr_convex_solution_measure(p, coulomb, &s->arena, s)) return false;
  bool done = cr_convex_solution_get_measure(p, coulomb, s) <= def->tolerance;
  s->report.status = done ? CAROM_SOLVE_CERTIFIED : CAROM_SOLVE_STALLED;
  return true;
}

carom_status carom_problem_evaluate(const carom_problem* problem, const carom_solve_def* def,
                                    const double* v, const double* gamma, carom_solution** solution,
                                    carom_error* error) {
  carom_solve_def options = def ? *def : carom_solve_def_default();
  CR_TRY(check(problem, &options, solution, error));
  if (!gamma) return refuse("the impulses are null", error);
  CR_TRY(cr_convex_check_finite("gamma", gamma, problem->num_rows, error));
  if (v) CR_TRY(cr_convex_check_finite("v", v, problem->num_unknowns, error));
  carom_solution* s = cr_convex_solution_create(problem);
  if (!s) return cr_error_memory(error);
  if (evaluate(problem, &options, v, gamma, s)) {
    *solution = s;
    return cr_error_clear(error);
  }
  carom_solution_destroy(s);
  return cr_error_memory(error);
}
