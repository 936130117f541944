/* Coulomb friction in a bounded number of Newton steps (docs/solver.md, measured in docs/notes).
 *
 * Where all rows resist, the full Newton with the De Saxce term solves the problem from any guess,
 * and of rigid contacts at rest in one step from the last impulses. Elsewhere the term makes it
 * cycle where these are redundant, wedged or far from the guess. There convex problems with a
 * frozen term lead to where it converges (frozen.c). What they leave far from Coulomb's law goes to
 * proximal problems, the first anchored at the guess: impulses keep within reach of the last ones,
 * and their weight shrinks while they are easy, because a weight that stays is a spring with
 * memory, which the recovery of overlaps makes swing. Where Newton stalls there, it starts from the
 * convex problem without the term, and takes the term on in two halves. Whatever is left, the step
 * ends in a frozen problem that is solved to the tolerance, at the iterate nearest to the law.
 *
 * Robots have few contacts, whose states Newton cycles among: sweeps over the contacts, each solved
 * alone, find them, or an interior point. */
#include "solve/first_order/gauss_seidel.h"
#include "solve/strategy.h"

#include <math.h>

#define FAR            0.2 /* residual of a rigid problem's guess not worth starting from: a blow */
#define NEAR           1e-3 /* the same where steps cost much: the exact Newton rarely gets there */
#define LARGE          500  /* rows of such a problem */
#define SMALL          6    /* rows of a problem whose steps cost little */
#define SETTLED_SHARE  20   /* of the tolerance, below which a stalled problem is left as it is */
#define EPS            1e-2 /* proximal weight of the contacts, in scales, far from a solution */
#define EPS_SHARE      3    /* the weight is at most so many residuals, */
#define LEAST_EPS      1e-5 /* and no less: near a solution it hardly holds back */
#define BUDGET         25   /* Newton steps after which no other proximal problem begins */
#define FEW            4    /* Newton steps of an easy proximal problem */
#define PROXIMAL_MOST  1e-3 /* residual of a solved proximal problem: its anchor leaves more */
#define PROXIMAL_GAIN  0.1  /* of the residual that it begins with; at last */
#define PROXIMAL_SHARE 0.5  /* of the tolerance */
#define TOLERABLE      1e-2 /* residual of a proximal problem that a relaxed one rarely beats */
#define RELAXATIONS    2
#define LEEWAY         3    /* how much worse a solution may be than what it is taken for */
#define RELAXED        1e-5 /* tolerance of the convex problems that take a step */
#define SWEEPS         300  /* of Gauss-Seidel at most, between two runs of Newton */
#define ROUGH          1e-3 /* of all impulses is what the last one moves, */
#define FINE           1e-5 /* where nothing else has helped */
#define THOROUGH       1e-2 /* distance from Coulomb's law that asks for proximal iterations */
#define SWEEP_RUNS     2

static const cr_law_mode COULOMB = {.coulomb = true};
static const cr_newton_limits EXACT = {1e-3, 1, 0.25, 0, CR_FROM_ANY};
static const cr_newton_limits REGULAR = {0, 8, 0.25, 0, CR_FROM_ANY}; /* where all rows resist, */
static const cr_newton_limits JOINTED = {1e-6, 3, 0.25, 0, CR_FROM_ANY}; /* of robots, */
static const cr_newton_limits SWEPT = {1e-3, 4, 0.25, 0, CR_FROM_ANY};   /* and after sweeps */
static const cr_newton_limits PATIENT = {1e-3, 6, 0.25, 0,
                                         CR_FROM_ANY}; /* where steps cost little, */
static const cr_newton_limits INSIDE = {1e-5, 12, 0.25, 0,
                                        CR_FROM_ANY}; /* and from an interior point */
static const cr_newton_limits START = {EPS, 6, 0.25, 12,
                                       CR_FROM_ANY}; /* convex, to START_TOLERANCE */
static const cr_newton_limits HALFWAY = {EPS, 3, 0.25, 4, CR_FROM_ANY};
static const cr_newton_limits PROXIMAL = {EPS, 10, 0.25, 20, CR_FROM_ANY};
#define START_TOLERANCE 1e-2

/* How proximal iterations go on. */
typedef struct outer_limits {
  int most;
  double plateau; /* one that leaves more of the residual is the last */
  double shrink;  /* of the weight after an easy one */
} outer_limits;

static const outer_limits AFTER_BLOW = {3, 0.5, 1};
static const outer_limits SETTLING = {6, 0.9, 0.3};

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
  cr_scratch_mark mark = cr_arena_mark_scratch(s->arena);
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
    cr_iterate_copy(s->iterate, p, &best);
  }
  cr_iterate_copy(&best, p, s->iterate);
  cr_arena_pop_scratch(s->arena, mark);
}

/* Newton on the proximal problem, no farther than its anchor is worth: the more the problem itself
 * leaves at the anchor. True where it came near enough to go on from. */
static bool run_proximal_newton(cr_strategy* s, double residual) {
  double tolerance =
      fmax(PROXIMAL_SHARE * s->options->tolerance, fmin(PROXIMAL_MOST, PROXIMAL_GAIN * residual));
  return cr_strategy_newton(s, &COULOMB, tolerance, &PROXIMAL) ||
         cr_strategy_measure(s, &COULOMB) <= PROXIMAL_MOST;
}

/* Solves the first proximal problem, from its anchor or else by way of the convex problem; where
 * both stall, relaxes the better of them.
 * @param residual of the problem itself at the anchor
 * @param kept room for an iterate */
static bool solve_proximal(cr_strategy* s, double residual, const cr_iterate* anchor,
                           cr_iterate* kept) {
  const cr_problem* p = s->system->problem;
  if (run_proximal_newton(s, residual)) return true;
  double least = cr_strategy_measure(s, &COULOMB);
  cr_iterate_copy(s->iterate, p, kept);
  cr_iterate_copy(anchor, p, s->iterate);
  approach(s);
  if (run_proximal_newton(s, residual)) return true;
  if (cr_strategy_measure(s, &COULOMB) > least) cr_iterate_copy(kept, p, s->iterate);
  if (cr_strategy_measure(s, &COULOMB) > TOLERABLE) relax(s);
  return false;
}

/* Newton on the problem as it is, where all rows resist or the iterate is near enough; *residual
 * becomes that of the result. */
static bool run_exact(cr_strategy* s, double* residual) {
  bool is_regular = cr_system_is_well_posed(s->system);
  if (!is_regular && *residual > (s->system->problem->num_rows > LARGE ? NEAR : FAR)) return false;
  if (cr_strategy_newton(s, &COULOMB, s->options->tolerance, is_regular ? &REGULAR : &EXACT))
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

/* One proximal iteration of the weight eps; true where it is a start for another.
 * @param residual of the problem itself: at the anchor on entry, at the iterate on return */
static bool iterate_proximal(cr_strategy* s, double eps, bool is_first, const cr_iterate* anchor,
                             cr_iterate* kept, double* residual) {
  double before = *residual, weight = fmin(eps, fmax(LEAST_EPS, EPS_SHARE * before));
  cr_system_set_proximal(s->system, weight, anchor->gamma);
  bool solved = is_first ? solve_proximal(s, before, anchor, kept) : run_proximal_newton(s, before);
  cr_system_set_proximal(s->system, 0, NULL);
  s->report.outer++;
  *residual = cr_strategy_measure(s, &COULOMB);
  if (is_first || *residual <= before) return solved;
  cr_iterate_copy(anchor, s->system->problem, s->iterate);
  return false;
}

/* Proximal point iterations on the impulses, the first anchored at the guess. */
static bool run_proximal(cr_strategy* s, const cr_iterate* guess, double residual) {
  const cr_problem* p = s->system->problem;
  bool again = s->options->start == CR_START_IMPULSES; /* in the same step, with what it met */
  const outer_limits* limits = residual > FAR || again ? &AFTER_BLOW : &SETTLING;
  double last = INFINITY, eps = EPS;
  int begin = s->report.iterations;
  cr_iterate anchor, kept;
  if (!cr_iterate_init(&anchor, p, s->arena) || !cr_iterate_init(&kept, p, s->arena)) return false;
  cr_iterate_copy(guess, p, &anchor);
  for (int i = 0; i < limits->most && s->report.iterations - begin < BUDGET; i++) {
    int steps = s->report.iterations;
    bool goes_on = iterate_proximal(s, eps, i == 0, &anchor, &kept, &residual);
    if (goes_on && residual <= s->options->tolerance) return true;
    if (!goes_on || residual > limits->plateau * last) break;
    if (s->report.iterations - steps <= FEW) eps *= limits->shrink;
    cr_iterate_copy(s->iterate, p, &anchor);
    if (i == 0 && run_exact(s, &residual)) return true;
    last = residual;
  }
  return false;
}

/* Newton with patience; where that leaves more than is tolerable, from an interior point. */
static bool run_patiently(cr_strategy* s, double tolerable) {
  cr_iterate kept;
  if (cr_strategy_newton(s, &COULOMB, s->options->tolerance, &PATIENT)) return true;
  double residual = cr_strategy_measure(s, &COULOMB);
  return residual > tolerable && cr_iterate_init(&kept, s->system->problem, s->arena) &&
         run_interior(s, CR_INTERIOR_LOOSE, &PATIENT, &kept, &residual);
}

/* The problem as it is, by what suits its size; *residual becomes that of the result. */
static bool solve_directly(cr_strategy* s, double* residual) {
  const cr_problem* p = s->system->problem;
  if (p->num_rows <= LARGE && cr_problem_is_articulated(p)) return solve_jointed(s, residual);
  if (p->num_rows > SMALL) return run_exact(s, residual);
  if (run_patiently(s, 0)) return true;
  *residual = cr_strategy_measure(s, &COULOMB);
  return false;
}

bool cr_coulomb_settle(cr_strategy* s) {
  cr_frozen frozen;
  return cr_frozen_init(s, &frozen) && cr_frozen_settle(s, &frozen);
}

/* Proximal iterations from the guess, then patience; what is better than the best is taken for it.
 */
static bool run_thoroughly(cr_strategy* s, const cr_iterate* guess, double residual, cr_frozen* x) {
  const cr_problem* p = s->system->problem;
  cr_iterate_copy(guess, p, s->iterate);
  if (run_proximal(s, guess, residual)) return true;
  cr_frozen_keep_better(s, x);
  if (p->num_rows > LARGE) return false;
  if (run_patiently(s, TOLERABLE)) return true;
  cr_frozen_keep_better(s, x);
  return false;
}

bool cr_coulomb_step(cr_strategy* s) {
  const cr_problem* p = s->system->problem;
  double residual = cr_strategy_measure(s, &COULOMB), first = residual;
  cr_frozen frozen;
  cr_iterate guess;
  if (!cr_iterate_init(&guess, p, s->arena)) return false;
  cr_iterate_copy(s->iterate, p, &guess);
  if (solve_directly(s, &residual)) return true;
  if (!cr_frozen_init(s, &frozen)) return false;
  if (cr_frozen_approach(s, &frozen)) return true;
  if (frozen.least > THOROUGH && run_thoroughly(s, &guess, first, &frozen)) return true;
  return cr_frozen_settle(s, &frozen);
}
