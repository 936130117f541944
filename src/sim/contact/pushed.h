/* What constraints pushed in the last step. */
#ifndef CR_SIM_PUSHED_H
#define CR_SIM_PUSHED_H

#include "sim/sim.h"

/* Fills step.is_pushed and step.push from the simulation's records. False when memory ran out. */
bool cr_pushed_find(cr_step* step);

/* The relative error that v* of a tree may keep: round-off where it moves freely, since errors of
 * v* are errors of energy and momentum; a tenth of the solution's where it was pushed, since
 * v* then is data of a problem that is solved to no more than its tolerance. */
double cr_pushed_tolerance(const cr_step* step, int tree);

#endif
