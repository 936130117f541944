/* Orders in which the block rows of a matrix are eliminated. */
#ifndef CR_LINALG_ORDERING_H
#define CR_LINALG_ORDERING_H

#include "linalg/cholesky.h"
#include "linalg/graph.h"

/* The orderings that are worth trying where none was asked for; the one with the fewest operations
 * should be taken.
 * @return 1 or 2 */
int cr_ordering_list_candidates(int num_blocks, cr_ordering candidates[2]);

/* Orders a block graph.
 * @param ordering not CR_ORDERING_AUTO
 * @param arena scratch only
 * @param permutation [num_blocks] block eliminated k-th
 * @return false when memory ran out */
bool cr_ordering_compute(const cr_block_graph* graph, cr_ordering ordering, cr_arena* arena,
                         int* permutation);

/* Minimum fill, or minimum degree, with exact degrees in scalar rows. Memory and time per
 * elimination grow with the square of the number of blocks: for graphs of at most some thousands.
 */
bool cr_ordering_local(const cr_block_graph* graph, bool by_fill, cr_arena* arena,
                       int* permutation);

/* Approximate minimum degree, degrees in block rows. */
bool cr_ordering_amd(const cr_block_graph* graph, cr_arena* arena, int* permutation);

/* Nested dissection by places: halves along one axis, parted by the blocks of one half that touch
 * the other, which stand last; small parts by minimum fill. For meshes (George: Nested dissection
 * of a regular finite element mesh, 1973): bodies of 10 and 100 thousand tetrahedra take 20 and 50
 * % fewer operations than with AMD.
 * @param place [num_blocks] finite */
bool cr_ordering_dissect(const cr_block_graph* graph, const double (*place)[3], cr_arena* arena,
                         int* permutation);

#endif
