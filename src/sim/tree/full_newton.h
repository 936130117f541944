/* The free motion by Newton with all derivatives of its residual: where A, which leaves out those
 * of Coriolis and gyroscopic terms, does not lead there. */
#ifndef CR_SIM_FULL_NEWTON_H
#define CR_SIM_FULL_NEWTON_H

#include "sim/sim.h"

/* Solves m(v) = 0 of trees together, from v0, into v_star. False where it does not converge, or
 * when memory ran out. The trees stand anywhere afterwards. */
bool cr_full_newton_solve(cr_step* step, const int* trees, int num_trees);

#endif
