/* The energy watch: what a step has added to the energy that nothing explains (docs/theory.md). */
#ifndef CR_SIM_ENERGY_WATCH_H
#define CR_SIM_ENERGY_WATCH_H

#include "sim/sim.h"

/* Takes the memory of sim->energy_watch; false when memory ran out. */
bool cr_energy_watch_init(carom_sim* sim);

/* The energies of the state are no longer known, as where it was set or taken back. */
static inline void cr_energy_watch_lose(carom_sim* sim) { sim->energy_watch.is_known = false; }

/* A new trajectory begins: its sums are zero. */
void cr_energy_watch_forget(carom_sim* sim);

/* Energies at the start of a step, where they are not known yet. */
void cr_energy_watch_begin(cr_step* step);

/* After advance(): the report's figures of unexplained energy from the new state in (q_mid, v_q);
 * the new sums are kept for cr_energy_watch_accept.
 * @return whether the step explains itself */
bool cr_energy_watch_measure(cr_step* step, carom_step_report* report);

/* After such a measure of a step that does not explain itself: takes the gain off the velocities
 * v_q of what has gained, as far as they hold it. */
void cr_energy_watch_brake(cr_step* step, carom_step_report* report);

/* The step is taken. */
void cr_energy_watch_accept(carom_sim* sim);

#endif
