/* Impulses that balance what stands where a trajectory begins. */
#ifndef CR_SIM_EQUILIBRIUM_H
#define CR_SIM_EQUILIBRIUM_H

#include "sim/rows/step_problem.h"

/* Looks for them where nothing is known and nothing moves; where there are any they are the guess.
 * @param report counts their iterations and factors, too */
cr_result cr_equilibrium_seek(cr_step* step, cr_step_problem* p, carom_step_report* report);

#endif
