/* The block graph of a pattern; see graph.h. */
#include "linalg/graph.h"

#include "base/copy.h"

#include <string.h>

/* Counts the neighbours of every block row and turns the counts into starts. */
static void count_neighbors(const cr_bsm_pattern* pattern, int* start) {
  int num_blocks = pattern->num_blocks;
  memset(start, 0, sizeof(int) * (size_t)(num_blocks + 1));
  for (int j = 0; j < num_blocks; j++) {
    int diagonal = pattern->col_start[j];
    start[j] += pattern->col_start[j + 1] - diagonal - 1;
    for (int b = diagonal + 1; b < pattern->col_start[j + 1]; b++) start[pattern->row_index[b]]++;
  }
  int total = 0;
  for (int j = 0; j <= num_blocks; j++) {
    int count = start[j];
    start[j] = total;
    total += count;
  }
}

bool cr_block_graph_build(const cr_bsm_pattern* pattern, cr_arena* arena, cr_block_graph* graph) {
  int num_blocks = pattern->num_blocks;
  int num_neighbors = 2 * (pattern->num_lower - num_blocks);
  *graph = (cr_block_graph){num_blocks, pattern->size, CR_SCRATCH(arena, int, num_blocks + 1),
                            CR_SCRATCH(arena, int, num_neighbors),
                            CR_SCRATCH(arena, int, num_neighbors)};
  int* fill = CR_SCRATCH(arena, int, num_blocks + 1);
  if (arena->failed) return false;
  count_neighbors(pattern, graph->start);
  CR_COPY(fill, graph->start, num_blocks + 1);

  /* Smaller neighbours come from earlier columns, larger ones from the own column: ascending. */
  for (int j = 0; j < num_blocks; j++)
    for (int b = pattern->col_start[j] + 1; b < pattern->col_start[j + 1]; b++) {
      int i = pattern->row_index[b];
      graph->neighbor[fill[j]] = i;
      graph->stored[fill[j]++] = b;
      graph->neighbor[fill[i]] = j;
      graph->stored[fill[i]++] = b;
    }
  return true;
}

bool cr_block_graph_take(const cr_block_graph* graph, const int* block, int count, int* local,
                         cr_arena* arena, cr_block_graph* part) {
  int *size = CR_SCRATCH(arena, int, count), most = 0, at = 0;
  for (int k = 0; k < count; k++) most += graph->start[block[k] + 1] - graph->start[block[k]];
  *part = (cr_block_graph){.num_blocks = count,
                           .size = size,
                           .start = CR_SCRATCH(arena, int, count + 1),
                           .neighbor = CR_SCRATCH(arena, int, most)};
  if (arena->failed) return false;
  for (int k = 0; k < count; k++) local[block[k]] = k;
  for (int k = 0; k < count; k++) {
    size[k] = graph->size[block[k]];
    part->start[k] = at;
    for (int e = graph->start[block[k]]; e < graph->start[block[k] + 1]; e++)
      if (local[graph->neighbor[e]] >= 0) part->neighbor[at++] = local[graph->neighbor[e]];
  }
  part->start[count] = at;
  for (int k = 0; k < count; k++) local[block[k]] = -1;
  return true;
}
