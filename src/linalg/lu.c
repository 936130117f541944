#include "linalg/lu.h"

#include "math/scalar.h"

#include <math.h>
#include <stddef.h>

#define SINGULAR 1e-14 /* of the largest element: a pivot so small is round-off */

static int find_pivot(const double* A, int n, int k) {
  int best = k;
  for (int i = k + 1; i < n; i++)
    if (fabs(A[(size_t)i * n + k]) > fabs(A[(size_t)best * n + k])) best = i;
  return best;
}

static void swap(double* a, double* b) {
  double x = *a;
  *a = *b, *b = x;
}

bool cr_lu_factor(double* A, int n, int* pivot) {
  double largest = 0;
  for (size_t i = 0; i < (size_t)n * n; i++) largest = fmax(largest, fabs(A[i]));
  if (!(largest > 0)) return n == 0;
  for (int k = 0; k < n; k++) {
    double* row = A + (size_t)k * n;
    pivot[k] = find_pivot(A, n, k);
    for (int j = 0; j < n && pivot[k] != k; j++) swap(&row[j], &A[(size_t)pivot[k] * n + j]);
    if (!isfinite(row[k])) return false;
    if (fabs(row[k]) <= SINGULAR * largest) row[k] = copysign(SINGULAR * largest, row[k]);
    for (int i = k + 1; i < n; i++) {
      double* below = A + (size_t)i * n;
      double l = below[k] /= row[k];
      for (int j = k + 1; j < n && l != 0; j++) below[j] -= l * row[j];
    }
  }
  return true;
}

void cr_lu_solve(const double* LU, const int* pivot, int n, double* x) {
  for (int k = 0; k < n; k++)
    if (pivot[k] != k) swap(&x[k], &x[pivot[k]]);
  int first = 0;
  while (first < n && x[first] == 0) first++;
  for (int i = first + 1; i < n; i++)
    x[i] -= scalar_dot(LU + (size_t)i * n + first, x + first, i - first);
  for (int i = n - 1; i >= 0; i--) {
    x[i] -= scalar_dot(LU + (size_t)i * n + i + 1, x + i + 1, n - i - 1);
    x[i] /= LU[(size_t)i * n + i];
  }
}

/* x[i] less row i of the factors, of the unknowns [first, end). */
static cr_lu_row reduce(const double* row, int first, int end, const cr_lu_row* x, int i) {
  cr_lu_row sum = x[i];
  for (int k = first; k < end; k++) {
    if (row[k] == 0) continue; /* of bodies that do not touch */
    for (int c = 0; c < CR_LU_WIDTH; c++) sum.x[c] -= row[k] * x[k].x[c];
  }
  return sum;
}

static bool is_zero(const cr_lu_row* row) {
  for (int c = 0; c < CR_LU_WIDTH; c++)
    if (row->x[c] != 0) return false;
  return true;
}

void cr_lu_solve_rows(const double* LU, const int* pivot, int n, cr_lu_row* x) {
  for (int k = 0; k < n; k++) {
    cr_lu_row row = x[k];
    x[k] = x[pivot[k]], x[pivot[k]] = row;
  }
  int first = 0;
  while (first < n && is_zero(&x[first])) first++;
  for (int i = first + 1; i < n; i++) x[i] = reduce(LU + (size_t)i * n, first, i, x, i);
  for (int i = n - 1; i >= 0; i--) {
    const double* row = LU + (size_t)i * n;
    x[i] = reduce(row, i + 1, n, x, i);
    for (int c = 0; c < CR_LU_WIDTH; c++) x[i].x[c] /= row[i];
  }
}

void cr_lu_solve_transposed(const double* LU, const int* pivot, int n, double* x) {
  for (int i = 0; i < n; i++) {
    x[i] /= LU[(size_t)i * n + i];
    for (int j = i + 1; j < n; j++) x[j] -= LU[(size_t)i * n + j] * x[i];
  }
  for (int i = n - 1; i >= 0; i--)
    for (int j = 0; j < i; j++) x[j] -= LU[(size_t)i * n + j] * x[i];
  for (int k = n - 1; k >= 0; k--)
    if (pivot[k] != k) swap(&x[k], &x[pivot[k]]);
}
