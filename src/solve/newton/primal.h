/* The published method: Newton on the primal cost with exact line search; proximal iterations where
 * rows have too little regularisation of their own. It always converges on convex problems. */
#ifndef CR_SOLVE_PRIMAL_H
#define CR_SOLVE_PRIMAL_H

#include "solve/newton/primal_dual.h"

typedef struct cr_primal_settings {
  const double* shift; /* [num_rows] frozen De Saxce term; null: none */
  double tolerance;    /* on cr_certificate_value */
  int max_iterations;  /* Newton iterations in all */
  double proximal; /* weight of the proximal iterations, in scales; 0: the problem as it stands */
} cr_primal_settings;

/* Iterates from the given v and gamma.
 * @param iterations receives the Newton iterations taken, added
 * @param outer receives the proximal iterations taken, added */
cr_newton_outcome cr_primal_newton(cr_system* system, const cr_primal_settings* settings,
                                   cr_arena* arena, cr_iterate* iterate, int* iterations,
                                   int* outer);

#endif
