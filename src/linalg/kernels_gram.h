/* Forward substitution of four right-hand sides that stand side by side, and the products of their
 * columns. Part of kernels_template.h.
 *
 * Every element of Y is (y - l1 y1 - l2 y2 - ...) r with the products subtracted one by one. */
#ifndef CR_LINALG_KERNELS_GRAM_H
#define CR_LINALG_KERNELS_GRAM_H

#include "linalg/kernels_common.h"

/* A row less the columns [first, last) of its row of L times their rows of Y. */
INLINE quad subtract_columns(quad row, const double* L, ptrdiff_t stride, int first, int last,
                             const double* Y) {
  const double* l = L + first * stride;
  for (int k = first; k < last; k++, l += stride)
    row = quad_subtract_product(row, quad_spread(*l), quad_load(Y + 4 * (ptrdiff_t)k));
  return row;
}

INLINE quad subtract_runs(quad row, const double* L, ptrdiff_t stride, const cr_row_run* run,
                          int num_runs, const double* Y) {
  for (int a = 0; a < num_runs; a++)
    row = subtract_columns(row, L, stride, run[a].start, run[a].start + run[a].count, Y);
  return row;
}

/* The same for GRAM_ROWS rows from row i on: each waits for its own last product alone. */
#define GRAM_ROWS 8
INLINE void subtract_from_rows(const double* L, ptrdiff_t stride, int first, int last, double* Y,
                               int i) {
  quad row[GRAM_ROWS];
  UNROLLED (r, 0, GRAM_ROWS) row[r] = quad_load(Y + 4 * (ptrdiff_t)(i + r));
  const double* l = L + i + first * stride;
  for (int k = first; k < last; k++, l += stride) {
    quad y = quad_load(Y + 4 * (ptrdiff_t)k);
    UNROLLED (r, 0, GRAM_ROWS) row[r] = quad_subtract_product(row[r], quad_spread(l[r]), y);
  }
  UNROLLED (r, 0, GRAM_ROWS) quad_store(Y + 4 * (ptrdiff_t)(i + r), row[r]);
}

/* Y1 <- L1⁻¹ Y1 in rows [first, last), less the columns [done, i) of each row i; adds the products
 * of its rows. */
INLINE void forward_rows(const cr_panel* p, int first, int last, int done, double* Y, quad acc[3]) {
  ptrdiff_t stride = p->stride;
  for (int i = first; i < last; i++) {
    quad y =
        subtract_columns(quad_load(Y + 4 * (ptrdiff_t)i), get_numbers(p) + i, stride, done, i, Y);
    y = quad_multiply(y, quad_spread(get_numbers(p)[i + i * stride]));
    quad_store(Y + 4 * (ptrdiff_t)i, y);
    acc[0] = quad_add_product(acc[0], y, y);
    acc[1] = quad_add_product(acc[1], y, quad_rotate(y));
    acc[2] = quad_add_product(acc[2], y, quad_swap_halves(y));
  }
}

/* Y1 <- L1⁻¹ Y1 in a run, after those before it; adds the products of its rows. */
INLINE void forward_run(const cr_panel* p, const cr_row_run* own, int num_before, double* Y,
                        quad acc[3]) {
  int first = own[num_before].start, last = first + own[num_before].count, i = first;
  for (; i + GRAM_ROWS <= last; i += GRAM_ROWS) {
    for (int a = 0; a < num_before; a++)
      subtract_from_rows(get_numbers(p), p->stride, own[a].start, own[a].start + own[a].count, Y,
                         i);
    subtract_from_rows(get_numbers(p), p->stride, first, i, Y, i);
    forward_rows(p, i, i + GRAM_ROWS, i, Y, acc);
  }
  for (; i < last; i++) {
    quad y = subtract_runs(quad_load(Y + 4 * (ptrdiff_t)i), get_numbers(p) + i, p->stride, own,
                           num_before, Y);
    quad_store(Y + 4 * (ptrdiff_t)i, y);
    forward_rows(p, i, i + 1, first, Y, acc);
  }
}

static void accumulate_gram(const cr_panel* p, const cr_panel_rows* rows, const cr_row_run* own,
                            int num_own, double* Y, double* products) {
  double* Y1 = Y + 4 * (ptrdiff_t)rows->first;
  const double* L = get_numbers(p) + p->below;
  quad acc[3];
  UNROLLED (d, 0, 3) acc[d] = quad_load(products + 4 * d);
  for (int a = 0; a < num_own; a++) forward_run(p, own, a, Y1, acc);
  UNROLLED (d, 0, 3) quad_store(products + 4 * d, acc[d]);
  for (int a = 0; a < rows->num_runs; a++) {
    double* y = Y + 4 * (ptrdiff_t)rows->run[a].start;
    for (int k = 0; k < rows->run[a].count; k++, L++, y += 4)
      quad_store(y, subtract_runs(quad_load(y), L, p->stride, own, num_own, Y1));
  }
}

/* Y = L⁻¹ Bᵀ in registers, a lane for each row of B, and the products of its rows. Products are
 * rounded before they are added, so that every instruction set gives the same bits. */
INLINE void gram_alone(const int width, const cr_panel* p, const double* row[4], quad acc[3]) {
  quad y[CR_ALONE_WIDTH];
  UNROLLED (i, 0, width) {
    y[i] = quad_make(row[0][i], row[1][i], row[2][i], row[3][i]);
    UNROLLED (k, 0, i)
      y[i] =
          quad_subtract(y[i], quad_multiply(quad_spread(get_numbers(p)[i + k * p->stride]), y[k]));
    y[i] = quad_multiply(y[i], quad_spread(get_numbers(p)[i + i * p->stride]));
    acc[0] = quad_add(acc[0], quad_multiply(y[i], y[i]));
    acc[1] = quad_add(acc[1], quad_multiply(y[i], quad_rotate(y[i])));
    acc[2] = quad_add(acc[2], quad_multiply(y[i], quad_swap_halves(y[i])));
  }
}

static void accumulate_gram_alone(const cr_panel* panel, int count, const cr_rows* B,
                                  double* products) {
  static const double none[CR_ALONE_WIDTH];
  const double* row[4];
  quad acc[3];
  UNROLLED (d, 0, 3) acc[d] = quad_load(products + 4 * d);
  for (int r = 0; r < 4; r++) row[r] = r < B->num_rows ? B->values + r * B->stride : none;
  for (const cr_panel* p = panel; p < panel + count; p++) {
    if (p->width == 6)
      gram_alone(6, p, row, acc);
    else if (p->width == 3)
      gram_alone(3, p, row, acc);
    else
      gram_alone(p->width, p, row, acc);
    for (int r = 0; r < B->num_rows; r++) row[r] += p->width;
  }
  UNROLLED (d, 0, 3) quad_store(products + 4 * d, acc[d]);
}

/* The products of a few rows of A with a few of B. */
INLINE void add_dots_tile(const int num_a, const int num_b, const double* A, ptrdiff_t stride_a,
                          const double* B, ptrdiff_t stride_b, int count, double* C) {
  quad acc[3][3];
  UNROLLED (i, 0, num_a) {
    UNROLLED (j, 0, num_b) acc[i][j] = quad_zero();
  }
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    quad b[3];
    UNROLLED (j, 0, num_b) b[j] = quad_load(B + j * stride_b + k);
    UNROLLED (i, 0, num_a) {
      quad a = quad_load(A + i * stride_a + k);
      UNROLLED (j, 0, num_b) acc[i][j] = quad_add_product(acc[i][j], a, b[j]);
    }
  }
  UNROLLED (i, 0, num_a) {
    UNROLLED (j, 0, num_b) {
      double sum = quad_sum(acc[i][j]);
      for (int l = k; l < count; l++) sum = fused(A[i * stride_a + l], B[j * stride_b + l], sum);
      C[CR_SOLVE_GROUP * i + j] += sum;
    }
  }
}

INLINE void add_dots_rows(const int num_a, const double* A, ptrdiff_t stride_a, const double* B,
                          ptrdiff_t stride_b, int num_b, int count, double* C) {
  int j = 0;
  for (; j + 3 <= num_b; j += 3)
    add_dots_tile(num_a, 3, A, stride_a, B + j * stride_b, stride_b, count, C + j);
  for (; j < num_b; j++)
    add_dots_tile(num_a, 1, A, stride_a, B + j * stride_b, stride_b, count, C + j);
}

static void add_dots(const double* A, int stride_a, int num_a, const double* B, int stride_b,
                     int num_b, int count, double* C) {
  int i = 0;
  for (; i + 3 <= num_a; i += 3)
    add_dots_rows(3, A + (ptrdiff_t)i * stride_a, stride_a, B, stride_b, num_b, count,
                  C + CR_SOLVE_GROUP * i);
  for (; i < num_a; i++)
    add_dots_rows(1, A + (ptrdiff_t)i * stride_a, stride_a, B, stride_b, num_b, count,
                  C + CR_SOLVE_GROUP * i);
}

#endif
