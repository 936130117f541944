/* The solvers by name: each takes the convex problem with a frozen De Saxce term to a tolerance. */
#include "solve/driver.h"
#include "solve/first_order/accelerated.h"
#include "solve/first_order/gauss_seidel.h"
#include "solve/interior/interior_point.h"
#include "solve/tuning.h"

#include <math.h>

typedef bool convex_solver(cr_strategy* s, const double* shift, double tolerance, bool warm);

static bool run_newton(cr_strategy* s, const double* shift, double tolerance, bool warm) {
  return cr_driver_solve(
      s, &(cr_target){.mode = {.shift = shift}, .tolerance = tolerance, .warm = warm});
}

static bool run_primal(cr_strategy* s, const double* shift, double tolerance, bool warm) {
  (void)warm;
  return cr_strategy_convex_primal(s, shift, tolerance);
}

static cr_first_order_settings first_order(const cr_strategy* s, const double* shift,
                                           double tolerance) {
  int most = CR_SOLVE_CHEAP * s->options->max_iterations - s->report.iterations;
  return (cr_first_order_settings){shift, tolerance, most > 0 ? most : 0};
}

/* Whether the interior point reaches the tolerance from a start. */
static bool run_interior_from(cr_strategy* s, const cr_law_mode* mode, cr_interior_start start,
                              double tolerance) {
  int most = s->options->max_iterations;
  const cr_interior_settings settings = {start, tolerance, most < CR_MOST ? most : CR_MOST, true};
  s->report.outcome =
      cr_interior_point(s->system, mode, &settings, s->arena, s->iterate, &s->report.iterations);
  return s->report.outcome == CR_NEWTON_CONVERGED;
}

/* Where round-off ends an interior point, impulse and slack are on their cones' surfaces but for
 * the root of what their product has left, which a few Newton steps take away. */
static bool cross_over(cr_strategy* s, const cr_law_mode* mode, double tolerance) {
  const cr_newton_limits limits = {3e-6, 8, 0.1, 8, CR_FROM_ANY};
  return !s->arena->failed && cr_strategy_newton(s, mode, tolerance, &limits);
}

/* A guess is moved off the boundary first, unless it is good enough as it stands; where that does
 * not get on it starts anew, and so it does where rows are rigid, unless the guess is near: their
 * impulses may lie in valleys. Newton steps end what is nearly solved, at last Gauss-Seidel sweeps.
 */
static bool run_interior(cr_strategy* s, const double* shift, double tolerance, bool warm) {
  const cr_law_mode mode = {.shift = shift};
  s->report.outcome = CR_NEWTON_CONVERGED;
  double value = warm ? cr_strategy_find_residual(s, &mode) : INFINITY;
  if (value <= tolerance) return true;
  bool is_near = warm && (s->system->is_regularized || value < CR_ROUGH);
  if (is_near) {
    if (run_interior_from(s, &mode, CR_INTERIOR_NEAR, tolerance)) return true;
    bool is_nearly_done =
        !s->arena->failed && cr_strategy_find_residual(s, &mode) < CR_INTERIOR_LOOSE;
    if (is_nearly_done && cross_over(s, &mode, tolerance)) return true;
  }
  if (s->arena->failed) return false;
  if (run_interior_from(s, &mode, CR_INTERIOR_COLD, tolerance)) return true;
  if (cross_over(s, &mode, tolerance)) return true;
  if (s->arena->failed) return false;
  cr_first_order_settings settings = first_order(s, shift, tolerance);
  s->report.outcome =
      cr_gauss_seidel(s->system, &settings, s->arena, s->iterate, &s->report.iterations);
  return s->report.outcome == CR_NEWTON_CONVERGED;
}

static bool run_gauss_seidel(cr_strategy* s, const double* shift, double tolerance, bool warm) {
  (void)warm;
  cr_first_order_settings settings = first_order(s, shift, tolerance);
  s->report.outcome =
      cr_gauss_seidel(s->system, &settings, s->arena, s->iterate, &s->report.iterations);
  return s->report.outcome == CR_NEWTON_CONVERGED;
}

static bool run_accelerated(cr_strategy* s, const double* shift, double tolerance, bool warm) {
  (void)warm;
  cr_first_order_settings settings = first_order(s, shift, tolerance);
  s->report.outcome =
      cr_accelerated(s->system, &settings, s->arena, s->iterate, &s->report.iterations);
  return s->report.outcome == CR_NEWTON_CONVERGED;
}

bool cr_strategy_convex(cr_strategy* s, const double* shift, double tolerance, bool warm) {
  static convex_solver* const solvers[CR_SOLVER_COUNT] = {
      [CR_SOLVER_NEWTON] = run_newton,    [CR_SOLVER_PRIMAL] = run_primal,
      [CR_SOLVER_PGS] = run_gauss_seidel, [CR_SOLVER_APGD] = run_accelerated,
      [CR_SOLVER_IPM] = run_interior,
  };
  return solvers[s->options->solver](s, shift, tolerance, warm);
}
