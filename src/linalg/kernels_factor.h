/* Factorisation of a panel, and its updates of other panels. Part of kernels_template.h.
 *
 * Every element of the factor is (a - l1 l1' - l2 l2' - ...) / d with the products subtracted one
 * by one in the order of elimination, however the loops are cut into tiles. */
#ifndef CR_LINALG_KERNELS_FACTOR_H
#define CR_LINALG_KERNELS_FACTOR_H

#include "linalg/kernels_tile.h"

/* Columns after which a panel's remaining columns are updated: a tile's rows of so many columns
 * fit the first-level cache. */
#define OUTER_COLUMNS 96

/* Cholesky of a small triangle: n is at most TILE_COLUMNS. The recurrence runs on the columns
 * before scaling, so that square roots stay off its critical path. */
INLINE int factor_triangle(const int n, double* L, ptrdiff_t stride) {
  double c[TILE_COLUMNS][TILE_COLUMNS];
  UNROLLED (j, 0, n) {
    UNROLLED (i, j, n) c[i][j] = L[i + j * stride];
  }
  UNROLLED (j, 0, n) {
    double pivot = c[j][j];
    if (!(pivot >= DBL_MIN && pivot <= DBL_MAX)) return j;
    double inverse = 1 / pivot, reciprocal = sqrt(pivot) * inverse;
    L[j + j * stride] = reciprocal;
    UNROLLED (i, j + 1, n) {
      double scaled = c[i][j] * inverse;
      L[i + j * stride] = c[i][j] * reciprocal;
      UNROLLED (k, j + 1, i + 1) c[i][k] = fused(-scaled, c[k][j], c[i][k]);
    }
  }
  return -1;
}

static int factor_small(int n, double* L, ptrdiff_t stride) {
  switch (n) {
  case 1:
    return factor_triangle(1, L, stride);
  case 2:
    return factor_triangle(2, L, stride);
  case 3:
    return factor_triangle(3, L, stride);
  case 4:
    return factor_triangle(4, L, stride);
  case 5:
    return factor_triangle(5, L, stride);
  default:
    return factor_triangle(6, L, stride);
  }
}

/* Points a tile of the panel at consecutive rows from `row` up to `end`; returns its segments. */
INLINE int tile_take_rows(tile* t, double* L, int row, int end, int first_column, int column) {
  int segments = 0;
  for (; segments < TILE_SEGMENTS && row < end; segments++, row += CR_SEGMENT_ROWS) {
    t->A[segments] = L + row + first_column * t->stride;
    t->C[segments] = L + row + column * t->stride;
    t->count[segments] = min_int(CR_SEGMENT_ROWS, end - row);
  }
  return segments;
}

/* Rows [row, end) of columns [column, column + n) of the factor, the columns from `first` on taken
 * into account. */
static void solve_rows(double* L, ptrdiff_t stride, int first, int column, int n, int row,
                       int end) {
  tile t = {.B = L + column + first * stride,
            .stride = stride,
            .depth = column - first,
            .C_stride = stride,
            .triangle = L + column + column * stride};
  for (; row < end; row += TILE_SEGMENTS * CR_SEGMENT_ROWS)
    solve_tile(tile_take_rows(&t, L, row, end, first, column), n, &t);
}

/* The triangle of columns [first, end). */
static int factor_square(double* L, ptrdiff_t stride, int first, int end) {
  for (int j = first; j < end; j += TILE_COLUMNS) {
    int n = min_int(TILE_COLUMNS, end - j);
    if (j > first) {
      tile t = {
          .B = L + j + first * stride, .stride = stride, .depth = j - first, .C_stride = stride};
      tile_take_rows(&t, L, j, j + n, first, j);
      subtract_tile(1, n, &t);
    }
    int bad = factor_small(n, L + j + j * stride, stride);
    if (bad >= 0) return j + bad;
    solve_rows(L, stride, first, j, n, j + n, end);
  }
  return -1;
}

/* Rows from `row` on of columns [first, end): a tile's rows go through all columns in turn. */
static void solve_below(double* L, ptrdiff_t stride, int first, int end, int row, int rows) {
  for (; row < rows; row += TILE_SEGMENTS * CR_SEGMENT_ROWS)
    for (int j = first; j < end; j += TILE_COLUMNS)
      solve_rows(L, stride, first, j, min_int(TILE_COLUMNS, end - j), row,
                 min_int(row + TILE_SEGMENTS * CR_SEGMENT_ROWS, rows));
}

/* Rows [row, end) of the columns from `last` on of the same panel, minus what columns
 * [first, last) contribute. */
static void update_trailing(const cr_panel* p, int first, int last, int row, int end) {
  double* L = p->values;
  ptrdiff_t stride = p->stride;
  const int step = TILE_SEGMENTS * CR_SEGMENT_ROWS;
  for (; row < end; row += step)
    for (int column = last; column < min_int(p->width, row + step); column += TILE_COLUMNS) {
      tile t = {.B = L + column + first * stride,
                .stride = stride,
                .depth = last - first,
                .C_stride = stride};
      int segments = tile_take_rows(&t, L, row, end, first, column);
      subtract_tile(segments, min_int(TILE_COLUMNS, p->width - column), &t);
    }
}

static int factor_panel(const cr_panel* p) {
  for (int first = 0; first < p->width; first += OUTER_COLUMNS) {
    int last = min_int(first + OUTER_COLUMNS, p->width);
    int bad = factor_square(p->values, p->stride, first, last);
    if (bad >= 0) return bad;
    solve_below(p->values, p->stride, first, last, last, p->width);
    solve_below(p->values, p->stride, first, last, p->below, p->rows);
    update_trailing(p, first, last, last, p->width);
    update_trailing(p, first, last, p->below, p->rows);
  }
  return -1;
}

/* Points a tile at segments and at the update's first column. */
INLINE void tile_take_segments(tile* t, int segments, const double* source, const cr_segment* s,
                               double* target) {
  for (int k = 0; k < segments; k++) {
    t->A[k] = source + s[k].source;
    t->C[k] = target + s[k].target;
    t->count[k] = s[k].count;
  }
}

/* Columns [0, num_columns) of an update for a few segments, the deepest `depth` columns of the
 * source from `source` on. */
static void update_segments(const cr_panel* panel, const cr_update* u, const double* source,
                            int depth, const cr_segment* s, int segments, double* target) {
  tile t = {.stride = panel->stride, .depth = depth, .C_stride = u->target_stride};
  int skipped = 0;
  for (int column = 0; column < u->num_columns; column += TILE_COLUMNS) {
    /* Segments that lie above the diagonal of these columns are done. */
    int diagonal = u->source_row + column;
    while (skipped < segments && s[skipped].source + s[skipped].count <= diagonal) skipped++;
    if (skipped == segments) return;
    tile_take_segments(&t, segments - skipped, source, s + skipped,
                       target + (ptrdiff_t)column * u->target_stride);
    t.B = source + diagonal;
    subtract_tile(segments - skipped, min_int(TILE_COLUMNS, u->num_columns - column), &t);
  }
}

static void apply_update(const cr_panel* p, const cr_update* u, const cr_segment* segments,
                         double* factor) {
  const cr_segment* s = segments + u->first_segment;
  double* target = factor + u->target;
  for (int k = 0; k < u->num_segments; k += TILE_SEGMENTS)
    for (int first = 0; first < p->width; first += OUTER_COLUMNS)
      update_segments(p, u, p->values + (ptrdiff_t)first * p->stride,
                      min_int(OUTER_COLUMNS, p->width - first), s + k,
                      min_int(TILE_SEGMENTS, u->num_segments - k), target);
}

#endif
