/* Sums of rows of a matrix by numbers of which many are zero. */
#ifndef CR_LINALG_SPARSE_ROWS_H
#define CR_LINALG_SPARSE_ROWS_H

#include "linalg/kernels.h"

#include <stdint.h>
#include <string.h>

#define CR_SPARSE_GAP   4  /* zeros that end a run */
#define CR_SPARSE_SHORT 32 /* elements that are one run: rows of zeros cost less than to look */

/* Whether one of CR_SPARSE_GAP differs from zero, by all bits but the sign's. */
static inline bool cr_sparse_is_any(const double* x) {
  uint64_t bits[CR_SPARSE_GAP];
  memcpy(bits, x, sizeof bits);
  return (bits[0] | bits[1] | bits[2] | bits[3]) << 1 != 0;
}

/* The first element from k on that differs from zero. */
static inline int cr_sparse_find_first(const double* x, int k, int count) {
  while (k + CR_SPARSE_GAP <= count && !cr_sparse_is_any(x + k)) k += CR_SPARSE_GAP;
  while (k < count && x[k] == 0) k++;
  return k;
}

/* Where a run of elements that differ from zero ends, but for a few between. */
static inline int cr_sparse_find_end(const double* x, int k, int count) {
  if (count <= CR_SPARSE_SHORT) k = count;
  while (k + CR_SPARSE_GAP <= count && cr_sparse_is_any(x + k)) k += CR_SPARSE_GAP;
  int end = k + CR_SPARSE_GAP <= count ? k : count;
  while (x[end - 1] == 0) end--;
  return end;
}

/* y -= sum of x_k X_k over rows of X [count, n] for which x differs from zero. */
static inline void cr_sparse_subtract_rows(const cr_kernels* kernels, const double* x,
                                           const cr_rows* X, double* y) {
  for (int k = 0; (k = cr_sparse_find_first(x, k, X->num_rows)) < X->num_rows;) {
    int end = cr_sparse_find_end(x, k, X->num_rows);
    kernels->subtract_rows(x + k, X->values + (ptrdiff_t)k * X->stride, X->stride, end - k,
                           X->num_cols, y);
    k = end;
  }
}

#endif
