#include "sim/step/observer.h"

#include "base/alloc.h"
#include "base/error.h"

carom_status cr_sim_try(carom_sim* sim, carom_status (*run)(carom_sim* sim, void* data), void* data,
                        carom_error* error) {
  size_t size = carom_sim_state_size(sim);
  if (!cr_sim_reserve_records(sim)) return cr_error_memory(error);
  void* state = cr_alloc(&sim->allocator, size);
  if (!state) return cr_error_memory(error);
  carom_sim_save(sim, state);
  carom_status status = run(sim, data);
  carom_status restored = carom_sim_restore(sim, state, size, error);
  cr_release(&sim->allocator, state, size);
  if (restored != CAROM_OK) return restored;
  return status == CAROM_OK ? cr_error_clear(error) : cr_error_memory(error);
}

static carom_status step(carom_sim* sim, void* report) { return carom_sim_step(sim, report, NULL); }

carom_status cr_sim_observe_step(carom_sim* sim, const cr_step_observer* observer,
                                 carom_step_report* report, carom_error* error) {
  CR_TRY(cr_sim_check_controls(sim, error));
  CR_TRY(cr_sim_check_time(sim->time, sim->dt, error));
  sim->observer = observer;
  carom_status status = cr_sim_try(sim, step, report, error);
  sim->observer = NULL;
  return status;
}
