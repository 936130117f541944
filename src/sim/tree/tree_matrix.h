/* A of a single tree, but for springs between points and joined lines. */
#ifndef CR_SIM_TREE_MATRIX_H
#define CR_SIM_TREE_MATRIX_H

#include "sim/sim.h"

/* Diagonal terms of A beside M: joint springs, dampers, actuators, into diagonal [num_v]. */
void cr_step_compute_diagonal(const cr_step* step, int tree, double* diagonal);

/* A of a tree but for springs between points, at the kinematics; computed where it is not known
 * yet. [n, n] row-major, n = its number of dofs, as cr_tree_compute_mass_rows leaves it. */
const double* cr_step_find_matrix(cr_step* step, int tree);

#endif
