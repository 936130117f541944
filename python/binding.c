/* Steps in one call, so that Python is asked only now and then whether to go on. */
#include "binding.h"

#include <time.h>

static double wall_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void add(carom_python_totals* totals, const carom_step_report* report) {
  bool is_failed = report->outcome != CAROM_STEP_DONE;
  bool is_repeated =
      report->first_outcome == CAROM_STEP_ENERGY || report->first_outcome == CAROM_STEP_PASSED;
  bool is_retried = report->first_outcome != CAROM_STEP_DONE && !is_repeated;
  totals->steps++;
  totals->failed_steps += is_failed || is_retried;
  if (report->residual > totals->residual) totals->residual = report->residual;
}

carom_status carom_python_step(carom_sim* sim, const carom_python_run* run,
                               carom_python_totals* totals, carom_step_report* report,
                               carom_error* error) {
  double start = wall_time(), before = start;
  for (int i = 0; i < run->count; i++) {
    carom_status status = carom_sim_step(sim, report, error);
    if (status != CAROM_OK) return status;
    add(totals, report);
    if (report->outcome != CAROM_STEP_DONE) break;
    double now = wall_time();
    if (run->recorder) status = carom_recorder_append(run->recorder, report, now - before, error);
    if (status != CAROM_OK) return status;
    if (now - start > run->seconds) break;
    before = now;
  }
  return CAROM_OK;
}
