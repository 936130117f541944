/* When a first-order solver stops: at the tolerance, at its limit, or where impulses no longer
 * move. A measure that stands still is no reason: redundant contacts hand impulses over to each
 * other at a constant pace, with a constant residual, and then converge. */
#include "solve/first_order/first_order.h"

#include "base/copy.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool cr_watch_init(cr_watch* watch, cr_system* system, const cr_first_order_settings* settings,
                   cr_arena* arena) {
  *watch = (cr_watch){
      .system = system, .mode = {.shift = settings->shift}, .settings = settings, .best = INFINITY};
  watch->gamma = CR_SCRATCH(arena, double, system->problem->num_rows);
  watch->last = CR_SCRATCH(arena, double, system->problem->num_rows);
  watch->scratch = CR_SCRATCH(arena, double, system->problem->num_rows);
  return !arena->failed;
}

bool cr_watch_is_due(const cr_watch* watch, int iteration) { return iteration >= watch->next; }

/* True when no impulse has moved since the last measurement. */
static bool is_still(const cr_watch* watch, const double* gamma, int iteration) {
  double moved = 0, size = 0;
  for (int r = 0; r < watch->system->problem->num_rows; r++) {
    moved = fmax(moved, fabs(gamma[r] - watch->last[r]));
    size = fmax(size, fabs(gamma[r]));
  }
  return iteration > 0 && moved <= 64 * DBL_EPSILON * size;
}

bool cr_watch_measure(cr_watch* watch, const cr_iterate* iterate, int iteration,
                      cr_newton_outcome* outcome) {
  double value = cr_certificate_value(watch->system, iterate, &watch->mode, watch->scratch);
  size_t size = sizeof(double) * (size_t)watch->system->problem->num_rows;
  int left = watch->settings->max_iterations - iteration, step = 1 + iteration / 8;
  bool still = is_still(watch, iterate->gamma, iteration);
  watch->next = iteration + (step < left ? step : left);
  memcpy(watch->last, iterate->gamma, size);
  if (value < watch->best) {
    watch->best = value;
    memcpy(watch->gamma, iterate->gamma, size);
  }
  *outcome = value <= watch->settings->tolerance ? CR_NEWTON_CONVERGED : CR_NEWTON_STALLED;
  return *outcome == CR_NEWTON_CONVERGED || left <= 0 || isnan(value) || still;
}

void cr_watch_finish(cr_watch* watch, cr_newton_outcome outcome, cr_iterate* iterate) {
  if (outcome == CR_NEWTON_CONVERGED || watch->best == INFINITY) return;
  CR_COPY(iterate->gamma, watch->gamma, watch->system->problem->num_rows);
  cr_iterate_balance(watch->system, iterate);
}
