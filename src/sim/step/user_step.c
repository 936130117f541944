/* A step as the user sees it: an attempt (step.c), and where that fails or adds energy that nothing
 * explains other ways to take it (retry.c); what cannot be stepped at all is held (hold.c). */
#include "base/error.h"
#include "sim/step/hold.h"
#include "sim/step/retry.h"

/* Takes a step that has failed in another way. */
static carom_status retry(carom_sim* sim, carom_step_report* report) {
  cr_backup before;
  carom_step_outcome first = report->outcome;
  if (!cr_backup_save(sim, &before)) return CAROM_ERROR_OUT_OF_MEMORY;
  carom_status status = cr_retry_down(sim, &before, report);
  if (status == CAROM_OK && report->outcome != CAROM_STEP_DONE &&
      sim->def.on_failure == CAROM_FAILURE_CONTINUE)
    status = cr_hold(sim, report);
  report->first_outcome = first;
  return status;
}

carom_status carom_sim_step(carom_sim* sim, carom_step_report* report, carom_error* error) {
  carom_step_report own;
  if (!sim)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "step: the simulation is null");
  CR_TRY(cr_sim_check_time(sim->time, sim->dt, error));
  CR_TRY(cr_sim_check_controls(sim, error));
  const cr_attempt whole = {.dt = sim->dt, .parts = 1};
  double end = sim->time + sim->dt;
  carom_status status = cr_step_attempt(sim, &whole, &own);
  if (status == CAROM_OK && own.outcome != CAROM_STEP_DONE) status = retry(sim, &own);
  if (status != CAROM_OK) return cr_error_memory(error);
  if (own.outcome == CAROM_STEP_DONE) sim->time = end;
  own.time = sim->time;
  if (report) *report = own;
  return cr_error_clear(error);
}
