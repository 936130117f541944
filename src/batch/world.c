/* One world of a batch: taken up by a simulation, and put away. */
#include "base/error.h"
#include "batch/batch.h"

#include <string.h>

static bool is_row(const double* rows, int world, int size, const double* values) {
  const double* row = rows + (size_t)world * (size_t)size;
  return size == 0 || memcmp(row, values, sizeof(double) * (size_t)size) == 0;
}

carom_status cr_world_enter(const carom_batch* batch, int world, carom_sim* sim,
                            carom_error* error) {
  const carom_model* m = batch->model;
  int num_ctrl = m->force.num_controls, num_act = m->force.num_activations;
  double* q = cr_row(batch->q, world, m->num_q);
  double* v = cr_row(batch->v, world, m->num_v);
  CR_TRY(cr_sim_take_up(sim, batch->worlds[world].state, error));
  if (num_ctrl)
    memcpy(sim->ctrl, cr_row(batch->ctrl, world, num_ctrl), sizeof(double) * (size_t)num_ctrl);
  if (num_act)
    memcpy(sim->act, cr_row(batch->act, world, num_act), sizeof(double) * (size_t)num_act);
  if (is_row(batch->q, world, m->num_q, sim->q) && is_row(batch->v, world, m->num_v, sim->v) &&
      is_row(batch->time, world, 1, &sim->time))
    return CAROM_OK;
  return carom_sim_set_state(sim, batch->time[world], q, v, error);
}

void cr_world_copy_row(double* rows, int world, int size, const double* values) {
  if (size) memcpy(cr_row(rows, world, size), values, sizeof(double) * (size_t)size);
}

/* Room for a state and contacts, half as much again where there was too little. */
static bool reserve(cr_world* w, const carom_allocator* allocator, size_t size, int num_contacts) {
  if (size > w->capacity) {
    size_t capacity = size + size / 2;
    void* grown = cr_realloc(allocator, w->state, w->capacity, capacity);
    if (!grown) return false;
    w->state = grown, w->capacity = capacity;
  }
  if (num_contacts > w->capacity_contacts) {
    int capacity = num_contacts + num_contacts / 2;
    void* grown =
        cr_realloc(allocator, w->contacts, sizeof(carom_contact) * (size_t)w->capacity_contacts,
                   sizeof(carom_contact) * (size_t)capacity);
    if (!grown) return false;
    w->contacts = grown, w->capacity_contacts = capacity;
  }
  return true;
}

carom_status cr_world_keep(carom_batch* batch, int world, const carom_sim* sim,
                           carom_error* error) {
  const carom_model* m = batch->model;
  cr_world* w = &batch->worlds[world];
  if (!reserve(w, &batch->shared, carom_sim_state_size(sim), sim->num_contacts))
    return cr_error_memory(error);
  cr_sim_put_away(sim, w->state);
  batch->time[world] = sim->time;
  cr_world_copy_row(batch->q, world, m->num_q, sim->q);
  cr_world_copy_row(batch->v, world, m->num_v, sim->v);
  cr_world_copy_row(batch->act, world, m->force.num_activations, sim->act);
  w->num_contacts = sim->num_contacts;
  if (w->num_contacts)
    memcpy(w->contacts, sim->contacts, sizeof(carom_contact) * (size_t)w->num_contacts);
  return CAROM_OK;
}
