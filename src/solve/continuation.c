/* Coulomb friction where exact Newton runs end nowhere: the De Saxce term grown from none; the
 * fixed point on it around convex problems, accelerated by Anderson's method. */
#include "solve/first_order/anderson.h"
#include "solve/strategy.h"
#include "solve/tuning.h"

#include <math.h>
#include <string.h>

static const cr_law_mode COULOMB = {.coulomb = true};

/* Fixed point on the De Saxce term, one convex solve an iteration. What it does not solve it leaves
 * at its best: it may part from where it began, also from what is nearly solved. */
bool cr_continuation_iterate(cr_strategy* s) {
  const cr_problem* p = s->system->problem;
  int rows = p->num_rows;
  double *shift = CR_PUSH(s->arena, double, rows), *next = CR_PUSH(s->arena, double, rows);
  double least = INFINITY;
  cr_anderson anderson;
  cr_iterate best;
  if (!cr_iterate_init(&best, p, s->arena)) return false;
  if (!cr_anderson_init(&anderson, rows, s->arena)) return false;
  cr_strategy_compute_shift(s, shift);
  for (int i = 0; i < CR_MOST; i++) {
    double value = cr_strategy_find_residual(s, &COULOMB);
    if (value <= s->options->tolerance) return true;
    if (value < least) least = value, cr_iterate_copy(s->iterate, p, &best);
    cr_strategy_convex(s, shift, cr_strategy_choose_rough(s, value), true);
    if (s->report.outcome == CR_NEWTON_FAILED) return false;
    cr_strategy_compute_shift(s, next);
    cr_anderson_step(&anderson, shift, next);
    for (int r = 0; r < rows; r++) shift[r] = fmax(shift[r], 0);
    s->report.outer++;
  }
  if (least < cr_strategy_find_residual(s, &COULOMB)) cr_iterate_copy(&best, p, s->iterate);
  s->report.outcome = CR_NEWTON_STALLED;
  return false;
}

/* Homotopy from the convex problem: the De Saxce term grows from none, each solution the start of
 * the next. */
bool cr_continuation_grow(cr_strategy* s) {
  const cr_problem* p = s->system->problem;
  const cr_newton_limits limits = {1e-3, 24, 0.5, 0, CR_FROM_FAR};
  double tolerance = s->options->tolerance, weight = 0, growth = CR_GROWTH;
  cr_iterate solution;
  if (!cr_iterate_init(&solution, p, s->arena)) return false;
  cr_strategy_convex(s, NULL, CR_INTERIOR_TIGHT, true);
  cr_iterate_copy(s->iterate, p, &solution);
  while (weight < 1 && growth > CR_GROWTH / 32) {
    double next = fmin(1, weight + growth);
    const cr_law_mode mode = {.coulomb = next};
    bool solved = cr_strategy_newton(s, &mode, next < 1 ? CR_INTERIOR_TIGHT : tolerance, &limits);
    s->report.outer++;
    if (solved) {
      weight = next;
      cr_iterate_copy(s->iterate, p, &solution);
    } else {
      growth = 0.5 * (next - weight);
      cr_iterate_copy(&solution, p, s->iterate);
    }
  }
  return weight >= 1;
}
