/* The block graph of a pattern: both directions of every coupling, for the analysis. */
#ifndef CR_LINALG_GRAPH_H
#define CR_LINALG_GRAPH_H

#include "linalg/bsm.h"

typedef struct cr_block_graph {
  int num_blocks;
  const int* size; /* [num_blocks] rows of a block row */
  int* start;      /* [num_blocks + 1] first neighbour */
  int* neighbor;   /* [start[num_blocks]] ascending in a block row, itself left out */
  int* stored;     /* [start[num_blocks]] the stored block of that coupling */
} cr_block_graph;

/* Builds the graph on the arena's scratch side.
 * @return false when memory ran out */
bool cr_block_graph_build(const cr_bsm_pattern* pattern, cr_arena* arena, cr_block_graph* graph);

/* The part of a graph that some of its blocks make, on the arena's scratch side; no `stored`.
 * @param block [count] the blocks, in the order in which the part numbers them
 * @param local [graph->num_blocks] all -1, and so again on return
 * @return false when memory ran out */
bool cr_block_graph_take(const cr_block_graph* graph, const int* block, int count, int* local,
                         cr_arena* arena, cr_block_graph* part);

#endif
