/* The state before a step, put back where the step fails. */
#include "sim/step/backup.h"

#include "base/assert.h"
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
  memcpy(sim->backup, sim->q, sizeof(double) * nq);
  memcpy(sim->backup + nq, sim->v, sizeof(double) * nv);
  memcpy(sim->backup + nq + nv, sim->a_free, sizeof(double) * nv);
  memcpy(sim->backup + nq + 2 * nv, sim->a_before, sizeof(double) * nv);
  memcpy(sim->backup + nq + 3 * nv, sim->a_loaded, sizeof(double) * nv);
  memcpy(sim->backup + nq + 4 * nv, sim->act, sizeof(double) * na);
  if (sim->order) memcpy(sim->backup_order, sim->order, cr_sim_order_size(sim));
  if (sim->sleep.count > 0) cr_sleep_wake_all(sim);
  memcpy(sim->backup_still, sim->sleep.still, sizeof(int) * (size_t)sim->model->tree.num_trees);
  *s = (cr_backup){sim->time, sim->contact_energy, sim->energy_watch.sums};
  return cr_sim_reserve_records(sim) && copy_memory(sim, &sim->memory, &sim->backup_memory);
}

void cr_backup_restore(carom_sim* sim, const cr_backup* s) {
  size_t na = (size_t)sim->model->force.num_activations;
  size_t nq = (size_t)sim->model->num_q, nv = (size_t)sim->model->num_v;
  memcpy(sim->q, sim->backup, sizeof(double) * nq);
  memcpy(sim->v, sim->backup + nq, sizeof(double) * nv);
  memcpy(sim->a_free, sim->backup + nq + nv, sizeof(double) * nv);
  memcpy(sim->a_before, sim->backup + nq + 2 * nv, sizeof(double) * nv);
  memcpy(sim->a_loaded, sim->backup + nq + 3 * nv, sizeof(double) * nv);
  memcpy(sim->act, sim->backup + nq + 4 * nv, sizeof(double) * na);
  if (sim->order) memcpy(sim->order, sim->backup_order, cr_sim_order_size(sim));
  cr_sleep_wake_all(sim);
  memcpy(sim->sleep.still, sim->backup_still, sizeof(int) * (size_t)sim->model->tree.num_trees);
  sim->time = s->time, sim->contact_energy = s->contact_energy;
  sim->energy_watch.sums = s->watch;
  cr_energy_watch_lose(sim);
  sim->has_last = false;
  bool done = copy_memory(sim, &sim->backup_memory, &sim->memory);
  CR_ASSERT(done);
  (void)done;
}
