/* What the strategies of the default solver share: runs of primal-dual Newton and of the interior
 * point on one iterate, and the robust solution of a convex problem. */
#ifndef CR_SOLVE_STRATEGY_H
#define CR_SOLVE_STRATEGY_H

#include "solve/interior/interior_point.h"
#include "solve/newton/primal_dual.h"
#include "solve/tuning.h"

typedef struct cr_newton_report {
  cr_newton_outcome outcome;
  int iterations;      /* Newton and interior-point steps, one factorisation each */
  bool is_frozen;      /* Coulomb: the last problem is convex, its De Saxce term frozen */
  double frozen_value; /* the measure of that problem */
  int outer;           /* starts, frozen problems and fixed-point iterations; at least 1 */
} cr_newton_report;

/* One problem being solved. */
typedef struct cr_strategy {
  cr_system* system;
  const cr_solve_options* options;
  cr_arena* arena;
  cr_iterate* iterate; /* the best so far, solution at the end */
  double enough;       /* measure at which a stage may end, short of the options' tolerance */
  double lightest; /* block's mass over the heaviest, where they are of different kinds; else 1 */
  cr_newton_report report;
} cr_strategy;

/* What is known of where a Newton run begins. */
typedef enum cr_newton_from {
  CR_FROM_ANY,
  CR_FROM_FAR,  /* a solution: stiff problems take a proximal weight, too, that falls to none */
  CR_FROM_LAST, /* the impulses that solved a problem much like it, where there are any */
} cr_newton_from;

/* How long a Newton run goes on. */
typedef struct cr_newton_limits {
  double proximal; /* first weight of the proximal term, where the problem needs one */
  int patience;    /* steps in which the merit must fall by `progress` */
  double progress;
  int most; /* steps; 0: as many as the options allow */
  cr_newton_from from;
} cr_newton_limits;

/* Natural residual of the iterate, in the present proximal setting; infinite without memory. */
double cr_strategy_find_residual(cr_strategy* s, const cr_law_mode* mode);

/* Primal-dual Newton from the iterate, in place. True when it reached the tolerance. */
bool cr_strategy_newton(cr_strategy* s, const cr_law_mode* mode, double tolerance,
                        const cr_newton_limits* limits);

/* Interior point; its iterate is taken unless it is worse than the one at hand. False when memory
 * ran out.
 * @param corrects centrality; not with the De Saxce term, whose changes are no part of it */
bool cr_strategy_interior(cr_strategy* s, const cr_law_mode* mode, cr_interior_start start,
                          bool corrects, double tolerance);

/* Whether exact Newton may get on from an iterate of a rigid problem; where steps cost much, only
 * from one that is rather near.
 * @param residual of the iterate */
bool cr_strategy_is_near(const cr_strategy* s, double residual);

/* The weight that holds impulses within reach of an anchor, in scales: near a solution it hardly
 * holds back.
 * @param residual of Coulomb's law at the anchor */
double cr_strategy_choose_anchor(double residual);

/* How well a problem is worth solving that is solved on the way.
 * @param residual of Coulomb's law where it begins */
double cr_strategy_choose_rough(const cr_strategy* s, double residual);

/* How an interior point makes a start for Newton. */
typedef struct cr_inside_settings {
  cr_interior_start start;
  double accuracy;
  bool corrects;   /* see cr_strategy_interior */
  double farthest; /* residual beyond which there is no place for Newton */
} cr_inside_settings;

/* An interior point, then Newton; the best of the iterates is kept. True at the tolerance. */
bool cr_strategy_inside(cr_strategy* s, const cr_law_mode* mode, double tolerance,
                        const cr_inside_settings* settings, const cr_newton_limits* limits);

/* How far an interior point goes in a convex problem before Newton ends it: impulses of redundant
 * contacts with little or no R lie in valleys, where an interior point goes on at its pace and
 * Newton turns round; there it goes (nearly) all the way. */
double cr_strategy_interior_accuracy(const cr_system* system, double tolerance);

/* The convex problem with a frozen De Saxce term (null: none), to a tolerance, by the solver that
 * the options name. */
bool cr_strategy_convex(cr_strategy* s, const double* shift, double tolerance, bool warm);

/* The same by the published Newton alone. */
bool cr_strategy_convex_primal(cr_strategy* s, const double* shift, double tolerance);

/* The De Saxce term mu |u_t| of the iterate [num_rows]. */
void cr_strategy_compute_shift(const cr_strategy* s, double* shift);

/* Coulomb friction by way of convex problems with a frozen De Saxce term and the exact Newton in
 * turn, within a bounded number of Newton steps. The iterate nearest to Coulomb's law is kept; true
 * where it is a solution. */
bool cr_frozen_approach(cr_strategy* s);

/* The problem that is frozen at the iterate, to the tolerance: report.is_frozen unless its solution
 * is Coulomb's, too. */
bool cr_frozen_settle(cr_strategy* s);

/* Coulomb friction by proximal problems from a guess and by an interior point, in a bounded number
 * of Newton steps. The better of the iterate and what they end at is kept.
 * @param residual of the guess */
bool cr_proximal_solve(cr_strategy* s, const cr_iterate* guess, double residual);

/* Coulomb friction by continuation from the convex problem: the De Saxce term grows from none. */
bool cr_continuation_grow(cr_strategy* s);

/* Coulomb friction as a fixed point of the De Saxce term, one convex problem an iteration. */
bool cr_continuation_iterate(cr_strategy* s);

#endif
