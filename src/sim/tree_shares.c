/* Trees in shares of about as many dofs; see tree_shares.h. */
#include "sim/tree_shares.h"

/* Dofs of a share's trees below which it does not pay: the free motion of 27 takes some 7 us while
 * a robot falls, and to hand it over takes one or two while the threads still look for work
 * (base/threads.c). */
#define LEAST_DOFS 48

/* A share's trees [first, end) of the list, and what came of them. */
typedef struct tree_share {
  int first, end;
  int free_iterations;
  bool done, has_memory;
} tree_share;

typedef struct job {
  const cr_step* step;
  const int* trees;
  cr_tree_work* work;
  tree_share* shares;
} job;

static int count_dofs(const cr_step* step, int tree) {
  const int* v_start = step->model->tree.tree_v_start;
  return v_start[tree + 1] - v_start[tree];
}

static int sum_dofs(const cr_step* step, const int* trees, int count) {
  int sum = 0;
  for (int k = 0; k < count; k++) sum += count_dofs(step, trees[k]);
  return sum;
}

/* Cuts the list where the dofs up to a tree reach a share's part of all. */
static void deal(const cr_step* step, const int* trees, int count, int num_shares,
                 tree_share* shares) {
  int64_t all = sum_dofs(step, trees, count), sum = 0;
  int at = 0;
  for (int s = 0; s < num_shares; s++) {
    shares[s] = (tree_share){.first = at};
    for (; at < count && sum * num_shares < all * (s + 1); at++) sum += count_dofs(step, trees[at]);
    shares[s].end = at;
  }
}

static bool work_off(cr_step* step, const int* trees, int first, int end, cr_tree_work* work) {
  for (int k = first; k < end; k++)
    if (!work(step, trees[k])) return false;
  return true;
}

/* As a task: with the step as it is, but for the memory. */
static void run_share(void* data, int index) {
  const job* j = data;
  tree_share* share = &j->shares[index];
  cr_step step = *j->step;
  step.arena = &step.sim->team->member[index].arena;
  step.free_iterations = 0;
  cr_arena_reset(step.arena);
  share->done = work_off(&step, j->trees, share->first, share->end, j->work);
  share->has_memory = !step.arena->failed;
  share->free_iterations = step.free_iterations;
}

/* A wrench, adhesion or what bears weight is looked for on all links whenever one tree's forces are
 * computed (external.c), and lines keep what they do for several. */
static bool are_apart(const cr_step* step) {
  const carom_sim* sim = step->sim;
  return sim->num_wrenches == 0 && sim->num_pulls == 0 && step->model->body.num_compensated == 0 &&
         step->model->force.num_springs == 0 && step->model->force.line.num_lines == 0;
}

bool cr_tree_shares_run(cr_step* step, const int* trees, int count, cr_tree_work* work) {
  cr_solve_team* team = step->sim->team;
  int most = sum_dofs(step, trees, count) / LEAST_DOFS;
  int num_shares = most < team->count ? most : team->count;
  if (team->threads == 1 || num_shares < 2 || !are_apart(step))
    return work_off(step, trees, 0, count, work);
  size_t mark = cr_arena_mark_scratch(step->arena);
  tree_share* shares = CR_SCRATCH(step->arena, tree_share, num_shares);
  if (step->arena->failed) return false;
  deal(step, trees, count, num_shares, shares);
  job j = {step, trees, work, shares};
  cr_tasks_run(&team->tasks, num_shares, run_share, &j);
  bool done = true;
  for (int s = 0; s < num_shares; s++) {
    done = done && shares[s].done;
    if (!shares[s].has_memory) step->arena->failed = true;
    if (shares[s].free_iterations > step->free_iterations)
      step->free_iterations = shares[s].free_iterations;
  }
  cr_arena_pop_scratch(step->arena, mark);
  return done;
}
