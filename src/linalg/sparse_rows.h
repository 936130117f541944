/* Sums of rows of a matrix by numbers of which many are zero. */
#ifndef CR_LINALG_SPARSE_ROWS_H
#define CR_LINALG_SPARSE_ROWS_H

#include "linalg/kernels.h"

#define CR_SPARSE_GAP 4 /* zeros that end a run, at least */

/* Where a run of elements that differ from zero ends, but for a few between. */
static inline int cr_sparse_find_end(const double* x, int k, int count) {
  int last = k;
  for (int j = k + 1; j < count && j - last <= CR_SPARSE_GAP; j++)
    if (x[j] != 0) last = j;
  return last + 1;
}

/* y -= sum of x_k X_k over rows of X [count, n] for which x differs from zero. */
static inline void cr_sparse_subtract_rows(const cr_kernels* kernels, const double* x,
                                           const cr_rows* X, double* y) {
  for (int k = 0; k < X->num_rows; k++) {
    if (x[k] == 0) continue;
    int end = cr_sparse_find_end(x, k, X->num_rows);
    kernels->subtract_rows(x + k, X->values + (ptrdiff_t)k * X->stride, X->stride, end - k,
                           X->num_cols, y);
    k = end;
  }
}

#endif
