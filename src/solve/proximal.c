/* Coulomb friction by proximal problems with exact Newton, in a bounded number of steps, where
 * frozen problems have left much.
 *
 * The first is anchored at the guess: impulses keep within reach of the last ones. Weights shrink,
 * because a weight that stays is a spring with memory, which the recovery of overlaps makes swing.
 * Where Newton stalls, it starts from the convex problem without the De Saxce term, and takes the
 * term on in two halves. */
#include "solve/strategy.h"
#include "solve/tuning.h"

#include <math.h>

static const cr_law_mode COULOMB = {.coulomb = true};
static const cr_newton_limits EXACT = {1e-3, 1, 0.25, 0, CR_FROM_ANY};
static const cr_newton_limits PATIENT = {1e-3, 6, 0.25, 0,
                                         CR_FROM_ANY}; /* where steps cost little, */
static const cr_newton_limits START = {CR_ANCHOR, 6, 0.25, 12,
                                       CR_FROM_ANY}; /* convex, to CR_ROUGH */
static const cr_newton_limits HALFWAY = {CR_ANCHOR, 3, 0.25, 4, CR_FROM_ANY};
static const cr_newton_limits PROXIMAL = {CR_ANCHOR, 10, 0.25, 20, CR_FROM_ANY};

/* How proximal iterations go on. */
typedef struct outer_limits {
  int most;
  double plateau; /* one that leaves more of the residual is the last */
  double shrink;  /* of the weight after each */
} outer_limits;

static const outer_limits AFTER_IMPACT = {3, 0.5, 1};
static const outer_limits SETTLING = {6, 0.9, 0.3};

/* The proximal problem without the De Saxce term, roughly, then with half of it. */
static void approach(cr_strategy* s) {
  const cr_law_mode convex = {.coulomb = 0}, half = {.coulomb = 0.5};
  cr_strategy_newton(s, &convex, CR_ROUGH, &START);
  cr_strategy_newton(s, &half, CR_ROUGH, &HALFWAY);
}

/* Newton on the proximal problem, no farther than its anchor is worth: the more the problem itself
 * leaves at the anchor. True where it came near enough to go on from. */
static bool run_proximal_newton(cr_strategy* s, double residual) {
  return cr_strategy_newton(s, &COULOMB, cr_strategy_choose_rough(s, residual), &PROXIMAL) ||
         cr_strategy_find_residual(s, &COULOMB) <= CR_ROUGH;
}

/* Solves the first proximal problem, from its anchor or else by way of the convex problem; keeps
 * the better of them where both stall.
 * @param residual of the problem itself at the anchor
 * @param kept room for an iterate */
static bool solve_proximal(cr_strategy* s, double residual, const cr_iterate* anchor,
                           cr_iterate* kept) {
  const cr_problem* p = s->system->problem;
  if (run_proximal_newton(s, residual)) return true;
  double least = cr_strategy_find_residual(s, &COULOMB);
  cr_iterate_copy(s->iterate, p, kept);
  cr_iterate_copy(anchor, p, s->iterate);
  approach(s);
  if (run_proximal_newton(s, residual)) return true;
  if (cr_strategy_find_residual(s, &COULOMB) > least) cr_iterate_copy(kept, p, s->iterate);
  return false;
}

/* Newton on the problem as it is, where the iterate is near enough; *residual
 * becomes that of the result. */
static bool run_exact(cr_strategy* s, double* residual) {
  if (!cr_strategy_is_near(s, *residual)) return false;
  if (cr_strategy_newton(s, &COULOMB, s->options->tolerance, &EXACT)) return true;
  *residual = cr_strategy_find_residual(s, &COULOMB);
  return false;
}

/* One proximal iteration of the weight eps; true where it is a start for another.
 * @param residual of the problem itself: at the anchor on entry, at the iterate on return */
static bool iterate_proximal(cr_strategy* s, double eps, bool is_first, const cr_iterate* anchor,
                             cr_iterate* kept, double* residual) {
  double before = *residual, weight = fmin(eps, cr_strategy_choose_anchor(before));
  cr_system_set_proximal(s->system, weight, anchor->gamma);
  bool solved = is_first ? solve_proximal(s, before, anchor, kept) : run_proximal_newton(s, before);
  cr_system_set_proximal(s->system, 0, NULL);
  s->report.outer++;
  *residual = cr_strategy_find_residual(s, &COULOMB);
  if (is_first || *residual <= before) return solved;
  cr_iterate_copy(anchor, s->system->problem, s->iterate);
  return false;
}

/* Proximal point iterations on the impulses, the first anchored at the guess. */
static bool run_proximal(cr_strategy* s, const cr_iterate* guess, double residual) {
  const cr_problem* p = s->system->problem;
  bool again = s->options->start == CR_START_IMPULSES; /* in the same step, with what it met */
  const outer_limits* limits = residual > CR_NEAR || again ? &AFTER_IMPACT : &SETTLING;
  double last = INFINITY, eps = CR_ANCHOR;
  int begin = s->report.iterations;
  cr_iterate anchor, kept;
  if (!cr_iterate_init(&anchor, p, s->arena) || !cr_iterate_init(&kept, p, s->arena)) return false;
  cr_iterate_copy(guess, p, &anchor);
  for (int i = 0; i < limits->most && s->report.iterations - begin < CR_BUDGET; i++) {
    bool goes_on = iterate_proximal(s, eps, i == 0, &anchor, &kept, &residual);
    if (goes_on && residual <= s->options->tolerance) return true;
    if (!goes_on || residual > limits->plateau * last) break;
    eps *= limits->shrink;
    cr_iterate_copy(s->iterate, p, &anchor);
    if (i == 0 && run_exact(s, &residual)) return true;
    last = residual;
  }
  return false;
}

/* Newton with patience; where that leaves much, from an interior point. */
static bool run_patiently(cr_strategy* s) {
  static const cr_inside_settings INSIDE = {CR_INTERIOR_COLD, CR_INTERIOR_LOOSE, false, INFINITY};
  double tolerance = s->options->tolerance;
  if (cr_strategy_newton(s, &COULOMB, tolerance, &PATIENT)) return true;
  return cr_strategy_find_residual(s, &COULOMB) > CR_ROUGH &&
         cr_strategy_inside(s, &COULOMB, tolerance, &INSIDE, &PATIENT);
}

/* Takes the iterate for the best where it is.
 * @param least of the best */
static void take_better(cr_strategy* s, cr_iterate* best, double* least) {
  double residual = cr_strategy_find_residual(s, &COULOMB);
  if (residual >= *least) return;
  *least = residual;
  cr_iterate_copy(s->iterate, s->system->problem, best);
}

bool cr_proximal_solve(cr_strategy* s, const cr_iterate* guess, double residual) {
  const cr_problem* p = s->system->problem;
  double least = cr_strategy_find_residual(s, &COULOMB);
  cr_iterate best;
  if (!cr_iterate_init(&best, p, s->arena)) return false;
  cr_iterate_copy(s->iterate, p, &best);
  cr_iterate_copy(guess, p, s->iterate);
  if (run_proximal(s, guess, residual)) return true;
  take_better(s, &best, &least);
  if (p->num_rows <= CR_FEW_ROWS) {
    if (run_patiently(s)) return true;
    take_better(s, &best, &least);
  }
  cr_iterate_copy(&best, p, s->iterate);
  return false;
}
