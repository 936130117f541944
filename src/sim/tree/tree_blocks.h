/* Blocks of A of single trees, one for each segment. */
#ifndef CR_SIM_TREE_BLOCKS_H
#define CR_SIM_TREE_BLOCKS_H

#include "sim/mover.h"
#include "sim/rows/blocks.h"

/* As cr_mover_kind has them. */
int cr_tree_list_segments(const cr_step* step, int tree, int* segments);
int cr_tree_couple(const cr_step* step, const cr_blocks* blocks, int tree, int (*couplings)[2]);
void cr_tree_fill_blocks(cr_step* step, int tree, cr_blocks* blocks);

void cr_tree_count_path(const carom_model* model, const cr_mover_point* point, int* blocks,
                        int* columns);
bool cr_tree_add_path(const cr_step* step, const cr_blocks* blocks, const cr_mover_point* point,
                      cr_path* path);

#endif
