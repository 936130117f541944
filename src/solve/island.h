/* Islands: connected parts of a problem, each solved on its own. */
#ifndef CR_SOLVE_ISLAND_H
#define CR_SOLVE_ISLAND_H

#include "solve/types.h"

/* The partition of a problem. Blocks without constraints, whose A does not couple them to one that
 * has, belong to no island: there v = v*. */
typedef struct cr_islands {
  int count;
  const int* group_start; /* [count + 1] into group */
  const int* group;       /* group indices, ascending within an island */
  const int* block_start; /* [count + 1] into block */
  const int* block;       /* block indices, ascending within an island */
} cr_islands;

/* False when memory ran out. */
bool cr_islands_find(const cr_problem* problem, cr_arena* arena, cr_islands* islands);

/* True where the only island has all blocks. */
static inline bool cr_islands_is_whole(const cr_islands* islands, const cr_problem* problem) {
  return islands->count == 1 && islands->block_start[1] == problem->pattern.num_blocks;
}

/* A copy of island `index` with renumbered blocks, constraints and rows; its J is the whole
 * problem's.
 * @param rows [num_rows of the island] receives the row of the whole problem for each of its rows
 */
bool cr_islands_extract(const cr_problem* problem, const cr_islands* islands, int index,
                        cr_arena* arena, cr_problem* island, int** rows);

#endif
