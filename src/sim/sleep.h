/* Sleeping islands: trees that constraints hold, and that have not moved for some steps but for
 * what is far below the solver's tolerance. Steps leave them out until something meets them or what
 * acts on them changes. */
#ifndef CR_SIM_SLEEP_H
#define CR_SIM_SLEEP_H

#include "sim/sim.h"

/* Takes the memory of sim->sleep; all trees move. False when memory ran out. */
bool cr_sleep_init(carom_sim* sim);
void cr_sleep_destroy(carom_sim* sim);

/* After the flags of trees were restored; room for so many contacts, false when memory ran out. */
void cr_sleep_count(carom_sim* sim);
bool cr_sleep_reserve_contacts(carom_sim* sim, int wanted);

/* All trees move from here on. */
void cr_sleep_wake_all(carom_sim* sim);

/* The tree of a link, if it has one and sleeps, moves with its island from here on. */
void cr_sleep_wake_link(carom_sim* sim, int link);

/* Before an attempt: wakes what other controls act on, or everything where a step may leave nothing
 * out. */
void cr_sleep_begin(carom_sim* sim, double dt);

/* Whether a mover sleeps, or that of a link; -1 is none. */
static inline bool cr_sleep_has(const carom_sim* sim, int mover) {
  return sim->sleep.count > 0 && mover >= 0 && sim->sleep.island[mover] != 0;
}

static inline bool cr_sleep_has_link(const carom_sim* sim, int link) {
  return cr_sleep_has(sim, sim->model->tree.link_tree[link]);
}

/* Whether two links sleep together: one of them does, the other too or it has no dofs. */
bool cr_sleep_has_pair(const carom_sim* sim, int link1, int link2);

/* Elastic energy of the contacts of sleeping trees, J. */
double cr_sleep_sum_energy(const carom_sim* sim);

#endif
