/* Elimination with row pivoting, Cholesky, and cyclic Jacobi rotations (Golub & Van Loan, sections
 * 3.4, 4.2 and 8.5). */
#include "math/small.h"

#include "math/scalar.h"

#include <math.h>
#include <string.h>

#define BLOCK      8 /* columns that are eliminated together */
#define WIDE       4
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

typedef double pair __attribute__((vector_size(16)));

static inline pair load(const double* p) {
  pair x;
  memcpy(&x, p, sizeof x);
  return x;
}

/* y -= sum of a_k x_k, one after the other for each element. X: rows `stride` apart. */
static void subtract_pairs(const double* a, const double* X, int stride, int count, int n,
                           double* y) {
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    pair s = load(y + i), t = load(y + i + 2), u = load(y + i + 4), v = load(y + i + 6);
    const double* x = X + i;
    for (int k = 0; k < count; k++, x += stride) {
      pair f = {a[k], a[k]};
      s -= f * load(x), t -= f * load(x + 2), u -= f * load(x + 4), v -= f * load(x + 6);
    }
    memcpy(y + i, &s, sizeof s), memcpy(y + i + 2, &t, sizeof t);
    memcpy(y + i + 4, &u, sizeof u), memcpy(y + i + 6, &v, sizeof v);
  }
  for (; i < n; i++)
    for (int k = 0; k < count; k++) y[i] -= a[k] * X[k * stride + i];
}

/* Takes the columns from `first` to `end` out of themselves and leaves their factors below the
 * diagonal. */
static void eliminate_columns(small_subtract* subtract, double* A, int n, double* B, int columns,
                              int first, int end) {
  for (int k = first; k < end; k++) {
    int pivot = find_pivot(A, n, k);
    if (pivot != k) swap_rows(A, n, k, pivot), swap_rows(B, columns, k, pivot);
    for (int i = k + 1; i < n; i++) {
      double* row = A + i * n;
      row[k] /= A[k * n + k];
      subtract(row + k, A + k * n + k + 1, n, 1, end - k - 1, row + k + 1);
    }
  }
}

/* Block after block of columns, in the order of operations of one column after the other. */
static void eliminate(small_subtract* subtract, double* A, int n, double* B, int columns) {
  for (int first = 0; first < n; first += BLOCK) {
    int end = first + BLOCK < n ? first + BLOCK : n;
    eliminate_columns(subtract, A, n, B, columns, first, end);
    for (int i = first + 1; i < n; i++) {
      int count = (i < end ? i : end) - first;
      const double* factors = A + i * n + first;
      subtract(factors, A + first * n + end, n, count, n - end, A + i * n + end);
      subtract(factors, B + first * columns, columns, count, columns, B + i * columns);
    }
  }
}

void small_solve_with(small_subtract* subtract, double* A, int n, double* B, int columns) {
  eliminate(subtract, A, n, B, columns);
  for (int k = n - 1; k >= 0; k--) {
    double* x = B + k * columns;
    subtract(A + k * n + k + 1, B + (k + 1) * columns, columns, n - k - 1, columns, x);
    for (int c = 0; c < columns; c++) x[c] /= A[k * n + k];
  }
}

void small_solve(double* A, int n, double* B, int columns) {
  small_solve_with(subtract_pairs, A, n, B, columns);
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
