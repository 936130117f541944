/* Where a step is linearised; see linearization.h. */
#include "sim/step/linearization.h"

#include "base/copy.h"

bool cr_linearization_init(cr_step* step, cr_linearization* at) {
  at->v_lin = CR_PUSH(step->arena, double, step->model->num_v);
  at->v_star = CR_PUSH(step->arena, double, step->model->num_v);
  at->free = CR_PUSH(step->arena, double, step->model->num_v);
  at->relinearised = 0;
  return !step->arena->failed;
}

static void copy(const cr_step* step, const double* from, double* to) {
  CR_COPY(to, from, step->model->num_v);
}

void cr_linearization_advance(cr_step* step, cr_linearization* at) {
  copy(step, step->v_lin, at->v_lin);
  copy(step, step->v_star, at->v_star);
  if (step->relinearised == 0) copy(step, step->v_star, at->free);
  at->relinearised = step->relinearised++;
  cr_step_linearize(step, step->v);
  /* Of trees that no constraint touches any more; v* of the others follows. */
  CR_COPY(step->v_star, at->free, step->model->tree.num_v);
}

void cr_linearization_restore(cr_step* step, const cr_linearization* at) {
  cr_step_linearize(step, at->v_lin);
  copy(step, at->v_star, step->v_star);
  step->relinearised = at->relinearised;
}

bool cr_linearization_measure(cr_step* step, const cr_step_problem* problem, double* move) {
  int n = problem->problem.pattern.num_rows, num_v = step->model->num_v;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* d = CR_SCRATCH(step->arena, double, num_v);
  double* x = CR_SCRATCH(step->arena, double, n);
  double* Ax = CR_SCRATCH(step->arena, double, n);
  if (step->arena->failed) return false;
  for (int i = 0; i < num_v; i++) d[i] = step->v[i] - step->v_lin[i];
  cr_blocks_gather(step, &problem->blocks, d, x);
  cr_bsm_multiply(&problem->problem.pattern, problem->problem.A, x, Ax);
  *move = 0;
  for (int i = 0; i < n; i++) *move += x[i] * Ax[i];
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}
