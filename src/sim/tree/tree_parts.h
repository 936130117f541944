/* What is done for one tree after the other, where several threads have enough of it: parts of
 * their list, each with working memory of its own. No result depends on the part, so that the
 * number of threads changes no bit. */
#ifndef CR_SIM_TREE_PARTS_H
#define CR_SIM_TREE_PARTS_H

#include "sim/sim.h"

/* Work on one tree. It writes what belongs to the tree alone, takes memory from step.arena for as
 * long as it works, and may raise step.free_iterations.
 * @return false where it fails, which leaves the trees undefined */
typedef bool cr_tree_work(cr_step* step, int tree);

/* Does it for all listed trees, here or in parts.
 * @param trees [count], none twice
 * @return false where it failed for one; the step's arena has failed where memory ran out */
bool cr_tree_parts_work(cr_step* step, const int* trees, int count, cr_tree_work* work);

#endif
