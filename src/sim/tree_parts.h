/* What is done for one tree after the other, where several threads have enough of it: shares of
 * trees, each with working memory of its own. No result depends on the share, so that the number of
 * threads changes no bit. */
#ifndef CR_SIM_TREE_SHARES_H
#define CR_SIM_TREE_SHARES_H

#include "sim/sim.h"

/* Work on one tree. It writes what belongs to the tree alone, takes memory from step.arena for as
 * long as it works, and may raise step.free_iterations.
 * @return false where it fails, which leaves the trees undefined */
typedef bool cr_tree_work(cr_step* step, int tree);

/* Does it for all listed trees, here or in shares.
 * @param trees [count], none twice
 * @return false where it failed for one; the step's arena has failed where memory ran out */
bool cr_tree_shares_run(cr_step* step, const int* trees, int count, cr_tree_work* work);

#endif
