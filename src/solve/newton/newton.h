/* The default solver of one connected problem: primal-dual Newton with its safeguards, for the
 * convex problem and for true Coulomb friction. */
#ifndef CR_SOLVE_NEWTON_H
#define CR_SOLVE_NEWTON_H

#include "solve/newton/primal_dual.h"

typedef struct cr_newton_report {
  cr_newton_outcome outcome;
  int iterations;      /* Newton and interior-point steps, one factorisation each */
  bool is_frozen;      /* Coulomb: the last problem is convex, its De Saxce term frozen */
  double frozen_value; /* the measure of that problem */
  int outer; /* attempts from another start, proximal and fixed-point iterations; at least 1 */
} cr_newton_report;

/* Solves from the iterate (v_c and r up to date), in place.
 * @param warm the iterate is a guess worth starting from */
cr_newton_report cr_newton_solve(cr_system* system, const cr_solve_options* options, bool warm,
                                 cr_arena* arena, cr_iterate* iterate);

#endif
