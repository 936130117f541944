/* Primal-dual Newton: v and gamma are both unknowns, a constraint's state is decided at its
 * Delassus scale. On request with the De Saxce term (true Coulomb friction, non-symmetric, by
 * GMRES). */
#ifndef CR_SOLVE_PRIMAL_DUAL_H
#define CR_SOLVE_PRIMAL_DUAL_H

#include "solve/certificate.h"

typedef enum cr_newton_outcome {
  CR_NEWTON_CONVERGED,
  CR_NEWTON_STALLED, /* no progress, or out of iterations */
  CR_NEWTON_FAILED,  /* H could not be factored */
} cr_newton_outcome;

typedef struct cr_primal_dual_settings {
  cr_law_mode mode;   /* coulomb and shift; the proximal weight is the solver's own */
  double tolerance;   /* on cr_certificate_value */
  int min_iterations; /* steps taken even when the start is good enough */
  int max_iterations;
  double proximal;        /* first proximal weight */
  double shrink;          /* of the weight after a full step */
  double proximal_least;  /* never below */
  double drop;            /* a weight below it is none */
  bool slides_on_surface; /* in the first step contacts slide whose impulses lie on their cones */
  int patience; /* gives up when the merit has not fallen by `progress` in so many steps */
  double progress;
} cr_primal_dual_settings;

cr_primal_dual_settings cr_primal_dual_settings_default(const cr_system* system, double tolerance);

/* Iterates from the given iterate (v_c and r up to date), in place.
 * @param iterations receives the steps taken, added
 * @return the outcome; on CR_NEWTON_STALLED the iterate is the one of least measure */
cr_newton_outcome cr_primal_dual(cr_system* system, const cr_primal_dual_settings* settings,
                                 cr_arena* arena, cr_iterate* iterate, int* iterations);

#endif
