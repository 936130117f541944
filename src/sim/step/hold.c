/* Steps that no way leads through: what failed is stopped, and the rest moves on. */
#include "sim/step/hold.h"

#include "sim/step/retry.h"

static void stop_dof(carom_sim* sim, int i) {
  sim->v[i] = sim->a_free[i] = sim->a_before[i] = 0;
  sim->a_loaded[i] = NAN;
}

/* Stops a tree, or where none is known all that moves; returns how many trees. */
static int stop_trees(carom_sim* sim, int failed_body) {
  const carom_model* m = sim->model;
  int failed = failed_body < 0 ? -1 : m->tree.link_tree[m->body.link[failed_body]], count = 0;
  for (int t = 0; t < m->tree.num_trees; t++) {
    if (failed >= 0 && t != failed) continue;
    int start = m->tree.tree_v_start[t], end = m->tree.tree_v_start[t + 1];
    for (int i = start; i < end; i++) stop_dof(sim, i);
    count++;
  }
  int rest = failed < 0 ? m->tree.num_v : m->num_v;
  for (int i = rest; i < m->num_v; i++) stop_dof(sim, i);
  cr_energy_watch_lose(sim);
  return count;
}

static double find_kinetic(carom_sim* sim) { return carom_sim_compute_energy(sim).kinetic; }

/* What failed is stopped where it is: alone, then with all else. Where nothing can be stepped even
 * so, time goes on. */
carom_status cr_hold(carom_sim* sim, carom_step_report* report) {
  cr_backup before;
  double kinetic = find_kinetic(sim);
  int failed_body = report->failed_body, held = 0;
  carom_step_outcome outcome = report->outcome;
  for (int i = 0; i < 2; i++) {
    held = stop_trees(sim, i == 0 ? failed_body : -1);
    double lost = kinetic - find_kinetic(sim);
    if (!cr_backup_save(sim, &before)) return CAROM_ERROR_OUT_OF_MEMORY;
    carom_status status =
        cr_retry_anew(sim, &before, (cr_manner){16, true, true, false, true}, report);
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
