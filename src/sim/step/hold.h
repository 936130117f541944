/* Steps that no way leads through. */
#ifndef CR_SIM_HOLD_H
#define CR_SIM_HOLD_H

#include "sim/sim.h"

/* What failed is stopped where it is: alone, then with all else. Where nothing can be stepped even
 * so, time goes on.
 * @param report of the step that failed, becomes that of what is taken
 * @return CAROM_OK, CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_hold(carom_sim* sim, carom_step_report* report);

#endif
