/* Primal-dual interior-point method: robust from a cold start. */
#ifndef CR_SOLVE_INTERIOR_POINT_H
#define CR_SOLVE_INTERIOR_POINT_H

#include "solve/newton/primal_dual.h"

typedef enum cr_interior_start {
  CR_INTERIOR_COLD, /* from v0, whatever the iterate */
  CR_INTERIOR_NEAR, /* from the iterate (v_c and r up to date) */
} cr_interior_start;

/* How an interior point goes. */
typedef struct cr_interior_settings {
  cr_interior_start start;
  double tolerance;
  int max_iterations;
  bool corrects; /* centrality, which takes fewer iterations and ends sooner where round-off does */
} cr_interior_settings;

/* Iterates until the measure is below the tolerance.
 * @param mode coulomb: the De Saxce term is renewed before every iteration; shift: held fixed
 * @param iterations receives the steps taken, added
 * @return CR_NEWTON_FAILED when H cannot be factored; without convergence the iterate is the one of
 * least measure */
cr_newton_outcome cr_interior_point(cr_system* system, const cr_law_mode* mode,
                                    const cr_interior_settings* settings, cr_arena* arena,
                                    cr_iterate* iterate, int* iterations);

#endif
