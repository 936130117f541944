/* Supernodes: runs of columns of the factor that are stored and computed as one dense panel. */
#ifndef CR_LINALG_SUPERNODES_H
#define CR_LINALG_SUPERNODES_H

#include "linalg/elimination.h"

typedef struct cr_supernodes {
  int num;
  int* first;       /* [num + 1] position of the first block */
  int* parent;      /* [num] -1 for a root */
  int* width;       /* [num] columns */
  int* below_rows;  /* [num] rows under the last block */
  int* below_count; /* [num] blocks under the last block */
  int* of_position; /* [num_blocks] supernode of a block, by position */
  bool* goes_on;    /* [num] the next one is a later part of the same, which was too wide */
} cr_supernodes;

/* Finds the supernodes of a tree, merges children into parents where the modelled time of the
 * factorisation falls, and renumbers the positions so that every supernode is contiguous. Wide ones
 * are cut into parts, so that several threads may work on them.
 * @param is_kept [num_blocks] supernodes hold either only blocks for which it is 0, or only others;
 *        null: no matter
 * @param elimination its permutation, position are renumbered; the others keep the old numbering
 *        and are not for use afterwards
 * @param supernodes on the arena's scratch side
 * @return false when memory ran out */
bool cr_supernodes_compute(const cr_block_graph* graph, const int* is_kept, cr_arena* arena,
                           cr_elimination* elimination, cr_supernodes* supernodes);

#endif
