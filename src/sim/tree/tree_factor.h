/* Factors of A of single trees, over their segments: made once at a placement, for the free motion
 * and for the problem of the constraints. */
#ifndef CR_SIM_TREE_FACTOR_H
#define CR_SIM_TREE_FACTOR_H

#include "sim/rows/blocks.h"

/* Analyses the matrices of the trees that no spring or line joins, into sim.plan. False when memory
 * ran out. */
bool cr_tree_factor_plan(carom_sim* sim);

/* Makes room for step.factor[tree], which lives as long as the step. False when memory ran out. */
bool cr_tree_factor_reserve(cr_step* step, int tree);

/* Makes sure that step.factor[tree] is the factor of the tree's A at hand (tree_matrix.h). False
 * when memory ran out or the matrix is not positive definite. */
bool cr_tree_factor_update(cr_step* step, int tree);

/* x <- A^-1 x over the tree's dofs, by that factor; x [num_v]. False when memory ran out. */
bool cr_tree_factor_solve(cr_step* step, int tree, double* x);

/* How many of the blocks' movers are trees; these stand first. */
int cr_tree_factor_count(const cr_step* step, const cr_blocks* blocks);

/* Whether one of the trees has a factor already. */
bool cr_tree_factor_has_any(const cr_step* step, const cr_blocks* blocks);

/* Makes the matrices of the trees that no spring joins and that have none yet, several threads
 * together where there are many. False when memory ran out. */
bool cr_tree_factor_make_matrices(cr_step* step, const cr_blocks* blocks);

/* The factor of the trees' whole A, its panels those of the trees. False where a tree stands
 * without an analysis of its own, or has other panels in the whole.
 * @param factor [symbolic.factor_size] */
bool cr_tree_factor_join(cr_step* step, const cr_blocks* blocks, const cr_symbolic* symbolic,
                         double* factor);

#endif
