/* What forces on trees that are no potential's do in a step: dampers, actuators, wrenches, the
 * fluid. */
#ifndef CR_SIM_FORCE_WORK_H
#define CR_SIM_FORCE_WORK_H

#include "sim/sim.h"

/* Adds what dampers and the fluid take, what actuators that are no rows do, and what wrenches
 * do in the step to v, to the report: each force where it counts in the step along
 * the mean velocity, which is what changes kinetic energy (docs/theory.md). Leaves the trees'
 * velocities at the mean. False when memory ran out. */
bool cr_force_work_add(cr_step* step, carom_step_report* report);

#endif
