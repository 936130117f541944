/* The state of a simulation in a buffer, for states that never leave the library: what
 * carom_sim_save and carom_sim_restore do, without a hash and without checks. */
#ifndef CR_SIM_STATE_H
#define CR_SIM_STATE_H

#include "sim/sim.h"

/* @param buffer [carom_sim_state_size] */
void cr_sim_put_away(const carom_sim* sim, void* buffer);

/* @param buffer of a simulation of the same model and options
 * @return CAROM_OK or CAROM_ERROR_OUT_OF_MEMORY; the simulation is then unchanged */
carom_status cr_sim_take_up(carom_sim* sim, const void* buffer, carom_error* error);

#endif
