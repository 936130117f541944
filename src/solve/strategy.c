#include "solve/strategy.h"

#include "solve/newton/primal.h"
#include "solve/tuning.h"

#include <math.h>

bool cr_strategy_is_near(const cr_strategy* s, double residual) {
  return residual <= (s->system->problem->num_rows > CR_FEW_ROWS ? CR_ROUGH : CR_NEAR);
}

double cr_strategy_choose_anchor(double residual) {
  return fmin(CR_ANCHOR, fmax(CR_NEARLY_RIGID, CR_ANCHOR_SHARE * residual));
}

double cr_strategy_choose_rough(const cr_strategy* s, double residual) {
  return fmax(s->options->tolerance, fmin(CR_ROUGH, CR_DONE * residual));
}

double cr_strategy_find_residual(cr_strategy* s, const cr_law_mode* mode) {
  cr_scratch_mark mark = cr_arena_mark_scratch(s->arena);
  double* scratch = CR_SCRATCH(s->arena, double, s->system->problem->num_rows);
  double value =
      s->arena->failed ? INFINITY : cr_certificate_value(s->system, s->iterate, mode, scratch);
  cr_arena_pop_scratch(s->arena, mark);
  return value;
}

void cr_strategy_compute_shift(const cr_strategy* s, double* shift) {
  cr_law_point point = cr_system_point(s->system, s->iterate);
  CR_FOR_EACH_LAW (k, s->system->batch)
    cr_law_get(k)->compute_shift(&s->system->batch[k], &point, shift);
}

bool cr_strategy_newton(cr_strategy* s, const cr_law_mode* mode, double tolerance,
                        const cr_newton_limits* limits) {
  cr_primal_dual_settings settings = cr_primal_dual_settings_default(s->system, tolerance);
  settings.mode = *mode;
  settings.min_iterations = 1;
  settings.patience = limits->patience;
  settings.progress = limits->progress;
  settings.slides_on_surface = limits->from == CR_FROM_LAST && s->system->smallest_R >= CR_STIFF;
  settings.max_iterations = limits->most ? limits->most : s->options->max_iterations;
  if (settings.proximal > 0) {
    settings.proximal = limits->proximal;
  } else if (limits->from == CR_FROM_FAR &&
             (mode->coulomb > 0 || s->system->smallest_R < CR_STIFF)) {
    settings.proximal = CR_ANCHOR;
    settings.drop = CR_SOFT_DROP;
  }
  s->report.outcome =
      cr_primal_dual(s->system, &settings, s->arena, s->iterate, &s->report.iterations);
  return s->report.outcome == CR_NEWTON_CONVERGED;
}

bool cr_strategy_interior(cr_strategy* s, const cr_law_mode* mode, cr_interior_start start,
                          bool corrects, double tolerance) {
  const cr_problem* p = s->system->problem;
  cr_iterate trial;
  cr_scratch_mark mark = cr_arena_mark_scratch(s->arena);
  if (!cr_iterate_init_scratch(&trial, p, s->arena)) return false;
  if (start == CR_INTERIOR_NEAR) cr_iterate_copy(s->iterate, p, &trial);
  int most = s->options->max_iterations < CR_MOST ? s->options->max_iterations : CR_MOST;
  const cr_interior_settings settings = {start, tolerance, most, corrects};
  cr_interior_point(s->system, mode, &settings, s->arena, &trial, &s->report.iterations);
  cr_iterate kept = *s->iterate;
  double before = cr_strategy_find_residual(s, mode);
  *s->iterate = trial;
  double after = cr_strategy_find_residual(s, mode);
  *s->iterate = kept;
  s->report.outer++;
  if (after < fmax(before, 10 * tolerance)) cr_iterate_copy(&trial, p, s->iterate);
  cr_arena_pop_scratch(s->arena, mark);
  return true;
}

bool cr_strategy_inside(cr_strategy* s, const cr_law_mode* mode, double tolerance,
                        const cr_inside_settings* settings, const cr_newton_limits* limits) {
  const cr_problem* p = s->system->problem;
  cr_iterate kept;
  if (!cr_strategy_interior(s, mode, settings->start, settings->corrects, settings->accuracy))
    return false;
  double inside = cr_strategy_find_residual(s, mode);
  s->report.outcome = CR_NEWTON_CONVERGED;
  if (inside <= tolerance) return true;
  if (inside > settings->farthest) return false;
  cr_scratch_mark mark = cr_arena_mark_scratch(s->arena);
  if (!cr_iterate_init_scratch(&kept, p, s->arena)) return false;
  cr_iterate_copy(s->iterate, p, &kept);
  bool done = cr_strategy_newton(s, mode, tolerance, limits);
  if (!done && cr_strategy_find_residual(s, mode) > inside) cr_iterate_copy(&kept, p, s->iterate);
  cr_arena_pop_scratch(s->arena, mark);
  return done;
}

bool cr_strategy_convex_primal(cr_strategy* s, const double* shift, double tolerance) {
  cr_primal_settings settings = {shift, tolerance, s->options->max_iterations,
                                 cr_system_is_well_posed(s->system) ? 0 : 1e-4};
  s->report.outcome = cr_primal_newton(s->system, &settings, s->arena, s->iterate,
                                       &s->report.iterations, &s->report.outer);
  return s->report.outcome == CR_NEWTON_CONVERGED;
}

double cr_strategy_interior_accuracy(const cr_system* system, double tolerance) {
  if (system->smallest_R > CR_NEARLY_RIGID) return CR_INTERIOR_LOOSE;
  return fmin(system->is_regularized ? tolerance : 10 * tolerance, CR_INTERIOR_LOOSE);
}
