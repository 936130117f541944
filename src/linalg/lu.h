/* LU factors with row interchanges of dense matrices that are not symmetric (Golub and Van Loan
 * 2013, sections 3.2 and 3.4). What is zero, as between bodies that do not touch, is passed by. */
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

/* X <- A^-1 X of several at once, X [n, width], row-major. */
void cr_lu_solve_rows(const double* LU, const int* pivot, int n, int width, double* X);

/* x <- A^-T x */
void cr_lu_solve_transposed(const double* LU, const int* pivot, int n, double* x);

#endif
