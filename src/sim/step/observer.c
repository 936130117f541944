#include "sim/step/observer.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sim/state.h"

#include <string.h>

/* --- Results of the last step ------------------------------------------------------------------
 */

typedef struct result_part {
  void* data;
  size_t size;
} result_part;

#define RESULT_PARTS 6

static void list_results(const carom_sim* sim, result_part parts[RESULT_PARTS]) {
  size_t nq = sizeof(double) * (size_t)sim->model->num_q;
  size_t nv = sizeof(double) * (size_t)sim->model->num_v;
  parts[0] = (result_part){sim->contacts, sizeof *sim->contacts * (size_t)sim->num_contacts};
  parts[1] = (result_part){sim->adhesion, sizeof *sim->adhesion * (size_t)sim->num_adhesion};
  parts[2] = (result_part){sim->attached_force,
                           3 * sizeof(double) * (size_t)sim->model->soft.num_attached};
  parts[3] = (result_part){sim->q_seen, nq};
  parts[4] = (result_part){sim->v_seen, nv};
  parts[5] = (result_part){sim->a_last, nv};
}

static char* copy_results(const carom_sim* sim, char* at, bool to_simulation) {
  result_part parts[RESULT_PARTS];
  list_results(sim, parts);
  for (int i = 0; i < RESULT_PARTS; i++) {
    if (parts[i].size > 0 && to_simulation) memcpy(parts[i].data, at, parts[i].size);
    if (parts[i].size > 0 && !to_simulation) memcpy(at, parts[i].data, parts[i].size);
    at += parts[i].size;
  }
  return at;
}

static size_t find_result_size(const carom_sim* sim) {
  result_part parts[RESULT_PARTS];
  size_t size = 0;
  list_results(sim, parts);
  for (int i = 0; i < RESULT_PARTS; i++) size += parts[i].size;
  return size;
}

static bool reserve(carom_sim* sim, size_t size) {
  if (size <= sim->capacity_kept) return true;
  void* kept = cr_alloc(&sim->allocator, 2 * size);
  if (!kept) return false;
  cr_release(&sim->allocator, sim->kept, sim->capacity_kept);
  sim->kept = kept, sim->capacity_kept = 2 * size;
  return true;
}

/* --- Trials -------------------------------------------------------------------------------------
 */

carom_status cr_sim_try(carom_sim* sim, carom_status (*run)(carom_sim* sim, void* data), void* data,
                        carom_error* error) {
  int num_contacts = sim->num_contacts, num_adhesion = sim->num_adhesion;
  bool has_last = sim->has_last;
  size_t size = carom_sim_state_size(sim), whole = size + find_result_size(sim);
  if (!cr_sim_reserve_records(sim) || !reserve(sim, whole)) return cr_error_memory(error);
  cr_sim_put_away(sim, sim->kept);
  copy_results(sim, (char*)sim->kept + size, false);
  carom_status status = run(sim, data);
  CR_TRY(cr_sim_take_up(sim, sim->kept, error));
  sim->num_contacts = num_contacts, sim->num_adhesion = num_adhesion, sim->has_last = has_last;
  copy_results(sim, (char*)sim->kept + size, true);
  return status == CAROM_OK ? cr_error_clear(error) : cr_error_memory(error);
}

static carom_status step(carom_sim* sim, void* report) {
  const cr_step_observer* observer = sim->observer;
  carom_sim_forget_motion(sim);
  CR_TRY(carom_sim_step(sim, report, NULL));
  return observer->finish(observer->data, sim);
}

carom_status cr_sim_observe_step(carom_sim* sim, const cr_step_observer* observer,
                                 carom_step_report* report, carom_error* error) {
  CR_TRY(cr_sim_check_controls(sim, error));
  CR_TRY(cr_sim_check_time(sim->time, sim->dt, error));
  sim->observer = observer, sim->ahead = observer->ahead;
  carom_status status = cr_sim_try(sim, step, report, error);
  sim->observer = NULL, sim->ahead = 0;
  return status;
}
