/* Blocks of A of single soft bodies, one for each node that constraints touch, with what the others
 * leave of A (soft_step.h). */
#ifndef CR_SIM_SOFT_BLOCKS_H
#define CR_SIM_SOFT_BLOCKS_H

#include "sim/rows/blocks.h"

/* As cr_mover_kind has them. */
int cr_soft_list_segments(const cr_step* step, int mover, int* segments);
int cr_soft_couple(const cr_step* step, const cr_blocks* blocks, int mover, int (*couplings)[2]);
void cr_soft_fill_blocks(cr_step* step, int mover, cr_blocks* blocks);
void cr_soft_fill_least_rows(const cr_step* step, int mover, const cr_blocks* blocks,
                             double* least);

#endif
