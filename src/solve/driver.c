/* Who solves a problem, in which order (docs/solver.md; docs/notes has the measurements).
 *
 * A table is a list of stages. What is known of the problem before the first of them says which are
 * worth their price; the others are walked until one solves it. Each goes on from the iterate that
 * the one before has left, which is never worse than the one that it was given. */
#include "solve/driver.h"

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
};

/* A problem and how well to solve it. */
typedef struct target {
  const cr_law_mode* mode;
  double tolerance;
  const cr_iterate* guess; /* Coulomb: where the first stage began, */
  double guess_residual;   /* and what that left */
} target;

typedef struct stage {
  bool (*run)(cr_strategy* s, const target* t, const struct stage* stage);
  bool (*solve)(cr_strategy* s); /* in its place, where it needs no more */
  int when;                      /* all of these hold */
  cr_newton_limits newton;       /* its run of Newton, if any */
  double accuracy;        /* of an interior point; 0: as good as the problem's rows need it */
  double least;           /* residual of the iterate from which it is worth its price */
  bool is_near, corrects; /* an interior point begins at the iterate, corrects centrality */
} stage;

static bool drive(cr_strategy* s, const target* t, const stage* stages, int holds) {
  for (const stage* x = stages; x->run || x->solve; x++) {
    if ((x->when & holds) != x->when) continue;
    if (x->solve ? x->solve(s) : x->run(s, t, x)) return true;
    if (s->arena->failed) return false;
  }
  return false;
}

/* --- Methods ------------------------------------------------------------------------------------
 */

static bool run_newton(cr_strategy* s, const target* t, const stage* x) {
  return cr_strategy_newton(s, t->mode, t->tolerance, &x->newton);
}

/* From a guess an interior point may end where the guess's products are too far from each other: no
 * place for Newton. */
static bool run_interior(cr_strategy* s, const target* t, const stage* x) {
  static const cr_newton_limits END = {3e-6, 12, 0.1, 0, CR_FROM_ANY};
  double least = cr_strategy_interior_accuracy(s->system, t->tolerance);
  bool is_to_end = x->accuracy == 0 && least < CR_INTERIOR_LOOSE;
  const cr_inside_settings inside = {
      .start = x->is_near ? CR_INTERIOR_NEAR : CR_INTERIOR_COLD,
      .accuracy = x->accuracy > 0 ? x->accuracy : least,
      .corrects = x->corrects,
      .farthest = x->is_near ? CR_INTERIOR_TIGHT : INFINITY,
  };
  return cr_strategy_inside(s, t->mode, t->tolerance, &inside, is_to_end ? &END : &x->newton);
}

static bool run_primal(cr_strategy* s, const target* t, const stage* x) {
  (void)x;
  return cr_strategy_convex_primal(s, t->mode->shift, t->tolerance);
}

/* The convex problem roughly, for the start that it gives. */
static bool run_rough(cr_strategy* s, const target* t, const stage* x) {
  (void)t;
  cr_strategy_convex(s, NULL, x->accuracy, false);
  return false;
}

static bool run_thoroughly(cr_strategy* s, const target* t, const stage* x) {
  if (cr_strategy_measure(s, t->mode) <= x->least) return false;
  return cr_proximal_solve(s, t->guess, t->guess_residual);
}

/* --- Tables -------------------------------------------------------------------------------------
 */

#define END_OF_TABLE \
  { .run = NULL }
#define NEWTON(eps, patience, progress, from) .newton = {eps, patience, progress, 0, from}

/* Coulomb friction in a bounded number of Newton steps: at last a frozen problem. */
static const stage COULOMB_STEP[] = {
    {.run = run_newton, .when = REGULAR, NEWTON(0, 8, 0.25, CR_FROM_ANY)},
    {.run = run_newton, .when = RIGID | EASY, NEWTON(1e-3, 3, 0.25, CR_FROM_ANY)},
    {.run = run_newton, .when = RIGID | NEAR, NEWTON(1e-3, 1, 0.25, CR_FROM_ANY)},
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
    {.run = run_rough, .when = REGULAR | COLD, .accuracy = 0.1},
    {.run = run_newton, .when = REGULAR, NEWTON(1e-3, 12, 0.25, CR_FROM_FAR)},
    {.run = run_newton, .when = RIGID, NEWTON(1e-3, 6, 0.25, CR_FROM_FAR)},
    {.solve = cr_continuation_grow},
    {.run = run_interior, .accuracy = CR_INTERIOR_TIGHT, NEWTON(1e-5, 12, 0.25, CR_FROM_FAR)},
    {.solve = cr_continuation_iterate},
    END_OF_TABLE,
};

/* Coulomb friction around the convex problems of a solver that knows no other. */
static const stage COULOMB_CONVEX[] = {{.solve = cr_continuation_iterate}, END_OF_TABLE};

/* A frozen problem at last, whatever the solver. */
static const stage FROZEN[] = {{.solve = cr_frozen_settle}, END_OF_TABLE};

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
    {.run = run_newton, .when = WARM, NEWTON(1e-3, 8, 0.1, CR_FROM_LAST)},
    {.run = run_newton, .when = COLD, NEWTON(1e-2, 8, 0.1, CR_FROM_FAR)},
    {.run = run_interior,
     .when = NEWTON_FIRST,
     .corrects = true,
     NEWTON(1e-3, 12, 0.1, CR_FROM_ANY)},
    {.run = run_interior, .when = INSIDE_FIRST, NEWTON(1e-3, 12, 0.1, CR_FROM_ANY)},
    {.run = run_interior, .accuracy = CR_INTERIOR_TIGHT, NEWTON(1e-5, 12, 0.1, CR_FROM_ANY)},
    {.run = run_primal},
    END_OF_TABLE,
};

/* --- What holds of a problem --------------------------------------------------------------------
 */

static const cr_law_mode COULOMB = {.coulomb = true};

static int find_start(const cr_strategy* s, bool warm) {
  return (warm ? WARM : COLD) | (cr_system_is_well_posed(s->system) ? REGULAR : RIGID);
}

/* Of a problem with Coulomb friction. The few contacts of robots are worth a try from any guess.
 * @param residual of the guess */
static int find_coulomb(const cr_strategy* s, bool warm, double residual) {
  const cr_problem* p = s->system->problem;
  bool is_small = p->num_rows <= CR_FEW_ROWS;
  bool is_easy = p->num_rows <= CR_LAW_MAX_ROWS || (is_small && cr_problem_is_articulated(p));
  bool is_near = cr_strategy_is_near(s, residual);
  return find_start(s, warm) | (is_easy ? EASY : is_near ? NEAR : 0);
}

/* Where rows are rigid, or nearly so and many more than the velocities that they hold, Newton
 * seldom comes to an end but from a guess that is near: the interior point goes first. In small
 * problems what Newton does in vain costs less. */
static int find_convex(cr_strategy* s, const cr_law_mode* mode, bool warm) {
  const cr_system* system = s->system;
  const cr_problem* p = system->problem;
  int holds = find_start(s, warm);
  bool is_small = system->iterative || system->H.flops < CR_INTERIOR_FLOPS;
  bool is_redundant = p->num_rows > CR_REDUNDANT * p->pattern.num_rows;
  bool is_hard = !(holds & REGULAR) || (system->smallest_R <= CR_NEARLY_RIGID && is_redundant);
  bool is_inside =
      is_hard && !is_small && (!warm || cr_strategy_measure(s, mode) > CR_DONE * CR_INTERIOR_LOOSE);
  return holds | (is_inside ? INSIDE_FIRST : NEWTON_FIRST);
}

/* --- All ----------------------------------------------------------------------------------------
 */

bool cr_strategy_convex_newton(cr_strategy* s, const double* shift, double tolerance, bool warm) {
  const cr_law_mode mode = {.shift = shift};
  const target t = {.mode = &mode, .tolerance = tolerance};
  return drive(s, &t, CONVEX, find_convex(s, &mode, warm));
}

static bool solve_coulomb(cr_strategy* s, bool warm) {
  target t = {.mode = &COULOMB, .tolerance = s->options->tolerance};
  bool is_newton = s->options->solver == CR_SOLVER_NEWTON;
  bool is_bounded = is_newton && s->options->budget == CR_BUDGET_BOUNDED;
  const stage* full = is_newton ? COULOMB_FULL : COULOMB_CONVEX;
  const stage* last = is_newton ? COULOMB_STEP : FROZEN;
  if (!is_bounded && drive(s, &t, full, find_start(s, warm))) return true;
  if (s->options->budget == CR_BUDGET_FULL) return false;
  cr_iterate guess;
  if (!cr_iterate_init(&guess, s->system->problem, s->arena)) return false;
  cr_iterate_copy(s->iterate, s->system->problem, &guess);
  t.guess = &guess, t.guess_residual = cr_strategy_measure(s, &COULOMB);
  return drive(s, &t, last, find_coulomb(s, warm, t.guess_residual));
}

cr_newton_report cr_driver_solve(cr_system* system, const cr_solve_options* options, bool warm,
                                 cr_arena* arena, cr_iterate* iterate) {
  cr_strategy s = {.system = system, .options = options, .arena = arena, .iterate = iterate};
  s.report.outer = 1;
  bool done = options->friction == CR_FRICTION_COULOMB && cr_system_has_cones(system)
                  ? solve_coulomb(&s, warm)
                  : cr_strategy_convex(&s, NULL, options->tolerance, warm);
  if (done)
    s.report.outcome = CR_NEWTON_CONVERGED;
  else if (s.report.outcome == CR_NEWTON_CONVERGED)
    s.report.outcome = CR_NEWTON_STALLED;
  return s.report;
}
