/* Limited actuators of joints, which have feedback: linear forces of the free motion as long as
 * they keep within their range, laws of the contact problem in steps in which they reach it. */
#ifndef CR_SIM_LIMITED_ACTUATORS_H
#define CR_SIM_LIMITED_ACTUATORS_H

#include "sim/sim.h"

/* Fills step.is_law, by what the last step has recorded. False when memory ran out. */
bool cr_limited_actuators_choose(cr_step* step);

/* Whether a limited actuator of the tree is a force. */
bool cr_limited_actuators_drive(const cr_step* step, int tree);

/* Makes laws of the limited actuators of a tree. */
void cr_limited_actuators_bind(cr_step* step, int tree);

/* Makes laws of the limited actuators whose force is out of its range at the velocities v. The
 * trees stand at v_lin.
 * @param trees receives 1 where there was one, else 0 [num_movers]
 * @return how many there were */
int cr_limited_actuators_bind_exceeding(cr_step* step, const double* v, int* trees);

/* tau += forces at (q_mid, v_f). */
void cr_limited_actuators_add_forces(const cr_step* step, int tree, double* tau);

/* Adds their terms of A's diagonal. */
void cr_limited_actuators_add_terms(const cr_step* step, int tree, double* diagonal);

/* Twice the energy of their springs, coordinates counted from zero. */
double cr_limited_actuators_compute_energy(const cr_step* step, int tree);

/* What those that are forces have done in the step to v, J. */
double cr_limited_actuators_compute_work(const cr_step* step);

#endif
