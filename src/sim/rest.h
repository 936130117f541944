/* Islands at rest: trees that constraints hold, and that have not moved for some steps but for what
 * is far below the solver's tolerance. Steps leave them out until something meets them or what
 * acts on them changes. */
#ifndef CR_SIM_REST_H
#define CR_SIM_REST_H

#include "sim/sim.h"

/* Takes the memory of sim->rest; all trees move. False when memory ran out. */
bool cr_rest_init(carom_sim* sim);
void cr_rest_destroy(carom_sim* sim);

/* After the flags of trees were restored; room for so many contacts, false when memory ran out. */
void cr_rest_count(carom_sim* sim);
bool cr_rest_reserve_contacts(carom_sim* sim, int wanted);

/* All trees move from here on. */
void cr_rest_wake_all(carom_sim* sim);

/* The tree of a link, if it has one and rests, moves with its island from here on. */
void cr_rest_wake_link(carom_sim* sim, int link);

/* Before an attempt: wakes what other controls act on, or everything where a step may leave nothing
 * out. */
void cr_rest_begin(carom_sim* sim, double dt);

/* Whether a mover rests, or that of a link; -1 is none. */
static inline bool cr_rest_has(const carom_sim* sim, int mover) {
  return sim->rest.count > 0 && mover >= 0 && sim->rest.island[mover] != 0;
}

static inline bool cr_rest_has_link(const carom_sim* sim, int link) {
  return cr_rest_has(sim, sim->model->tree.link_tree[link]);
}

/* Whether two links rest together: one of them does, the other too or it has no dofs. */
bool cr_rest_has_pair(const carom_sim* sim, int link1, int link2);

/* Elastic energy of the contacts of resting trees, J. */
double cr_rest_sum_energy(const carom_sim* sim);

#endif
