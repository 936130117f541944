/* Systems with A and H = A + JᵀGJ that are too large to be factored, by conjugate gradients
 * preconditioned with incomplete factors. What the iterations leave shows in the momentum residual,
 * which is always bounded from above. */
#ifndef CR_SOLVE_ITERATIVE_H
#define CR_SOLVE_ITERATIVE_H

#include "linalg/conjugate.h"
#include "problem/problem.h"

typedef struct cr_iterative {
  cr_incomplete A_inner, H_inner;
  cr_conjugate A, H;
  int n;
  double* x;       /* [n] scratch */
  double enough;   /* momentum residuals below it need not be smaller, sqrt(J) */
  bool has_failed; /* iterations ran out, or A is not positive definite: the rest is void */
  int most;        /* iterations that are left */
} cr_iterative;

/* Takes memory and factors A. Null when memory ran out.
 * @param H its pattern, as laid out below
 * @param values those of H, where it is going to be assembled
 * @param scale norm of velocities in A that the tolerance is of, sqrt(J) */
cr_iterative* cr_iterative_create(const cr_problem* problem, const cr_symbolic* H,
                                  const double* values, double tolerance, double scale,
                                  cr_arena* arena);

/* The analysis of H of who does not factor it: values block by block, as the pattern stores them.
 */
bool cr_iterative_lay_out(const cr_bsm_pattern* pattern, cr_arena* arena, cr_symbolic* H);

/* Incomplete factor of H, whose values are assembled; false after a failure. */
bool cr_iterative_factor(cr_iterative* it);

/* x <- H^-1 x, to what the certificate needs or a small part of x. */
void cr_iterative_solve(cr_iterative* it, double* x);

/* x <- A^-1 x, to what the certificate needs. */
void cr_iterative_solve_A(cr_iterative* it, double* x);

/* An upper bound of xᵀ A^-1 x, a quarter too large at most where it is not small enough already. */
double cr_iterative_inverse_norm2(cr_iterative* it, const double* x);

#endif
