/* Analyses of the trees' matrices outlive the steps; a factor lives as long as its matrix. */
#include "sim/tree/tree_factor.h"

#include "sim/tree/tree_matrix.h"
#include "sim/tree/tree_parts.h"
#include "tree/factor.h"

/* --- Analysis -----------------------------------------------------------------------------------
 */

/* Neighbours of one kind, as a row of robots or a pile, share one analysis. */
bool cr_tree_factor_plan(carom_sim* sim) {
  const cr_tree_model* model = &sim->model->tree;
  cr_symbolic* symbolic = CR_PUSH(&sim->fixed, cr_symbolic, model->num_trees);
  const cr_symbolic* last = NULL;
  if (sim->fixed.failed) return false;
  for (int t = 0; t < model->num_trees; t++) {
    cr_bsm_pattern pattern;
    symbolic[t] = (cr_symbolic){0};
    if (sim->plan.has_spring[t]) continue;
    if (!cr_tree_build_pattern(model, t, &sim->arena, &pattern)) return false;
    if (last && cr_symbolic_matches(last, &pattern))
      symbolic[t] = *last;
    else if (!cr_symbolic_analyze(&pattern, CR_ORDERING_REVERSE, &sim->fixed, &symbolic[t]))
      return false;
    last = &symbolic[t];
  }
  cr_arena_reset(&sim->arena);
  sim->plan.symbolic = symbolic;
  return true;
}

/* --- One tree -----------------------------------------------------------------------------------
 */

bool cr_tree_factor_reserve(cr_step* step, int tree) {
  if (!step->factor[tree])
    step->factor[tree] = CR_PUSH(step->arena, double, step->sim->plan.symbolic[tree].factor_size);
  return !step->arena->failed;
}

bool cr_tree_factor_update(cr_step* step, int tree) {
  const cr_symbolic* symbolic = &step->sim->plan.symbolic[tree];
  cr_placement* at = &step->placement[tree];
  const double* M = cr_step_find_matrix(step, tree);
  if (at->has_factor) return true;
  if (!cr_tree_factor_reserve(step, tree)) return false;
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* scratch = CR_SCRATCH(step->arena, double, symbolic->scratch_size);
  if (step->arena->failed) return false;
  cr_tree_load_matrix(symbolic, M, step->factor[tree]);
  at->has_factor = cr_cholesky_factor(symbolic, step->factor[tree], scratch) < 0;
  cr_arena_pop_scratch(step->arena, mark);
  return at->has_factor;
}

bool cr_tree_factor_solve(cr_step* step, int tree, double* x) {
  const cr_symbolic* symbolic = &step->sim->plan.symbolic[tree];
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  double* scratch = CR_SCRATCH(step->arena, double, symbolic->scratch_size);
  if (step->arena->failed) return false;
  cr_cholesky_solve(symbolic, step->factor[tree], x + step->model->tree.tree_v_start[tree], 1,
                    symbolic->pattern.num_rows, scratch);
  cr_arena_pop_scratch(step->arena, mark);
  return true;
}

/* --- Several ------------------------------------------------------------------------------------
 */

/* Listed trees stand first. */
static bool is_tree(const cr_step* step, const cr_blocks* blocks, int k) {
  return k < blocks->num_movers && blocks->movers[k] < step->model->tree.num_trees;
}

int cr_tree_factor_count(const cr_step* step, const cr_blocks* blocks) {
  int count = 0;
  while (is_tree(step, blocks, count)) count++;
  return count;
}

bool cr_tree_factor_has_any(const cr_step* step, const cr_blocks* blocks) {
  for (int k = 0; is_tree(step, blocks, k); k++)
    if (step->placement[blocks->movers[k]].has_factor) return true;
  return false;
}

static bool make_matrix(cr_step* step, int tree) {
  cr_step_find_matrix(step, tree);
  return true;
}

bool cr_tree_factor_make_matrices(cr_step* step, const cr_blocks* blocks) {
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  int *trees = CR_SCRATCH(step->arena, int, blocks->num_movers), count = 0;
  if (step->arena->failed) return false;
  for (int k = 0; is_tree(step, blocks, k); k++) {
    int tree = blocks->movers[k];
    if (step->sim->plan.has_spring[tree]) continue;
    if (!step->placement[tree].has_matrix) trees[count++] = tree;
  }
  bool done = cr_tree_parts_work(step, trees, count, make_matrix);
  cr_arena_pop_scratch(step->arena, mark);
  return done;
}

bool cr_tree_factor_join(cr_step* step, const cr_blocks* blocks, const cr_symbolic* symbolic,
                         double* factor) {
  int first = 0;
  for (int k = 0; k < blocks->num_movers; k++) {
    int tree = blocks->movers[k];
    bool has_analysis = tree < step->model->tree.num_trees && !step->sim->plan.has_spring[tree];
    if (!has_analysis || !cr_tree_factor_update(step, tree)) return false;
    const cr_symbolic* part = &step->sim->plan.symbolic[tree];
    if (!cr_cholesky_insert(part, step->factor[tree], symbolic, first, factor)) return false;
    first += part->pattern.num_blocks;
  }
  return true;
}
