/* Convex problems with the De Saxce term frozen: what Coulomb's friction is approached by, and ends
 * in.
 *
 * With the term s of an iterate in place of mu |u_t|, impulses at the solution obey the cone, and
 *
 *   gammaᵀ v_c = sum of gamma_n (v_hat_n - s) - gammaᵀ R gamma,
 *
 * so that, s being no less than zero, contacts add no energy but what v_hat asks for, whatever the
 * term. Rigid contacts that wedge a body answer a term that is a little off by large impulses,
 * which velocities do not show; a proximal term keeps these within reach of the iterate's. It adds
 * gammaᵀ R_p (anchor - gamma), a quarter of anchorᵀ R_p anchor at most: of the second order where
 * both are near. */
#include "solve/momentum.h"
#include "solve/strategy.h"
#include "solve/tuning.h"

#include <math.h>
#include <string.h>

typedef struct frozen {
  cr_iterate best;        /* the iterate nearest to Coulomb's law, */
  double least;           /* and its natural residual */
  double *shift, *anchor; /* [num_rows] of the last problem */
} frozen;

static const cr_law_mode COULOMB = {.coulomb = true};
static const cr_newton_limits CONVEX = {1e-3, 6, 0.1, 0, CR_FROM_ANY};
static const cr_newton_limits EXACT = {1e-3, 2, 0.25, 0, CR_FROM_ANY};

typedef struct frozen_aim {
  double eps; /* proximal weight, the iterate's impulses being the anchor; 0: none */
  double tolerance;
  bool is_brief; /* a run of Newton at most, which ends soon where it gets nowhere */
} frozen_aim;

/* Solves one frozen problem from the iterate that it is frozen at.
 * @param x receives its term and its anchor
 * @param value receives its own measure; null: not asked for */
static bool solve_frozen(cr_strategy* s, const frozen_aim* aim, frozen* x, double* value) {
  size_t size = sizeof(double) * (size_t)s->system->problem->num_rows;
  const cr_law_mode mode = {.shift = x->shift};
  cr_strategy_compute_shift(s, x->shift);
  memcpy(x->anchor, s->iterate->gamma, size);
  cr_system_set_proximal(s->system, aim->eps, aim->eps > 0 ? x->anchor : NULL);
  bool done = aim->eps > 0 && s->options->solver == CR_SOLVER_NEWTON &&
              cr_strategy_newton(s, &mode, aim->tolerance, &CONVEX);
  if (!aim->is_brief) done = done || cr_strategy_convex(s, x->shift, aim->tolerance, true);
  if (done && aim->tolerance <= s->options->tolerance)
    cr_momentum_balance(s->system, &mode, aim->tolerance, s->arena, s->iterate);
  if (value) *value = cr_strategy_find_residual(s, &mode);
  cr_system_set_proximal(s->system, 0, NULL);
  s->report.outer++;
  return done;
}

/* Takes the iterate for the best, where it is. */
static void keep_better(cr_strategy* s, frozen* x) {
  double residual = cr_strategy_find_residual(s, &COULOMB);
  if (residual >= x->least) return;
  x->least = residual;
  cr_iterate_copy(s->iterate, s->system->problem, &x->best);
}

/* A frozen problem, roughly, then the exact Newton from there. */
static bool run_round(cr_strategy* s, bool is_anchored, frozen* x) {
  double tolerance = s->options->tolerance, before = x->least;
  const frozen_aim aim = {.eps = is_anchored ? cr_strategy_choose_anchor(before) : 0,
                          .tolerance = cr_strategy_choose_rough(s, before)};
  solve_frozen(s, &aim, x, NULL);
  keep_better(s, x);
  if (x->least <= tolerance) return true;
  bool is_cheap = s->system->problem->num_rows <= CR_FEW_ROWS || cr_system_is_well_posed(s->system);
  if (!is_cheap && !cr_strategy_is_near(s, cr_strategy_find_residual(s, &COULOMB))) return false;
  if (cr_strategy_newton(s, &COULOMB, tolerance, &EXACT)) return true;
  keep_better(s, x);
  return false;
}

static bool init(cr_strategy* s, frozen* x) {
  const cr_problem* p = s->system->problem;
  x->shift = CR_PUSH(s->arena, double, p->num_rows);
  x->anchor = CR_PUSH(s->arena, double, p->num_rows);
  if (!cr_iterate_init(&x->best, p, s->arena)) return false;
  x->least = cr_strategy_find_residual(s, &COULOMB);
  cr_iterate_copy(s->iterate, p, &x->best);
  return true;
}

bool cr_frozen_approach(cr_strategy* s) {
  frozen x;
  int begin = s->report.iterations;
  bool is_anchored = true, was_free = false, is_small = s->system->H.flops < CR_SMALL_FLOPS;
  if (!init(s, &x)) return false;
  while (s->report.iterations - begin < CR_BUDGET) {
    double before = x.least;
    if (run_round(s, is_anchored, &x)) return true;
    bool gets_on = x.least < CR_PLATEAU * before; /* never where both are infinite */
    bool may_be_free = !was_free && is_small;
    if (!gets_on && !may_be_free) break;
    is_anchored = gets_on;
    was_free |= !is_anchored;
    if (!is_anchored) cr_iterate_copy(&x.best, s->system->problem, s->iterate);
  }
  cr_iterate_copy(&x.best, s->system->problem, s->iterate);
  return false;
}

/* The frozen problem of the best iterate, with a weight that grows until it is solved. */
static bool solve_last(cr_strategy* s, bool is_brief, frozen* x) {
  double tolerance = s->options->tolerance;
  frozen_aim aim = {cr_strategy_choose_anchor(x->least), tolerance, is_brief};
  bool done = false;
  for (; !done && aim.eps <= 1; aim.eps *= 10) {
    cr_iterate_copy(&x->best, s->system->problem, s->iterate);
    done = solve_frozen(s, &aim, x, &s->report.frozen_value);
    done = s->report.frozen_value <= (done ? tolerance : s->enough);
  }
  return done;
}

/* Where Newton is held up a weight ten times as large costs a few steps, and whoever comes after it
 * many. */
bool cr_frozen_settle(cr_strategy* s) {
  const cr_problem* p = s->system->problem;
  double tolerance = s->options->tolerance;
  frozen x;
  if (!init(s, &x)) return false;
  bool done = s->options->solver == CR_SOLVER_NEWTON && solve_last(s, true, &x);
  done = done || solve_last(s, false, &x);
  if (!done) { /* the best is as far from the problem that is frozen there as from Coulomb's law */
    cr_iterate_copy(&x.best, p, s->iterate);
    s->report.frozen_value = x.least;
  }
  s->report.is_frozen = cr_strategy_find_residual(s, &COULOMB) > fmax(tolerance, s->enough);
  s->report.outcome = done ? CR_NEWTON_CONVERGED : CR_NEWTON_STALLED;
  return done;
}
