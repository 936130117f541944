/* Newton's method on the balance of momentum of trees without constraints, or with what these did.
 */
#ifndef CR_SIM_FREE_NEWTON_H
#define CR_SIM_FREE_NEWTON_H

#include "sim/sim.h"

/* Solves m(v*) = 0 of trees, or about where the constraints of the last step lead: v_star and
 * v_lin, see free_motion.h. With A as far as that leads, else with all derivatives.
 * @param is_sparse over a block-sparse A of all of them; else there is one, with its own matrix
 * @return false, and step.failed_tree, where no iteration converges; false without memory */
bool cr_free_newton_solve(cr_step* step, const int* trees, int num_trees, bool is_sparse);

/* Lets trees be linearised at v*, or where the last residual has placed them.
 * @param keeps_matrix the last matrix and factor made stay those of the trees */
void cr_free_newton_linearize(cr_step* step, const int* trees, int num_trees, bool is_placed,
                              bool keeps_matrix);

#endif
