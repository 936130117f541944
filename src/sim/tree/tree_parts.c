/* Trees in parts of a list; see tree_parts.h. */
#include "sim/tree/tree_parts.h"

/* Dofs of a part's robots below which it does not pay: the free motion of 27 takes some 7 us while
 * one falls, and to hand a part over takes one or two while the threads still look for work
 * (base/threads.c), more where they sleep. */
#define LEAST_DOFS 128

typedef struct job {
  const cr_step* step;
  const int* trees;
  cr_tree_work* work;
  int *free_iterations, *failed_tree; /* [parts] */
} job;

/* With the step as it is, but for the memory. */
static bool work_off(void* data, int index, int first, int end, cr_arena* arena) {
  const job* j = data;
  cr_step step = *j->step;
  step.arena = arena;
  bool done = true;
  for (int k = first; k < end && done; k++) done = j->work(&step, j->trees[k]);
  j->free_iterations[index] = step.free_iterations;
  j->failed_tree[index] = step.failed_tree;
  return done;
}

/* A wrench, adhesion, a spring or what bears weight is looked for on all links whenever one tree's
 * forces are computed (external.c), and lines keep what they do for several. */
static bool are_apart(const cr_step* step) {
  const carom_sim* sim = step->sim;
  return sim->num_wrenches == 0 && sim->num_adhesion == 0 &&
         step->model->body.num_compensated == 0 && step->model->force.num_springs == 0 &&
         step->model->force.line.num_lines == 0;
}

/* Bodies without joints count for nothing: there is next to nothing to do. */
static int count_parts(const cr_step* step, const int* trees, int count) {
  const cr_tree_model* model = &step->model->tree;
  int dofs = 0;
  for (int k = 0; k < count; k++)
    if (!model->tree_is_free_link[trees[k]])
      dofs += model->tree_v_start[trees[k] + 1] - model->tree_v_start[trees[k]];
  if (dofs == 0 || !are_apart(step)) return 1;
  int least = (int)((int64_t)LEAST_DOFS * count / dofs);
  return cr_solve_workers_count_parts(step->sim->workers, count, least);
}

bool cr_tree_parts_work(cr_step* step, const int* trees, int count, cr_tree_work* work) {
  int parts = count_parts(step, trees, count);
  cr_scratch_mark mark = cr_arena_mark_scratch(step->arena);
  job j = {step, trees, work, CR_SCRATCH(step->arena, int, parts),
           CR_SCRATCH(step->arena, int, parts)};
  if (step->arena->failed) return false;
  for (int i = 0; i < parts; i++) {
    j.free_iterations[i] = step->free_iterations;
    j.failed_tree[i] = step->failed_tree;
  }
  bool done = cr_solve_workers_run(step->sim->workers, parts, count, work_off, &j, step->arena);
  for (int i = 0; i < parts; i++)
    if (j.free_iterations[i] > step->free_iterations) step->free_iterations = j.free_iterations[i];
  for (int i = 0; i < parts && step->failed_tree < 0; i++) step->failed_tree = j.failed_tree[i];
  cr_arena_pop_scratch(step->arena, mark);
  return done;
}
