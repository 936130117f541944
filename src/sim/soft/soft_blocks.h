/* Blocks of A of single soft bodies, one for each node that constraints touch, with what the others
 * leave of A (soft_step.h). */
#ifndef CR_SIM_SOFT_BLOCKS_H
#define CR_SIM_SOFT_BLOCKS_H

#include "sim/mover.h"
#include "sim/rows/blocks.h"

/* As cr_mover_kind has them. */
int cr_soft_list_segments(const cr_step* step, int mover, int* segments);
int cr_soft_couple(const cr_step* step, const cr_blocks* blocks, int mover, int (*couplings)[2]);
void cr_soft_fill_blocks(cr_step* step, int mover, cr_blocks* blocks);
void cr_soft_fill_least_rows(const cr_step* step, int mover, const cr_blocks* blocks,
                             double* least);

void cr_soft_count_path(const carom_model* model, const cr_mover_point* point, int* blocks,
                        int* columns);
bool cr_soft_add_path(const cr_step* step, const cr_blocks* blocks, const cr_mover_point* point,
                      cr_path* path);
void cr_soft_add_rows(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                      const cr_mover_point* point, const cr_point_rows* out);
double cr_soft_find_mass(const carom_model* model, const cr_mover_point* point);

#endif
