/* First stage: the motion without constraints. */
#ifndef CR_SIM_FREE_MOTION_H
#define CR_SIM_FREE_MOTION_H

#include "sim/sim.h"

/* Solves m(v) = M(q^tq) (v - v0) + dt F(q^tq, v^tv) = 0 for all trees: v_star, and
 * v_lin at it or where an iteration next to it has placed the tree.
 * @param only [num_movers] nonzero: the trees to do; null: all
 * @return false when an iteration does not converge */
bool cr_free_motion_compute(cr_step* step, const int* only);

/* Whether the tree moves by what acts on it at v0, v* = v0 - A^-1 m(v0), and not by m(v*) = 0. */
bool cr_free_motion_is_known(const cr_step* step, int tree);

/* The weight of v_lin in the velocities, else v0, at which Coriolis terms and what acts on links
 * count: theta_v, or 0 where all is taken from the start. */
double cr_free_motion_get_weight(const cr_step* step, int tree);

#endif
