/* Substitutions with one panel, for one to CR_SOLVE_GROUP right-hand sides at once. Part of
 * kernels_template.h.
 *
 * The columns are taken in groups of TILE_COLUMNS: a small triangle in scalars, the rest in whole
 * segments. The bits of a solution do not depend on how many are computed at once. */
#ifndef CR_LINALG_KERNELS_SOLVE_H
#define CR_LINALG_KERNELS_SOLVE_H

#include "linalg/kernels_common.h"

/* z <- L⁻¹ z for a small triangle with reciprocals on its diagonal. */
INLINE void solve_triangle(const int n, const double* L, ptrdiff_t stride, double* z) {
  double x[TILE_COLUMNS];
  UNROLLED (i, 0, n) x[i] = z[i];
  UNROLLED (k, 0, n) {
    z[k] = x[k] = x[k] * L[k + k * stride];
    UNROLLED (i, k + 1, n) x[i] = fused(-L[i + k * stride], x[k], x[i]);
  }
}

/* z <- L⁻ᵀ (z - sum) for a small triangle. */
INLINE void solve_triangle_transposed(const int n, const double* L, ptrdiff_t stride,
                                      const double* sum, double* z) {
  double x[TILE_COLUMNS];
  UNROLLED (i, 0, n) x[i] = z[i] - sum[i];
  UNROLLED (step, 0, n) {
    const int k = n - 1 - step;
    z[k] = x[k] = x[k] * L[k + k * stride];
    UNROLLED (i, 0, k) x[i] = fused(-L[k + i * stride], x[k], x[i]);
  }
}

/* One tile of z -= A x, or z = -A x where `fresh`. */
INLINE void subtract_product_tile(const int segments, const int num_rhs, const bool fresh,
                                  const cr_panel* A, const double* x, double* z, int ldz,
                                  int count) {
  segment acc[4][CR_SOLVE_GROUP];
  UNROLLED (s, 0, segments) {
    UNROLLED (r, 0, num_rhs) {
      acc[s][r] = fresh ? segment_zero() : segment_load(z + CR_SEGMENT_ROWS * s + r * ldz);
    }
  }
  const double* column = A->values;
  for (int k = 0; k < A->width; k++, column += A->stride) {
    UNROLLED (s, 0, segments) {
      segment a = segment_load(column + CR_SEGMENT_ROWS * s);
      UNROLLED (r, 0, num_rhs) {
        acc[s][r] = segment_subtract_scaled(acc[s][r], a, spread_number(x[k + r * ldz]));
      }
    }
  }
  UNROLLED (s, 0, segments) {
    UNROLLED (r, 0, num_rhs) {
      segment_store_part(z + CR_SEGMENT_ROWS * s + r * ldz, acc[s][r],
                         min_int(CR_SEGMENT_ROWS, count - CR_SEGMENT_ROWS * s));
    }
  }
}

/* z -= A x, or z = -A x, for all rows of A. */
INLINE void subtract_product(const int num_rhs, const bool fresh, const cr_panel* A,
                             const double* x, double* z, int ldz) {
  const int segments = num_rhs == 1 ? 4 : 2;
  cr_panel part = *A;
  int row = 0;
  for (; row + CR_SEGMENT_ROWS * segments <= A->rows; row += CR_SEGMENT_ROWS * segments) {
    part.values = A->values + row;
    subtract_product_tile(segments, num_rhs, fresh, &part, x, z + row, ldz, A->rows - row);
  }
  for (; row < A->rows; row += CR_SEGMENT_ROWS) {
    part.values = A->values + row;
    subtract_product_tile(1, num_rhs, fresh, &part, x, z + row, ldz, A->rows - row);
  }
}

/* Substitution with a small triangle of any size. */
static void solve_small(int n, const double* L, ptrdiff_t stride, double* z) {
  switch (n) {
  case 1:
    solve_triangle(1, L, stride, z);
    break;
  case 2:
    solve_triangle(2, L, stride, z);
    break;
  case 3:
    solve_triangle(3, L, stride, z);
    break;
  case 4:
    solve_triangle(4, L, stride, z);
    break;
  case 5:
    solve_triangle(5, L, stride, z);
    break;
  default:
    solve_triangle(6, L, stride, z);
    break;
  }
}

INLINE void forward(const int num_rhs, const cr_panel* p, double* z, int ldz) {
  for (int j = 0; j < p->width; j += TILE_COLUMNS) {
    int n = min_int(TILE_COLUMNS, p->width - j);
    const double* L = p->values + j + (ptrdiff_t)j * p->stride;
    for (int r = 0; r < num_rhs; r++) solve_small(n, L, p->stride, z + j + r * ldz);
    cr_panel rest = {p->values + j + n + (ptrdiff_t)j * p->stride, p->width - j - n, n, p->stride};
    subtract_product(num_rhs, false, &rest, z + j, z + j + n, ldz);
  }
  cr_panel below = {p->values + p->width, p->rows - p->width, p->width, p->stride};
  subtract_product(num_rhs, true, &below, z, z + p->width, ldz);
}

static void solve_forward(const cr_panel* p, double* z, int ldz, int num_rhs) {
  switch (num_rhs) {
  case 1:
    forward(1, p, z, ldz);
    break;
  case 2:
    forward(2, p, z, ldz);
    break;
  case 3:
    forward(3, p, z, ldz);
    break;
  default:
    forward(4, p, z, ldz);
    break;
  }
}

/* sum = Aᵀ z for n columns of A [rows]; z goes on with zeros to the end of a segment. */
INLINE void transposed_product(const int n, const double* A, ptrdiff_t stride, int rows,
                               const double* z, double* sum) {
  segment acc[TILE_COLUMNS];
  UNROLLED (k, 0, n) acc[k] = segment_zero();
  for (int i = 0; i < rows; i += CR_SEGMENT_ROWS) {
    segment s = segment_load(z + i);
    UNROLLED (k, 0, n) {
      acc[k] = segment_add_product(acc[k], segment_load(A + i + k * stride), s);
    }
  }
  UNROLLED (k, 0, n) sum[k] = segment_sum(acc[k]);
}

INLINE void backward_columns(const int n, const cr_panel* p, int j, double* z) {
  const double* L = p->values + j + (ptrdiff_t)j * p->stride;
  double sum[TILE_COLUMNS];
  transposed_product(n, L + n, p->stride, p->rows - j - n, z + j + n, sum);
  solve_triangle_transposed(n, L, p->stride, sum, z + j);
}

/* The columns [j, j + n) of L⁻ᵀ, for any n up to TILE_COLUMNS. */
static void backward_small(int n, const cr_panel* p, int j, double* z) {
  switch (n) {
  case 1:
    backward_columns(1, p, j, z);
    break;
  case 2:
    backward_columns(2, p, j, z);
    break;
  case 3:
    backward_columns(3, p, j, z);
    break;
  case 4:
    backward_columns(4, p, j, z);
    break;
  case 5:
    backward_columns(5, p, j, z);
    break;
  default:
    backward_columns(6, p, j, z);
    break;
  }
}

static void solve_backward(const cr_panel* p, double* z, int ldz, int num_rhs) {
  int last = (p->width - 1) / TILE_COLUMNS * TILE_COLUMNS;
  for (int r = 0; r < num_rhs; r++)
    for (int j = last; j >= 0; j -= TILE_COLUMNS)
      backward_small(min_int(TILE_COLUMNS, p->width - j), p, j, z + (ptrdiff_t)r * ldz);
}

static void accumulate_gram(const double* Y, int rows, int cols, int ldy, double* G) {
  for (int i = 0; i < cols; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < rows; k++) sum = fused(Y[k + i * ldy], Y[k + j * ldy], sum);
      G[i * cols + j] += sum;
      if (i != j) G[j * cols + i] += sum;
    }
}

#endif
