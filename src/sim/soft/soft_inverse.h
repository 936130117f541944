/* A^-1 of a soft body that is too large to be factored: conjugate gradients, preconditioned with an
 * incomplete factor; and who is too large. */
#ifndef CR_SIM_SOFT_INVERSE_H
#define CR_SIM_SOFT_INVERSE_H

#include "linalg/conjugate.h"
#include "sim/soft/soft_step.h"

#define CR_SOFT_SHARE 0.1  /* of the tolerance, for what iterations leave of v* */
#define CR_SOFT_MOST  1000 /* iterations of a solve */

typedef struct cr_soft_inverse {
  cr_incomplete inner;
  cr_conjugate conjugate;
} cr_soft_inverse;

/* Takes memory from the scratch side of the step's arena for the matrix A, whose values may follow.
 * False when memory ran out. */
bool cr_soft_inverse_init(const cr_step* step, const cr_step_soft* soft, const double* A,
                          cr_soft_inverse* inverse);

/* Prepares for the values of A; false where its diagonal is not positive definite. */
bool cr_soft_inverse_factor(cr_soft_inverse* inverse);

/* least [3 num_nodes]: A less the diagonal matrix of these is positive semi-definite: masses. */
void cr_soft_fill_least(const cr_soft_part* part, double* least);

/* Strains of round-off in the norm of A, sqrt(J). */
double cr_soft_strain_floor(const cr_step_soft* soft);

/* Chooses which bodies are solved by iteration, see carom_soft_solver. */
void cr_soft_choose_inverses(carom_sim* sim);

#endif
