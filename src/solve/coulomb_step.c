/* Coulomb friction in a bounded number of Newton steps (docs/solver.md gives the measurements).
 *
 * Where all rows resist, the full Newton with the De Saxce term solves the problem from any guess,
 * and of rigid contacts at rest in one step from the last impulses. Elsewhere the term makes it
 * cycle where these are redundant, wedged or far from the guess. There convex problems with a
 * frozen term lead to where it converges; what they leave ends in one that is solved to the
 * tolerance (frozen.c).
 *
 * Robots have few contacts, whose states Newton cycles among: sweeps over the contacts, each solved
 * alone, find them, or an interior point. */
#include "solve/gauss_seidel.h"
#include "solve/strategy.h"

#include <math.h>

#define FAR           0.2  /* residual of a rigid problem's guess not worth starting from: a blow */
#define NEAR          1e-3 /* the same where steps cost much: the exact Newton rarely gets there */
#define LARGE         500  /* rows of such a problem */
#define SMALL         6    /* rows of a problem whose steps cost little */
#define SETTLED_SHARE 20   /* of the tolerance, below which sweeps are not worth their time */
#define SWEEPS        300  /* of Gauss-Seidel at most, between two runs of Newton */
#define ROUGH         1e-3 /* of all impulses is what the last one moves, */
#define FINE          1e-5 /* where nothing else has helped */
#define SWEEP_RUNS    2

static const cr_law_mode COULOMB = {.coulomb = true};
static const cr_newton_limits EXACT = {1e-3, 1, 0.25, 0, CR_FROM_ANY};
static const cr_newton_limits REGULAR = {0, 8, 0.25, 0, CR_FROM_ANY}; /* where all rows resist, */
static const cr_newton_limits JOINTED = {1e-6, 3, 0.25, 0, CR_FROM_ANY}; /* of robots, */
static const cr_newton_limits PATIENT = {1e-3, 6, 0.25, 0, CR_FROM_ANY}; /* where it turns round, */
static const cr_newton_limits SWEPT = {1e-3, 4, 0.25, 0, CR_FROM_ANY};   /* after sweeps */
static const cr_newton_limits INSIDE = {1e-5, 12, 0.25, 0,
                                        CR_FROM_ANY}; /* and from an interior point */

/* Newton on the problem as it is, where all rows resist or the iterate is near enough; *residual
 * becomes that of the result. */
static bool run_exact(cr_strategy* s, double* residual) {
  bool is_regular = cr_system_is_well_posed(s->system);
  bool is_small = s->system->problem->num_rows <= SMALL;
  if (!is_regular && !is_small && *residual > (s->system->problem->num_rows > LARGE ? NEAR : FAR))
    return false;
  if (cr_strategy_newton(s, &COULOMB, s->options->tolerance,
                         is_regular ? &REGULAR
                         : is_small ? &PATIENT
                                    : &EXACT))
    return true;
  *residual = cr_strategy_measure(s, &COULOMB);
  return false;
}

/* The better of two iterates, of which `kept` leaves *residual. */
static void keep_better(cr_strategy* s, const cr_iterate* kept, double* residual) {
  double after = cr_strategy_measure(s, &COULOMB);
  if (after > *residual) cr_iterate_copy(kept, s->system->problem, s->iterate);
  *residual = fmin(after, *residual);
}

/* Sweeps over the contacts, then Newton; the better of the iterates is kept.
 * @param settled share of all impulses that the last sweep moves
 * @param kept room for an iterate */
static bool run_swept(cr_strategy* s, double settled, cr_iterate* kept, double* residual) {
  double tolerance = s->options->tolerance;
  cr_iterate_copy(s->iterate, s->system->problem, kept);
  s->report.outer++;
  if (!cr_gauss_seidel_coulomb(s->system, SWEEPS, settled, s->arena, s->iterate)) return false;
  if (cr_strategy_measure(s, &COULOMB) <= tolerance ||
      cr_strategy_newton(s, &COULOMB, tolerance, &SWEPT))
    return true;
  keep_better(s, kept, residual);
  return false;
}

/* The same from an interior point of an accuracy, which knows nothing of the guess. */
static bool run_interior(cr_strategy* s, double accuracy, const cr_newton_limits* limits,
                         cr_iterate* kept, double* residual) {
  cr_iterate_copy(s->iterate, s->system->problem, kept);
  if (!cr_strategy_interior(s, &COULOMB, CR_INTERIOR_COLD, false, accuracy)) return false;
  if (cr_strategy_newton(s, &COULOMB, s->options->tolerance, limits)) return true;
  keep_better(s, kept, residual);
  return false;
}

/* Newton on the problem of a robot, however far the guess. Its proximal weight, which holds back
 * impulses that no velocity needs and leaves as much of a step undone, is small for few contacts;
 * where it turns round it goes on with a larger one. Where it cycles far from the solution, sweeps
 * change the contacts' states; at last an interior point does. */
static bool solve_jointed(cr_strategy* s, double* residual) {
  double tolerance = s->options->tolerance;
  cr_iterate kept;
  if (cr_strategy_newton(s, &COULOMB, tolerance, &JOINTED) ||
      cr_strategy_newton(s, &COULOMB, tolerance, &PATIENT))
    return true;
  *residual = cr_strategy_measure(s, &COULOMB);
  if (!cr_iterate_init(&kept, s->system->problem, s->arena)) return false;
  for (int i = 0; i<SWEEP_RUNS&& * residual> SETTLED_SHARE * tolerance; i++)
    if (run_swept(s, ROUGH, &kept, residual)) return true;
  return run_interior(s, CR_INTERIOR_TIGHT, &INSIDE, &kept, residual) ||
         run_swept(s, FINE, &kept, residual);
}

/* The problem as it is, by what suits it; *residual becomes that of the result. */
static bool solve_directly(cr_strategy* s, double* residual) {
  const cr_problem* p = s->system->problem;
  bool is_jointed = p->num_rows <= LARGE && cr_problem_is_articulated(p);
  return is_jointed ? solve_jointed(s, residual) : run_exact(s, residual);
}

bool cr_coulomb_settle(cr_strategy* s) {
  cr_frozen frozen;
  return cr_frozen_init(s, &frozen) && cr_frozen_settle(s, &frozen);
}

bool cr_coulomb_step(cr_strategy* s) {
  double residual = cr_strategy_measure(s, &COULOMB);
  cr_frozen frozen;
  if (solve_directly(s, &residual)) return true;
  if (!cr_frozen_init(s, &frozen)) return false;
  return cr_frozen_approach(s, &frozen) || cr_frozen_settle(s, &frozen);
}
