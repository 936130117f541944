/* Small dense matrices, row-major; eigenvalues of up to SMALL_MAX rows. */
#ifndef CR_MATH_SMALL_H
#define CR_MATH_SMALL_H

#define SMALL_MAX 6

/* B <- A^-1 B by elimination with row pivoting; numbers that are not finite where A is singular.
 * @param A [n, n] is destroyed
 * @param B [n, columns] */
void small_solve(double* A, int n, double* B, int columns);

/* y -= sum of a_k X_k. X: rows `stride` apart. */
typedef void small_subtract(const double* a, const double* X, int stride, int count, int n,
                            double* y);

/* The same with an implementation of what it consists of. */
void small_solve_with(small_subtract* subtract, double* A, int n, double* B, int columns);

/* A <- L with A = L Lᵀ, in and below the diagonal; a matrix that is not positive definite leaves
 * numbers that are not finite.
 * @param A [n, n] of which only these elements are read */
void small_factor(double* A, int n);

/* Eigenvalues and orthonormal eigenvectors of a symmetric matrix by cyclic Jacobi rotations, to
 * round-off of the largest eigenvalue; without eigenvectors, to 1e-8 of it.
 * @param A [n, n] receives the eigenvalues on its diagonal
 * @param V [n, n] receives the eigenvectors in its columns; may be null */
void small_eigen(double* A, int n, double* V);

#endif
