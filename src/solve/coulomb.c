/* Coulomb friction to the tolerance (docs/solver.md; docs/notes has the measurements behind the
 * order of the attempts): the full Newton with the De Saxce term from the guess, where all rows
 * resist and there is none from the convex problem's rough solution; proximal point iterations; the
 * term grown from none; the full Newton from interior points; at last the fixed point on the term,
 * accelerated by Anderson's method, around convex solves. */
#include "solve/first_order/anderson.h"
#include "solve/strategy.h"

#include <math.h>
#include <string.h>

#define WARM_EPS             1e-3 /* proximal weights of the contacts, in scales */
#define COLD_EPS             1e-2
#define MOST_EPS             1e-1
#define OUTER_MAX            8
#define PLATEAU              0.5  /* an outer iteration that gains less is the last */
#define PROXIMAL_SHARE       0.5  /* of the tolerance, for the proximal problems */
#define CONVEX_TOLERANCE     1e-1 /* of the convex problem that a cold start goes by */
#define GROWTH               0.25 /* of the term's weight at first, */
#define FASTER               1.5  /* then for each solution, */
#define NEARER               0.4  /* of the way that was too long, */
#define LEAST_GROWTH         1e-2
#define GROWN_TOLERANCE      1e-6 /* on the way */
#define FIXED_POINT_MAX      60
#define FIXED_POINT_PATIENCE 15 /* iterations without halving the residual */

static const cr_law_mode COULOMB = {.coulomb = true};

/* Fixed point on the De Saxce term, one convex solve an iteration. */
static bool run_fixed_point(cr_strategy* s) {
  int rows = s->system->problem->num_rows;
  double* shift = CR_PUSH(s->arena, double, rows);
  double* next = CR_PUSH(s->arena, double, rows);
  cr_anderson anderson;
  if (s->arena->failed || !cr_anderson_init(&anderson, rows, s->arena)) return false;
  cr_strategy_compute_shift(s, shift);
  double best = INFINITY;
  for (int i = 0, since = 0; i < FIXED_POINT_MAX && since < FIXED_POINT_PATIENCE; i++, since++) {
    double value = cr_strategy_measure(s, &COULOMB);
    if (value <= s->options->tolerance) return true;
    if (value < 0.5 * best) best = value, since = 0;
    cr_strategy_convex(s, shift, fmin(0.1 * value, 1e-2), true);
    if (s->report.outcome == CR_NEWTON_FAILED) return false;
    cr_strategy_compute_shift(s, next);
    cr_anderson_step(&anderson, shift, next);
    for (int r = 0; r < rows; r++) shift[r] = fmax(shift[r], 0);
    s->report.outer++;
  }
  s->report.outcome = CR_NEWTON_STALLED;
  return false;
}

/* From the guess, then from the interior point, then from v*, gamma = 0. */
static bool solve_proximal(cr_strategy* s, double eps, double tolerance) {
  const cr_newton_limits limits[] = {{eps, 6, 0.25, 0, CR_FROM_ANY},
                                     {eps, 8, 0.25, 0, CR_FROM_ANY},
                                     {eps, 12, 0.25, 0, CR_FROM_ANY}};
  if (cr_strategy_newton(s, &COULOMB, tolerance, &limits[0])) return true;
  if (!cr_strategy_interior(s, &COULOMB, CR_INTERIOR_COLD, false, CR_INTERIOR_LOOSE)) return false;
  if (cr_strategy_newton(s, &COULOMB, tolerance, &limits[1])) return true;
  memset(s->iterate->gamma, 0, sizeof(double) * (size_t)s->system->problem->num_rows);
  cr_iterate_balance(s->system, s->iterate);
  s->report.outer++;
  return cr_strategy_newton(s, &COULOMB, tolerance, &limits[2]);
}

/* Proximal point iterations on the impulses: each problem is well conditioned whatever the
 * contacts' redundancy, the first is anchored at the guess. They stop at the tolerance, or where
 * they make no more progress: redundant sliding contacts leave valleys of almost-solutions. */
static bool run_proximal(cr_strategy* s, bool warm) {
  const cr_problem* p = s->system->problem;
  double tolerance = s->options->tolerance, last = INFINITY, eps = warm ? WARM_EPS : COLD_EPS;
  cr_iterate anchor; /* the last one whose proximal problem was solved, first the guess */
  if (!cr_iterate_init(&anchor, p, s->arena)) return false;
  cr_iterate_copy(s->iterate, p, &anchor);
  for (int i = 0; i < OUTER_MAX && eps <= MOST_EPS; i++) {
    cr_system_set_proximal(s->system, eps, anchor.gamma);
    bool solved = solve_proximal(s, eps, PROXIMAL_SHARE * tolerance);
    cr_system_set_proximal(s->system, 0, NULL);
    double residual = cr_strategy_measure(s, &COULOMB);
    if (solved && residual <= tolerance) return true;
    if (!solved || residual > last) cr_iterate_copy(&anchor, p, s->iterate);
    if (!solved && i == 0) {
      eps *= 10, i--;
      continue;
    }
    if (!solved || residual > PLATEAU * last) break;
    last = fmin(residual, last);
    s->report.outer++;
    cr_iterate_copy(s->iterate, p, &anchor);
  }
  return false;
}

/* Homotopy from the convex problem: the De Saxce term grows from none, each solution the start of
 * the next. */
static bool grow_term(cr_strategy* s) {
  const cr_problem* p = s->system->problem;
  const cr_newton_limits limits = {1e-3, 24, 0.5, 0, CR_FROM_ANY};
  double tolerance = s->options->tolerance, weight = 0, growth = GROWTH;
  cr_iterate solution;
  if (!cr_iterate_init(&solution, p, s->arena)) return false;
  cr_strategy_convex(s, NULL, GROWN_TOLERANCE, true);
  cr_iterate_copy(s->iterate, p, &solution);
  while (weight < 1 && growth > LEAST_GROWTH) {
    double next = fmin(1, weight + growth);
    const cr_law_mode mode = {.coulomb = next};
    bool solved = cr_strategy_newton(s, &mode, next < 1 ? GROWN_TOLERANCE : tolerance, &limits);
    s->report.outer++;
    if (solved) {
      weight = next, growth *= FASTER;
      cr_iterate_copy(s->iterate, p, &solution);
    } else {
      growth = NEARER * (next - weight);
      cr_iterate_copy(&solution, p, s->iterate);
    }
  }
  return weight >= 1;
}

bool cr_coulomb_solve(cr_strategy* s, bool warm) {
  bool is_regular = cr_system_is_well_posed(s->system);
  const cr_newton_limits first = {1e-3, is_regular ? 12 : 6, 0.25, 0, CR_FROM_ANY};
  const cr_newton_limits second = {1e-3, 8, 0.25, 0, CR_FROM_ANY};
  const cr_newton_limits tight = {1e-5, 12, 0.25, 0, CR_FROM_ANY};
  double tolerance = s->options->tolerance;
  if (s->options->solver != CR_SOLVER_NEWTON) return run_fixed_point(s);
  if (is_regular && !warm) cr_strategy_convex(s, NULL, CONVEX_TOLERANCE, false);
  if (cr_strategy_newton(s, &COULOMB, tolerance, &first) || run_proximal(s, warm) ||
      cr_strategy_newton(s, &COULOMB, tolerance, &second) || grow_term(s))
    return true;
  if (!cr_strategy_interior(s, &COULOMB, CR_INTERIOR_COLD, false, CR_INTERIOR_LOOSE)) return false;
  if (cr_strategy_newton(s, &COULOMB, tolerance, &second)) return true;
  if (!cr_strategy_interior(s, &COULOMB, CR_INTERIOR_COLD, false, CR_INTERIOR_TIGHT)) return false;
  return cr_strategy_newton(s, &COULOMB, tolerance, &tight) || run_fixed_point(s);
}
