/* What the strategies of the default solver share: runs of primal-dual Newton and of the interior
 * point on one iterate, and the robust solution of a convex problem. */
#ifndef CR_SOLVE_STRATEGY_H
#define CR_SOLVE_STRATEGY_H

#include "solve/interior/interior_point.h"
#include "solve/newton/newton.h"

/* Tolerances of interior points that Newton starts from. */
#define CR_INTERIOR_LOOSE 1e-3
#define CR_INTERIOR_TIGHT 1e-5

/* One problem being solved. */
typedef struct cr_strategy {
  cr_system* system;
  const cr_solve_options* options;
  cr_arena* arena;
  cr_iterate* iterate; /* the best so far, solution at the end */
  cr_newton_report report;
} cr_strategy;

/* What is known of where a Newton run begins. */
typedef enum cr_newton_from {
  CR_FROM_ANY,
  CR_FROM_FAR,  /* a solution: stiff problems take a proximal weight, too, that falls to none */
  CR_FROM_LAST, /* the impulses that solved a problem much like it, where there are any */
  CR_FROM_END,  /* where round-off has ended another solver: few contacts are all that is left */
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
double cr_strategy_measure(cr_strategy* s, const cr_law_mode* mode);

/* Primal-dual Newton from the iterate, in place. True when it reached the tolerance. */
bool cr_strategy_newton(cr_strategy* s, const cr_law_mode* mode, double tolerance,
                        const cr_newton_limits* limits);

/* Interior point; its iterate is taken unless it is worse than the one at hand. False when memory
 * ran out.
 * @param corrects centrality; not with the De Saxce term, whose changes are no part of it */
bool cr_strategy_interior(cr_strategy* s, const cr_law_mode* mode, cr_interior_start start,
                          bool corrects, double tolerance);

/* The convex problem with a frozen De Saxce term (null: none), to a tolerance, by the solver that
 * the options name. */
bool cr_strategy_convex(cr_strategy* s, const double* shift, double tolerance, bool warm);

/* The same by primal-dual Newton, before or after the interior point; at last by the published
 * Newton, which always converges. */
bool cr_strategy_convex_newton(cr_strategy* s, const double* shift, double tolerance, bool warm);

/* The same by the published Newton alone. */
bool cr_strategy_convex_primal(cr_strategy* s, const double* shift, double tolerance);

/* The De Saxce term mu |u_t| of the iterate [num_rows]. */
void cr_strategy_compute_shift(const cr_strategy* s, double* shift);

/* Coulomb friction by way of convex problems with a frozen De Saxce term. */
typedef struct cr_frozen {
  cr_iterate best;        /* the iterate nearest to Coulomb's law, */
  double least;           /* and its natural residual */
  double *shift, *anchor; /* [num_rows] of the last problem */
} cr_frozen;

/* Begins at the iterate. False when memory ran out. */
bool cr_frozen_init(cr_strategy* s, cr_frozen* frozen);

/* Frozen problems and the exact Newton in turn, within a bounded number of Newton steps. True at
 * Coulomb's solution, to the tolerance. */
bool cr_frozen_approach(cr_strategy* s, cr_frozen* frozen);

/* Takes the iterate for the best, where it is. */
void cr_frozen_keep_better(cr_strategy* s, cr_frozen* x);

/* The problem that is frozen at the best iterate, to the tolerance: report.is_frozen unless its
 * solution is Coulomb's, too. */
bool cr_frozen_settle(cr_strategy* s, cr_frozen* frozen);

/* Coulomb friction within a bounded number of Newton steps, for every step of a simulation. True
 * where the last problem is solved to the tolerance: Coulomb's own, or a frozen one. */
bool cr_coulomb_step(cr_strategy* s);

/* The end of that: the frozen problem of the iterate. */
bool cr_coulomb_settle(cr_strategy* s);

/* Coulomb friction to the tolerance, from one start after the other. */
bool cr_coulomb_solve(cr_strategy* s, bool warm);

#endif
