/* The elimination tree of a block graph in a given order, and the sizes of the factor's columns. */
#ifndef CR_LINALG_ELIMINATION_H
#define CR_LINALG_ELIMINATION_H

#include "linalg/graph.h"

/* Blocks are numbered by position: 0 is eliminated first. The positions are a postorder of the
 * tree: the descendants of a block stand directly before it. */
typedef struct cr_elimination {
  int num_blocks;
  int* permutation;  /* [num_blocks] block at a position */
  int* position;     /* [num_blocks] its inverse */
  int* parent;       /* [num_blocks] -1 for a root */
  int* below_blocks; /* [num_blocks] blocks of the factor under the diagonal */
  int* below_rows;   /* [num_blocks] their rows */
  int* block_parent; /* [num_blocks] parents by block, which outlast a renumbering of positions */
} cr_elimination;

/* Computes tree and column sizes on the arena's scratch side.
 * @param order [num_blocks] block eliminated k-th; the result is an equivalent postorder
 * @return false when memory ran out */
bool cr_elimination_compute(const cr_block_graph* graph, const int* order, cr_arena* arena,
                            cr_elimination* elimination);

/* Blocks of the factor under every diagonal one. */
typedef struct cr_column_rows {
  int* start; /* [num_blocks + 1] into `row` */
  int* row;   /* positions, ascending in a column */
} cr_column_rows;

/* Lists them on the arena's scratch side. False when memory ran out. */
bool cr_elimination_list_rows(const cr_block_graph* graph, const cr_elimination* elimination,
                              cr_arena* arena, cr_column_rows* rows);

/* Operations of the columns of a block with so many rows of the factor under it: a column with c
 * rows, the diagonal included, costs c². */
static inline double cr_elimination_count_column(int below, int size) {
  double flops = 0;
  for (int c = size; c > 0; c--) flops += ((double)below + c) * ((double)below + c);
  return flops;
}

/* Floating-point operations of the factorisation that belongs to the tree. */
double cr_elimination_count_flops(const cr_block_graph* graph, const cr_elimination* elimination);

#endif
