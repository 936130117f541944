/* Products with row-major Jacobians. Part of kernels_template.h. */
#ifndef CR_LINALG_KERNELS_ROWS_H
#define CR_LINALG_KERNELS_ROWS_H

#include "linalg/kernels_common.h"

/* B = G J for a few columns of J and of B. Products are rounded before they are added: where G of a
 * sliding contact is nearly singular, fused ones lose what its rows have in common, and stiff
 * problems stall at 1e-9 (the chains of shared/problems/sap). */
INLINE void weight_tile(const int quads, const cr_rows* J, const double* G, const double* right,
                        double* B) {
  for (int k = 0; k < J->num_rows; k++, G += J->num_rows, B += J->stride) {
    quad acc[3];
    UNROLLED (q, 0, quads) acc[q] = quad_zero();
    const double* row = right;
    for (int l = 0; l < J->num_rows; l++, row += J->stride) {
      quad weight = quad_spread(G[l]);
      UNROLLED (q, 0, quads)
        acc[q] = quad_add(acc[q], quad_multiply(weight, quad_load(row + 4 * q)));
    }
    UNROLLED (q, 0, quads) quad_store(B + 4 * q, acc[q]);
  }
}

static void weight_rows(const cr_rows* J, const double* G, double* B) {
  int column = 0;
  for (; column + 12 <= J->stride; column += 12)
    weight_tile(3, J, G, J->values + column, B + column);
  if (J->stride - column == 8) weight_tile(2, J, G, J->values + column, B + column);
  if (J->stride - column == 4) weight_tile(1, J, G, J->values + column, B + column);
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

static void multiply_rows(const cr_rows* J, const double* x, double* y) {
  const double* row = J->values;
  ptrdiff_t stride = J->stride;
  int k = 0;
  for (; k + 4 <= J->num_rows; k += 4, row += 4 * stride) {
    quad acc[4] = {quad_zero(), quad_zero(), quad_zero(), quad_zero()};
    for (int q = 0; q < J->stride; q += 4) {
      quad part = quad_load(x + q);
      UNROLLED (r, 0, 4) {
        acc[r] = quad_add_product(acc[r], quad_load(row + r * stride + q), part);
      }
    }
    quad_store(y + k, quad_sum_each(acc[0], acc[1], acc[2], acc[3]));
  }
  for (; k < J->num_rows; k++, row += stride) {
    quad acc = quad_zero();
    for (int q = 0; q < J->stride; q += 4)
      acc = quad_add_product(acc, quad_load(row + q), quad_load(x + q));
    y[k] = quad_sum(acc);
  }
}

static void accumulate_transposed(const cr_rows* J, const double* y, double* x) {
  for (int q = 0; q < J->stride; q += 4) {
    quad acc = quad_load(x + q);
    const double* row = J->values + q;
    for (int k = 0; k < J->num_rows; k++, row += J->stride)
      acc = quad_add_product(acc, quad_load(row), quad_spread(y[k]));
    quad_store(x + q, acc);
  }
}

static void add_block(const cr_rows* source, double* target, int target_stride) {
  const double* row = source->values;
  for (int r = 0; r < source->num_rows; r++, row += source->stride, target += target_stride) {
    int c = 0;
    for (; c + 4 <= source->num_cols; c += 4)
      quad_store(target + c, quad_add(quad_load(target + c), quad_load(row + c)));
    for (; c < source->num_cols; c++) target[c] += row[c];
  }
}

#endif
