/* Block graphs for tests of orderings. */
#ifndef CR_TEST_GRAPHS_H
#define CR_TEST_GRAPHS_H

#include "linalg/elimination.h"
#include "linalg/ordering.h"
#include "support/matrices.h"

/* A list of couplings, with room for one more, and its graph. */
typedef struct graph_sample {
  cr_arena arena;
  int num_blocks, count;
  int* size;           /* [num_blocks] */
  int (*couplings)[2]; /* [count + 1] */
  cr_bsm_pattern pattern;
  cr_block_graph graph;
} graph_sample;

/* Takes sizes and couplings over, which free() gives back, and builds the graph. */
void graph_sample_take(graph_sample* sample, int num_blocks, int* size, int count,
                       int (*couplings)[2]);
/* A graph made of a shape. */
void graph_sample_init(graph_sample* sample, matrix_shape shape, matrix_sizes sizes, int num_blocks,
                       uint64_t seed);
void graph_sample_destroy(graph_sample* sample);

/* Builds the graph anew from the couplings as they are. */
void graph_sample_build(graph_sample* sample);

/* Of a graph's blocks. */
int* graph_sample_allocate(const graph_sample* sample);

/* Operations of an order, which must be one. */
double graph_sample_count(graph_sample* sample, const int* order);

/* Hands graphs of every shape and some sizes over, each in every order that is found for it.
 * @param order [num_blocks] free to be changed */
void graph_sample_for_each(void (*check)(graph_sample* sample, cr_ordering ordering, int* order));

#endif
