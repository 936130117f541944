/* Preconditioned conjugate gradients for a block-sparse symmetric positive definite matrix
 * (Hestenes and Stiefel 1952), with a bound of what is left of the error. */
#ifndef CR_LINALG_CONJUGATE_H
#define CR_LINALG_CONJUGATE_H

#include "linalg/incomplete.h"

typedef struct cr_conjugate {
  const double* values;       /* of the matrix A, in the pattern of `inner` */
  const cr_incomplete* inner; /* factored: the preconditioner */
  const double* least;        /* [num_rows] see cr_incomplete_factor */
  double *r, *z, *p, *Ap;     /* [num_rows] scratch; r is b - A x after a solve */
} cr_conjugate;

/* When to stop: where what is left is within `absolute` or `relative` times |x|_A. */
typedef struct cr_conjugate_goal {
  double absolute, relative;
  int most; /* iterations */
} cr_conjugate_goal;

typedef struct cr_conjugate_report {
  bool is_done;
  int iterations;
  double energy; /* xᵀ A x */
  double left; /* bounds |b - A x| in A^-1 where `least` is positive on all rows that `inner` is not
                * exact on and to which these are not coupled */
} cr_conjugate_report;

/* Takes the scratch vectors from the arena's scratch side. False when memory ran out. */
bool cr_conjugate_init(cr_conjugate* conjugate, cr_arena* arena);

/* Solves A x = b from the x given. */
cr_conjugate_report cr_conjugate_solve(cr_conjugate* conjugate, const double* b,
                                       const cr_conjugate_goal* goal, double* x);

#endif
