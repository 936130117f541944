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

/* Floating-point operations of the factorisation that belongs to the tree. */
double cr_elimination_count_flops(const cr_block_graph* graph, const cr_elimination* elimination);

#endif
