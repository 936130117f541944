/* The solution of a step's convex problem, and what of it goes into the report. */
#include "sim/step/solution.h"

#include "base/copy.h"
#include "base/error.h"
#include "convex/convert.h"
#include "math/scalar.h"
#include "sim/mover.h"
#include "sim/rows/origin.h"
#include "solve/solve.h"

#include <math.h>

static cr_solver_kind solver_kind(carom_solver solver) {
  switch (solver) {
  case CAROM_SOLVER_PRIMAL:
    return CR_SOLVER_PRIMAL;
  case CAROM_SOLVER_PGS:
    return CR_SOLVER_PGS;
  case CAROM_SOLVER_APGD:
    return CR_SOLVER_APGD;
  case CAROM_SOLVER_IPM:
    return CR_SOLVER_IPM;
  default:
    return CR_SOLVER_NEWTON;
  }
}

/* Impulses of the last step go with its velocities; those of a solution that is sought anew in the
 * same step go with its own. */
static cr_start choose_start(const cr_step* step, const cr_step_problem* p) {
  if (!p->has_guess) return CR_START_COLD;
  return step->guess == &step->sim->memory ? CR_START_VELOCITIES : CR_START_IMPULSES;
}

static cr_solve_options solver_options(const carom_sim* sim) {
  cr_solve_options options = cr_solve_options_default();
  options.solver = solver_kind(sim->def.solver);
  bool exact =
      sim->def.friction == CAROM_FRICTION_COULOMB || sim->def.friction == CAROM_FRICTION_ANCHORED;
  options.friction = exact ? CR_FRICTION_COULOMB : CR_FRICTION_CONVEX;
  options.tolerance = sim->def.tolerance;
  options.max_iterations = sim->def.max_iterations;
  options.budget = sim->memory.count > 0 ? CR_BUDGET_BOUNDED : CR_BUDGET_START;
  return options;
}

static void add_solve_report(const cr_solve_report* solve, carom_step_report* report) {
  report->islands = solve->islands;
  report->relaxed_islands = solve->relaxed;
  report->iterations = int_max(report->iterations, solve->iterations);
  report->outer_iterations = int_max(report->outer_iterations, solve->outer_iterations);
  report->factorizations += solve->factorizations;
  report->residual = solve->residual;
  report->coulomb_residual = solve->coulomb_residual;
  report->error_bound = solve->relative_gap;
}

/* Keeps a copy of the problem for who asked for it. */
static cr_result capture(const cr_step* step, const cr_step_problem* p) {
  carom_sim* sim = step->sim;
  const cr_convex_copy_def def = {.allocator = &sim->allocator,
                                  .name = carom_model_get_name(step->model),
                                  .dt = step->dt,
                                  .order = p->order,
                                  .guess = p->has_guess ? p->gamma : NULL};
  carom_problem_destroy(*sim->capture);
  *sim->capture = NULL;
  if (!cr_origins_keep(step, p)) return CR_NO_MEMORY;
  carom_status status = cr_convex_copy(&p->problem, &def, sim->capture, NULL);
  return status == CAROM_ERROR_OUT_OF_MEMORY ? CR_NO_MEMORY : CR_DONE;
}

/* What is kept of the order of elimination, by the blocks of the problem. */
static bool give_order(const cr_step* step, cr_step_problem* p) {
  const int* segment = p->blocks.block_segment;
  int count = p->problem.pattern.num_blocks;
  p->problem.order = NULL;
  if (!step->order || !cr_order_is_kept(count)) return true;
  p->problem.order = CR_PUSH(step->problem_arena, cr_order_record, count);
  if (step->problem_arena->failed) return false;
  for (int b = 0; b < count; b++) p->problem.order[b] = step->order[segment[b]];
  return true;
}

static void take_order(cr_step* step, const cr_step_problem* p) {
  const int* segment = p->blocks.block_segment;
  for (int b = 0; p->problem.order && b < p->problem.pattern.num_blocks; b++)
    step->order[segment[b]] = p->problem.order[b];
}

bool cr_solution_scatter(cr_step* step, const cr_step_problem* p, const double* v) {
  cr_blocks_scatter(step, &p->blocks, v, step->v);
  for (int k = 0; k < p->blocks.num_movers; k++) {
    const cr_mover_kind* kind = cr_mover_of(step->model, p->blocks.movers[k]);
    if (kind->complete && !kind->complete(step, p->blocks.movers[k])) return false;
  }
  return true;
}

cr_result cr_solution_find(cr_step* step, cr_step_problem* p, double** v_c,
                           carom_step_report* report) {
  int n = p->problem.pattern.num_rows;
  CR_COPY(step->v, step->v_star, step->model->num_v);
  if (p->problem.num_constraints == 0) return CR_DONE;
  *v_c = CR_PUSH(step->problem_arena, double, p->problem.num_rows);
  double* v = CR_PUSH(step->problem_arena, double, n);
  double* local = CR_PUSH(step->problem_arena, double, cr_problem_scratch_size(&p->problem));
  if (step->problem_arena->failed || !give_order(step, p)) return CR_NO_MEMORY;
  if (step->sim->capture) CR_TRY(capture(step, p));
  cr_solve_options options = solver_options(step->sim);
  options.start = choose_start(step, p);
  cr_solve_report solved;
  carom_status status = cr_solve(&p->problem, &options, step->sim->workers, step->problem_arena, v,
                                 p->gamma, &solved);
  if (status != CAROM_OK) return CR_NO_MEMORY;
  take_order(step, p);
  add_solve_report(&solved, report);
  p->num_relaxed = solved.relaxed;
  if (solved.failed_block >= 0) step->failed_tree = p->blocks.block_mover[solved.failed_block];
  if (!cr_solution_scatter(step, p, v)) return CR_NO_MEMORY;
  cr_problem_apply_J(&p->problem, v, *v_c, local);
  return solved.failed_block < 0 ? CR_DONE : CR_UNSOLVED;
}
