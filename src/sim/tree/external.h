/* Forces that act on links: wrenches of the user, what bears weight, springs between points. */
#ifndef CR_SIM_EXTERNAL_H
#define CR_SIM_EXTERNAL_H

#include "force/elements.h"
#include "sim/sim.h"

/* True when a tree's links may carry external forces. */
bool cr_external_acts_on(const cr_step* step, int tree);

/* Recomputes step->external of the listed trees from kinematics and velocities. A spring counts
 * with each of its ends whose tree is listed. */
void cr_external_update(cr_step* step, const int* trees, int num_trees);

/* Adds what bears the weight of bodies with gravity compensation. */
void cr_external_add_compensation(const carom_model* model, const cr_tree_kinematics* kinematics,
                                  sv* external);

/* tau += scale times what bears weight at those dofs of a tree whose actuators bear it. */
void cr_external_add_borne(const carom_model* model, int tree, const cr_tree_kinematics* kinematics,
                           double scale, double* tau);

/* Adds the forces of the springs between points to the links they pull at, about the trees'
 * origins. */
void cr_external_add_springs(const carom_model* model, const cr_tree_kinematics* kinematics,
                             const cr_tree_velocities* velocities, sv* external);

/* All of these at a state [num_links], without wrenches. */
void cr_external_compute(const carom_model* model, const cr_tree_kinematics* kinematics,
                         const cr_tree_velocities* velocities, sv* external);

/* True when the fluid acts on something of a tree. */
bool cr_external_is_in_fluid(const carom_model* model, int tree);

/* Velocity of a part relative to the fluid, in its own axes.
 * @param place receives its frame, world */
sv cr_external_find_part_velocity(const carom_model* model, int part,
                                  const cr_tree_kinematics* kinematics,
                                  const cr_tree_velocities* velocities, pose* place);

/* Adds the forces of the fluid on a tree's links. */
void cr_external_add_fluid(const carom_model* model, int tree, const cr_tree_kinematics* kinematics,
                           const cr_tree_velocities* velocities, sv* external);

/* Power that the fluid takes, W. */
double cr_external_compute_fluid_power(const carom_model* model,
                                       const cr_tree_kinematics* kinematics,
                                       const cr_tree_velocities* velocities);

/* M += h1 times the damping of the fluid on a tree's links, in its dofs: row-major, up to the
 * diagonal, as cr_tree_compute_mass_rows leaves it. */
void cr_external_add_fluid_damping(const cr_step* step, int tree, double h1, double* M);

/* Power of what bears weight, W. */
double cr_external_compute_compensation_power(const carom_model* model,
                                              const cr_tree_kinematics* kinematics,
                                              const cr_tree_velocities* velocities);

/* The 3x3 stiffness of a spring between points that goes into A, times h2, plus its damping times
 * h1: along the line, and across it where the spring is stretched. */
m3 cr_external_spring_matrix(const cr_step* step, int spring, const cr_force_spring* s, double h2,
                             double h1);

/* The rate of a spring between points at the velocities v, where the step is placed. */
double cr_step_spring_rate(const cr_step* step, const cr_force_spring* s, const double* v);

/* Power of the wrenches and of the forces on nodes at the mean velocity of the step, W.
 * step->velocities are at it. */
double cr_external_compute_wrench_power(const cr_step* step);

#endif
