/* A step of the theta-method with constraints, as five stages (stages.h). user_step.c is what a
 * user calls, retry.c what is done where a stage fails. */
#include "base/error.h"
#include "sim/sleep.h"
#include "sim/step/observer.h"
#include "sim/step/stages.h"

static cr_result take(cr_stages* s) {
  CR_TRY(cr_stage_find_free_motion(s));
  CR_TRY(cr_stage_detect_contacts(s));
  CR_TRY(cr_stage_solve_constraints(s));
  CR_TRY(cr_stage_account(s));
  return cr_stage_accept(s);
}

/* The first body of a tree, -1 for none. */
static int find_body(const carom_model* m, int tree) {
  if (tree < 0 || tree >= m->tree.num_trees) return -1;
  for (int b = 1; b < m->body.num_bodies; b++)
    if (m->body.link[b] == m->tree.tree_link_start[tree]) return b;
  return -1;
}

static carom_step_outcome outcome_of(cr_result result) {
  static const carom_step_outcome OUTCOME[] = {
      [CR_DONE] = CAROM_STEP_DONE,
      [CR_NO_MEMORY] = CAROM_STEP_DONE,
      [CR_FREE_MOTION] = CAROM_STEP_FREE_MOTION,
      [CR_UNSOLVED] = CAROM_STEP_SOLVER,
      [CR_NOT_FINITE] = CAROM_STEP_NOT_FINITE,
      [CR_PASSED] = CAROM_STEP_PASSED,
      [CR_UNEXPLAINED] = CAROM_STEP_ENERGY,
  };
  return OUTCOME[result];
}

/* Where iterations fail, all is factored after all. */
carom_status cr_step_attempt(carom_sim* sim, const cr_attempt* how, carom_step_report* report) {
  cr_result result = CR_DONE;
  if (sim->observer && !sim->observer->begin(sim->observer->data, sim, how))
    return CAROM_ERROR_OUT_OF_MEMORY;
  for (int is_direct = 0; is_direct <= sim->iterates; is_direct++) {
    cr_stages s = {.how = how, .report = report};
    *report = (carom_step_report){
        .dt = how->dt, .substeps = 1, .is_implicit = how->is_implicit, .failed_body = -1};
    cr_sleep_begin(sim, how->dt);
    result = cr_stages_begin(&s, sim, is_direct) ? take(&s) : CR_NO_MEMORY;
    if (sim->arena.failed) result = CR_NO_MEMORY;
    if (result <= CR_NO_MEMORY) break;
    report->failed_body = find_body(sim->model, s.step.failed_tree);
  }
  report->outcome = outcome_of(result);
  return result == CR_NO_MEMORY ? CAROM_ERROR_OUT_OF_MEMORY : CAROM_OK;
}
