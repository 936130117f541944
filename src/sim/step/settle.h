/* Islands that fall asleep, and what stays of them: see sleep.h. */
#ifndef CR_SIM_SETTLE_H
#define CR_SIM_SETTLE_H

#include "sim/rows/step_problem.h"

/* How many of the last step's records are of sleeping trees; adds these to those of a step. */
int cr_settle_count_records(const carom_sim* sim);
void cr_settle_keep_records(const carom_sim* sim, cr_contact_memory* records);

/* A mover, tree or soft body, of what a constraint of this step is about, -1: none. */
int cr_settle_find_mover(const carom_sim* sim, const cr_contact_key* key);

/* After a solution: puts to sleep the islands whose trees have all been still for long enough;
 * their velocities v are zero.
 * @return false when memory ran out; nothing of the state has changed then */
bool cr_settle(cr_step* step, const cr_step_problem* problem);

#endif
