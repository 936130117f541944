#include "solve/newton/newton.h"

#include "solve/strategy.h"

static bool solve_with_cones(cr_strategy* s, bool warm) {
  bool is_newton = s->options->solver == CR_SOLVER_NEWTON;
  if (is_newton && s->options->effort == CR_EFFORT_BOUNDED) return cr_coulomb_step(s);
  if (cr_coulomb_solve(s, warm)) return true;
  if (s->options->effort == CR_EFFORT_FULL) return false;
  return is_newton ? cr_coulomb_step(s) : cr_coulomb_settle(s);
}

cr_newton_report cr_newton_solve(cr_system* system, const cr_solve_options* options, bool warm,
                                 cr_arena* arena, cr_iterate* iterate) {
  cr_strategy s = {.system = system, .options = options, .arena = arena, .iterate = iterate};
  s.report.outer = 1;
  bool done = options->friction == CR_FRICTION_COULOMB && cr_system_has_cones(system)
                  ? solve_with_cones(&s, warm)
                  : cr_strategy_convex(&s, NULL, options->tolerance, warm);
  if (done)
    s.report.outcome = CR_NEWTON_CONVERGED;
  else if (s.report.outcome == CR_NEWTON_CONVERGED)
    s.report.outcome = CR_NEWTON_STALLED;
  return s.report;
}
