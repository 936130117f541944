/* Elimination with row pivoting, Cholesky, and cyclic Jacobi rotations (Golub & Van Loan, sections
 * 3.4, 4.2 and 8.5). */
#include "math/small.h"

#include "math/lanes.h"
#include "math/scalar.h"

#include <math.h>

#define SWEEPS_MAX 30

/* --- Elimination --------------------------------------------------------------------------------
 */

static void swap_rows(double* X, int columns, int a, int b) {
  for (int c = 0; c < columns; c++) {
    double x = X[a * columns + c];
    X[a * columns + c] = X[b * columns + c];
    X[b * columns + c] = x;
  }
}

static int find_pivot(const double* A, int n, int column) {
  int pivot = column;
  for (int i = column + 1; i < n; i++)
    if (fabs(A[i * n + column]) > fabs(A[pivot * n + column])) pivot = i;
  return pivot;
}

/* y -= a x */
static void subtract(double a, const double* x, int n, double* y) {
  int i = 0;
  for (; i + LANES <= n; i += LANES) lanes_store(y + i, lanes_load(y + i) - a * lanes_load(x + i));
  for (; i < n; i++) y[i] -= a * x[i];
}

void small_solve(double* A, int n, double* B, int columns) {
  for (int k = 0; k < n; k++) {
    int pivot = find_pivot(A, n, k);
    if (pivot != k) swap_rows(A, n, k, pivot), swap_rows(B, columns, k, pivot);
    for (int i = k + 1; i < n; i++) {
      double l = A[i * n + k] / A[k * n + k];
      subtract(l, A + k * n + k + 1, n - k - 1, A + i * n + k + 1);
      subtract(l, B + k * columns, columns, B + i * columns);
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    double* x = B + k * columns;
    for (int j = k + 1; j < n; j++) subtract(A[k * n + j], B + j * columns, columns, x);
    for (int c = 0; c < columns; c++) x[c] /= A[k * n + k];
  }
}

/* --- Cholesky -----------------------------------------------------------------------------------
 */

void small_factor(double* A, int n) {
  for (int i = 0; i < n; i++) {
    double* row = A + i * n;
    for (int j = 0; j < i; j++) row[j] = (row[j] - scalar_dot(row, A + j * n, j)) / A[j * n + j];
    row[i] = sqrt(row[i] - scalar_dot(row, row, i));
  }
}

/* --- Eigenvalues --------------------------------------------------------------------------------
 */

/* Zeroes A[p][q] by a rotation, applied to V as well. */
static void rotate(double* A, double* V, int n, int p, int q) {
  double tau = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
  double t = copysign(1.0, tau) / (fabs(tau) + sqrt(1 + tau * tau));
  double c = 1 / sqrt(1 + t * t), s = t * c;
  for (int k = 0; k < n; k++) {
    double x = A[k * n + p], y = A[k * n + q];
    A[k * n + p] = c * x - s * y, A[k * n + q] = s * x + c * y;
  }
  for (int k = 0; k < n; k++) {
    double x = A[p * n + k], y = A[q * n + k];
    A[p * n + k] = c * x - s * y, A[q * n + k] = s * x + c * y;
  }
  A[p * n + q] = A[q * n + p] = 0;
  for (int k = 0; V && k < n; k++) {
    double x = V[k * n + p], y = V[k * n + q];
    V[k * n + p] = c * x - s * y, V[k * n + q] = s * x + c * y;
  }
}

/* Largest element off the diagonal, and largest on it. */
static void measure(const double* A, int n, double* off, double* on) {
  *off = *on = 0;
  for (int i = 0; i < n; i++) {
    *on = fmax(*on, fabs(A[i * n + i]));
    for (int j = 0; j < i; j++) *off = fmax(*off, fabs(A[j * n + i]));
  }
}

void small_eigen(double* A, int n, double* V) {
  double enough = V ? 0x1p-56 : 1e-9; /* eigenvalues alone are off by less than this */
  for (int i = 0; V && i < n * n; i++) V[i] = i % (n + 1) == 0;
  for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    double off, on;
    measure(A, n, &off, &on);
    if (!(off > enough * on)) return;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        if (A[p * n + q] != 0) rotate(A, V, n, p, q);
  }
}
