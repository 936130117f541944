/* Orders in which the block rows of a matrix are eliminated. */
#ifndef CR_LINALG_ORDERING_H
#define CR_LINALG_ORDERING_H

#include "linalg/cholesky.h"
#include "linalg/elimination.h"

/* Orders a block graph and computes its elimination tree; where no ordering is asked for, the one
 * of several that takes the fewest operations.
 * @param elimination on the arena's scratch side
 * @param flops receives the operations of a factorisation
 * @return false when memory ran out */
bool cr_ordering_choose(const cr_block_graph* graph, cr_ordering ordering, cr_arena* arena,
                        cr_elimination* elimination, double* flops);

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

/* Minimum fill of the first `count` blocks of a graph; the others stay, and are joined already
 * wherever these are eliminated.
 * @param permutation [count]
 * @param cost operations of the columns of these, at which it ends: the order is not complete then;
 *        receives their number
 * @return false when memory ran out */
bool cr_ordering_part(const cr_block_graph* graph, int count, cr_arena* arena, int* permutation,
                      double* cost);

/* Tries to make an order better: takes parts of its elimination tree, drawn at random, and orders
 * them anew by minimum fill with ties broken at random, as often as that takes fewer operations.
 * @param tries parts that are drawn
 * @param seed of what is drawn: the same order from the same seed
 * @param permutation [num_blocks] the order, replaced by a better one or an equivalent postorder
 * @param flops receives its operations
 * @return false when memory ran out */
bool cr_ordering_improve(const cr_block_graph* graph, int tries, uint64_t seed, cr_arena* arena,
                         int* permutation, double* flops);

/* Mends an order, of a postorder when it was made, that blocks which have become neighbours since
 * have spoilt.
 * @param enough operations at which it ends
 * @param permutation [num_blocks] the order, replaced by a better one, of a postorder, or left as
 * it is
 * @param flops its operations, replaced
 * @return false when memory ran out */
bool cr_ordering_repair(const cr_block_graph* graph, double enough, cr_arena* arena,
                        int* permutation, double* flops);

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
