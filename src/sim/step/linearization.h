/* Where a step is linearised: at v* first, then at its own solutions, and back when one of these
 * Newton steps does not converge. */
#ifndef CR_SIM_LINEARIZATION_H
#define CR_SIM_LINEARIZATION_H

#include "sim/rows/step_problem.h"

/* The linearisation before the present one. */
typedef struct cr_linearization {
  double *v_lin, *v_star; /* [num_v] */
  double* free;           /* [num_v] v* of the free motion */
  int relinearised;
} cr_linearization;

/* False when memory ran out. */
bool cr_linearization_init(cr_step* step, cr_linearization* at);

/* Linearises at the last solution from here on; `at` keeps where it was before. */
void cr_linearization_advance(cr_step* step, cr_linearization* at);

/* Linearises where it was before. */
void cr_linearization_restore(cr_step* step, const cr_linearization* at);

/* How far a solution went from where it was linearised: |v - v_lin|² in A over the trees that take
 * part. False when memory ran out. */
bool cr_linearization_measure(cr_step* step, const cr_step_problem* problem, double* move);

#endif
