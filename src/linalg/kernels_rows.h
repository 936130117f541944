/* Products with row-major Jacobians. Part of kernels_template.h. */
#ifndef CR_LINALG_KERNELS_ROWS_H
#define CR_LINALG_KERNELS_ROWS_H

#include "linalg/kernels_common.h"

/* B = G J for a few columns of J and of B. Products are rounded before they are added: where G of a
 * sliding contact is nearly singular, fused ones lose what its rows have in common, and stiff
 * problems stall at 1e-9 (the chains of shared/problems/sap). */
INLINE void weight_tile(const int quads, const int rows, ptrdiff_t stride, const double* G,
                        const double* right, double* B) {
  for (int k = 0; k < rows; k++, G += rows, B += stride) {
    quad acc[3];
    UNROLLED (q, 0, quads) acc[q] = quad_multiply(quad_spread(G[0]), quad_load(right + 4 * q));
    const double* row = right + stride;
    for (int l = 1; l < rows; l++, row += stride) {
      quad weight = quad_spread(G[l]);
      UNROLLED (q, 0, quads)
        acc[q] = quad_add(acc[q], quad_multiply(weight, quad_load(row + 4 * q)));
    }
    UNROLLED (q, 0, quads) quad_store(B + 4 * q, acc[q]);
  }
}

/* The same for three rows, which stay in registers. */
INLINE void weight_three(const int quads, ptrdiff_t stride, const double* G, const double* right,
                         double* B) {
  quad row[3][3];
  UNROLLED (l, 0, 3) {
    UNROLLED (q, 0, quads) row[l][q] = quad_load(right + l * stride + 4 * q);
  }
  UNROLLED (k, 0, 3) {
    quad weight[3];
    UNROLLED (l, 0, 3) weight[l] = quad_spread(G[3 * k + l]);
    UNROLLED (q, 0, quads) {
      quad sum = quad_multiply(weight[0], row[0][q]);
      UNROLLED (l, 1, 3) sum = quad_add(sum, quad_multiply(weight[l], row[l][q]));
      quad_store(B + k * stride + 4 * q, sum);
    }
  }
}

INLINE void weight_columns(const int quads, const cr_rows* J, const double* G, ptrdiff_t next,
                           int rows, int column, double* B) {
  ptrdiff_t stride = J->stride;
  const double* right = J->values + column;
  B += column;
  for (int i = 0; i < J->num_rows; i += rows, G += next, right += rows * stride, B += rows * stride)
    if (rows == 3)
      weight_three(quads, stride, G, right, B);
    else
      weight_tile(quads, rows, stride, G, right, B);
}

static void weight_rows(const cr_rows* J, int rows, const double* G, ptrdiff_t next, double* B) {
  int column = 0;
  for (; column + 12 <= J->stride; column += 12) weight_columns(3, J, G, next, rows, column, B);
  if (J->stride - column == 8) weight_columns(2, J, G, next, rows, column, B);
  if (J->stride - column == 4) weight_columns(1, J, G, next, rows, column, B);
}

/* C += Jᵀ B, or C = Jᵀ B in its upper triangle. */
typedef struct rows_product {
  const cr_rows* J;
  const double* B;
  double* C;
} rows_product;

/* A few rows of C, and a few columns in fours. */
INLINE void product_tile(const bool upper, const int rows, const int quads, const rows_product* p,
                         int row, int column) {
  ptrdiff_t stride = p->J->stride;
  const double *left = p->J->values + row, *B = p->B + column;
  double* C = p->C + row * stride + column;
  quad acc[4][3];
  UNROLLED (i, 0, rows) {
    UNROLLED (q, 0, quads) acc[i][q] = upper ? quad_zero() : quad_load(C + i * stride + 4 * q);
  }
  for (int k = 0; k < p->J->num_rows; k++, left += stride, B += stride) {
    quad b[3];
    UNROLLED (q, 0, quads) b[q] = quad_load(B + 4 * q);
    UNROLLED (i, 0, rows) {
      quad a = quad_spread(left[i]);
      UNROLLED (q, 0, quads) acc[i][q] = quad_add_product(acc[i][q], a, b[q]);
    }
  }
  UNROLLED (i, 0, rows) {
    UNROLLED (q, 0, quads) quad_store(C + i * stride + 4 * q, acc[i][q]);
  }
}

/* All columns from `column` on of a few rows of C. */
INLINE void product_rows(const bool upper, const int rows, const rows_product* p, int row,
                         int column) {
  int stride = p->J->stride;
  for (; column + 12 <= stride; column += 12) product_tile(upper, rows, 3, p, row, column);
  if (stride - column == 8) product_tile(upper, rows, 2, p, row, column);
  if (stride - column == 4) product_tile(upper, rows, 1, p, row, column);
}

INLINE void product_all(const bool upper, const rows_product* p) {
  int row = 0, num_cols = p->J->num_cols;
  for (; row + 4 <= num_cols; row += 4) product_rows(upper, 4, p, row, upper ? row : 0);
  int column = upper ? row : 0;
  if (num_cols - row == 3) product_rows(upper, 3, p, row, column);
  if (num_cols - row == 2) product_rows(upper, 2, p, row, column);
  if (num_cols - row == 1) product_rows(upper, 1, p, row, column);
}

static void accumulate_product(const cr_rows* J, const double* B, double* C) {
  rows_product p = {J, B, C};
  product_all(false, &p);
}

static void multiply_product_upper(const cr_rows* J, const double* B, double* C) {
  rows_product p = {J, B, C};
  product_all(true, &p);
}

/* y = J x for up to four rows, over so many columns in fours. */
INLINE void multiply_few(const int rows, int quads, const double* row, ptrdiff_t stride,
                         const double* x, double* y) {
  quad acc[4] = {quad_zero(), quad_zero(), quad_zero(), quad_zero()};
  for (int q = 0; q < 4 * quads; q += 4) {
    quad part = quad_load(x + q);
    UNROLLED (r, 0, rows) acc[r] = quad_add_product(acc[r], quad_load(row + r * stride + q), part);
  }
  quad sums = quad_sum_each(acc[0], acc[1], acc[2], acc[3]);
  if (rows == 4) {
    quad_store(y, sums);
    return;
  }
  double sum[4];
  quad_store(sum, sums);
  UNROLLED (r, 0, rows) y[r] = sum[r];
}

INLINE void multiply_all(const int quads, const cr_rows* J, const double* x, double* y) {
  const double* row = J->values;
  ptrdiff_t stride = J->stride;
  int k = 0;
  for (; k + 4 <= J->num_rows; k += 4, row += 4 * stride)
    multiply_few(4, quads, row, stride, x, y + k);
  if (J->num_rows - k == 3) multiply_few(3, quads, row, stride, x, y + k);
  if (J->num_rows - k == 2) multiply_few(2, quads, row, stride, x, y + k);
  if (J->num_rows - k == 1) multiply_few(1, quads, row, stride, x, y + k);
}

/* Pairs of free bodies, one of them, and all others. */
static void multiply_rows(const cr_rows* J, const double* x, double* y) {
  if (J->stride == 12)
    multiply_all(3, J, x, y);
  else if (J->stride == 8)
    multiply_all(2, J, x, y);
  else
    multiply_all(J->stride / 4, J, x, y);
}

/* x = Jᵀ y for a few columns in fours. */
INLINE void transposed_tile(const int quads, const cr_rows* J, const double* y, int column,
                            double* x) {
  quad acc[3];
  const double* row = J->values + column;
  UNROLLED (q, 0, quads) acc[q] = quad_zero();
  for (int k = 0; k < J->num_rows; k++, row += J->stride) {
    quad weight = quad_spread(y[k]);
    UNROLLED (q, 0, quads) acc[q] = quad_add_product(acc[q], quad_load(row + 4 * q), weight);
  }
  UNROLLED (q, 0, quads) quad_store(x + column + 4 * q, acc[q]);
}

static void multiply_transposed(const cr_rows* J, const double* y, double* x) {
  int column = 0;
  for (; column + 12 <= J->stride; column += 12) transposed_tile(3, J, y, column, x);
  if (J->stride - column == 8) transposed_tile(2, J, y, column, x);
  if (J->stride - column == 4) transposed_tile(1, J, y, column, x);
}

/* y -= sum of a_k X_k in so many segments. */
INLINE void subtract_tile_rows(const int segments, const double* a, const double* X, int stride,
                               int count, double* y) {
  segment acc[4];
  UNROLLED (q, 0, segments) acc[q] = segment_load(y + 8 * q);
  for (int k = 0; k < count; k++, X += stride) {
    spread factor = spread_number(a[k]);
    UNROLLED (q, 0, segments)
      acc[q] = segment_subtract_scaled(acc[q], segment_load(X + 8 * q), factor);
  }
  UNROLLED (q, 0, segments) segment_store(y + 8 * q, acc[q]);
}

static void subtract_rows(const double* a, const double* X, int stride, int count, int n,
                          double* y) {
  int i = 0;
  for (; i + 32 <= n; i += 32) subtract_tile_rows(4, a, X + i, stride, count, y + i);
  for (; i + 8 <= n; i += 8) subtract_tile_rows(1, a, X + i, stride, count, y + i);
  if (i == n) return;
  segment part = segment_load_part(y + i, n - i);
  for (int k = 0; k < count; k++) {
    segment row = segment_load_part(X + (ptrdiff_t)k * stride + i, n - i);
    part = segment_subtract_scaled(part, row, spread_number(a[k]));
  }
  segment_store_part(y + i, part, n - i);
}

#endif
