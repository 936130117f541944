/* Blocks in doubles that are added to the factor's array. Part of kernels_panel_template.h. */
#ifndef CR_LINALG_KERNELS_ADD_H
#define CR_LINALG_KERNELS_ADD_H

#include "linalg/kernels_common.h"

/* to += from. The last columns are read before they are written, so that they can be pairs. */
INLINE void add_columns(const int n, const double* from, number* to) {
  number sum[3];
  int whole = n / 4 * 4;
  for (int c = 0; c < whole; c += 4) add_four(from + c, to + c);
  UNROLLED (k, 0, n - whole) sum[k] = to[whole + k] + (number)from[whole + k];
  UNROLLED (k, 0, n - whole) to[whole + k] = sum[k];
}

/* Free bodies' blocks, and all others. */
static void add_straight(const cr_rows* source, number* target, ptrdiff_t target_stride) {
  const double* row = source->values;
  if (source->num_rows == 6 && source->num_cols == 6) {
    UNROLLED (r, 0, 6) add_columns(6, row + r * source->stride, target + r * target_stride);
    return;
  }
  for (int r = 0; r < source->num_rows; r++, row += source->stride, target += target_stride)
    add_columns(source->num_cols, row, target);
}

/* The same where the target's contiguous direction is the source's rows. */
static void add_transposed(const cr_rows* source, number* target, ptrdiff_t target_stride) {
  for (int c = 0; c < source->num_cols; c++, target += target_stride) {
    const double* from = source->values + c;
    for (int r = 0; r < source->num_rows; r++, from += source->stride) target[r] += (number)*from;
  }
}

/* A block whose rows are the target's columns. */
static void add_block(const cr_rows* source, const cr_factor_target* to, void* factor) {
  number* target = (number*)factor + to->offset;
  if (to->row_stride == 1)
    add_straight(source, target, to->col_stride);
  else
    add_transposed(source, target, to->row_stride);
}

/* Block (a, b) of the lower triangle stands in C as the transposed of its block (b, a). */
static void add_blocks(const double* C, int stride, const int* size, const int* block,
                       int num_blocks, const cr_factor_target* to, void* factor) {
  int row = 0;
  for (int a = 0; a < num_blocks; a++) {
    int column = 0, rows = size[block[a]];
    for (int b = 0; b <= a; b++, to++) {
      cr_rows source = {C + (ptrdiff_t)column * stride + row, size[block[b]], rows, stride};
      add_block(&source, to, factor);
      column += size[block[b]];
    }
    row += rows;
  }
}

#endif
