/* From contact points and model rows to the convex problem: which movers take part, Jacobians in
 * their blocks, A and its factor, Delassus blocks; R and v_hat are compliance.c's. */
#include "sim/rows/assemble.h"

#include "linalg/incomplete.h"
#include "sim/mover.h"
#include "sim/rows/assemble_rows.h"
#include "sim/rows/compliance.h"
#include "sim/rows/row_values.h"
#include "sim/rows/tension.h"
#include "sim/tree/tree_factor.h"

#include <math.h>
#include <string.h>

#define ROUND_OFF       1e-15 /* m, of distances: what is at rest may move so far in a step */
#define LEAST_TOLERANCE 1e-12 /* down to which round-off counts as solved */
#define ROUND_OFF_GAIN  7e-12 /* of velocities, over sqrt(R / W) of the stiffest rows */
#define LEAST_GROUPS    256   /* of a part that computes Delassus blocks: 0.1 us each and more */

/* --- Which movers take part ---------------------------------------------------------------------
 */

static void mark_link(const cr_step* step, int link, int* marks) {
  int tree = step->model->tree.link_tree[link];
  if (tree >= 0) marks[tree] = 1;
}

static cr_result list_movers(cr_step* step, const cr_contact_points* points,
                             const cr_model_rows* rows, int** movers, int* count) {
  int num_movers = step->model->num_movers;
  int* marks = CR_PUSH(step->problem_arena, int, num_movers);
  *movers = CR_PUSH(step->problem_arena, int, num_movers);
  if (step->problem_arena->failed) return CR_NO_MEMORY;
  memset(marks, 0, sizeof(int) * (size_t)num_movers);
  for (int i = 0; i < points->count; i++)
    for (int k = 0; k < 2 && points->items[i].is_active; k++)
      mark_link(step, points->items[i].link[k], marks);
  for (int i = 0; i < rows->count; i++) {
    if (!rows->items[i].is_active) continue;
    for (int k = 0, link; (link = cr_model_row_get_link(step->model, &rows->items[i], k)) >= 0; k++)
      mark_link(step, link, marks);
  }
  for (int k = 0; k < CR_MOVER_KINDS; k++)
    CR_TRY(cr_mover_kind_at(k)->choose(step, points, rows, marks));
  *count = 0;
  for (int t = 0; t < num_movers; t++)
    if (marks[t]) (*movers)[(*count)++] = t;
  return CR_DONE;
}

/* --- A, velocities, Delassus blocks -------------------------------------------------------------
 */

/* What the movers bring to A. */
static cr_result factor_movers(cr_step* step, const cr_blocks* blocks) {
  for (int k = 0; k < CR_MOVER_KINDS; k++) CR_TRY(cr_mover_kind_at(k)->factor(step, blocks));
  return CR_DONE;
}

static void take_A(cr_step_problem* out) {
  out->problem.pattern = out->blocks.pattern;
  out->problem.num_elastic = out->blocks.pattern.num_blocks - out->blocks.num_segments;
  out->problem.A = out->blocks.values;
}

/* Iterations beyond which a factor of A would be cheaper; 0 where it is not too large for one. */
static int sum_iterations(const cr_step* step, const cr_blocks* blocks) {
  int sum = 0;
  for (int k = 0; k < blocks->num_movers; k++) {
    const cr_mover_kind* kind = cr_mover_of(step->model, blocks->movers[k]);
    if (kind->count_iterations) sum += kind->count_iterations(step, blocks->movers[k]);
  }
  return sum;
}

/* A without a factor, and the diagonal matrix that it is no less than. */
static cr_result compute_A(cr_step* step, const cr_model_rows* rows, cr_step_problem* out) {
  const cr_blocks* blocks = &out->blocks;
  double* least = CR_PUSH(step->problem_arena, double, blocks->pattern.num_rows);
  if (step->problem_arena->failed) return CR_NO_MEMORY;
  CR_TRY(factor_movers(step, blocks));
  cr_blocks_update(step, &out->blocks);
  if (!cr_tension_add_blocks(step, rows, &out->blocks, &out->tension)) return CR_NO_MEMORY;
  memset(least, 0, sizeof(double) * (size_t)blocks->pattern.num_rows);
  for (int k = 0; k < blocks->num_movers; k++) {
    const cr_mover_kind* kind = cr_mover_of(step->model, blocks->movers[k]);
    if (kind->fill_least) kind->fill_least(step, blocks->movers[k], blocks, least);
  }
  take_A(out);
  out->problem.A_least = least;
  out->problem.most_iterations = sum_iterations(step, blocks);
  return CR_DONE;
}

/* The factor of A: of a tree alone its own; of several theirs side by side where there are any,
 * else made from the blocks.
 * @param is_own A is that of the trees and nothing else */
static cr_result make_factor(cr_step* step, bool is_own, cr_step_problem* out,
                             const double** factor) {
  cr_arena* arena = step->problem_arena;
  const cr_blocks* blocks = &out->blocks;
  cr_symbolic* symbolic = &out->A_symbolic;
  int tree = blocks->movers[0];
  bool has_any = is_own && cr_tree_factor_has_any(step, blocks);
  if (blocks->num_movers == 1 && has_any) {
    *symbolic = step->sim->plan.symbolic[tree];
    *factor = step->factor[tree];
    return CR_DONE;
  }
  if (!cr_solve_cache_analyze(cr_solve_workers_cache(step->sim->workers), &blocks->pattern,
                              CR_ORDERING_REVERSE, arena, symbolic))
    return CR_NO_MEMORY;
  double* made = CR_PUSH(arena, double, symbolic->factor_size);
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  double* scratch = CR_SCRATCH(arena, double, symbolic->scratch_size);
  if (arena->failed) return CR_NO_MEMORY;
  int bad = -1;
  if (!has_any || !cr_tree_factor_join(step, blocks, symbolic, made)) {
    cr_cholesky_load(symbolic, blocks->values, made);
    bad = cr_cholesky_factor(symbolic, made, scratch);
  }
  cr_arena_pop_scratch(arena, mark);
  *factor = made;
  return arena->failed ? CR_NO_MEMORY : bad < 0 ? CR_DONE : CR_UNSOLVED;
}

static cr_result factor_A(cr_step* step, const cr_model_rows* rows, cr_step_problem* out) {
  CR_TRY(factor_movers(step, &out->blocks));
  cr_blocks_update(step, &out->blocks);
  if (!cr_tension_add_blocks(step, rows, &out->blocks, &out->tension)) return CR_NO_MEMORY;
  CR_TRY(make_factor(step, !cr_tension_has_any(&out->tension), out, &out->problem.A_factor));
  take_A(out);
  out->problem.A_symbolic = &out->A_symbolic;
  return CR_DONE;
}

/* x <- A^-1 x with x = 0 in elastic blocks, to which the others are not coupled. */
static bool solve_segments(const cr_step* step, const cr_step_problem* out, double* x) {
  const cr_problem* p = &out->problem;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  if (p->A_least) {
    cr_incomplete inner;
    if (!cr_incomplete_init(&p->pattern, step->arena, &inner)) return false;
    if (!cr_incomplete_factor(&inner, p->A, p->A_least)) x[0] = NAN;
    cr_incomplete_solve(&inner, out->blocks.num_segments, x);
  } else {
    double* scratch = CR_SCRATCH(step->arena, double, out->A_symbolic.scratch_size);
    if (step->arena->failed) return false;
    cr_cholesky_solve(&out->A_symbolic, p->A_factor, x, 1, p->pattern.num_rows, scratch);
  }
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

/* v* = v_lin - A^-1 m(v_lin): the balance of momentum linearised at v_lin. */
static cr_result linearize_balance(cr_step* step, cr_step_problem* out) {
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  int n = out->problem.pattern.num_rows;
  double* residual = CR_SCRATCH(step->arena, double, step->model->num_v);
  double* x = CR_SCRATCH(step->arena, double, n);
  double* lin = CR_SCRATCH(step->arena, double, n);
  if (step->arena->failed) return CR_NO_MEMORY;
  memset(residual, 0, sizeof(double) * (size_t)step->model->num_v);
  for (int k = 0; k < CR_MOVER_KINDS; k++)
    if (cr_mover_kind_at(k)->find_residual)
      cr_mover_kind_at(k)->find_residual(step, &out->blocks, residual);
  cr_blocks_gather(step, &out->blocks, residual, x);
  cr_blocks_gather(step, &out->blocks, step->v_lin, lin);
  if (!solve_segments(step, out, x)) return CR_NO_MEMORY;
  for (int i = 0; i < n; i++) x[i] = lin[i] - x[i];
  cr_blocks_scatter(step, &out->blocks, x, step->v_star);
  cr_arena_pop_scratch(step->arena, mark);
  for (int k = 0; k < CR_MOVER_KINDS; k++)
    if (cr_mover_kind_at(k)->linearize) CR_TRY(cr_mover_kind_at(k)->linearize(step, &out->blocks));
  return CR_DONE;
}

static bool compute_delassus_part(void* data, int index, int first, int end, cr_arena* arena) {
  (void)index;
  const cr_step_problem* out = data;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  double* scratch = CR_SCRATCH(arena, double, out->A_symbolic.scratch_size);
  if (arena->failed) return false;
  cr_problem_compute_delassus_of(&out->problem, first, end, out->W, scratch);
  cr_arena_pop_scratch(arena, mark);
  return true;
}

/* Delassus blocks, several threads together where there are many. */
static bool compute_delassus(cr_step* step, cr_step_problem* out) {
  cr_solve_workers* workers = step->sim->workers;
  int num_groups = out->problem.num_groups;
  int parts = cr_solve_workers_count_parts(workers, num_groups, LEAST_GROUPS);
  return cr_solve_workers_run(workers, parts, num_groups, compute_delassus_part, out,
                              step->problem_arena);
}

/* What relative measures take smaller velocities for: round-off of positions, and of the velocities
 * themselves, which rows of a small R turn into impulses that are off by 1 / R of it: by their
 * certificate (docs/theory.md, "Duality theorem") velocities by round-off over sqrt(R / W). */
static double find_velocity_floor(const cr_step* step, const double* v0, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(v0[i]));
  return fmax(ROUND_OFF / step->dt, ROUND_OFF_GAIN * most) /
         fmax(step->sim->def.tolerance, LEAST_TOLERANCE);
}

static bool compute_velocities(cr_step* step, cr_step_problem* out) {
  cr_arena* arena = step->problem_arena;
  cr_problem* p = &out->problem;
  int n = p->pattern.num_rows, rows = p->num_rows;
  out->v_star = CR_PUSH(arena, double, n);
  out->v0 = CR_PUSH(arena, double, n);
  out->v_c0 = CR_PUSH(arena, double, rows);
  out->v_c_lin = CR_PUSH(arena, double, rows);
  out->W = CR_PUSH(arena, double, p->ld* rows);
  out->gamma = CR_PUSH(arena, double, rows);
  out->recovery_share = CR_PUSH(arena, double, p->num_constraints);
  out->next_share = CR_PUSH(arena, double, p->num_constraints);
  out->num_softened = 0;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  double* lin = CR_SCRATCH(arena, double, n);
  double* local = CR_SCRATCH(arena, double, cr_problem_scratch_size(p));
  if (arena->failed) return false;
  cr_blocks_gather(step, &out->blocks, step->v_star, out->v_star);
  cr_blocks_gather(step, &out->blocks, step->v0, out->v0);
  cr_blocks_gather(step, &out->blocks, step->v_lin, lin);
  bool is_star = memcmp(lin, out->v_star, sizeof(double) * (size_t)n) == 0;
  cr_problem_apply_J(p, out->v0, out->v_c0, local);
  cr_problem_apply_J(p, lin, out->v_c_lin, local);
  if (p->A_least ? !cr_problem_estimate_delassus(p, arena, out->W) : !compute_delassus(step, out))
    return false;
  cr_arena_pop_scratch(arena, mark);
  p->v_star = out->v_star, p->v0 = out->v0, p->W = out->W;
  p->v_c0 = out->v_c0;
  if (is_star) p->v_c_star = out->v_c_lin;
  p->velocity_floor = find_velocity_floor(step, out->v0, n);
  return true;
}

cr_result cr_step_assemble(cr_step* step, const cr_contact_points* points,
                           const cr_model_rows* rows, cr_step_problem* out) {
  cr_assembly assembly;
  int *movers, count, *order;
  *out = (cr_step_problem){.points = points};
  cr_arena_reset(step->problem_arena);
  CR_TRY(list_movers(step, points, rows, &movers, &count));
  if (count == 0) return CR_DONE;
  if (!cr_tension_find_strands(step) ||
      !cr_blocks_init(step, movers, count, step->problem_arena, &out->blocks) ||
      !cr_assemble_rows(step, points, rows, out, &assembly))
    return CR_NO_MEMORY;
  if (!cr_assembly_finish(&assembly, step->problem_arena, &out->problem, &order))
    return CR_NO_MEMORY;
  out->order = order;
  bool is_iterative = sum_iterations(step, &out->blocks) > 0;
  cr_result result = is_iterative ? compute_A(step, rows, out) : factor_A(step, rows, out);
  step->num_strands = 0;
  CR_TRY(result);
  if (step->relinearised) CR_TRY(linearize_balance(step, out));
  if (!compute_velocities(step, out)) return CR_NO_MEMORY;
  if (!cr_compliance_set(step, points, out)) return CR_NO_MEMORY;
  cr_assemble_guess(step, points, out);
  return CR_DONE;
}
