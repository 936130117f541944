/* Who solves a problem, in which order: tables of stages, and the loop that walks them. */
#ifndef CR_SOLVE_DRIVER_H
#define CR_SOLVE_DRIVER_H

#include "solve/strategy.h"

/* What is to be solved, and how well. */
typedef struct cr_target {
  cr_law_mode
      mode; /* Coulomb's law; or convex, with the De Saxce term that `shift` holds, if any */
  double tolerance;
  bool warm;     /* the iterate is a guess worth starting from */
  bool confirms; /* the residual is brought below the tolerance, too, where the gap is compared */
} cr_target;

/* Solves from the iterate (v_c and r up to date), in place; report.outcome says how it ended. */
bool cr_driver_solve(cr_strategy* s, const cr_target* target);

#endif
