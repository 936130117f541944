/* Factorisation of a panel, and its updates of other panels. Part of kernels_template.h.
 *
 * Every element of the factor is (a - l1 l1' - l2 l2' - ...) / d with the products subtracted one
 * by one in the order of elimination, however the loops are cut into tiles. Only inside a small
 * triangle products are formed of columns that are not scaled yet. */
#ifndef CR_LINALG_KERNELS_FACTOR_H
#define CR_LINALG_KERNELS_FACTOR_H

#include "linalg/kernels_tile.h"

/* Sizes of blocks, in columns. A tile's rows of TILE_DEPTH columns stay in the first-level cache
 * while they meet TARGET_COLUMNS other rows, whose BLOCK_DEPTH columns stay in the second. */
#define TILE_DEPTH     96
#define BLOCK_DEPTH    384
#define TARGET_COLUMNS 192

/* Cholesky of a small triangle: n is at most TILE_COLUMNS. The recurrence runs on the columns
 * before scaling, so that square roots stay off its critical path. */
INLINE int factor_triangle(const int n, number* L, ptrdiff_t stride) {
  number c[TILE_COLUMNS][TILE_COLUMNS];
  UNROLLED (j, 0, n) {
    UNROLLED (i, j, n) c[i][j] = L[i + j * stride];
  }
  UNROLLED (j, 0, n) {
    number pivot = c[j][j];
    if (!(pivot >= NUMBER_MIN && pivot <= NUMBER_MAX)) return j;
    number inverse = 1 / pivot, reciprocal = number_sqrt(pivot) * inverse;
    L[j + j * stride] = reciprocal;
    UNROLLED (i, j + 1, n) {
      number scaled = c[i][j] * inverse;
      L[i + j * stride] = c[i][j] * reciprocal;
      UNROLLED (k, j + 1, i + 1) c[i][k] = fused(-scaled, c[k][j], c[i][k]);
    }
  }
  return -1;
}

static int factor_small(int n, number* L, ptrdiff_t stride) {
  int bad = -1;
  WITH_CONSTANT_COLUMNS(n, bad = factor_triangle, L, stride)
  return bad;
}

/* A few columns of a panel, and the columns before them that are subtracted. */
typedef struct column_group {
  number* L;
  ptrdiff_t stride;
  int first, depth;  /* the columns subtracted */
  int column, count; /* at most TILE_COLUMNS */
} column_group;

INLINE number* get_element(const column_group* g, int row, int column) {
  return g->L + row + column * g->stride;
}

/* Points a tile at the group's columns in consecutive rows from `row` up to `end`; returns its
 * segments. */
INLINE int take_rows(const column_group* g, int row, int end, tile* t) {
  *t = (tile){.B = get_element(g, g->column, g->first),
              .stride = g->stride,
              .depth = g->depth,
              .C_stride = g->stride,
              .triangle = get_element(g, g->column, g->column)};
  int segments = 0;
  for (; segments < TILE_SEGMENTS && row < end; segments++, row += CR_SEGMENT_ROWS) {
    t->A[segments] = get_element(g, row, g->first);
    t->C[segments] = get_element(g, row, g->column);
    t->count[segments] = int_min(CR_SEGMENT_ROWS, end - row);
  }
  return segments;
}

/* Rows [row, end) of a group under its triangle. */
static void solve_rows(const column_group* g, int row, int end) {
  for (; row < end; row += TILE_ROWS) {
    tile t;
    int segments = take_rows(g, row, end, &t);
    solve_tile(segments, g->count, &t);
  }
}

/* The group of columns at `column`, of those up to `last`, after all from `first` on. */
INLINE column_group start_group(const cr_panel* p, int first, int column, int last) {
  return (column_group){.L = get_numbers(p),
                        .stride = p->stride,
                        .first = first,
                        .depth = column - first,
                        .column = column,
                        .count = int_min(TILE_COLUMNS, last - column)};
}

/* The triangle of columns [first, last). */
static int factor_square(const cr_panel* p, int first, int last) {
  for (int j = first; j < last; j += TILE_COLUMNS) {
    column_group g = start_group(p, first, j, last);
    if (j > first) {
      tile t;
      take_rows(&g, j, j + g.count, &t);
      subtract_tile(1, g.count, &t);
    }
    int bad = factor_small(g.count, get_element(&g, j, j), g.stride);
    if (bad >= 0) return j + bad;
    solve_rows(&g, j + g.count, last);
  }
  return -1;
}

/* Rows [row, end) of columns [first, last): a tile's rows go through all columns in turn. */
static void solve_below(const cr_panel* p, int first, int last, int row, int end) {
  for (; row < end; row += TILE_ROWS)
    for (int j = first; j < last; j += TILE_COLUMNS) {
      column_group g = start_group(p, first, j, last);
      solve_rows(&g, row, int_min(row + TILE_ROWS, end));
    }
}

/* C -= A Bᵀ for up to a tile of segments (the rows of A and C) and some columns of C (the rows of
 * B), with some columns of a panel. */
typedef struct update_part {
  const number* source; /* first of the panel's columns */
  ptrdiff_t stride;     /* between them */
  int depth;            /* how many */
  int row;              /* of the panel, that belongs to column 0 of C */
  int column, end;      /* of C */
  number* target;       /* row 0 of column 0 of C */
  ptrdiff_t target_stride;
  const cr_segment* segment;
  int num_segments;
} update_part;

/* Points a tile at the segments from `skipped` on and at a column of C. */
INLINE void take_segments(const update_part* part, int skipped, int column, tile* t) {
  const cr_segment* s = part->segment + skipped;
  number* target = part->target + column * part->target_stride;
  t->B = part->source + part->row + column;
  t->stride = part->stride;
  t->depth = part->depth;
  t->C_stride = part->target_stride;
  for (int k = 0; k < part->num_segments - skipped; k++) {
    t->A[k] = part->source + s[k].source;
    t->C[k] = target + s[k].target;
    t->count[k] = s[k].count;
  }
}

/* A part whose depth fits a tile. */
static void update_columns(const update_part* part) {
  const cr_segment* s = part->segment;
  int skipped = 0;
  for (int column = part->column; column < part->end; column += TILE_COLUMNS) {
    /* Segments that lie above the diagonal of these columns are done. */
    int diagonal = part->row + column;
    while (skipped < part->num_segments && s[skipped].source + s[skipped].count <= diagonal)
      skipped++;
    if (skipped == part->num_segments) return;
    tile t;
    take_segments(part, skipped, column, &t);
    subtract_tile(part->num_segments - skipped, int_min(TILE_COLUMNS, part->end - column), &t);
  }
}

/* A part of any depth. */
INLINE void update_rows_of_tile(const update_part* part) {
  update_part piece = *part;
  for (int k = 0; k < part->depth; k += TILE_DEPTH) {
    piece.source = part->source + k * part->stride;
    piece.depth = int_min(TILE_DEPTH, part->depth - k);
    update_columns(&piece);
  }
}

/* Rows [row, end) of columns [column, last) of a panel, minus what its columns [first, first +
 * depth) contribute. */
static void update_own_rows(update_part part, int row, int end) {
  for (; row < end; row += TILE_ROWS) {
    cr_segment rows[TILE_SEGMENTS];
    part.segment = rows;
    part.num_segments = 0;
    for (int r = row; r < int_min(end, row + TILE_ROWS); r += CR_SEGMENT_ROWS)
      rows[part.num_segments++] = (cr_segment){r, r, int_min(CR_SEGMENT_ROWS, end - r)};
    update_rows_of_tile(&part);
  }
}

/* Columns [column, last) of a panel, minus what its columns [first, column) contribute. */
static void update_own_columns(const cr_panel* p, int first, int column, int last) {
  for (int c = column; c < last; c += TARGET_COLUMNS) {
    update_part part = {.source = get_numbers(p) + (ptrdiff_t)first * p->stride,
                        .stride = p->stride,
                        .depth = column - first,
                        .column = c,
                        .end = int_min(c + TARGET_COLUMNS, last),
                        .target = get_numbers(p),
                        .target_stride = p->stride};
    update_own_rows(part, c, p->width);
    update_own_rows(part, p->below, p->rows);
  }
}

/* Columns [first, last) of the factor, where those before are subtracted already. */
static int factor_block(const cr_panel* p, int first, int last) {
  for (int j = first; j < last; j += TILE_DEPTH) {
    int end = int_min(j + TILE_DEPTH, last);
    int bad = factor_square(p, j, end);
    if (bad >= 0) return bad;
    solve_below(p, j, end, end, p->width);
    solve_below(p, j, end, p->below, p->rows);
    update_own_columns(p, j, end, last);
  }
  return -1;
}

static int factor_panel(const cr_panel* p) {
  for (int first = 0; first < p->width; first += BLOCK_DEPTH) {
    int last = int_min(first + BLOCK_DEPTH, p->width);
    int bad = factor_block(p, first, last);
    if (bad >= 0) return bad;
    update_own_columns(p, first, last, p->width);
  }
  return -1;
}

/* The columns [part->column, part->end) of an update. */
static void update_target_columns(update_part part, const cr_segment* segments, int num_segments) {
  for (int k = 0; k < num_segments; k += TILE_SEGMENTS) {
    part.segment = segments + k;
    part.num_segments = int_min(TILE_SEGMENTS, num_segments - k);
    update_rows_of_tile(&part);
  }
}

static void apply_update(const cr_panel* p, const cr_update* u, const cr_segment* segments,
                         void* factor) {
  update_part part = {.stride = p->stride,
                      .row = u->source_row,
                      .target = (number*)factor + u->target,
                      .target_stride = u->target_stride};
  for (int first = 0; first < p->width; first += BLOCK_DEPTH) {
    part.source = get_numbers(p) + (ptrdiff_t)first * p->stride;
    part.depth = int_min(BLOCK_DEPTH, p->width - first);
    for (int column = 0; column < u->num_columns; column += TARGET_COLUMNS) {
      part.column = column;
      part.end = int_min(column + TARGET_COLUMNS, u->num_columns);
      update_target_columns(part, segments + u->first_segment, u->num_segments);
    }
  }
}

#endif
