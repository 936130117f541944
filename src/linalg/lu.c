#include "linalg/lu.h"

#include "linalg/sparse_rows.h"
#include "math/scalar.h"

#include <math.h>
#include <stddef.h>

#define SINGULAR 1e-14 /* of the largest element: a pivot so small is round-off */
#define BLOCK    8     /* columns that are eliminated together */

static void swap_rows(double* a, double* b, int count) {
  for (int j = 0; j < count; j++) {
    double x = a[j];
    a[j] = b[j], b[j] = x;
  }
}

/* --- Factors ------------------------------------------------------------------------------------
 */

typedef struct factoring {
  double* A;
  int n;
  int* pivot;
  double least; /* a pivot's */
  const cr_kernels* kernels;
} factoring;

static int find_pivot(const factoring* f, int k) {
  int best = k;
  for (int i = k + 1; i < f->n; i++)
    if (fabs(f->A[(size_t)i * f->n + k]) > fabs(f->A[(size_t)best * f->n + k])) best = i;
  return best;
}

/* Eliminates the columns [first, end) below the diagonal, within these columns alone. */
static bool factor_block(const factoring* f, int first, int end) {
  for (int k = first; k < end; k++) {
    double* row = f->A + (size_t)k * f->n;
    f->pivot[k] = find_pivot(f, k);
    if (f->pivot[k] != k) swap_rows(row, f->A + (size_t)f->pivot[k] * f->n, f->n);
    if (!isfinite(row[k])) return false;
    if (fabs(row[k]) <= f->least) row[k] = copysign(f->least, row[k]);
    for (int i = k + 1; i < f->n; i++) {
      double* below = f->A + (size_t)i * f->n;
      if (below[k] == 0) continue;
      double l = below[k] /= row[k];
      for (int j = k + 1; j < end; j++) below[j] -= l * row[j];
    }
  }
  return true;
}

/* What the block's columns take from those behind it: first from its own rows, in turn. */
static void update_rest(const factoring* f, int first, int end) {
  const double* U = f->A + (size_t)first * f->n + end;
  for (int i = first + 1; i < f->n && end < f->n; i++) {
    double* row = f->A + (size_t)i * f->n;
    int count = (i < end ? i : end) - first, any = 0;
    for (int k = first; k < first + count; k++) any |= row[k] != 0;
    if (any) f->kernels->subtract_rows(row + first, U, f->n, count, f->n - end, row + end);
  }
}

bool cr_lu_factor(double* A, int n, int* pivot) {
  double largest = 0;
  for (size_t i = 0; i < (size_t)n * n; i++) largest = scalar_max(fabs(A[i]), largest);
  if (!(largest > 0)) return n == 0;
  const factoring f = {A, n, pivot, SINGULAR * largest, cr_kernels_select()};
  for (int k = 0; k < n; k += BLOCK) {
    int end = k + BLOCK < n ? k + BLOCK : n;
    if (!factor_block(&f, k, end)) return false;
    update_rest(&f, k, end);
  }
  return true;
}

/* --- Solutions ----------------------------------------------------------------------------------
 */

void cr_lu_solve(const double* LU, const int* pivot, int n, double* x) {
  for (int k = 0; k < n; k++)
    if (pivot[k] != k) swap_rows(&x[k], &x[pivot[k]], 1);
  int first = 0;
  while (first < n && x[first] == 0) first++;
  for (int i = first + 1; i < n; i++)
    x[i] -= scalar_dot(LU + (size_t)i * n + first, x + first, i - first);
  for (int i = n - 1; i >= 0; i--) {
    x[i] -= scalar_dot(LU + (size_t)i * n + i + 1, x + i + 1, n - i - 1);
    x[i] /= LU[(size_t)i * n + i];
  }
}

static bool is_zero(const double* row, int count) {
  int k = 0;
  while (k < count && row[k] == 0) k++;
  return k == count;
}

void cr_lu_solve_rows(const double* LU, const int* pivot, int n, int width, double* X) {
  const cr_kernels* kernels = cr_kernels_select();
  for (int k = 0; k < n; k++)
    if (pivot[k] != k) swap_rows(X + (size_t)k * width, X + (size_t)pivot[k] * width, width);
  int first = 0;
  while (first < n && is_zero(X + (size_t)first * width, width)) first++;
  for (int i = first + 1; i < n; i++) {
    const cr_rows before = {X + (size_t)first * width, i - first, width, width};
    cr_sparse_subtract_rows(kernels, LU + (size_t)i * n + first, &before, X + (size_t)i * width);
  }
  for (int i = n - 1; i >= 0; i--) {
    double *row = X + (size_t)i * width, scale = 1 / LU[(size_t)i * n + i];
    const cr_rows behind = {row + width, n - i - 1, width, width};
    cr_sparse_subtract_rows(kernels, LU + (size_t)i * n + i + 1, &behind, row);
    for (int c = 0; c < width; c++) row[c] *= scale;
  }
}

void cr_lu_solve_transposed(const double* LU, const int* pivot, int n, double* x) {
  const cr_kernels* kernels = cr_kernels_select();
  for (int i = 0; i < n; i++) {
    const double* row = LU + (size_t)i * n;
    if (x[i] == 0) continue;
    x[i] /= row[i];
    kernels->subtract_rows(&x[i], row + i + 1, n, 1, n - i - 1, x + i + 1);
  }
  for (int i = n - 1; i > 0; i--)
    if (x[i] != 0) kernels->subtract_rows(&x[i], LU + (size_t)i * n, n, 1, i, x);
  for (int k = n - 1; k >= 0; k--)
    if (pivot[k] != k) swap_rows(&x[k], &x[pivot[k]], 1);
}
