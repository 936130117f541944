/* What constraints need of soft bodies: which nodes they touch, and the ties of nodes to links. */
#ifndef CR_SIM_SOFT_ROWS_H
#define CR_SIM_SOFT_ROWS_H

#include "problem/assembly.h"
#include "sim/contact/contact_point.h"
#include "sim/rows/blocks.h"
#include "sim/rows/row.h"

/* Lists the nodes that active points and rows touch in step->soft, without those held in the world;
 * a body without any is unmarked. False when memory ran out.
 * @param marks [num_movers] */
bool cr_soft_keep_nodes(cr_step* step, const cr_contact_points* points, const cr_model_rows* rows,
                        int* marks);

/* Three rows for each tie, world axes: the node less its place on the link. */
void cr_soft_find_ties(const cr_step* step, cr_model_rows* rows);
void cr_soft_fill_tie(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                      const cr_model_row* row, const cr_assembly_rows* out);
void cr_soft_describe_tie(const cr_step* step, const cr_model_row* row, cr_constraint* constraint);

#endif
