/* Substitutions with one panel, for one to CR_SOLVE_GROUP right-hand sides at once. Part of
 * kernels_template.h.
 *
 * The columns are taken in groups of TILE_COLUMNS: a small triangle in scalars, the rest in whole
 * segments. The bits of a solution do not depend on how many are computed at once. */
#ifndef CR_LINALG_KERNELS_SOLVE_H
#define CR_LINALG_KERNELS_SOLVE_H

#include "linalg/kernels_common.h"

/* y <- L⁻¹ y for a small triangle with reciprocals on its diagonal. Rows are scaled before they are
 * used, so that a step costs one multiply-add. */
INLINE void forward_triangle(const int n, const number* L, ptrdiff_t stride, number* y) {
  number x[TILE_COLUMNS];
  UNROLLED (i, 0, n) x[i] = y[i] * L[i + i * stride];
  UNROLLED (k, 0, n) {
    y[k] = x[k];
    UNROLLED (i, k + 1, n) x[i] = fused(-L[i + k * stride] * L[i + i * stride], x[k], x[i]);
  }
}

/* y <- L⁻ᵀ (y - sum) for a small triangle. */
INLINE void backward_triangle(const int n, const number* L, ptrdiff_t stride, const number* sum,
                              number* y) {
  number x[TILE_COLUMNS];
  UNROLLED (i, 0, n) x[i] = (y[i] - sum[i]) * L[i + i * stride];
  UNROLLED (step, 0, n) {
    const int k = n - 1 - step;
    y[k] = x[k];
    UNROLLED (i, 0, k) x[i] = fused(-L[k + i * stride] * L[i + i * stride], x[k], x[i]);
  }
}

/* A x for consecutive rows of some columns of a panel, and where it goes. */
typedef struct product {
  const number* A;
  ptrdiff_t stride;
  int depth, rows;
  const number* x;
  number* out;
  ptrdiff_t x_stride, out_stride; /* between right-hand sides */
} product;

/* acc -= A x for a few segments of rows from `row` on. */
INLINE void subtract_product(const int segments, const int num_rhs, const product* p, int row,
                             segment acc[4][CR_SOLVE_GROUP]) {
  const number* A = p->A + row;
  for (int k = 0; k < p->depth; k++, A += p->stride) {
    UNROLLED (s, 0, segments) {
      segment a = segment_load(A + CR_SEGMENT_ROWS * s);
      UNROLLED (r, 0, num_rhs) {
        acc[s][r] = segment_subtract_scaled(acc[s][r], a, spread_number(p->x[k + r * p->x_stride]));
      }
    }
  }
}

/* out = -A x in a few whole segments. */
INLINE void set_segments(const int segments, const int num_rhs, const product* p, int row) {
  segment acc[4][CR_SOLVE_GROUP];
  UNROLLED (s, 0, segments) {
    UNROLLED (r, 0, num_rhs) acc[s][r] = segment_zero();
  }
  subtract_product(segments, num_rhs, p, row, acc);
  number* out = p->out + row;
  UNROLLED (s, 0, segments) {
    UNROLLED (r, 0, num_rhs)
      segment_store(out + CR_SEGMENT_ROWS * s + r * p->out_stride, acc[s][r]);
  }
}

/* out = -A x in whole segments. */
INLINE void set_rows(const int num_rhs, const product* p) {
  const int segments = num_rhs == 1 ? 4 : 2;
  int row = 0;
  for (; row + CR_SEGMENT_ROWS * (segments - 1) < p->rows; row += CR_SEGMENT_ROWS * segments)
    set_segments(segments, num_rhs, p, row);
  for (; row < p->rows; row += CR_SEGMENT_ROWS) set_segments(1, num_rhs, p, row);
}

/* out -= A x, not a row too many. */
INLINE void update_rows(const int num_rhs, const product* p) {
  for (int row = 0; row < p->rows; row += CR_SEGMENT_ROWS) {
    number* out = p->out + row;
    int count = int_min(CR_SEGMENT_ROWS, p->rows - row);
    segment acc[4][CR_SOLVE_GROUP];
    UNROLLED (r, 0, num_rhs) acc[0][r] = segment_load(out + r * p->out_stride);
    subtract_product(1, num_rhs, p, row, acc);
    UNROLLED (r, 0, num_rhs) segment_store_part(out + r * p->out_stride, acc[0][r], count);
  }
}

/* y2 += z */
INLINE void scatter_rows(const cr_panel_rows* rows, const number* z, number* y) {
  for (int i = 0; i < rows->num_runs; i++) {
    cr_row_run run = rows->run[i];
    for (int k = 0; k < run.count; k += CR_SEGMENT_ROWS) {
      number* to = y + run.start + k;
      segment_store_part(to, segment_add(segment_load(to), segment_load(z + k)),
                         int_min(CR_SEGMENT_ROWS, run.count - k));
    }
    z += run.count;
  }
}

/* z = y2, with zeros after. Whole segments are copied; what is too much is overwritten. */
INLINE void gather_rows(const cr_panel_rows* rows, const number* y, number* z) {
  for (int i = 0; i < rows->num_runs; i++) {
    cr_row_run run = rows->run[i];
    for (int k = 0; k < run.count; k += CR_SEGMENT_ROWS)
      segment_store(z + k, segment_load(y + run.start + k));
    z += run.count;
  }
  segment_store(z, segment_zero());
}

static void forward_small(int n, const number* L, ptrdiff_t stride,
                          number* y){WITH_CONSTANT_COLUMNS(n, forward_triangle, L, stride, y)}

/* y1 <- L1⁻¹ y1 */
INLINE void forward_columns(const int num_rhs, const cr_panel* p, number* y, ptrdiff_t y_stride) {
  for (int j = 0; j < p->width; j += TILE_COLUMNS) {
    int n = int_min(TILE_COLUMNS, p->width - j);
    const number* L = get_numbers(p) + j + (ptrdiff_t)j * p->stride;
    for (int r = 0; r < num_rhs; r++) forward_small(n, L, p->stride, y + j + r * y_stride);
    product rest = {.A = L + n,
                    .stride = p->stride,
                    .depth = n,
                    .rows = p->width - j - n,
                    .x = y + j,
                    .out = y + j + n,
                    .x_stride = y_stride,
                    .out_stride = y_stride};
    update_rows(num_rhs, &rest);
  }
}

INLINE void forward(const int num_rhs, const cr_panel* p, const cr_panel_rows* rows,
                    const cr_vectors* v) {
  number* y = get_vector(v, 0) + rows->first;
  forward_columns(num_rhs, p, y, v->y_stride);
  product below = {.A = get_numbers(p) + p->below,
                   .stride = p->stride,
                   .depth = p->width,
                   .rows = p->rows - p->below,
                   .x = y,
                   .out = v->z,
                   .x_stride = v->y_stride,
                   .out_stride = v->z_stride};
  set_rows(num_rhs, &below);
  for (int r = 0; r < num_rhs; r++)
    scatter_rows(rows, (number*)v->z + (ptrdiff_t)r * v->z_stride, get_vector(v, r));
}

static void solve_forward(const cr_panel* p, const cr_panel_rows* rows, const cr_vectors* v) {
  switch (v->count) {
  case 1:
    forward(1, p, rows, v);
    break;
  case 2:
    forward(2, p, rows, v);
    break;
  case 3:
    forward(3, p, rows, v);
    break;
  default:
    forward(4, p, rows, v);
    break;
  }
}

/* The columns [j, j + n) of L⁻ᵀ. The rows below come first: they do not wait for the columns that
 * were solved just now. */
INLINE void backward_columns(const int n, const cr_panel* p, int j, const number* z, number* y) {
  const number* L = get_numbers(p) + (ptrdiff_t)j * p->stride;
  segment acc[TILE_COLUMNS];
  UNROLLED (k, 0, n) acc[k] = segment_zero();
  for (int row = p->below; row < p->rows; row += CR_SEGMENT_ROWS) {
    segment s = segment_load(z + row - p->below);
    UNROLLED (k, 0, n)
      acc[k] = segment_add_product(acc[k], segment_load(L + row + k * p->stride), s);
  }
  /* What is past the triangle must not be read: it may be anything. */
  for (int row = j + n; row < p->width; row += CR_SEGMENT_ROWS) {
    int count = int_min(CR_SEGMENT_ROWS, p->width - row);
    segment s = segment_load_part(y + row, count);
    UNROLLED (k, 0, n)
      acc[k] = segment_add_product(acc[k], segment_load_part(L + row + k * p->stride, count), s);
  }
  number sum[TILE_COLUMNS];
  UNROLLED (k, 0, n) sum[k] = segment_sum(acc[k]);
  backward_triangle(n, L + j, p->stride, sum, y + j);
}

static void backward_small(int n, const cr_panel* p, int j, const number* z, number* y) {
  WITH_CONSTANT_COLUMNS(n, backward_columns, p, j, z, y)
}

static void solve_backward(const cr_panel* p, const cr_panel_rows* rows, const cr_vectors* v) {
  int last = (p->width - 1) / TILE_COLUMNS * TILE_COLUMNS;
  for (int r = 0; r < v->count; r++) {
    number* y = get_vector(v, r);
    gather_rows(rows, y, v->z);
    for (int j = last; j >= 0; j -= TILE_COLUMNS)
      backward_small(int_min(TILE_COLUMNS, p->width - j), p, j, v->z, y + rows->first);
  }
}

#endif
