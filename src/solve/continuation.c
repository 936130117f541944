/* Coulomb friction where exact Newton runs end nowhere: proximal point iterations; the De Saxce
 * term grown from none; the fixed point on it around convex problems, accelerated by Anderson's
 * method. */
#include "solve/first_order/anderson.h"
#include "solve/strategy.h"
#include "solve/tuning.h"

#include <math.h>
#include <string.h>

#define WARM_EPS             1e-3 /* proximal weights of the contacts, in scales */
#define COLD_EPS             1e-2
#define MOST_EPS             1e-1
#define OUTER_MAX            8
#define FASTER               1.5 /* then for each solution, */
#define NEARER               0.4 /* of the way that was too long, */
#define LEAST_GROWTH         1e-2
#define GROWN_TOLERANCE      1e-6 /* on the way */
#define FIXED_POINT_MAX      60
#define FIXED_POINT_PATIENCE 15 /* iterations without halving the residual */

static const cr_law_mode COULOMB = {.coulomb = true};

/* Fixed point on the De Saxce term, one convex solve an iteration. */
bool cr_continuation_iterate(cr_strategy* s) {
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
static bool solve_one(cr_strategy* s, double eps, double tolerance) {
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
bool cr_continuation_proximal(cr_strategy* s, bool warm) {
  const cr_problem* p = s->system->problem;
  double tolerance = s->options->tolerance, last = INFINITY, eps = warm ? WARM_EPS : COLD_EPS;
  cr_iterate anchor; /* the last one whose proximal problem was solved, first the guess */
  if (!cr_iterate_init(&anchor, p, s->arena)) return false;
  cr_iterate_copy(s->iterate, p, &anchor);
  for (int i = 0; i < OUTER_MAX && eps <= MOST_EPS; i++) {
    cr_system_set_proximal(s->system, eps, anchor.gamma);
    bool solved = solve_one(s, eps, 0.5 * tolerance);
    cr_system_set_proximal(s->system, 0, NULL);
    double residual = cr_strategy_measure(s, &COULOMB);
    if (solved && residual <= tolerance) return true;
    if (!solved || residual > last) cr_iterate_copy(&anchor, p, s->iterate);
    if (!solved && i == 0) {
      eps *= 10, i--;
      continue;
    }
    if (!solved || residual > 0.5 * last) break;
    last = fmin(residual, last);
    s->report.outer++;
    cr_iterate_copy(s->iterate, p, &anchor);
  }
  return false;
}

/* Homotopy from the convex problem: the De Saxce term grows from none, each solution the start of
 * the next. */
bool cr_continuation_grow(cr_strategy* s) {
  const cr_problem* p = s->system->problem;
  const cr_newton_limits limits = {1e-3, 24, 0.5, 0, CR_FROM_ANY};
  double tolerance = s->options->tolerance, weight = 0, growth = CR_GROWTH;
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
