/* What the constraints of a problem stand for, for who asks for the problem. */
#ifndef CR_SIM_ORIGIN_H
#define CR_SIM_ORIGIN_H

#include "sim/rows/assemble.h"

/* Lists them in the simulation, in the order of addition. False when memory ran out. */
bool cr_origins_keep(const cr_step* step, const cr_step_problem* problem);

#endif
