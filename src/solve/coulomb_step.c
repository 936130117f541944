/* Coulomb friction in a bounded number of Newton steps (docs/solver.md gives the measurements).
 *
 * At rest the full Newton with the De Saxce term ends in one step from the last impulses. Elsewhere
 * the term makes it cycle where contacts are redundant, wedged or far from the guess, so that it
 * works on a proximal problem anchored at the guess: impulses keep within reach of the last ones,
 * and a contact that no velocity needs has a unique impulse. A blow starts it from the convex
 * problem without the term, and takes the term on in two halves. Where even that stalls, the convex
 * problem with a frozen term takes the step. */
#include "solve/strategy.h"

#include <math.h>

#define FAR            0.2  /* residual of a guess that is not worth starting from */
#define SMALL          6    /* rows of a problem whose steps cost little */
#define SETTLED_SHARE  20   /* of the tolerance, below which a stalled problem is left as it is */
#define EPS            3e-3 /* proximal weight of the contacts, in scales, far from a solution */
#define EPS_SHARE      10   /* the weight is at most so many residuals, */
#define LEAST_EPS      1e-5 /* and no less: near a solution it hardly holds back */
#define PROXIMAL_SHARE 0.5  /* of the tolerance, for the proximal problems */
#define OUTER_MAX      3
#define BUDGET         10   /* Newton steps after which no other proximal problem begins */
#define PLATEAU        0.5  /* an outer iteration that gains less is the last */
#define TOLERABLE      5e-2 /* residual of a proximal problem that a relaxed one rarely beats */
#define RELAXATIONS    2
#define LEEWAY         3    /* how much worse a solution may be than what it is taken for */
#define RELAXED        1e-5 /* tolerance of the convex problems that take a step */

static const cr_law_mode COULOMB = {.coulomb = true};
static const cr_newton_limits EXACT = {1e-3, 1, 0.25, 0, false};
static const cr_newton_limits JOINTED = {1e-5, 4, 0.25, 0, false}; /* of robots */
static const cr_newton_limits PATIENT = {1e-3, 6, 0.25, 0, false}; /* where steps cost little */
static const cr_newton_limits START = {EPS, 6, 0.25, 12, false};   /* convex, to START_TOLERANCE */
static const cr_newton_limits HALFWAY = {EPS, 3, 0.25, 4, false};
static const cr_newton_limits PROXIMAL = {EPS, 4, 0.25, 12, false};
#define START_TOLERANCE 1e-2

/* Newton on the problem as it is. Its proximal weight holds back impulses that no velocity needs,
 * and leaves as much of a step undone: less of it does for the few contacts of a robot. */
static bool run_exact_newton(cr_strategy* s) {
  const cr_problem* p = s->system->problem;
  const cr_newton_limits* limits = cr_problem_is_articulated(p) ? &JOINTED : &EXACT;
  return cr_strategy_newton(s, &COULOMB, s->options->tolerance, limits);
}

/* The proximal problem without the De Saxce term, roughly. */
static void run_convex_start(cr_strategy* s) {
  const cr_law_mode convex = {.coulomb = 0};
  cr_strategy_newton(s, &convex, START_TOLERANCE, &START);
}

/* The proximal problem without the term, then with half of it. */
static void approach(cr_strategy* s) {
  const cr_law_mode half = {.coulomb = 0.5};
  run_convex_start(s);
  cr_strategy_newton(s, &half, START_TOLERANCE, &HALFWAY);
}

/* The proximal problem as convex, with the De Saxce term frozen at the iterate and then at the
 * solution. A solution of it is taken unless the iterate was far better: it moves on from step to
 * step where Newton would stall at the same place for ever. */
static void relax(cr_strategy* s) {
  const cr_problem* p = s->system->problem;
  cr_iterate best;
  size_t mark = cr_arena_mark_scratch(s->arena);
  double* shift = CR_SCRATCH(s->arena, double, p->num_rows);
  if (!cr_iterate_init_scratch(&best, p, s->arena)) return;
  double least = LEEWAY * cr_strategy_measure(s, &COULOMB);
  cr_iterate_copy(s->iterate, p, &best);
  for (int i = 0; i < RELAXATIONS; i++) {
    cr_strategy_compute_shift(s, shift);
    double tolerance = fmax(fmin(RELAXED, 0.1 * least), s->options->tolerance);
    bool solved = cr_strategy_convex(s, shift, tolerance, true);
    double residual = cr_strategy_measure(s, &COULOMB);
    if (!solved || residual >= least) continue;
    least = LEEWAY * residual;
    s->report.relaxed = true;
    cr_iterate_copy(s->iterate, p, &best);
  }
  cr_iterate_copy(&best, p, s->iterate);
  cr_arena_pop_scratch(s->arena, mark);
}

static bool run_proximal_newton(cr_strategy* s) {
  return cr_strategy_newton(s, &COULOMB, PROXIMAL_SHARE * s->options->tolerance, &PROXIMAL);
}

/* Solves the proximal problem, from the guess or by way of the convex problem; where Newton stalls,
 * relaxes it, far from a solution from where Newton began.
 * @param start receives what a relaxation starts from */
static bool solve_proximal(cr_strategy* s, bool far, cr_iterate* start) {
  const cr_problem* p = s->system->problem;
  cr_iterate_copy(s->iterate, p, start);
  if (!far && run_proximal_newton(s)) return true;
  if (!far) cr_iterate_copy(start, p, s->iterate);
  approach(s);
  cr_iterate_copy(s->iterate, p, start);
  if (run_proximal_newton(s)) return true;
  if (cr_strategy_measure(s, &COULOMB) > TOLERABLE) cr_iterate_copy(start, p, s->iterate);
  relax(s);
  return false;
}

/* Proximal point iterations on the impulses, the first anchored at the guess. */
static bool run_proximal(cr_strategy* s, const cr_iterate* guess, double residual) {
  bool far = residual > FAR;
  const cr_problem* p = s->system->problem;
  double last = INFINITY;
  int begin = s->report.iterations;
  cr_iterate anchor, start;
  if (!cr_iterate_init(&anchor, p, s->arena) || !cr_iterate_init(&start, p, s->arena)) return false;
  cr_iterate_copy(guess, p, &anchor);
  for (int i = 0; i < OUTER_MAX && s->report.iterations - begin < BUDGET; i++) {
    cr_system_set_proximal(s->system, fmin(EPS, fmax(LEAST_EPS, EPS_SHARE * residual)),
                           anchor.gamma);
    bool solved = solve_proximal(s, far && i == 0, &start);
    cr_system_set_proximal(s->system, 0, NULL);
    s->report.settled = true;
    s->report.outer++;
    residual = cr_strategy_measure(s, &COULOMB);
    if (solved && residual <= s->options->tolerance) return true;
    if (!solved || residual > PLATEAU * last) break;
    cr_iterate_copy(s->iterate, p, &anchor);
    if (i == 0 && run_exact_newton(s)) return true;
    last = residual = cr_strategy_measure(s, &COULOMB);
  }
  return false;
}

/* Patiently from the guess, then from an interior point. */
static bool solve_small(cr_strategy* s) {
  double tolerance = s->options->tolerance;
  return cr_strategy_newton(s, &COULOMB, tolerance, &PATIENT) ||
         (cr_strategy_interior(s, &COULOMB, CR_INTERIOR_LOOSE) &&
          cr_strategy_newton(s, &COULOMB, tolerance, &PATIENT));
}

bool cr_coulomb_step(cr_strategy* s) {
  double tolerance = s->options->tolerance, residual = cr_strategy_measure(s, &COULOMB);
  cr_iterate guess;
  if (!cr_iterate_init(&guess, s->system->problem, s->arena)) return false;
  cr_iterate_copy(s->iterate, s->system->problem, &guess);
  bool far = residual > FAR, small = s->system->problem->num_rows <= SMALL;
  if (small ? solve_small(s) : !far && run_exact_newton(s)) return true;
  s->report.settled = !far && cr_strategy_measure(s, &COULOMB) <= SETTLED_SHARE * tolerance;
  bool done = !s->report.settled &&
              run_proximal(s, &guess, far ? residual : cr_strategy_measure(s, &COULOMB));
  if (!done) s->report.outcome = CR_NEWTON_STALLED;
  return done;
}
