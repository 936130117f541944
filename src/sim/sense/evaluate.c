/* What can be asked of a state without a step: its contact points, and its acceleration with all
 * constraints on, from an attempt at a step that is taken back. */
#include "base/copy.h"
#include "base/error.h"
#include "sim/contact/contacts.h"
#include "sim/soft/soft_step.h"
#include "sim/step/account.h"
#include "sim/step/observer.h"
#include "tree/algorithms.h"

#include <math.h>

/* --- Contacts -----------------------------------------------------------------------------------
 */

/* A step of no length: everything is looked at where it is. */
static bool place_state(carom_sim* sim, cr_step* step) {
  const cr_tree_model* model = &sim->model->tree;
  cr_arena_reset(&sim->arena);
  *step = (cr_step){.sim = sim, .model = sim->model, .arena = &sim->arena, .guess = &sim->memory};
  step->theta = CR_PUSH(&sim->arena, cr_theta, sim->model->num_movers);
  step->v0 = CR_PUSH(&sim->arena, double, sim->model->num_v);
  step->q_mid = CR_PUSH(&sim->arena, double, sim->model->num_q);
  if (!cr_tree_push_kinematics(&sim->arena, model, &step->kinematics) ||
      !cr_tree_push_velocities(&sim->arena, model, &step->velocities) || sim->arena.failed ||
      !cr_soft_init(step))
    return false;
  CR_COPY(step->q_mid, sim->q, sim->model->num_q);
  for (int t = 0; t < sim->model->num_movers; t++) step->theta[t] = (cr_theta){0, 0, 0};
  cr_tree_update_ground(model, sim->q, &step->kinematics, &step->velocities);
  for (int t = 0; t < model->num_trees; t++) {
    cr_tree_to_internal(model, t, sim->q, sim->v, step->v0);
    cr_tree_update_kinematics(model, t, sim->q, &step->kinematics);
    cr_tree_update_velocities(model, t, &step->kinematics, step->v0, &step->velocities);
  }
  return true;
}

carom_status carom_sim_compute_contacts(carom_sim* sim, const carom_contact** contacts, int* count,
                                        carom_error* error) {
  cr_step step;
  cr_contact_points points;
  *contacts = NULL, *count = 0;
  sim->has_last = false;
  sim->num_adhesion = 0;
  if (!place_state(sim, &step)) return cr_error_memory(error);
  CR_COPY(sim->q_seen, sim->q, sim->model->num_q);
  const cr_motion motion = {step.velocities.link_V, step.v0};
  if (!cr_contact_points_list(&step, &motion, CR_REST_DISTANCE, sim->def.patches, &points) ||
      !cr_account_reserve_contacts(sim, points.count))
    return cr_error_memory(error);
  for (int i = 0; i < points.count; i++) {
    const cr_contact_point* point = &points.items[i];
    carom_contact* c = &sim->contacts[sim->num_contacts++];
    *c = (carom_contact){
        .geom1 = point->geom[0], .geom2 = point->geom[1], .distance = point->distance};
    v3_store(point->position, c->position);
    v3_store(point->normal, c->normal);
  }
  *contacts = sim->contacts, *count = sim->num_contacts;
  return cr_error_clear(error);
}

/* --- Forces -------------------------------------------------------------------------------------
 */

void carom_sim_compute_constraint_force(const carom_sim* sim, double* force) {
  const cr_tree_model* model = &sim->model->tree;
  for (int t = 0; t < model->num_trees; t++)
    cr_tree_force_to_interface(model, t, sim->q, sim->constraint_force, force);
  size_t num_nodes = (size_t)(sim->model->num_v - model->num_v);
  CR_COPY(force + model->num_v, sim->constraint_force + model->num_v, num_nodes);
}

/* --- Acceleration -------------------------------------------------------------------------------
 */

/* Internal velocities of the state. */
static void read_velocities(const carom_sim* sim, double* u) {
  const cr_tree_model* model = &sim->model->tree;
  for (int t = 0; t < model->num_trees; t++) cr_tree_to_internal(model, t, sim->q, sim->v, u);
  for (int i = model->num_v; i < sim->model->num_v; i++) u[i] = sim->v[i];
}

/* An attempt, and the velocities after it. */
typedef struct trial {
  carom_step_report* report;
  double* u1; /* [num_v] internal */
} trial;

static carom_status attempt(carom_sim* sim, void* data) {
  const trial* t = data;
  const cr_attempt how = {.dt = sim->dt, .is_unwatched = true};
  carom_status status = cr_step_attempt(sim, &how, t->report);
  if (status == CAROM_OK && t->report->outcome == CAROM_STEP_DONE) read_velocities(sim, t->u1);
  return status;
}

static carom_status try_step(carom_sim* sim, carom_step_report* report, double* u1,
                             carom_error* error) {
  trial t = {report, u1};
  return cr_sim_try(sim, attempt, &t, error);
}

carom_status carom_sim_compute_acceleration(carom_sim* sim, double* a, carom_step_report* report,
                                            carom_error* error) {
  const cr_tree_model* model = &sim->model->tree;
  int num_v = sim->model->num_v;
  size_t size = 2 * sizeof(double) * (size_t)num_v;
  carom_step_report own = {0};
  CR_TRY(cr_sim_check_controls(sim, error));
  double* u = cr_alloc(&sim->allocator, size);
  if (!u) return cr_error_memory(error);
  double* u1 = u + num_v;
  read_velocities(sim, u);
  carom_status status = try_step(sim, &own, u1, error);
  bool done = status == CAROM_OK && own.outcome == CAROM_STEP_DONE;
  for (int i = 0; i < num_v; i++) u1[i] = done ? (u1[i] - u[i]) / sim->dt : NAN;
  for (int t = 0; t < model->num_trees; t++)
    cr_tree_acceleration_to_interface(model, t, sim->q, u, u1, a);
  for (int i = model->num_v; i < num_v; i++) a[i] = u1[i];
  cr_release(&sim->allocator, u, size);
  if (report && status == CAROM_OK) *report = own;
  return status;
}

/* --- Problem ------------------------------------------------------------------------------------
 */

carom_status carom_sim_compute_problem(carom_sim* sim, carom_problem** problem,
                                       carom_error* error) {
  if (!sim || !problem)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "problem: an argument is null");
  *problem = NULL;
  sim->num_origins = 0;
  CR_TRY(cr_sim_check_controls(sim, error));
  carom_step_report report = {0};
  size_t size = sizeof(double) * (size_t)sim->model->num_v;
  double* u = cr_alloc(&sim->allocator, size);
  if (!u) return cr_error_memory(error);
  sim->capture = problem;
  carom_status status = try_step(sim, &report, u, error);
  sim->capture = NULL;
  cr_release(&sim->allocator, u, size);
  if (status == CAROM_OK) return CAROM_OK;
  carom_problem_destroy(*problem);
  *problem = NULL;
  sim->num_origins = 0;
  return status;
}

const carom_constraint_origin* carom_sim_get_problem_origins(const carom_sim* sim, int* count) {
  *count = sim->num_origins;
  return sim->origins;
}
