/* Dense linear algebra for tests, row-major, straight from the textbook. */
#ifndef CR_TEST_DENSE_H
#define CR_TEST_DENSE_H

#include "problem/problem.h"

/* Zeroed [count]; fails the test where there is no memory. */
double* dense_zeros(int count);

/* B = M^-1 B for M [n, n] (kept) and B [n, columns], by elimination with pivoting. */
void dense_solve(const double* M, int n, double* B, int columns);

/* C [rows, columns] = A [rows, inner] B [inner, columns]. */
double* dense_product(const double* A, const double* B, int rows, int inner, int columns);

/* Aᵀ [columns, rows]. */
double* dense_transpose(const double* A, int rows, int columns);

/* A of a problem [n, n]. */
double* dense_A(const cr_problem* problem);

double dense_norm(const double* x, int n);

#endif
