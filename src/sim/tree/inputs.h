/* What actuators go by in a step, and their activations at its end. */
#ifndef CR_SIM_INPUTS_H
#define CR_SIM_INPUTS_H

#include "sim/sim.h"

/* The inputs of all actuators: their controls, or their activations at the scheme's time.
 * Controllers see lengths and rates of the step's start. The lines' arrays must be there; false
 * when memory ran out. */
bool cr_step_inputs_init(cr_step* step);

/* The activations at the end of the step, into step->act_end: controllers and motors see lengths
 * and rates where the scheme takes forces. Before the state advances. */
void cr_step_inputs_advance(cr_step* step);

#endif
