/* Sensors of a simulation: the state, with the accelerations and impulses of the step that led to
 * it; of one that is tried and taken back where no step did. */
#include "base/copy.h"
#include "base/error.h"
#include "sim/sense/sensing.h"
#include "tree/algorithms.h"

#include <math.h>

bool cr_sensing_of_sim(carom_sim* sim, cr_sensing_place* at, cr_sensing* s) {
  const cr_tree_model* model = &sim->model->tree;
  double* u = CR_PUSH(&sim->arena, double, model->num_v);
  *s = (cr_sensing){.model = sim->model,
                    .time = at->time,
                    .q = at->q,
                    .v = at->v,
                    .ctrl = sim->ctrl,
                    .act = sim->act,
                    .u = u,
                    .kinematics = &at->kinematics,
                    .velocities = &at->velocities,
                    .contacts = sim->contacts,
                    .num_contacts = sim->num_contacts,
                    .adhesion = sim->adhesion,
                    .num_adhesion = sim->num_adhesion,
                    .memory = &sim->memory,
                    .wrench = sim->num_wrenches ? sim->wrench : NULL};
  if (!cr_tree_push_kinematics(&sim->arena, model, &at->kinematics) ||
      !cr_tree_push_velocities(&sim->arena, model, &at->velocities) ||
      !cr_sensing_push(&sim->arena, sim->model, s))
    return false;
  cr_tree_update_ground(model, at->q, &at->kinematics, &at->velocities);
  for (int t = 0; t < model->num_trees; t++) {
    cr_tree_to_internal(model, t, at->q, at->v, u);
    cr_tree_update_kinematics(model, t, at->q, &at->kinematics);
    cr_tree_update_velocities(model, t, &at->kinematics, u, &at->velocities);
  }
  cr_sensing_update(s, sim->a_last);
  return true;
}

/* Readings of a state [num_q], [num_v] with what the last attempt left. */
static carom_status read_state(carom_sim* sim, double time, const double* q, const double* v,
                               double* readings, carom_error* error) {
  cr_sensing_place at = {.time = time, .q = q, .v = v};
  cr_sensing s;
  cr_arena_reset(&sim->arena);
  if (!cr_sensing_of_sim(sim, &at, &s)) return cr_error_memory(error);
  cr_sensing_read(&s, readings);
  return cr_error_clear(error);
}

/* One attempt at the next step: readings of the state before it, with the attempt's accelerations
 * and impulses.
 * @param q [num_q] the state before, as v [num_v] */
static carom_status read_attempt(carom_sim* sim, const double* q, const double* v, double* readings,
                                 carom_error* error) {
  carom_step_report report;
  double time = sim->time;
  const cr_attempt how = {.dt = sim->dt, .is_unwatched = true};
  carom_status status = cr_step_attempt(sim, &how, &report);
  if (status != CAROM_OK) return cr_error_memory(error);
  if (report.outcome != CAROM_STEP_DONE) {
    sim->num_contacts = 0;
    for (int i = 0; i < sim->model->num_v; i++) sim->a_last[i] = NAN;
  }
  return read_state(sim, time, q, v, readings, error);
}

static carom_status read_ahead(carom_sim* sim, double* readings, carom_error* error) {
  size_t size = carom_sim_state_size(sim);
  size_t nq = (size_t)sim->model->num_q, nv = (size_t)sim->model->num_v;
  if (!cr_sim_reserve_records(sim)) return cr_error_memory(error);
  char* saved = cr_alloc(&sim->allocator, size + sizeof(double) * (nq + nv));
  if (!saved) return cr_error_memory(error);
  double* q = (double*)(void*)saved;
  CR_COPY(q, sim->q, nq);
  CR_COPY(q + nq, sim->v, nv);
  char* state = saved + sizeof *q * (nq + nv);
  carom_sim_save(sim, state);
  carom_status status = read_attempt(sim, q, q + nq, readings, error);
  carom_status restored = carom_sim_restore(sim, state, size, status == CAROM_OK ? error : NULL);
  cr_release(&sim->allocator, saved, size + sizeof(double) * (nq + nv));
  return status == CAROM_OK ? restored : status;
}

carom_status carom_sim_compute_sensors(carom_sim* sim, double* readings, carom_error* error) {
  if (!sim || (!readings && sim->model->sensor.num_readings))
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "sensors: an argument is null");
  if (sim->model->sensor.num_sensors == 0) return cr_error_clear(error);
  CR_TRY(cr_sim_check_controls(sim, error));
  bool asks = sim->model->sensor.needs & CR_NEEDS_STEP;
  if (asks && !sim->has_last) return read_ahead(sim, readings, error);
  return read_state(sim, sim->time, sim->q, sim->v, readings, error);
}
