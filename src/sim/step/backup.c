/* The state before a step, put back where the step fails. */
#include "sim/step/backup.h"

#include "base/assert.h"
#include "base/copy.h"
#include "sim/sleep.h"

#include <string.h>

static bool copy_memory(const carom_sim* sim, const cr_contact_memory* from,
                        cr_contact_memory* to) {
  if (!cr_contact_memory_start(to, &sim->allocator, from->count, from->dt)) return false;
  for (int i = 0; i < from->count; i++) cr_contact_memory_add(to, &from->records[i]);
  return true;
}

bool cr_backup_save(carom_sim* sim, cr_backup* s) {
  size_t na = (size_t)sim->model->force.num_activations;
  size_t nq = (size_t)sim->model->num_q, nv = (size_t)sim->model->num_v;
  CR_COPY(sim->backup, sim->q, nq);
  CR_COPY(sim->backup + nq, sim->v, nv);
  CR_COPY(sim->backup + nq + nv, sim->a_free, nv);
  CR_COPY(sim->backup + nq + 2 * nv, sim->a_before, nv);
  CR_COPY(sim->backup + nq + 3 * nv, sim->a_loaded, nv);
  CR_COPY(sim->backup + nq + 4 * nv, sim->constraint_force, nv);
  CR_COPY(sim->backup + nq + 5 * nv, sim->a_rolled, 2 * nv);
  CR_COPY(sim->backup + nq + 7 * nv, sim->act, na);
  if (sim->order) memcpy(sim->backup_order, sim->order, cr_sim_order_size(sim));
  if (sim->sleep.count > 0) cr_sleep_wake_all(sim);
  CR_COPY(sim->backup_still, sim->sleep.still, sim->model->tree.num_trees);
  *s = (cr_backup){sim->time, sim->contact_energy, sim->energy_watch.sums};
  return cr_sim_reserve_records(sim) && copy_memory(sim, &sim->memory, &sim->backup_memory);
}

void cr_backup_restore(carom_sim* sim, const cr_backup* s) {
  size_t na = (size_t)sim->model->force.num_activations;
  size_t nq = (size_t)sim->model->num_q, nv = (size_t)sim->model->num_v;
  CR_COPY(sim->q, sim->backup, nq);
  CR_COPY(sim->v, sim->backup + nq, nv);
  CR_COPY(sim->a_free, sim->backup + nq + nv, nv);
  CR_COPY(sim->a_before, sim->backup + nq + 2 * nv, nv);
  CR_COPY(sim->a_loaded, sim->backup + nq + 3 * nv, nv);
  CR_COPY(sim->constraint_force, sim->backup + nq + 4 * nv, nv);
  CR_COPY(sim->a_rolled, sim->backup + nq + 5 * nv, 2 * nv);
  CR_COPY(sim->act, sim->backup + nq + 7 * nv, na);
  if (sim->order) memcpy(sim->order, sim->backup_order, cr_sim_order_size(sim));
  cr_sleep_wake_all(sim);
  CR_COPY(sim->sleep.still, sim->backup_still, sim->model->tree.num_trees);
  sim->time = s->time, sim->contact_energy = s->contact_energy;
  sim->energy_watch.sums = s->watch;
  cr_energy_watch_lose(sim);
  sim->has_last = false;
  bool done = copy_memory(sim, &sim->backup_memory, &sim->memory);
  CR_ASSERT(done);
  (void)done;
}
