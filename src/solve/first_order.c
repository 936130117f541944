/* When a first-order solver stops: at the tolerance, at its limit, or where a long stretch brought
 * next to nothing, so that the tolerance is out of reach of any number of iterations worth waiting
 * for. */
#include "solve/first_order.h"

#include <math.h>
#include <string.h>

#define PATIENCE 1000 /* iterations within which the measure must fall */
#define PROGRESS 0.8  /* to this share: six digits in 60,000 iterations */

bool cr_watch_init(cr_watch* watch, cr_system* system, const cr_first_order_settings* settings,
                   cr_arena* arena) {
  *watch = (cr_watch){.system = system,
                      .mode = {.shift = settings->shift},
                      .settings = settings,
                      .best = INFINITY,
                      .reference = INFINITY};
  watch->gamma = CR_SCRATCH(arena, double, system->problem->num_rows);
  watch->scratch = CR_SCRATCH(arena, double, system->problem->num_rows);
  return !arena->failed;
}

bool cr_watch_is_due(const cr_watch* watch, int iteration) { return iteration >= watch->next; }

bool cr_watch_measure(cr_watch* watch, const cr_iterate* iterate, int iteration,
                      cr_newton_outcome* outcome) {
  double value = cr_measure_value(watch->system, iterate, &watch->mode, watch->scratch);
  size_t size = sizeof(double) * (size_t)watch->system->problem->num_rows;
  int left = watch->settings->max_iterations - iteration, step = 1 + iteration / 8;
  watch->next = iteration + (step < left ? step : left);
  if (value < watch->best) {
    watch->best = value;
    memcpy(watch->gamma, iterate->gamma, size);
  }
  if (value <= PROGRESS * watch->reference)
    watch->reference = value, watch->reference_at = iteration;
  *outcome = value <= watch->settings->tolerance ? CR_NEWTON_CONVERGED : CR_NEWTON_STALLED;
  return *outcome == CR_NEWTON_CONVERGED || left <= 0 || isnan(value) ||
         iteration - watch->reference_at > PATIENCE;
}

void cr_watch_finish(cr_watch* watch, cr_newton_outcome outcome, cr_iterate* iterate) {
  if (outcome == CR_NEWTON_CONVERGED || watch->best == INFINITY) return;
  memcpy(iterate->gamma, watch->gamma, sizeof(double) * (size_t)watch->system->problem->num_rows);
  cr_iterate_balance(watch->system, iterate);
}
