/* The balance of momentum of trees,
 *
 *   m(v) = dt (inverse_dynamics(q^tq(v), v^tv(v), (v - v0) / dt) - forces). */
#ifndef CR_SIM_BALANCE_H
#define CR_SIM_BALANCE_H

#include "sim/sim.h"
#include "tree/algorithms.h"

/* Sets q_mid, v_q, v_f, kinematics and velocities of a tree at the velocity v. */
void cr_balance_place(cr_step* step, int tree, const double* v);

/* m(v) of the listed trees into residual [num_v], with q_mid, kinematics and velocities there. */
void cr_balance_compute_residual(cr_step* step, const int* trees, int num_trees, const double* v,
                                 double* residual);

/* tau += joint springs, dampers, tendons and actuators that are no laws, at (q_mid, v_f) or where
 * stiff dampers count. */
void cr_balance_add_joint_forces(cr_step* step, int tree, double* tau);

/* Gravity, and what acts on the tree's links. */
cr_tree_loads cr_balance_find_loads(const cr_step* step, int tree);

#endif
