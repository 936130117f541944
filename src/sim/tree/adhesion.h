/* Adhesion: forces of actuators that make a body stick to what it touches. */
#ifndef CR_SIM_ADHESION_H
#define CR_SIM_ADHESION_H

#include "sim/sim.h"

/* Finds the adhesion forces of an attempt at a step, from the contacts of the state before it; the
 * step's inputs are known, its kinematics still free. They stay with the simulation until the next
 * one. False when memory ran out. */
bool cr_adhesion_find(cr_step* step);

/* True when a link of the tree has adhesion on it. */
bool cr_adhesion_acts_on(const cr_step* step, int tree);

/* Work of adhesion over the step at these velocities of its links, J. */
double cr_adhesion_compute_work(const cr_step* step, const cr_tree_velocities* velocities);

#endif
