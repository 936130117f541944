/* Islands at rest: trees that constraints hold, and that have not moved for some steps but for what
 * is far below the solver's tolerance. Steps leave them out until something meets them or what
 * acts on them changes. */
#ifndef CR_SIM_REST_H
#define CR_SIM_REST_H

#include "sim/rows/assemble.h"

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

static inline bool cr_rest_has_tree(const carom_sim* sim, int tree) {
  return sim->rest.count > 0 && tree >= 0 && tree < sim->model->tree.num_trees &&
         sim->rest.island[tree] != 0;
}

static inline bool cr_rest_has_link(const carom_sim* sim, int link) {
  return sim->rest.count > 0 && link < sim->model->tree.num_links &&
         cr_rest_has_tree(sim, sim->model->tree.link_tree[link]);
}

/* Whether two links rest together: one of them does, the other too or it has no dofs. */
bool cr_rest_has_pair(const carom_sim* sim, int link1, int link2);

/* Wakes islands that something moving is about to meet.
 * @param fresh [num_trees + num_parts] receives nonzero for the trees that move from here on
 * @return how many these are */
int cr_rest_wake_touched(cr_step* step, const cr_touches* touches, int* fresh);

/* How many of the last step's records are of resting trees; adds these to those of a step. */
int cr_rest_count_records(const carom_sim* sim);
void cr_rest_keep_records(const carom_sim* sim, cr_contact_memory* records);

/* A tree of what a constraint of this step is about, -1: none. */
int cr_rest_find_tree(const carom_sim* sim, const cr_contact_key* key);

/* Elastic energy of the contacts of resting trees, J. */
double cr_rest_sum_energy(const carom_sim* sim);

/* After a solution: puts to rest the islands whose trees have all been still for long enough; their
 * velocities v are zero.
 * @return false when memory ran out; nothing of the state has changed then */
bool cr_rest_settle(cr_step* step, const cr_step_problem* problem);

#endif
