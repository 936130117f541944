/* Strategies around the primal-dual Newton (docs/solver.md gives the measurements behind them).
 *
 * Convex: primal-dual Newton; where it stalls, the interior point to moderate accuracy and
 * primal-dual Newton again; at last the published Newton, which always converges. Coulomb: the full
 * Newton with the De Saxce term from the guess; where it stalls, the interior point with the term
 * renewed at every iteration, then the full Newton again; at last the fixed point on the term,
 * accelerated by Anderson's method, around convex solves. */
#include "solve/newton.h"

#include "solve/anderson.h"
#include "solve/interior_point.h"
#include "solve/primal.h"

#include <math.h>
#include <string.h>

#define INTERIOR_MAX         40
#define INTERIOR_TOLERANCE   1e-3
#define INTERIOR_TIGHT       1e-5
#define WARM_EPS             1e-3 /* proximal weights of the contacts, in scales */
#define COLD_EPS             1e-2
#define MOST_EPS             1e-1
#define OUTER_MAX            4
#define PLATEAU              0.5 /* an outer iteration that gains less is the last */
#define FAR                  0.2 /* residual of a guess that is not worth starting from */
#define SETTLED_SHARE        20 /* of the tolerance, below which a stalled problem is left as it is */
#define PROXIMAL_SHARE       0.5 /* of the tolerance, for the proximal problems */
#define FIXED_POINT_MAX      60
#define FIXED_POINT_PATIENCE 15 /* iterations without halving the residual */

/* Proximal weights of a Newton run: the first, how fast full steps shrink it, the least. */
typedef struct proximal_plan {
  double first, shrink, least;
} proximal_plan;

static const proximal_plan USUAL = {1e-2, 0.2, 1e-7};
static const proximal_plan WARM = {1e-3, 0.2, 1e-7};
static const proximal_plan TIGHT = {1e-5, 0.2, 1e-7};

typedef struct solver {
  cr_system* system;
  const cr_solve_options* options;
  cr_arena* arena;
  cr_iterate* iterate;
  cr_newton_report report;
} solver;

static double value_of(solver* s, const cr_law_mode* mode) {
  size_t mark = cr_arena_mark_scratch(s->arena);
  double* scratch = CR_SCRATCH(s->arena, double, s->system->problem->num_rows);
  double value =
      s->arena->failed ? INFINITY : cr_measure_value(s->system, s->iterate, mode, scratch);
  cr_arena_pop_scratch(s->arena, mark);
  return value;
}

/* Primal-dual Newton in the given mode. */
static bool run_newton(solver* s, const cr_law_mode* mode, double tolerance, proximal_plan plan,
                       int patience, double progress) {
  cr_primal_dual_settings settings = cr_primal_dual_settings_default(s->system, tolerance);
  settings.mode = *mode;
  settings.min_iterations = 1;
  settings.patience = patience;
  settings.progress = progress;
  settings.max_iterations = s->options->max_iterations;
  if (settings.proximal > 0)
    settings.proximal = plan.first, settings.shrink = plan.shrink,
    settings.proximal_least = plan.least;
  s->report.outcome =
      cr_primal_dual(s->system, &settings, s->arena, s->iterate, &s->report.iterations);
  return s->report.outcome == CR_NEWTON_CONVERGED;
}

/* Interior point from a cold start; its iterate is taken unless it is worse than the one at hand.
 */
static bool run_interior(solver* s, const cr_law_mode* mode, double tolerance) {
  const cr_problem* p = s->system->problem;
  cr_iterate trial;
  if (!cr_iterate_init(&trial, p, s->arena)) return false;
  cr_interior_point(s->system, mode, tolerance, INTERIOR_MAX, s->arena, &trial,
                    &s->report.iterations);
  cr_iterate kept = *s->iterate;
  double before = value_of(s, mode);
  *s->iterate = trial;
  double after = value_of(s, mode);
  *s->iterate = kept;
  s->report.outer++;
  if (after < fmax(before, 10 * tolerance)) cr_iterate_copy(&trial, p, s->iterate);
  return true;
}

/* --- Convex -------------------------------------------------------------------------------------
 */

static bool run_primal(solver* s, const double* shift, double tolerance) {
  bool well_posed = s->system->smallest_R > 1e-9;
  cr_primal_settings settings = {shift, tolerance, s->options->max_iterations,
                                 well_posed ? 0 : 1e-4};
  s->report.outcome = cr_primal_newton(s->system, &settings, s->arena, s->iterate,
                                       &s->report.iterations, &s->report.outer);
  return s->report.outcome == CR_NEWTON_CONVERGED;
}

/* The convex problem with a frozen De Saxce term (or none), to a tolerance. */
static bool solve_convex(solver* s, const double* shift, double tolerance, bool warm) {
  cr_law_mode mode = {.shift = shift};
  if (s->options->solver == CR_SOLVER_PRIMAL) return run_primal(s, shift, tolerance);
  if (run_newton(s, &mode, tolerance, warm ? WARM : USUAL, 8, 0.1)) return true;
  if (!run_interior(s, &mode, INTERIOR_TOLERANCE)) return false;
  if (run_newton(s, &mode, tolerance, WARM, 12, 0.1)) return true;
  if (!run_interior(s, &mode, INTERIOR_TIGHT)) return false;
  if (run_newton(s, &mode, tolerance, TIGHT, 12, 0.1)) return true;
  return run_primal(s, shift, tolerance);
}

/* --- Coulomb ------------------------------------------------------------------------------------
 */

static void compute_shift(solver* s, double* shift) {
  cr_law_point point = cr_system_point(s->system, s->iterate);
  for (int k = 0; k < CR_LAW_COUNT; k++)
    cr_law_get(k)->compute_shift(&s->system->batch[k], &point, shift);
}

/* Fixed point on the De Saxce term, one convex solve an iteration. */
static bool run_fixed_point(solver* s) {
  int rows = s->system->problem->num_rows;
  cr_law_mode coulomb = {.coulomb = true};
  double* shift = CR_PUSH(s->arena, double, rows);
  double* next = CR_PUSH(s->arena, double, rows);
  cr_anderson anderson;
  if (s->arena->failed || !cr_anderson_init(&anderson, rows, s->arena)) return false;
  compute_shift(s, shift);
  double best = INFINITY;
  for (int i = 0, since = 0; i < FIXED_POINT_MAX && since < FIXED_POINT_PATIENCE; i++, since++) {
    double value = value_of(s, &coulomb);
    if (value <= s->options->tolerance) return true;
    if (value < 0.5 * best) best = value, since = 0;
    solve_convex(s, shift, fmin(0.1 * value, 1e-2), true);
    if (s->report.outcome == CR_NEWTON_FAILED) return false;
    compute_shift(s, next);
    cr_anderson_step(&anderson, shift, next);
    for (int r = 0; r < rows; r++) shift[r] = fmax(shift[r], 0);
    s->report.outer++;
  }
  s->report.outcome = CR_NEWTON_STALLED;
  return false;
}

/* From the guess, then from the interior point, then from v*, gamma = 0. */
static bool solve_proximal(solver* s, double eps, double tolerance) {
  const cr_law_mode mode = {.coulomb = true};
  const proximal_plan plan = {eps, 0.2, 1e-7};
  if (run_newton(s, &mode, tolerance, plan, 6, 0.25)) return true;
  if (!run_interior(s, &mode, INTERIOR_TOLERANCE)) return false;
  if (run_newton(s, &mode, tolerance, plan, 8, 0.25)) return true;
  memset(s->iterate->gamma, 0, sizeof(double) * (size_t)s->system->problem->num_rows);
  cr_iterate_balance(s->system, s->iterate);
  s->report.outer++;
  return run_newton(s, &mode, tolerance, plan, 12, 0.25);
}

/* Residual of the problem itself. */
static double true_residual(solver* s, const cr_law_mode* mode) {
  cr_system_set_proximal(s->system, 0, NULL);
  return value_of(s, mode);
}

/* Proximal point iterations on the impulses: each problem is well conditioned whatever the
 * contacts' redundancy, the first is anchored at the guess. They stop at the tolerance, or where
 * they make no more progress: redundant sliding contacts leave valleys of almost-solutions. */
static bool run_proximal(solver* s, bool warm) {
  const cr_law_mode mode = {.coulomb = true};
  const cr_problem* p = s->system->problem;
  double tolerance = s->options->tolerance, last = INFINITY, eps = warm ? WARM_EPS : COLD_EPS;
  cr_iterate anchor; /* the last one whose proximal problem was solved, first the guess */
  if (!cr_iterate_init(&anchor, p, s->arena)) return false;
  cr_iterate_copy(s->iterate, p, &anchor);
  for (int i = 0; i < OUTER_MAX && eps <= MOST_EPS; i++) {
    cr_system_set_proximal(s->system, eps, anchor.gamma);
    bool solved = solve_proximal(s, eps, PROXIMAL_SHARE * tolerance);
    double residual = true_residual(s, &mode);
    if (solved && residual <= tolerance) return true;
    if (!solved || residual > last) cr_iterate_copy(&anchor, p, s->iterate);
    if (!solved && !s->report.settled) {
      eps *= 10;
      continue;
    }
    s->report.settled = true;
    if (!solved || residual > PLATEAU * last) break;
    last = residual;
    s->report.outer++;
    cr_iterate_copy(s->iterate, p, &anchor);
  }
  cr_system_set_proximal(s->system, 0, NULL);
  return false;
}

/* Other starts, for those who ask for the tolerance whatever it takes. */
static bool insist(solver* s) {
  const cr_law_mode mode = {.coulomb = true};
  double tolerance = s->options->tolerance;
  if (!run_interior(s, &mode, INTERIOR_TOLERANCE)) return false;
  if (run_newton(s, &mode, tolerance, WARM, 8, 0.25)) return true;
  if (!run_interior(s, &mode, INTERIOR_TIGHT)) return false;
  return run_newton(s, &mode, tolerance, TIGHT, 12, 0.25) || run_fixed_point(s);
}

/* True when the iterate is near enough for those in a hurry. */
static bool is_settled(solver* s, const cr_law_mode* mode) {
  if (!s->options->quick) return false;
  s->report.settled = value_of(s, mode) <= SETTLED_SHARE * s->options->tolerance;
  return s->report.settled;
}

/* Every step of a simulation: the full Newton from the guess, or after a blow from the interior
 * point; where it stalls, proximal iterations from there. */
static bool solve_quickly(solver* s, bool warm) {
  const cr_law_mode mode = {.coulomb = true};
  const cr_problem* p = s->system->problem;
  cr_iterate start;
  if (!cr_iterate_init(&start, p, s->arena)) return false;
  bool far = value_of(s, &mode) > FAR;
  if (far && !run_interior(s, &mode, INTERIOR_TOLERANCE)) return false;
  cr_iterate_copy(s->iterate, p, &start);
  if (run_newton(s, &mode, s->options->tolerance, WARM, 3, 0.25)) return true;
  if (is_settled(s, &mode)) return false;
  cr_iterate_copy(&start, p, s->iterate);
  return run_proximal(s, warm);
}

static bool solve_coulomb(solver* s, bool warm) {
  const cr_law_mode mode = {.coulomb = true};
  double tolerance = s->options->tolerance;
  if (s->options->solver == CR_SOLVER_PRIMAL) return run_fixed_point(s);
  bool done = s->options->quick
                  ? solve_quickly(s, warm)
                  : run_newton(s, &mode, tolerance, WARM, 6, 0.25) || run_proximal(s, warm) ||
                        run_newton(s, &mode, tolerance, WARM, 8, 0.25) || insist(s);
  if (!done) s->report.outcome = CR_NEWTON_STALLED;
  return done;
}

cr_newton_report cr_newton_solve(cr_system* system, const cr_solve_options* options, bool warm,
                                 cr_arena* arena, cr_iterate* iterate) {
  solver s = {.system = system, .options = options, .arena = arena, .iterate = iterate};
  s.report.outer = 1;
  bool has_cones = system->batch[CR_LAW_CONTACT].count > 0;
  bool done = options->friction == CR_FRICTION_COULOMB && has_cones
                  ? solve_coulomb(&s, warm)
                  : solve_convex(&s, NULL, options->tolerance, warm);
  if (done)
    s.report.outcome = CR_NEWTON_CONVERGED;
  else if (s.report.outcome == CR_NEWTON_CONVERGED)
    s.report.outcome = CR_NEWTON_STALLED;
  return s.report;
}
