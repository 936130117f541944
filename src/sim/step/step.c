/* A step as the user sees it: an attempt, and where that fails or adds energy that nothing explains
 * other ways to take it, from the next best to the safest. */
#include "base/assert.h"
#include "base/error.h"
#include "sim/step/energy_watch.h"
#include "sim/step/rest.h"

#include <math.h>
#include <string.h>

/* --- The state before the step ------------------------------------------------------------------
 */

typedef struct saved {
  double time, contact_energy;
  cr_energy_watch_sums watch;
} saved;

static bool copy_memory(const carom_sim* sim, const cr_contact_memory* from,
                        cr_contact_memory* to) {
  if (!cr_contact_memory_start(to, &sim->allocator, from->count, from->dt)) return false;
  for (int i = 0; i < from->count; i++) cr_contact_memory_add(to, &from->records[i]);
  return true;
}

/* What rests moves from here on. */
static bool save(carom_sim* sim, saved* s) {
  size_t na = (size_t)sim->model->force.num_activations;
  size_t nq = (size_t)sim->model->num_q, nv = (size_t)sim->model->num_v;
  memcpy(sim->backup, sim->q, sizeof(double) * nq);
  memcpy(sim->backup + nq, sim->v, sizeof(double) * nv);
  memcpy(sim->backup + nq + nv, sim->a_free, sizeof(double) * nv);
  memcpy(sim->backup + nq + 2 * nv, sim->a_before, sizeof(double) * nv);
  memcpy(sim->backup + nq + 3 * nv, sim->act, sizeof(double) * na);
  if (sim->order) memcpy(sim->backup_order, sim->order, cr_sim_order_size(sim));
  if (sim->rest.count > 0) cr_rest_wake_all(sim);
  memcpy(sim->backup_still, sim->rest.still, sizeof(int) * (size_t)sim->model->tree.num_trees);
  *s = (saved){sim->time, sim->contact_energy, sim->energy_watch.sums};
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
  cr_rest_wake_all(sim);
  memcpy(sim->rest.still, sim->backup_still, sizeof(int) * (size_t)sim->model->tree.num_trees);
  sim->time = s->time, sim->contact_energy = s->contact_energy;
  sim->energy_watch.sums = s->watch;
  cr_energy_watch_lose(sim);
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
  all->coulomb_residual = fmax(all->coulomb_residual, part->coulomb_residual);
  all->error_bound = fmax(all->error_bound, part->error_bound);
  all->stick_slip = fmax(all->stick_slip, part->stick_slip);
  all->float_distance = fmax(all->float_distance, part->float_distance);
  all->dissipated += part->dissipated;
  all->actuator_work += part->actuator_work;
  all->external_work += part->external_work;
  all->unexplained += part->unexplained;
  all->unexplained_sum = part->unexplained_sum;
  all->penetration = fmax(all->penetration, part->penetration);
  all->failed_body = part->failed_body;
}

/* A way to take a step. */
typedef struct manner {
  int parts;
  bool is_implicit, is_unwatched;
} manner;

/* From the next best to the safest. */
static const manner LADDER[] = {
    {2, false, false}, {4, false, false},  {1, true, false},  {4, true, false},
    {16, true, false}, {16, false, false}, {64, true, false}, {256, true, false},
};

static carom_status run_parts(carom_sim* sim, manner how, carom_step_report* report) {
  const cr_attempt attempt = {sim->dt / how.parts, how.is_implicit, how.is_unwatched};
  *report = (carom_step_report){
      .dt = sim->dt, .substeps = how.parts, .is_implicit = how.is_implicit, .failed_body = -1};
  for (int i = 0; i < how.parts; i++) {
    carom_step_report part;
    carom_status status = cr_step_attempt(sim, &attempt, &part);
    if (status != CAROM_OK) return status;
    add_report(report, &part);
    if (part.outcome != CAROM_STEP_DONE) break;
  }
  return CAROM_OK;
}

/* From the state before the step; where that fails the state is put back. */
static carom_status run_anew(carom_sim* sim, const saved* before, manner how,
                             carom_step_report* report) {
  carom_status status = run_parts(sim, how, report);
  if (status != CAROM_OK || report->outcome != CAROM_STEP_DONE) restore(sim, before);
  return status;
}

/* Where all ways add energy, the one that was found to add the least. */
static carom_status run_least(carom_sim* sim, const saved* before, carom_step_report* report) {
  const manner ways[] = {{16, true, true}, {4, true, true}, {1, true, true}, {1, false, true}};
  int best = -1;
  double least = INFINITY;
  for (int i = 0; i < 4; i++) {
    carom_status status = run_anew(sim, before, ways[i], report);
    if (status != CAROM_OK) return status;
    if (report->outcome != CAROM_STEP_DONE) continue;
    restore(sim, before);
    if (report->unexplained < least) least = report->unexplained, best = i;
  }
  return best < 0 ? CAROM_OK : run_anew(sim, before, ways[best], report);
}

/* Down the ladder, from the state before the step. */
static carom_status retry(carom_sim* sim, const saved* before, carom_step_report* report) {
  bool is_gain = report->outcome == CAROM_STEP_ENERGY;
  for (size_t i = 0; i < sizeof LADDER / sizeof *LADDER; i++) {
    carom_status status = run_anew(sim, before, LADDER[i], report);
    if (status != CAROM_OK || report->outcome == CAROM_STEP_DONE) return status;
    is_gain |= report->outcome == CAROM_STEP_ENERGY;
    if (is_gain && LADDER[i].parts == 16 && LADDER[i].is_implicit) break;
  }
  return is_gain ? run_least(sim, before, report) : CAROM_OK;
}

/* --- What cannot be stepped ---------------------------------------------------------------------
 */

/* Stops a tree, or where none is known all that moves; returns how many trees. */
static int stop_trees(carom_sim* sim, int failed_body) {
  const carom_model* m = sim->model;
  int failed = failed_body < 0 ? -1 : m->tree.link_tree[m->body.link[failed_body]], count = 0;
  for (int t = 0; t < m->tree.num_trees; t++) {
    if (failed >= 0 && t != failed) continue;
    int start = m->tree.tree_v_start[t], end = m->tree.tree_v_start[t + 1];
    for (int i = start; i < end; i++) sim->v[i] = sim->a_free[i] = sim->a_before[i] = 0;
    count++;
  }
  int rest = failed < 0 ? m->tree.num_v : m->num_v;
  for (int i = rest; i < m->num_v; i++) sim->v[i] = sim->a_free[i] = sim->a_before[i] = 0;
  cr_energy_watch_lose(sim);
  return count;
}

static double find_kinetic(carom_sim* sim) { return carom_sim_compute_energy(sim).kinetic; }

/* What failed is stopped where it is: alone, then with all else. Where nothing can be stepped even
 * so, time goes on. */
static carom_status hold(carom_sim* sim, carom_step_report* report) {
  saved before;
  double kinetic = find_kinetic(sim);
  int failed_body = report->failed_body, held = 0;
  carom_step_outcome outcome = report->outcome;
  for (int i = 0; i < 2; i++) {
    held = stop_trees(sim, i == 0 ? failed_body : -1);
    double lost = kinetic - find_kinetic(sim);
    if (!save(sim, &before)) return CAROM_ERROR_OUT_OF_MEMORY;
    carom_status status = run_anew(sim, &before, (manner){16, true, true}, report);
    if (status != CAROM_OK) return status;
    if (i == 1 && report->outcome != CAROM_STEP_DONE)
      *report = (carom_step_report){.dt = sim->dt, .substeps = 1};
    report->held_trees = held;
    report->failed_body = failed_body;
    report->dissipated += lost;
    if (report->outcome == CAROM_STEP_DONE) break;
  }
  report->first_outcome = outcome;
  return CAROM_OK;
}

/* --- All ----------------------------------------------------------------------------------------
 */

static carom_status take_step(carom_sim* sim, carom_step_report* report) {
  saved before;
  carom_status status = run_parts(sim, (manner){1, false, false}, report);
  carom_step_outcome first = report->outcome;
  if (status != CAROM_OK || first == CAROM_STEP_DONE) return status;
  if (!save(sim, &before)) return CAROM_ERROR_OUT_OF_MEMORY;
  status = retry(sim, &before, report);
  if (status == CAROM_OK && report->outcome != CAROM_STEP_DONE &&
      sim->def.on_failure == CAROM_FAILURE_CONTINUE)
    status = hold(sim, report);
  report->first_outcome = first;
  return status;
}

carom_status carom_sim_step(carom_sim* sim, carom_step_report* report, carom_error* error) {
  carom_step_report own;
  if (!sim)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "step: the simulation is null");
  CR_TRY(cr_sim_check_time(sim->time, sim->dt, error));
  CR_TRY(cr_sim_check_controls(sim, error));
  double end = sim->time + sim->dt;
  carom_status status = take_step(sim, &own);
  if (status != CAROM_OK) return cr_error_memory(error);
  if (own.outcome == CAROM_STEP_DONE) sim->time = end;
  own.time = sim->time;
  if (report) *report = own;
  return cr_error_clear(error);
}
