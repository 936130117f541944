/* A step as the user sees it: an attempt, and after a failure halves and quarters of dt. */
#include "base/assert.h"
#include "base/error.h"
#include "sim/rest.h"

#include <math.h>
#include <string.h>

#define MOST_SUBSTEPS 4

/* --- The state before the step ------------------------------------------------------------------
 */

typedef struct saved {
  double time, contact_energy;
} saved;

static bool copy_memory(const carom_sim* sim, const cr_contact_memory* from,
                        cr_contact_memory* to) {
  if (!cr_contact_memory_start(to, &sim->allocator, from->count, from->dt)) return false;
  for (int i = 0; i < from->count; i++) cr_contact_memory_add(to, &from->records[i]);
  return true;
}

static bool save(carom_sim* sim, saved* s) {
  size_t na = (size_t)sim->model->force.num_activations;
  size_t nq = (size_t)sim->model->num_q, nv = (size_t)sim->model->num_v;
  memcpy(sim->backup, sim->q, sizeof(double) * nq);
  memcpy(sim->backup + nq, sim->v, sizeof(double) * nv);
  memcpy(sim->backup + nq + nv, sim->a_free, sizeof(double) * nv);
  memcpy(sim->backup + nq + 2 * nv, sim->a_before, sizeof(double) * nv);
  memcpy(sim->backup + nq + 3 * nv, sim->act, sizeof(double) * na);
  if (sim->order) memcpy(sim->backup_order, sim->order, cr_sim_order_size(sim));
  *s = (saved){sim->time, sim->contact_energy};
  return cr_sim_reserve_records(sim) && copy_memory(sim, &sim->memory, &sim->backup_memory);
}

/* Takes no memory: see save. */
static void restore(carom_sim* sim, const saved* s) {
  size_t na = (size_t)sim->model->force.num_activations;
  size_t nq = (size_t)sim->model->num_q, nv = (size_t)sim->model->num_v;
  memcpy(sim->q, sim->backup, sizeof(double) * nq);
  memcpy(sim->v, sim->backup + nq, sizeof(double) * nv);
  memcpy(sim->a_free, sim->backup + nq + nv, sizeof(double) * nv);
  memcpy(sim->a_before, sim->backup + nq + 2 * nv, sizeof(double) * nv);
  memcpy(sim->act, sim->backup + nq + 3 * nv, sizeof(double) * na);
  if (sim->order) memcpy(sim->order, sim->backup_order, cr_sim_order_size(sim));
  sim->time = s->time, sim->contact_energy = s->contact_energy;
  sim->has_last = false;
  bool done = copy_memory(sim, &sim->backup_memory, &sim->memory);
  CR_ASSERT(done);
  (void)done;
}

/* --- Sub-steps ----------------------------------------------------------------------------------
 */

static int max_int(int a, int b) { return a > b ? a : b; }

/* Takes the figures of a sub-step into those of the whole. */
static void add_report(carom_step_report* all, const carom_step_report* part) {
  all->outcome = part->outcome;
  all->contacts = part->contacts;
  all->constraints = part->constraints;
  all->islands = part->islands;
  all->resting_trees = part->resting_trees;
  all->relaxed_islands += part->relaxed_islands;
  all->struck_islands += part->struck_islands;
  all->iterations = max_int(all->iterations, part->iterations);
  all->outer_iterations = max_int(all->outer_iterations, part->outer_iterations);
  all->free_iterations = max_int(all->free_iterations, part->free_iterations);
  all->factorizations += part->factorizations;
  all->residual = fmax(all->residual, part->residual);
  all->error_bound = fmax(all->error_bound, part->error_bound);
  all->stick_slip = fmax(all->stick_slip, part->stick_slip);
  all->float_distance = fmax(all->float_distance, part->float_distance);
  all->dissipated += part->dissipated;
  all->actuator_work += part->actuator_work;
}

static carom_status run_parts(carom_sim* sim, int parts, carom_step_report* report) {
  *report = (carom_step_report){.dt = sim->dt, .substeps = parts};
  for (int i = 0; i < parts; i++) {
    carom_step_report part;
    carom_status status = cr_step_attempt(sim, sim->dt / parts, &part);
    if (status != CAROM_OK) return status;
    add_report(report, &part);
    if (part.outcome != CAROM_STEP_DONE) break;
  }
  return CAROM_OK;
}

/* Halves, then quarters, from the state before the step. */
static carom_status retry(carom_sim* sim, carom_step_report* report) {
  saved before;
  carom_status status = CAROM_OK;
  if (!save(sim, &before)) return CAROM_ERROR_OUT_OF_MEMORY;
  cr_rest_wake_all(sim);
  for (int parts = 2; parts <= MOST_SUBSTEPS; parts *= 2) {
    status = run_parts(sim, parts, report);
    if (status == CAROM_OK && report->outcome == CAROM_STEP_DONE) return CAROM_OK;
    restore(sim, &before);
    if (status != CAROM_OK) return status;
  }
  return status;
}

carom_status carom_sim_step(carom_sim* sim, carom_step_report* report, carom_error* error) {
  carom_step_report own;
  if (!sim)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "step: the simulation is null");
  CR_TRY(cr_sim_check_time(sim->time, sim->dt, error));
  CR_TRY(cr_sim_check_controls(sim, error));
  double end = sim->time + sim->dt;
  carom_status status = run_parts(sim, 1, &own);
  if (status == CAROM_OK && own.outcome != CAROM_STEP_DONE) status = retry(sim, &own);
  if (status != CAROM_OK) return cr_error_memory(error);
  if (own.outcome == CAROM_STEP_DONE) sim->time = end;
  own.time = sim->time;
  if (report) *report = own;
  return cr_error_clear(error);
}
