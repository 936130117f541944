/* The tile: C <- C - A Bᵀ in registers for a few segments of rows and up to six columns, and then,
 * inside a panel, C <- C L⁻ᵀ with a small triangle L. Part of kernels_template.h. */
#ifndef CR_LINALG_KERNELS_TILE_H
#define CR_LINALG_KERNELS_TILE_H

#include "linalg/kernels_common.h"

/* Rows of a tile. */
#define TILE_ROWS (TILE_SEGMENTS * CR_SEGMENT_ROWS)

/* Operands of one tile. A and B are rows of one panel, C may be of another. */
typedef struct tile {
  const number* A[TILE_SEGMENTS]; /* first row of each segment */
  number* C[TILE_SEGMENTS];
  int count[TILE_SEGMENTS]; /* rows of each segment */
  const number* B;
  ptrdiff_t stride;       /* between columns of A and B */
  int depth;              /* columns of A and B */
  ptrdiff_t C_stride;     /* between columns of C */
  const number* triangle; /* L, in the panel of A and B, or null */
} tile;

/* The accumulators after C - A Bᵀ. */
INLINE void tile_subtract(const int segments, const int columns, const tile* t,
                          segment acc[TILE_SEGMENTS][TILE_COLUMNS]) {
  UNROLLED (n, 0, columns) {
    UNROLLED (s, 0, segments) acc[s][n] = segment_load(t->C[s] + n * t->C_stride);
  }
  const number* B = t->B;
  ptrdiff_t stride = t->stride, offset = 0;
  for (int k = 0; k < t->depth; k++) {
    segment a[TILE_SEGMENTS];
    UNROLLED (s, 0, segments) a[s] = segment_load(t->A[s] + offset);
    UNROLLED (n, 0, columns) {
      spread b = spread_number(B[offset + n]);
      UNROLLED (s, 0, segments) acc[s][n] = segment_subtract_scaled(acc[s][n], a[s], b);
    }
    offset += stride;
  }
}

/* Substitution with the triangle, whose diagonal holds reciprocals. */
INLINE void tile_solve(const int segments, const int columns, const tile* t,
                       segment acc[TILE_SEGMENTS][TILE_COLUMNS]) {
  UNROLLED (n, 0, columns) {
    const number* column = t->triangle + n * t->stride;
    spread reciprocal = spread_number(column[n]);
    UNROLLED (s, 0, segments) acc[s][n] = segment_scale(acc[s][n], reciprocal);
    UNROLLED (m, n + 1, columns) {
      spread l = spread_number(column[m]);
      UNROLLED (s, 0, segments) acc[s][m] = segment_subtract_scaled(acc[s][m], acc[s][n], l);
    }
  }
}

/* Stores the accumulators of one segment; the count is looked at once for all columns. */
INLINE void tile_store_segment(const int s, const int columns, const tile* t,
                               segment acc[TILE_SEGMENTS][TILE_COLUMNS]) {
  number* C = t->C[s];
  if (t->count[s] == CR_SEGMENT_ROWS) {
    UNROLLED (n, 0, columns) segment_store(C + n * t->C_stride, acc[s][n]);
  } else if (t->count[s] == 6) {
    UNROLLED (n, 0, columns) segment_store_part(C + n * t->C_stride, acc[s][n], 6);
  } else {
    UNROLLED (n, 0, columns) segment_store_part(C + n * t->C_stride, acc[s][n], t->count[s]);
  }
}

INLINE void tile_store(const int segments, const int columns, const tile* t,
                       segment acc[TILE_SEGMENTS][TILE_COLUMNS]) {
  UNROLLED (s, 0, segments) tile_store_segment(s, columns, t, acc);
}

INLINE void tile_run(const int segments, const int columns, const bool solve, const tile* t) {
  segment acc[TILE_SEGMENTS][TILE_COLUMNS];
  tile_subtract(segments, columns, t, acc);
  if (solve) tile_solve(segments, columns, t, acc);
  tile_store(segments, columns, t, acc);
}

/* All shapes of a tile. */
#define TILE_SHAPES_OF(segments) \
  TILE_SHAPE(segments, 1)        \
  TILE_SHAPE(segments, 2)        \
  TILE_SHAPE(segments, 3)        \
  TILE_SHAPE(segments, 4)        \
  TILE_SHAPE(segments, 5)        \
  TILE_SHAPE(segments, 6)
#if TILE_SEGMENTS == 4
#define TILE_SHAPES TILE_SHAPES_OF(1) TILE_SHAPES_OF(2) TILE_SHAPES_OF(3) TILE_SHAPES_OF(4)
#elif TILE_SEGMENTS == 2
#define TILE_SHAPES TILE_SHAPES_OF(1) TILE_SHAPES_OF(2)
#else
#define TILE_SHAPES TILE_SHAPES_OF(1)
#endif
#define TILE_KEY(segments, columns) ((segments)*8 + (columns))

static void subtract_tile(int segments, int columns, const tile* t) {
  switch (TILE_KEY(segments, columns)) {
#define TILE_SHAPE(S, N)      \
  case TILE_KEY(S, N):        \
    tile_run(S, N, false, t); \
    break;
    TILE_SHAPES
#undef TILE_SHAPE
  }
}

static void solve_tile(int segments, int columns, const tile* t) {
  switch (TILE_KEY(segments, columns)) {
#define TILE_SHAPE(S, N)     \
  case TILE_KEY(S, N):       \
    tile_run(S, N, true, t); \
    break;
    TILE_SHAPES
#undef TILE_SHAPE
  }
}

#endif
