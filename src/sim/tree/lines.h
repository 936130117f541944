/* Lines in a step: tendons and what else actuators work along, where a force is no constraint.
 *
 * A line is joined where its force depends on where its trees are: they are then solved together,
 * with the slopes of the force as rank-one terms Jᵀ w J of A. The forces of other lines (fixed
 * tendons with actuators that know neither length nor rate) do not change in the step. */
#ifndef CR_SIM_LINES_H
#define CR_SIM_LINES_H

#include "sim/sim.h"

/* Arrays of a step for lines; false when memory ran out. */
bool cr_step_lines_init(cr_step* step);

/* What does not change in the step, once the actuators' inputs are there. */
void cr_step_lines_begin(cr_step* step);

/* Where the lines of a step run. */
cr_line_place cr_step_line_place(const cr_step* step);

/* Lengths and rows of all lines at q_mid, of which all trees are placed. */
void cr_step_lines_update(cr_step* step);

/* The forces of the joined lines at what is placed, where one of the listed trees is joined: all
 * that are must be listed then.
 * @param v velocities that the step ends with, for inertia along lines */
void cr_step_lines_update_forces(cr_step* step, const int* trees, int num_trees, const double* v);

/* What actuators that are no laws do to a tree's dofs, before their joints' bounds, with what bears
 * weight there.
 * @param drive [num_v] */
void cr_step_sum_drives(const cr_step* step, int tree, double* drive);

/* tau += what tendons and actuators do to a tree's dofs, but for laws (constraints.h). */
void cr_step_add_actuation(cr_step* step, int tree, double* tau);

/* Trees whose links or dofs a line moves with are joined by it; -1: none is listed. */
int cr_step_line_tree(const cr_step* step, int line);

/* What a joined line adds to A along its row, at what is placed. */
double cr_step_line_weight(const cr_step* step, int line);

/* Stiffness and damping of all that pulls along a line at q_mid and a rate, rows of the problem
 * too.
 */
void cr_step_line_slopes(const cr_step* step, int line, double rate, double slope[2]);

/* Twice the energy of what pulls along the joined lines, lengths counted from zero: see
 * free_newton.c. */
double cr_step_lines_energy(const cr_step* step);

/* Whether a joint that it moves with bounds what its actuators do: they give way no more. */
bool cr_step_line_is_held(const cr_step* step, int line);

/* The rate of a line. */
static inline double cr_step_line_rate(const cr_step* step, int line, const double* v) {
  return cr_line_compute_rate(&step->model->force.line, &step->lines, line, v);
}

#endif
