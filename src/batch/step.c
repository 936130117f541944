/* Steps of all worlds, side by side. What happens in a world depends on nothing but the world. */
#include "base/error.h"
#include "batch/batch.h"

#include <math.h>

/* What a call does in every world. */
typedef struct work {
  carom_batch* batch;
  int num_steps;
  const carom_rollout* rollout;                   /* null: the last state alone is kept */
  const carom_batch_linearization* linearization; /* null: steps are taken, as it says */
} work;

/* --- One world ----------------------------------------------------------------------------------
 */

/* Row of a rollout's array: of a world and a step, or a state. */
static double* row_of(double* rows, const work* w, int world, int step, int size) {
  int per_world = w->rollout->num_steps + (rows == w->rollout->readings ? 0 : 1);
  return rows + ((size_t)world * (size_t)per_world + (size_t)step) * (size_t)size;
}

static void write_state(const work* w, int world, int index, const carom_sim* sim) {
  const carom_rollout* r = w->rollout;
  const carom_model* m = sim->model;
  if (r->q) cr_world_copy_row(row_of(r->q, w, world, index, m->num_q), 0, m->num_q, sim->q);
  if (r->v) cr_world_copy_row(row_of(r->v, w, world, index, m->num_v), 0, m->num_v, sim->v);
}

static void set_controls(const work* w, int world, int step, carom_sim* sim) {
  int num_ctrl = sim->model->force.num_controls;
  if (!w->rollout->ctrl) return;
  size_t row = (size_t)world * (size_t)w->rollout->num_steps + (size_t)step;
  cr_world_copy_row(sim->ctrl, 0, num_ctrl, w->rollout->ctrl + row * (size_t)num_ctrl);
}

static carom_status write_readings(const work* w, int world, int step, carom_sim* sim,
                                   carom_error* error) {
  int num = sim->model->sensor.num_readings;
  if (!w->rollout->readings || num == 0) return CAROM_OK;
  double* row = row_of(w->rollout->readings, w, world, step, num);
  if (w->rollout->failed[world] < 0) return carom_sim_compute_sensors(sim, row, error);
  for (int i = 0; i < num; i++) row[i] = NAN;
  return CAROM_OK;
}

static carom_status take_steps(const work* w, int world, carom_sim* sim, carom_error* error) {
  carom_step_report* report = &w->batch->reports[world];
  for (int i = 0; i < w->num_steps; i++) {
    CR_TRY(carom_sim_step(sim, report, error));
    if (report->outcome != CAROM_STEP_DONE) break;
  }
  return CAROM_OK;
}

static carom_status roll(const work* w, int world, carom_sim* sim, carom_error* error) {
  const carom_rollout* r = w->rollout;
  carom_step_report* report = &w->batch->reports[world];
  if (r->first == 0) {
    r->failed[world] = -1;
    write_state(w, world, 0, sim);
  }
  for (int step = r->first; step < r->first + r->count; step++) {
    set_controls(w, world, step, sim);
    if (r->failed[world] < 0) {
      CR_TRY(carom_sim_step(sim, report, error));
      if (report->outcome != CAROM_STEP_DONE) r->failed[world] = step;
    }
    write_state(w, world, step + 1, sim);
    CR_TRY(write_readings(w, world, step, sim, error));
  }
  cr_world_copy_row(w->batch->ctrl, world, sim->model->force.num_controls, sim->ctrl);
  return CAROM_OK;
}

static void fill(double* x, size_t count, double value) {
  for (size_t i = 0; x && i < count; i++) x[i] = value;
}

/* A step that fails has no derivative, which is no error of the call. */
static carom_status linearize(const work* w, int world, carom_sim* sim, carom_error* error) {
  const carom_batch_linearization* l = w->linearization;
  size_t num_x = (size_t)carom_model_get_num_x(sim->model), at = (size_t)world;
  size_t size_A = num_x * num_x, size_B = num_x * (size_t)sim->model->force.num_controls;
  carom_linearization out = {.A = l->A ? l->A + at * size_A : NULL,
                             .B = l->B ? l->B + at * size_B : NULL,
                             .smoothing = l->smoothing};
  carom_status status = carom_sim_linearize(sim, &out, error);
  if (status != CAROM_OK && status != CAROM_ERROR_NUMERICAL) return status;
  if (status != CAROM_OK) {
    fill(out.A, size_A, NAN), fill(out.B, size_B, NAN);
    out.num_kinks = out.num_held = -1;
  }
  if (l->num_kinks) l->num_kinks[world] = out.num_kinks;
  if (l->num_held) l->num_held[world] = out.num_held;
  return CAROM_OK;
}

/* Takes up a world, steps it and puts it away. */
static carom_status run_in(const work* w, int world, carom_sim* sim, carom_error* error) {
  carom_batch* batch = w->batch;
  int num_readings = batch->model->sensor.num_readings;
  CR_TRY(cr_world_enter(batch, world, sim, error));
  if (w->linearization) return linearize(w, world, sim, error);
  CR_TRY(w->rollout ? roll(w, world, sim, error) : take_steps(w, world, sim, error));
  CR_TRY(cr_world_keep(batch, world, sim, error));
  if (num_readings == 0) return CAROM_OK;
  return carom_sim_compute_sensors(sim, cr_row(batch->readings, world, num_readings), error);
}

static carom_status run_world(const work* w, int world, carom_sim* warm, carom_error* error) {
  carom_status status = run_in(w, world, cr_world_open(w->batch, world, warm), error);
  cr_world_close(w->batch, world, warm);
  return status;
}

/* --- All worlds ---------------------------------------------------------------------------------
 */

static void run_share(void* data, int index) {
  const work* w = data;
  cr_world_share* share = &w->batch->shares[index];
  share->status = CAROM_OK;
  for (int world = share->first; world < share->end; world++) {
    carom_error error;
    carom_status status = run_world(w, world, share->sim, &error);
    if (status == CAROM_OK || share->status != CAROM_OK) continue;
    share->status = status;
    share->error = error;
  }
}

/* The error of the first world that has one. */
static carom_status run_shares(work* w, carom_error* error) {
  carom_batch* batch = w->batch;
  cr_tasks_run(&batch->tasks, batch->num_shares, run_share, w);
  for (int s = 0; s < batch->num_shares; s++) {
    const cr_world_share* share = &batch->shares[s];
    if (share->status != CAROM_OK)
      return cr_error_set(error, share->status, "%s", share->error.message);
  }
  return cr_error_clear(error);
}

/* Refuses a number that is not finite, with its place. */
static carom_status check_rows(const char* name, const double* rows, size_t num_rows, int size,
                               carom_error* error) {
  for (size_t i = 0; i < num_rows * (size_t)size; i++)
    if (!isfinite(rows[i]))
      return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                          "batch: %s[%zu, %zu] is %g, must be finite", name, i / (size_t)size,
                          i % (size_t)size, rows[i]);
  return CAROM_OK;
}

static carom_status check_arrays(const carom_batch* batch, carom_error* error) {
  const carom_model* m = batch->model;
  size_t n = (size_t)batch->num_worlds;
  CR_TRY(check_rows("time", batch->time, n, 1, error));
  CR_TRY(check_rows("q", batch->q, n, m->num_q, error));
  CR_TRY(check_rows("v", batch->v, n, m->num_v, error));
  CR_TRY(check_rows("ctrl", batch->ctrl, n, m->force.num_controls, error));
  CR_TRY(check_rows("act", batch->act, n, m->force.num_activations, error));
  double dt = batch->shares[0].sim->dt;
  for (size_t w = 0; w < n; w++) CR_TRY(cr_sim_check_time(batch->time[w], dt, error));
  return CAROM_OK;
}

/* Controls of the steps that a call takes. */
static carom_status check_controls(const carom_batch* batch, const carom_rollout* r,
                                   carom_error* error) {
  size_t num_ctrl = (size_t)batch->model->force.num_controls;
  for (int w = 0; r->ctrl && w < batch->num_worlds; w++)
    for (int step = r->first; step < r->first + r->count; step++) {
      const double* row = r->ctrl + ((size_t)w * (size_t)r->num_steps + (size_t)step) * num_ctrl;
      for (size_t i = 0; i < num_ctrl; i++)
        if (!isfinite(row[i]))
          return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                              "rollout: ctrl[%d, %d, %zu] is %g, must be finite", w, step, i,
                              row[i]);
    }
  return CAROM_OK;
}

carom_status carom_batch_step(carom_batch* batch, int num_steps, carom_error* error) {
  if (num_steps < 0)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "batch: num_steps is %d, must be 0 or more", num_steps);
  CR_TRY(check_arrays(batch, error));
  return run_shares(&(work){.batch = batch, .num_steps = num_steps}, error);
}

carom_status carom_batch_rollout(carom_batch* batch, const carom_rollout* rollout,
                                 carom_error* error) {
  const carom_rollout* r = rollout;
  if (!r || !r->failed)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "rollout: it is null, or says not where failures go");
  if (r->first < 0 || r->count < 0 || r->count > r->num_steps - r->first)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "rollout: there are no %d steps from %d on among %d", r->count, r->first,
                        r->num_steps);
  CR_TRY(check_arrays(batch, error));
  CR_TRY(check_controls(batch, r, error));
  return run_shares(&(work){.batch = batch, .rollout = r}, error);
}

carom_status carom_batch_linearize(carom_batch* batch,
                                   const carom_batch_linearization* linearization,
                                   carom_error* error) {
  if (!batch || !linearization)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "linearize: an argument is null");
  CR_TRY(check_arrays(batch, error));
  return run_shares(&(work){.batch = batch, .linearization = linearization}, error);
}

/* --- One world for a simulation of the user's ---------------------------------------------------
 */

static carom_status check_world(const carom_batch* batch, int world, const carom_sim* sim,
                                carom_error* error) {
  if (world < 0 || world >= batch->num_worlds)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "batch: there is no world %d among %d",
                        world, batch->num_worlds);
  if (!sim || sim->model != cr_world_model(batch, world))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT,
                        "batch: the simulation is of another model than world %d", world);
  return CAROM_OK;
}

carom_status carom_batch_get_world(const carom_batch* batch, int world, carom_sim* sim,
                                   carom_error* error) {
  CR_TRY(check_world(batch, world, sim, error));
  CR_TRY(cr_world_enter(batch, world, sim, error));
  return cr_error_clear(error);
}

carom_status carom_batch_set_world(carom_batch* batch, int world, const carom_sim* sim,
                                   carom_error* error) {
  CR_TRY(check_world(batch, world, sim, error));
  CR_TRY(cr_world_keep(batch, world, sim, error));
  cr_world_copy_row(batch->ctrl, world, sim->model->force.num_controls, sim->ctrl);
  return cr_error_clear(error);
}
