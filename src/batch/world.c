/* One world of a batch: its start, its model, and its state as a simulation takes it up and puts it
 * away. */
#include "base/copy.h"
#include "base/error.h"
#include "batch/batch.h"
#include "sim/sleep.h"

#include <string.h>

/* --- Starts -------------------------------------------------------------------------------------
 */

carom_status cr_world_start_init(const carom_batch* batch, carom_sim* sim, cr_world_start* start,
                                 carom_error* error) {
  size_t num_readings = (size_t)batch->model->sensor.num_readings;
  start->size = carom_sim_state_size(sim);
  start->state = cr_alloc_zero(&batch->allocator, start->size);
  start->readings = cr_alloc_zero(&batch->allocator, sizeof(double) * num_readings);
  if (!start->state || !start->readings) return cr_error_memory(error);
  cr_sim_put_away(sim, start->state);
  return num_readings ? carom_sim_compute_sensors(sim, start->readings, error) : CAROM_OK;
}

void cr_world_start_release(const carom_batch* batch, cr_world_start* start) {
  size_t num_readings = (size_t)batch->model->sensor.num_readings;
  cr_release(&batch->allocator, start->state, start->size);
  cr_release(&batch->allocator, start->readings, sizeof(double) * num_readings);
}

/* --- A model of its own -------------------------------------------------------------------------
 */

#define SWAP(type, x, y) \
  do {                   \
    type swapped = (x);  \
    (x) = (y);           \
    (y) = swapped;       \
  } while (0)

/* Exchanges what simulations work in, and what holds of their states no more than a saved state
 * has: after it both must take up one. */
static void swap_rooms(carom_sim* a, carom_sim* b) {
  SWAP(cr_arena, a->arena, b->arena);
  SWAP(cr_arena, a->problem_arena, b->problem_arena);
  SWAP(cr_solve_workers*, a->workers, b->workers);
  SWAP(cr_contact_memory, a->memory, b->memory);
  SWAP(cr_contact_memory, a->next, b->next);
  SWAP(cr_contact_memory, a->backup_memory, b->backup_memory);
  SWAP(carom_contact*, a->contacts, b->contacts);
  SWAP(int, a->num_contacts, b->num_contacts);
  SWAP(int, a->capacity_contacts, b->capacity_contacts);
  SWAP(carom_contact*, a->sleep.contacts, b->sleep.contacts);
  SWAP(int, a->sleep.num_contacts, b->sleep.num_contacts);
  SWAP(int, a->sleep.capacity_contacts, b->sleep.capacity_contacts);
  SWAP(cr_adhesion_force*, a->adhesion, b->adhesion);
  SWAP(int, a->num_adhesion, b->num_adhesion);
  SWAP(int, a->capacity_adhesion, b->capacity_adhesion);
}

carom_sim* cr_world_open(const carom_batch* batch, int world, carom_sim* warm) {
  carom_sim* own = batch->worlds[world].own;
  if (!own) return warm;
  swap_rooms(own, warm);
  return own;
}

void cr_world_close(const carom_batch* batch, int world, carom_sim* warm) {
  carom_sim* own = batch->worlds[world].own;
  if (own) swap_rooms(own, warm);
}

void cr_world_release_own(const carom_batch* batch, cr_world* world) {
  carom_sim_destroy(world->own);
  cr_world_start_release(batch, &world->start);
  world->own = NULL;
  world->start = (cr_world_start){0};
}

static carom_status refuse_model(int world, carom_error* error) {
  return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                      "batch: the model of world %d has other parts than the batch's", world);
}

static bool has_same_sizes(const carom_model* a, const carom_model* b) {
  carom_model_sizes of_a = carom_model_get_sizes(a), of_b = carom_model_get_sizes(b);
  return memcmp(&of_a, &of_b, sizeof of_a) == 0 && a->tree.num_links == b->tree.num_links;
}

/* A simulation of a world's own model, at its start, whose states are laid out as the batch's;
 * those who solve for it are lent. */
static carom_status make_own(const carom_batch* batch, const carom_model* model, cr_world* own,
                             carom_error* error) {
  const carom_sim* warm = batch->shares[0].sim;
  carom_sim_def def = carom_sim_get_options(warm);
  int world = (int)(own - batch->worlds);
  if (!has_same_sizes(model, batch->model)) return refuse_model(world, error);
  CR_TRY(carom_sim_create(model, &def, &own->own, error));
  CR_TRY(cr_world_start_init(batch, own->own, &own->start, error));
  if (own->start.size != batch->starts[0].size) return refuse_model(world, error);
  cr_solve_workers_destroy(own->own->workers);
  own->own->workers = NULL;
  cr_arena_destroy(&own->own->arena);
  cr_arena_destroy(&own->own->problem_arena);
  return CAROM_OK;
}

/* What slept under the numbers before need not sleep under those that came: a world's state as the
 * simulation that is to take it up next has it, awake. */
static carom_status wake(carom_batch* batch, int world, carom_error* error) {
  carom_sim *warm = batch->shares[0].sim, *sim = cr_world_open(batch, world, warm);
  carom_status status = cr_sim_take_up(sim, batch->worlds[world].state, error);
  if (status == CAROM_OK && sim->sleep.count > 0) {
    cr_sleep_wake_all(sim);
    cr_sim_put_away(sim, batch->worlds[world].state);
  }
  cr_world_close(batch, world, warm);
  return status;
}

carom_status carom_batch_set_model(carom_batch* batch, int world, const carom_model* model,
                                   carom_error* error) {
  if (world < 0 || world >= batch->num_worlds)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "batch: there is no world %d among %d",
                        world, batch->num_worlds);
  cr_world *w = &batch->worlds[world], before = *w;
  w->own = NULL, w->start = (cr_world_start){0};
  carom_status status = CAROM_OK;
  if (model && model != batch->model) status = make_own(batch, model, w, error);
  if (status == CAROM_OK) status = wake(batch, world, error);
  if (status == CAROM_OK) {
    cr_world_release_own(batch, &before);
    return cr_error_clear(error);
  }
  cr_world_release_own(batch, w);
  w->own = before.own, w->start = before.start;
  return status;
}

/* --- State --------------------------------------------------------------------------------------
 */

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
  if (num_ctrl) CR_COPY(sim->ctrl, cr_row(batch->ctrl, world, num_ctrl), num_ctrl);
  if (num_act) CR_COPY(sim->act, cr_row(batch->act, world, num_act), num_act);
  if (is_row(batch->q, world, m->num_q, sim->q) && is_row(batch->v, world, m->num_v, sim->v) &&
      is_row(batch->time, world, 1, &sim->time))
    return CAROM_OK;
  return carom_sim_set_state(sim, batch->time[world], q, v, error);
}

void cr_world_copy_row(double* rows, int world, int size, const double* values) {
  if (size) CR_COPY(cr_row(rows, world, size), values, size);
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
  if (w->num_contacts) CR_COPY(w->contacts, sim->contacts, w->num_contacts);
  return CAROM_OK;
}
