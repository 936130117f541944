/* Factors of dense symmetric positive semi-definite matrices of any rank. */
#ifndef CR_LINALG_SEMIDEFINITE_H
#define CR_LINALG_SEMIDEFINITE_H

#include "base/arena.h"
#include "base/shared.h"

/* Most negative eigenvalue over the largest that counts as round-off of the one who made W. */
#define CR_SEMIDEFINITE_TOLERANCE 1e-6

typedef enum cr_semidefinite_outcome {
  CR_SEMIDEFINITE_DONE,
  CR_SEMIDEFINITE_INDEFINITE, /* `worst` is its most negative eigenvalue or pivot */
  CR_SEMIDEFINITE_MEMORY,
} cr_semidefinite_outcome;

/* W + shift I = F Fᵀ with F [n, rank] row-major: Cholesky with diagonal pivoting and no shift where
 * it ends in round-off; else, for matrices that are indefinite beyond that, from eigenvalues with
 * the least shift that makes all of them positive.
 * @param W [n, n] symmetric
 * @param F receives an array of the arena
 * @param shift receives 0 or more
 * @param worst receives the most negative eigenvalue or pivot, 0 or less */
CR_SHARED cr_semidefinite_outcome cr_semidefinite_factor(const double* W, int n, cr_arena* arena,
                                                         double** F, int* rank, double* shift,
                                                         double* worst);

#endif
