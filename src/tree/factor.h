/* The joint-space matrix of a tree as a block-sparse one, for Cholesky: its segments are the block
 * rows, each coupled with its ancestors, so that elimination from the leaves on
 * (CR_ORDERING_REVERSE) makes no fill (Featherstone 2008, section 6.5). */
#ifndef CR_TREE_FACTOR_H
#define CR_TREE_FACTOR_H

#include "linalg/cholesky.h"
#include "tree/tree.h"

/* The pattern of a tree's matrix. False when memory ran out. */
bool cr_tree_build_pattern(const cr_tree_model* model, int tree, cr_arena* arena,
                           cr_bsm_pattern* pattern);

/* Sets a factor's array to a tree's matrix.
 * @param symbolic of the tree's pattern
 * @param M [n, n] row-major, as cr_tree_compute_mass_rows leaves it
 * @param factor [symbolic.factor_size] */
void cr_tree_load_matrix(const cr_symbolic* symbolic, const double* M, double* factor);

#endif
