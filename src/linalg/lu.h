/* LU factors with row interchanges of small dense matrices that are not symmetric (Golub and Van
 * Loan 2013, section 3.4). */
#ifndef CR_LINALG_LU_H
#define CR_LINALG_LU_H

#include <stdbool.h>

/* Factors A [n, n], row-major, in place. A pivot of round-off, 1e-14 of the largest element, is
 * kept off zero.
 * @param pivot [n] receives the interchanges
 * @return false where an element is not finite, or none differs from zero */
bool cr_lu_factor(double* A, int n, int* pivot);

/* x <- A^-1 x */
void cr_lu_solve(const double* LU, const int* pivot, int n, double* x);

/* The same of several at once, x [n], of which each row stands together. */
#define CR_LU_WIDTH 8
typedef struct cr_lu_row {
  double x[CR_LU_WIDTH];
} cr_lu_row;
void cr_lu_solve_rows(const double* LU, const int* pivot, int n, cr_lu_row* x);

/* x <- A^-T x */
void cr_lu_solve_transposed(const double* LU, const int* pivot, int n, double* x);

#endif
