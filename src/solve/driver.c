/* Who solves a problem, in which order (docs/solver.md; docs/notes has the measurements).
 *
 * A table is a list of stages. What is known of the problem before the first of them says which are
 * worth their price; the others are walked until one solves it. Each goes on from the iterate that
 * the one before has left, which is never worse than the one that it was given. */
#include "solve/driver.h"

#include "solve/momentum.h"
#include "solve/tuning.h"

#include <math.h>

/* What a stage may ask for. */
enum {
  WARM = 1 << 0,         /* the iterate is a guess, */
  COLD = 1 << 1,         /* or none */
  REGULAR = 1 << 2,      /* all rows resist, */
  RIGID = 1 << 3,        /* or some do not */
  EASY = 1 << 4,         /* Coulomb: exact Newton is worth its price from any guess, */
  NEAR = 1 << 5,         /* or may get on from this one */
  INSIDE_FIRST = 1 << 6, /* convex: Newton seldom comes to an end but from very near, */
  NEWTON_FIRST = 1 << 7, /* or from anywhere */
  AT_REST = 1 << 8,      /* nothing to speak of moves before the step */
};

/* A walk along a table. */
typedef struct walk {
  const cr_target* target;
  int holds;             /* of the problem and of what the stages have found */
  cr_iterate guess;      /* Coulomb: where a bounded number of steps began, */
  double guess_residual; /* and what that left */
} walk;

typedef struct stage {
  bool (*solve)(cr_strategy* s); /* the method; without one it is a run of Newton, */
  bool (*run)(cr_strategy* s, walk* w, const struct stage* stage); /* or this */
  int when;                                                        /* all of these hold */
  cr_newton_limits newton;                                         /* its run of Newton, if any */
  double accuracy;        /* of an interior point; 0: as good as the problem's rows need it */
  double least;           /* residual of the iterate from which it is worth its price */
  bool is_near, corrects; /* an interior point begins at the iterate, corrects centrality */
  bool is_end;            /* of the table */
} stage;

static const stage* const* choose_tables(const cr_strategy* s, const cr_target* target);
static int find_start(cr_strategy* s, const cr_target* target);
static bool is_enough(cr_strategy* s, const cr_target* target);
static void confirm(cr_strategy* s, const cr_target* target);
static void balance(cr_strategy* s, const cr_target* target);

bool cr_driver_solve(cr_strategy* s, const cr_target* target) {
  walk w = {.target = target, .holds = find_start(s, target)};
  bool done = false;
  for (const stage* const* table = choose_tables(s, target); *table; table++)
    for (const stage* x = *table; !x->is_end && !done && !s->arena->failed; x++) {
      if ((x->when & w.holds) != x->when) continue;
      if (x->solve)
        done = x->solve(s);
      else if (x->run)
        done = x->run(s, &w, x);
      else
        done = cr_strategy_newton(s, &target->mode, target->tolerance, &x->newton);
      done = done || is_enough(s, target);
    }
  if (done) confirm(s, target), balance(s, target);
  if (done)
    s->report.outcome = CR_NEWTON_CONVERGED;
  else if (s->report.outcome == CR_NEWTON_CONVERGED)
    s->report.outcome = CR_NEWTON_STALLED;
  return done;
}

/* --- Methods ------------------------------------------------------------------------------------
 */

/* From a guess an interior point may end where the guess's products are too far from each other: no
 * place for Newton. */
static bool run_interior(cr_strategy* s, walk* w, const stage* x) {
  static const cr_newton_limits END = {3e-6, 12, 0.1, 0, CR_FROM_ANY};
  double least = cr_strategy_interior_accuracy(s->system, w->target->tolerance);
  bool is_to_end = x->accuracy == 0 && least < CR_INTERIOR_LOOSE;
  const cr_inside_settings inside = {
      .start = x->is_near ? CR_INTERIOR_NEAR : CR_INTERIOR_COLD,
      .accuracy = x->accuracy > 0 ? x->accuracy : least,
      .corrects = x->corrects,
      .farthest = x->is_near ? CR_INTERIOR_TIGHT : INFINITY,
  };
  return cr_strategy_inside(s, &w->target->mode, w->target->tolerance, &inside,
                            is_to_end ? &END : &x->newton);
}

static bool run_primal(cr_strategy* s, walk* w, const stage* x) {
  (void)x;
  return cr_strategy_convex_primal(s, w->target->mode.shift, w->target->tolerance);
}

/* The convex problem, roughly where an accuracy says so, for the start that it gives. */
static bool run_relaxed(cr_strategy* s, walk* w, const stage* x) {
  cr_strategy_convex(s, NULL, x->accuracy > 0 ? x->accuracy : w->target->tolerance, false);
  return false;
}

/* A convex problem by the solver that the options name. */
static bool run_named(cr_strategy* s, walk* w, const stage* x) {
  const cr_target* t = w->target;
  (void)x;
  return cr_strategy_convex(s, t->mode.shift, t->tolerance, t->warm);
}

/* Where more is asked for than the certificate of the whole: steps that are enough for that end the
 * walk. */
static bool is_enough(cr_strategy* s, const cr_target* t) {
  return s->enough > t->tolerance && s->report.iterations > 0 &&
         cr_strategy_find_residual(s, &t->mode) <= s->enough;
}

static const cr_newton_limits ONCE = {CR_PROXIMAL_LEAST, 0, 0.1, 1, CR_FROM_ANY};

/* Where all rows resist the certificate is the gap, which says little of small impulses beside
 * large ones: what users see of a step is the residual, too, of which another step of Newton leaves
 * next to nothing. */
static void confirm(cr_strategy* s, const cr_target* t) {
  if (!t->confirms || !cr_certificate_is_gap(s->system, &t->mode)) return;
  if (cr_certificate_residual(s->system, s->iterate, &t->mode).residual <= t->tolerance) return;
  cr_strategy_newton(s, &t->mode, t->tolerance, &ONCE);
}

/* What is handed out balances momentum to round-off; where that leaves more of the laws than the
 * tolerance, another step of Newton leaves less to balance. What is solved on the way need not, and
 * a frozen problem has seen to it itself. */
static void balance(cr_strategy* s, const cr_target* t) {
  bool is_within = s->report.outcome == CR_NEWTON_CONVERGED;
  double enough = is_within ? t->tolerance : s->enough;
  if (t->tolerance > s->options->tolerance || s->report.is_frozen) return;
  if (cr_momentum_balance(s->system, &t->mode, enough, s->arena, s->iterate) || !t->confirms)
    return;
  if (s->arena->failed || !cr_strategy_newton(s, &t->mode, t->tolerance, &ONCE)) return;
  cr_momentum_balance(s->system, &t->mode, enough, s->arena, s->iterate);
}

/* Before a solver that may leave a worse iterate than it was given. */
static bool keep_guess(cr_strategy* s, walk* w, const stage* x) {
  const cr_problem* p = s->system->problem;
  (void)x;
  if (!cr_iterate_init(&w->guess, p, s->arena)) return false;
  cr_iterate_copy(s->iterate, p, &w->guess);
  w->guess_residual = cr_strategy_find_residual(s, &w->target->mode);
  return false;
}

/* A step ends in a problem that is solved, whatever solver was named: the default goes on from what
 * that has left, or from the guess where that is nearer. */
static bool take_over(cr_strategy* s, walk* w, const stage* x) {
  cr_solve_options* own = CR_PUSH(s->arena, cr_solve_options, 1);
  (void)x;
  if (s->arena->failed) return false;
  *own = *s->options;
  own->solver = CR_SOLVER_NEWTON;
  s->options = own;
  if (!(cr_strategy_find_residual(s, &w->target->mode) < w->guess_residual))
    cr_iterate_copy(&w->guess, s->system->problem, s->iterate);
  return false;
}

/* The convex problem, where it ends near Coulomb's law: where something slides, as on a moving
 * surface, it floats, and is no start. */
static bool run_rest(cr_strategy* s, walk* w, const stage* x) {
  keep_guess(s, w, x);
  if (s->arena->failed) return false;
  run_relaxed(s, w, x);
  if (cr_strategy_find_residual(s, &w->target->mode) > CR_ROUGH)
    cr_iterate_copy(&w->guess, s->system->problem, s->iterate);
  return false;
}

/* The steps of what follows are bounded: keeps the guess, and finds out what it is worth. The few
 * contacts of robots are worth a try of exact Newton from any. */
static bool begin_bounded(cr_strategy* s, walk* w, const stage* x) {
  const cr_problem* p = s->system->problem;
  bool is_small = p->num_rows <= CR_FEW_ROWS;
  bool is_easy = p->num_rows <= CR_LAW_MAX_ROWS || (is_small && cr_problem_is_articulated(p));
  (void)x;
  if (!cr_iterate_init(&w->guess, p, s->arena)) return false;
  cr_iterate_copy(s->iterate, p, &w->guess);
  w->guess_residual = cr_strategy_find_residual(s, &w->target->mode);
  w->holds |= is_easy ? EASY : cr_strategy_is_near(s, w->guess_residual) ? NEAR : 0;
  return false;
}

/* What carries a heavy body through light ones responds by as much less than each of its contacts
 * as the masses differ, and the weight would hold it back; it is of no use where hardly anything
 * moves.
 */
static bool run_near(cr_strategy* s, walk* w, const stage* x) {
  cr_newton_limits limits = x->newton;
  if (w->guess_residual < CR_ROUGH)
    limits.proximal = fmax(s->lightest * limits.proximal, CR_PROXIMAL_LEAST);
  return cr_strategy_newton(s, &w->target->mode, w->target->tolerance, &limits);
}

static bool run_thoroughly(cr_strategy* s, walk* w, const stage* x) {
  if (cr_strategy_find_residual(s, &w->target->mode) <= x->least) return false;
  return cr_proximal_solve(s, &w->guess, w->guess_residual);
}

/* --- Tables -------------------------------------------------------------------------------------
 */

#define END_OF_TABLE \
  { .is_end = true }
#define NEWTON(eps, patience, progress, from) .newton = {eps, patience, progress, 0, from}

/* Coulomb friction in a bounded number of Newton steps: at last a frozen problem. The default. */
static const stage COULOMB_STEP[] = {
    {.run = begin_bounded},
    {.run = run_near, .when = RIGID | NEAR, NEWTON(1e-3, 1, 0.25, CR_FROM_ANY)},
    {.when = RIGID | EASY, NEWTON(1e-3, 3, 0.25, CR_FROM_ANY)},
    {.when = REGULAR, NEWTON(0, 8, 0.25, CR_FROM_ANY)},
    {.run = run_interior,
     .when = RIGID | EASY,
     .accuracy = CR_INTERIOR_TIGHT,
     NEWTON(1e-5, 12, 0.25, CR_FROM_ANY)},
    {.solve = cr_frozen_approach},
    {.run = run_thoroughly, .least = CR_ROUGH},
    {.solve = cr_frozen_settle},
    END_OF_TABLE,
};

/* The same however long it takes. */
static const stage COULOMB_FULL[] = {
    {.run = run_relaxed, .when = REGULAR | COLD, .accuracy = 0.1},
    {.when = REGULAR, NEWTON(1e-3, 12, 0.25, CR_FROM_FAR)},
    {.when = RIGID, NEWTON(1e-3, 6, 0.25, CR_FROM_FAR)},
    {.solve = cr_continuation_grow},
    {.run = run_interior, .accuracy = CR_INTERIOR_TIGHT, NEWTON(1e-5, 12, 0.25, CR_FROM_FAR)},
    {.solve = cr_continuation_iterate},
    END_OF_TABLE,
};

/* What has stood still, and may stay: where the convex problem sticks it does, and is Coulomb's. */
static const stage COULOMB_REST[] = {
    {.run = run_rest, .when = RIGID | COLD | AT_REST},
    END_OF_TABLE,
};

/* A convex problem, with the De Saxce term frozen or none. */
static const stage CONVEX[] = {
    {.run = run_interior,
     .when = INSIDE_FIRST | WARM | REGULAR,
     .is_near = true,
     .corrects = true,
     NEWTON(1e-3, 12, 0.1, CR_FROM_ANY)},
    {.run = run_interior,
     .when = INSIDE_FIRST,
     .corrects = true,
     NEWTON(1e-3, 12, 0.1, CR_FROM_ANY)},
    {.when = WARM, NEWTON(1e-3, 8, 0.1, CR_FROM_LAST)},
    {.when = COLD, NEWTON(1e-2, 8, 0.1, CR_FROM_FAR)},
    {.run = run_interior,
     .when = NEWTON_FIRST,
     .corrects = true,
     NEWTON(1e-3, 12, 0.1, CR_FROM_ANY)},
    {.run = run_interior, .when = INSIDE_FIRST, NEWTON(1e-3, 12, 0.1, CR_FROM_ANY)},
    {.run = run_interior, .accuracy = CR_INTERIOR_TIGHT, NEWTON(1e-5, 12, 0.1, CR_FROM_ANY)},
    {.run = run_primal},
    END_OF_TABLE,
};

/* Coulomb friction around the convex problems of a solver that knows no other, and a convex problem
 * by such a solver; what it leaves of a step's problem is taken over. */
static const stage COULOMB_NAMED[] = {{.solve = cr_continuation_iterate}, END_OF_TABLE};
static const stage CONVEX_NAMED[] = {{.run = run_named}, END_OF_TABLE};
static const stage KEEP[] = {{.run = keep_guess}, END_OF_TABLE};
static const stage TAKE_OVER[] = {{.run = take_over}, END_OF_TABLE};

/* The tables that are walked, by the budget of Coulomb friction. */
static const stage* const COULOMB[][4] = {
    [CR_BUDGET_FULL] = {COULOMB_FULL},
    [CR_BUDGET_BOUNDED] = {COULOMB_STEP},
    [CR_BUDGET_START] = {COULOMB_REST, COULOMB_FULL, COULOMB_STEP},
};
static const stage* const NAMED[][5] = {
    [CR_BUDGET_FULL] = {COULOMB_NAMED},
    [CR_BUDGET_BOUNDED] = {KEEP, COULOMB_NAMED, TAKE_OVER, COULOMB_STEP},
    [CR_BUDGET_START] = {KEEP, COULOMB_NAMED, TAKE_OVER, COULOMB_STEP},
};
static const stage* const MINIMUM[] = {CONVEX, NULL};
static const stage* const NAMED_MINIMUM[][5] = {
    [CR_BUDGET_FULL] = {CONVEX_NAMED},
    [CR_BUDGET_BOUNDED] = {KEEP, CONVEX_NAMED, TAKE_OVER, CONVEX},
    [CR_BUDGET_START] = {KEEP, CONVEX_NAMED, TAKE_OVER, CONVEX},
};

static const stage* const* choose_tables(const cr_strategy* s, const cr_target* t) {
  bool is_newton = s->options->solver == CR_SOLVER_NEWTON;
  if (t->mode.coulomb == 0) return is_newton ? MINIMUM : NAMED_MINIMUM[s->options->budget];
  return is_newton ? COULOMB[s->options->budget] : NAMED[s->options->budget];
}

/* --- What holds of a problem --------------------------------------------------------------------
 */

/* Where rows are rigid, or nearly so and many more than the velocities that they hold, Newton
 * seldom comes to an end but from a guess that is near: the interior point goes first. In small
 * problems what Newton does in vain costs less. */
static bool is_inside_first(cr_strategy* s, const cr_target* t, bool is_rigid) {
  const cr_system* system = s->system;
  const cr_problem* p = system->problem;
  bool is_small = system->iterative || system->H.flops < CR_INTERIOR_FLOPS;
  bool is_redundant = p->num_rows > CR_REDUNDANT * p->pattern.num_rows;
  bool is_hard = is_rigid || (system->smallest_R <= CR_NEARLY_RIGID && is_redundant);
  return is_hard && !is_small &&
         (!t->warm || cr_strategy_find_residual(s, &t->mode) > CR_DONE * CR_INTERIOR_LOOSE);
}

/* What holds at the start. */
static int find_start(cr_strategy* s, const cr_target* t) {
  bool is_rigid = !cr_system_is_well_posed(s->system);
  int holds = (t->warm ? WARM : COLD) | (is_rigid ? RIGID : REGULAR);
  if (t->mode.coulomb > 0) return holds | (cr_iterate_is_at_rest(s->system) ? AT_REST : 0);
  return holds | (is_inside_first(s, t, is_rigid) ? INSIDE_FIRST : NEWTON_FIRST);
}
