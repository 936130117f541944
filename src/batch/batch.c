/* Creation, reading and resetting of a batch of worlds. */
#include "batch/batch.h"

#include "base/cookie.h"
#include "base/error.h"

/* Shares for each thread: several, so that a thread whose worlds were easy takes another. */
#define SHARES       4

#define MOST_THREADS 256

/* --- Starts -------------------------------------------------------------------------------------
 */

static carom_status make_starts(carom_batch* batch, carom_error* error) {
  carom_sim* sim = batch->shares[0].sim;
  batch->starts =
      cr_alloc_zero(&batch->allocator, sizeof(cr_world_start) * (size_t)batch->num_starts);
  if (!batch->starts) return cr_error_memory(error);
  CR_TRY(cr_world_start_init(batch, sim, &batch->starts[0], error));
  for (int k = 1; k < batch->num_starts; k++) {
    CR_TRY(cr_sim_take_up(sim, batch->starts[0].state, error));
    CR_TRY(carom_sim_set_keyframe(sim, k - 1, error));
    CR_TRY(cr_world_start_init(batch, sim, &batch->starts[k], error));
  }
  return CAROM_OK;
}

/* The start of a world's model: the reference configuration for -1, or a keyframe. */
static carom_status start_world(const carom_batch* batch, int world, int keyframe, carom_sim* sim,
                                carom_error* error) {
  const cr_world* w = &batch->worlds[world];
  int num_readings = batch->model->sensor.num_readings;
  const cr_world_start* start = w->own ? &w->start : &batch->starts[keyframe + 1];
  CR_TRY(cr_sim_take_up(sim, start->state, error));
  cr_world_copy_row(batch->readings, world, num_readings, start->readings);
  if (!w->own || keyframe < 0) return CAROM_OK;
  CR_TRY(carom_sim_set_keyframe(sim, keyframe, error));
  if (num_readings == 0) return CAROM_OK;
  return carom_sim_compute_sensors(sim, cr_row(batch->readings, world, num_readings), error);
}

static carom_status reset_world(carom_batch* batch, int world, int keyframe, carom_error* error) {
  carom_sim *warm = batch->shares[0].sim, *sim = cr_world_open(batch, world, warm);
  carom_status status = start_world(batch, world, keyframe, sim, error);
  if (status == CAROM_OK) status = cr_world_keep(batch, world, sim, error);
  if (status == CAROM_OK) {
    cr_world_copy_row(batch->ctrl, world, batch->model->force.num_controls, sim->ctrl);
    batch->reports[world] =
        (carom_step_report){.time = sim->time, .dt = sim->dt, .failed_body = -1};
  }
  cr_world_close(batch, world, warm);
  return status;
}

carom_status carom_batch_reset(carom_batch* batch, const bool* mask, int keyframe,
                               carom_error* error) {
  if (keyframe < -1 || keyframe + 1 >= batch->num_starts)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "batch: there is no keyframe %d",
                        keyframe);
  for (int w = 0; w < batch->num_worlds; w++)
    if (!mask || mask[w]) CR_TRY(reset_world(batch, w, keyframe, error));
  return cr_error_clear(error);
}

/* --- Creation -----------------------------------------------------------------------------------
 */

static double* make_rows(const carom_batch* batch, int size) {
  return cr_alloc_zero(&batch->allocator,
                       sizeof(double) * (size_t)batch->num_worlds * (size_t)size);
}

static bool make_arrays(carom_batch* batch) {
  const carom_model* m = batch->model;
  size_t n = (size_t)batch->num_worlds;
  batch->time = make_rows(batch, 1);
  batch->q = make_rows(batch, m->num_q);
  batch->v = make_rows(batch, m->num_v);
  batch->ctrl = make_rows(batch, m->force.num_controls);
  batch->act = make_rows(batch, m->force.num_activations);
  batch->readings = make_rows(batch, m->sensor.num_readings);
  batch->reports = cr_alloc_zero(&batch->allocator, sizeof(carom_step_report) * n);
  batch->worlds = cr_alloc_zero(&batch->allocator, sizeof(cr_world) * n);
  batch->shares =
      cr_alloc_zero(&batch->allocator, sizeof(cr_world_share) * (size_t)batch->num_shares);
  return batch->time && batch->q && batch->v && batch->ctrl && batch->act && batch->readings &&
         batch->reports && batch->worlds && batch->shares;
}

/* A simulation for each share, and the threads. */
static carom_status make_shares(carom_batch* batch, const carom_sim_def* def, carom_error* error) {
  carom_sim_def own = *def;
  own.threads = 1;
  own.allocator = batch->shared;
  for (int s = 0; s < batch->num_shares; s++) {
    cr_world_share* share = &batch->shares[s];
    share->first = (int)((int64_t)batch->num_worlds * s / batch->num_shares);
    share->end = (int)((int64_t)batch->num_worlds * (s + 1) / batch->num_shares);
    CR_TRY(carom_sim_create(batch->model, &own, &share->sim, error));
  }
  batch->tasks = def->tasks;
  if (def->threads < 2 || def->tasks.run) return CAROM_OK;
  CR_TRY(cr_threads_create(&batch->allocator, def->threads, &batch->pool, error));
  batch->tasks = cr_threads_tasks(batch->pool);
  return CAROM_OK;
}

static carom_status init(carom_batch* batch, const carom_sim_def* def, carom_error* error) {
  if (!make_arrays(batch)) return cr_error_memory(error);
  CR_TRY(make_shares(batch, def, error));
  CR_TRY(make_starts(batch, error));
  return carom_batch_reset(batch, NULL, -1, error);
}

carom_status carom_batch_create(const carom_model* model, int num_worlds, const carom_sim_def* def,
                                carom_batch** batch, carom_error* error) {
  carom_sim_def chosen = def ? *def : carom_sim_def_default();
  if (!model || !batch)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "batch: the model is null");
  *batch = NULL;
  if (num_worlds < 1)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "batch: num_worlds is %d, must be 1 or more", num_worlds);
  CR_TRY(CR_CHECK_COOKIE(&chosen, sim, "batch", error));
  if (chosen.threads < 0 || chosen.threads > MOST_THREADS)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "batch: threads is %d, must be 0 to %d", chosen.threads, MOST_THREADS);
  carom_allocator allocator = cr_allocator_resolve(&chosen.allocator);
  carom_batch* made = cr_alloc_zero(&allocator, sizeof *made);
  if (!made) return cr_error_memory(error);
  int shares = chosen.threads > 1 ? SHARES * chosen.threads : 1;
  made->allocator = allocator;
  made->model = model;
  made->num_worlds = num_worlds;
  made->num_shares = shares < num_worlds ? shares : num_worlds;
  made->num_starts = 1 + model->keyframe.num_keyframes;
  cr_locked_init(&made->locked, &allocator);
  made->shared = chosen.threads > 1 ? cr_locked_allocator(&made->locked) : allocator;
  carom_status status = init(made, &chosen, error);
  if (status != CAROM_OK)
    carom_batch_destroy(made);
  else
    *batch = made;
  return status == CAROM_OK ? cr_error_clear(error) : status;
}

static void release_rows(const carom_batch* batch, double* rows, int size) {
  cr_release(&batch->allocator, rows, sizeof(double) * (size_t)batch->num_worlds * (size_t)size);
}

static void release_worlds(carom_batch* batch) {
  const carom_allocator* a = &batch->allocator;
  for (int w = 0; batch->worlds && w < batch->num_worlds; w++) {
    cr_world* world = &batch->worlds[w];
    cr_world_release_own(batch, world);
    cr_release(a, world->state, world->capacity);
    cr_release(a, world->contacts, sizeof(carom_contact) * (size_t)world->capacity_contacts);
  }
  for (int k = 0; batch->starts && k < batch->num_starts; k++)
    cr_world_start_release(batch, &batch->starts[k]);
}

void carom_batch_destroy(carom_batch* batch) {
  if (!batch) return;
  carom_allocator allocator = batch->allocator;
  const carom_model* m = batch->model;
  size_t n = (size_t)batch->num_worlds;
  cr_threads_destroy(batch->pool);
  for (int s = 0; batch->shares && s < batch->num_shares; s++)
    carom_sim_destroy(batch->shares[s].sim);
  release_worlds(batch);
  release_rows(batch, batch->time, 1);
  release_rows(batch, batch->q, m->num_q);
  release_rows(batch, batch->v, m->num_v);
  release_rows(batch, batch->ctrl, m->force.num_controls);
  release_rows(batch, batch->act, m->force.num_activations);
  release_rows(batch, batch->readings, m->sensor.num_readings);
  cr_release(&allocator, batch->reports, sizeof(carom_step_report) * n);
  cr_release(&allocator, batch->worlds, sizeof(cr_world) * n);
  cr_release(&allocator, batch->starts, sizeof(cr_world_start) * (size_t)batch->num_starts);
  cr_release(&allocator, batch->shares, sizeof(cr_world_share) * (size_t)batch->num_shares);
  cr_locked_destroy(&batch->locked);
  cr_release(&allocator, batch, sizeof *batch);
}

/* --- Reading ------------------------------------------------------------------------------------
 */

const carom_model* carom_batch_model(const carom_batch* batch) { return batch->model; }
const carom_model* carom_batch_get_model(const carom_batch* batch, int world) {
  return cr_world_model(batch, world);
}
int carom_batch_num_worlds(const carom_batch* batch) { return batch->num_worlds; }
double carom_batch_dt(const carom_batch* batch) { return batch->shares[0].sim->dt; }
double* carom_batch_times(carom_batch* batch) { return batch->time; }
double* carom_batch_coordinates(carom_batch* batch) { return batch->q; }
double* carom_batch_velocities(carom_batch* batch) { return batch->v; }
double* carom_batch_controls(carom_batch* batch) { return batch->ctrl; }
double* carom_batch_activations(carom_batch* batch) { return batch->act; }
const double* carom_batch_readings(const carom_batch* batch) { return batch->readings; }
const carom_step_report* carom_batch_reports(const carom_batch* batch) { return batch->reports; }

const carom_contact* carom_batch_contacts(const carom_batch* batch, int world, int* count) {
  *count = batch->worlds[world].num_contacts;
  return batch->worlds[world].contacts;
}
