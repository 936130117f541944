/* Factorisation of a panel, and its updates of other panels. Part of kernels_template.h.
 *
 * Every element of the factor is (a - l1 l1' - l2 l2' - ...) / d with the products subtracted one
 * by one in the order of elimination, however the loops are cut into tiles. Only inside a small
 * triangle products are formed of columns that are not scaled yet. */
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
  int bad = -1;
  WITH_CONSTANT_COLUMNS(n, bad = factor_triangle, L, stride)
  return bad;
}

/* A few columns of a panel, and the columns before them that are subtracted. */
typedef struct column_group {
  double* L;
  ptrdiff_t stride;
  int first, depth;  /* the columns subtracted */
  int column, count; /* at most TILE_COLUMNS */
} column_group;

INLINE double* get_element(const column_group* g, int row, int column) {
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
    t->count[segments] = min_int(CR_SEGMENT_ROWS, end - row);
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
  return (column_group){.L = p->values,
                        .stride = p->stride,
                        .first = first,
                        .depth = column - first,
                        .column = column,
                        .count = min_int(TILE_COLUMNS, last - column)};
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
      solve_rows(&g, row, min_int(row + TILE_ROWS, end));
    }
}

/* Rows [row, end) of the columns after `last`, minus what columns [first, last) contribute. */
static void update_trailing(const cr_panel* p, int first, int last, int row, int end) {
  for (; row < end; row += TILE_ROWS)
    for (int j = last; j < min_int(p->width, row + TILE_ROWS); j += TILE_COLUMNS) {
      column_group g = start_group(p, first, j, p->width);
      g.depth = last - first;
      tile t;
      int segments = take_rows(&g, row, end, &t);
      subtract_tile(segments, g.count, &t);
    }
}

static int factor_panel(const cr_panel* p) {
  for (int first = 0; first < p->width; first += OUTER_COLUMNS) {
    int last = min_int(first + OUTER_COLUMNS, p->width);
    int bad = factor_square(p, first, last);
    if (bad >= 0) return bad;
    solve_below(p, first, last, last, p->width);
    solve_below(p, first, last, p->below, p->rows);
    update_trailing(p, first, last, last, p->width);
    update_trailing(p, first, last, p->below, p->rows);
  }
  return -1;
}

/* The part of an update that some columns of the source contribute to a few segments. */
typedef struct update_part {
  const cr_update* update;
  const double* source; /* the first of these columns */
  ptrdiff_t stride;
  int depth; /* how many columns */
  const cr_segment* segment;
  int num_segments; /* at most TILE_SEGMENTS */
  double* target;   /* the update's first column */
} update_part;

/* Points a tile at the segments from `skipped` on and at a column of the update. */
INLINE void take_segments(const update_part* part, int skipped, int column, tile* t) {
  const cr_update* u = part->update;
  const cr_segment* s = part->segment + skipped;
  double* target = part->target + (ptrdiff_t)column * u->target_stride;
  t->B = part->source + u->source_row + column;
  t->stride = part->stride;
  t->depth = part->depth;
  t->C_stride = u->target_stride;
  for (int k = 0; k < part->num_segments - skipped; k++) {
    t->A[k] = part->source + s[k].source;
    t->C[k] = target + s[k].target;
    t->count[k] = s[k].count;
  }
}

static void update_segments(const update_part* part) {
  const cr_update* u = part->update;
  int skipped = 0;
  for (int column = 0; column < u->num_columns; column += TILE_COLUMNS) {
    /* Segments that lie above the diagonal of these columns are done. */
    const cr_segment* s = part->segment;
    int diagonal = u->source_row + column;
    while (skipped < part->num_segments && s[skipped].source + s[skipped].count <= diagonal)
      skipped++;
    if (skipped == part->num_segments) return;
    tile t;
    take_segments(part, skipped, column, &t);
    subtract_tile(part->num_segments - skipped, min_int(TILE_COLUMNS, u->num_columns - column), &t);
  }
}

static void apply_update(const cr_panel* p, const cr_update* u, const cr_segment* segments,
                         double* factor) {
  update_part part = {.update = u, .stride = p->stride, .target = factor + u->target};
  for (int k = 0; k < u->num_segments; k += TILE_SEGMENTS) {
    part.segment = segments + u->first_segment + k;
    part.num_segments = min_int(TILE_SEGMENTS, u->num_segments - k);
    for (int first = 0; first < p->width; first += OUTER_COLUMNS) {
      part.source = p->values + (ptrdiff_t)first * p->stride;
      part.depth = min_int(OUTER_COLUMNS, p->width - first);
      update_segments(&part);
    }
  }
}

#endif
