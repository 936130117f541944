/* Left-looking factorisation over a list of panels that several tasks work off; see parallel.h.
 *
 * The order of the list is that of the longest path of operations from a panel to its root, which
 * keeps all threads at work for longest (Hu 1961); a coarse one does. */
#include "linalg/parallel.h"

#include "base/pause.h"
#include "linalg/plan.h"

#include <stdatomic.h>
#include <string.h>

#define NUM_CLASSES 1024 /* of paths by length */

/* --- The schedule -------------------------------------------------------------------------------
 */

/* Gathers updates by the panel that they change. */
static void list_incoming(const cr_plan* plan, int* start, cr_incoming* incoming) {
  int num = plan->num_supernodes;
  memset(start, 0, sizeof(int) * (size_t)(num + 1));
  for (int u = 0; u < plan->num_updates; u++) start[plan->update[u].panel]++;
  for (int s = 0, total = 0; s < num; s++) {
    total += start[s];
    start[s] = total;
  }
  start[num] = plan->num_updates;
  for (int s = num - 1; s >= 0; s--)
    for (int u = plan->supernode[s + 1].first_update - 1; u >= plan->supernode[s].first_update; u--)
      incoming[--start[plan->update[u].panel]] = (cr_incoming){s, u};
}

/* About the time that a panel takes, with all that it receives. */
static double model_time(const cr_plan* plan, int s, const int* start,
                         const cr_incoming* incoming) {
  const cr_supernode* node = &plan->supernode[s];
  double time = (double)node->width * node->width * node->rows + 1;
  for (int k = start[s]; k < start[s + 1]; k++) {
    const cr_update* u = &plan->update[incoming[k].update];
    double area = (double)u->num_columns * u->num_segments * CR_SEGMENT_ROWS;
    time += area * plan->supernode[incoming[k].source].width;
  }
  return time;
}

/* Sorts the panels by their paths, longest first; of a class the first comes first, so that none
 * stands before its descendants. */
static void sort_by_path(const double* path, int num, int* class, int* order) {
  int at[NUM_CLASSES + 1] = {0};
  double longest = 0;
  for (int s = 0; s < num; s++) longest = path[s] > longest ? path[s] : longest;
  for (int s = 0; s < num; s++) {
    class[s] = (int)((NUM_CLASSES - 1) * (1 - path[s] / longest));
    at[class[s] + 1]++;
  }
  for (int c = 0; c < NUM_CLASSES; c++) at[c + 1] += at[c];
  for (int s = 0; s < num; s++) order[at[class[s]]++] = s;
}

bool cr_schedule_build(const cr_symbolic* symbolic, cr_arena* arena, cr_schedule* schedule) {
  const cr_plan* plan = symbolic->plan;
  int num = plan->num_supernodes;
  int* order = CR_PUSH(arena, int, num);
  int* start = CR_PUSH(arena, int, num + 1);
  cr_incoming* incoming = CR_PUSH(arena, cr_incoming, plan->num_updates);
  schedule->is_done = CR_PUSH(arena, _Atomic int, num);
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  double* path = CR_SCRATCH(arena, double, num);
  int* class = CR_SCRATCH(arena, int, num);
  if (arena->failed) return false;
  list_incoming(plan, start, incoming);
  for (int s = num - 1; s >= 0; s--) {
    int parent = plan->supernode[s].parent;
    path[s] = model_time(plan, s, start, incoming) + (parent < 0 ? 0 : path[parent]);
  }
  sort_by_path(path, num, class, order);
  cr_arena_pop_scratch(arena, mark);
  schedule->order = order, schedule->start = start, schedule->incoming = incoming;
  return true;
}

/* --- The work -----------------------------------------------------------------------------------
 */

typedef struct job {
  const cr_symbolic* symbolic;
  const cr_schedule* schedule;
  cr_precision precision;
  void* factor;
  _Atomic int next;    /* in the list */
  _Atomic int64_t bad; /* first supernode with a bad pivot, and the pivot's row; see join */
} job;

/* A supernode and a row as one number that is ordered by the supernode. */
static int64_t join(int supernode, int row) { return (int64_t)supernode << 32 | row; }

static void note_bad(job* j, int64_t bad) {
  int64_t first = atomic_load(&j->bad);
  while (bad < first && !atomic_compare_exchange_weak(&j->bad, &first, bad)) continue;
}

/* Waits until a panel is done. */
static void wait_for(const _Atomic int* is_done) {
  for (int round = 0; !atomic_load_explicit(is_done, memory_order_acquire); round++)
    cr_pause(round);
}

/* Subtracts all that a panel receives, and factors it. What comes after a bad pivot has no use: the
 * first one is the one that counts, and no panel before it is left out. */
static void make_panel(job* j, int s) {
  const cr_schedule* schedule = j->schedule;
  for (int k = schedule->start[s]; k < schedule->start[s + 1]; k++) {
    const cr_incoming* in = &schedule->incoming[k];
    wait_for(&schedule->is_done[in->source]);
    if (atomic_load_explicit(&j->bad, memory_order_relaxed) < join(s, 0)) return;
    cr_cholesky_apply_update(j->symbolic, j->precision, in->source, in->update, j->factor);
  }
  int bad = cr_cholesky_factor_columns(j->symbolic, j->precision, s, j->factor);
  if (bad >= 0) note_bad(j, join(s, bad));
}

/* Works until the list is at its end. */
static void work(void* data, int index) {
  (void)index;
  job* j = data;
  const cr_plan* plan = j->symbolic->plan;
  for (;;) {
    int k = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
    if (k >= plan->num_supernodes) return;
    int s = j->schedule->order[k];
    make_panel(j, s);
    atomic_store_explicit(&j->schedule->is_done[s], 1, memory_order_release);
  }
}

int cr_cholesky_factor_parallel(const cr_symbolic* symbolic, cr_precision precision, void* factor,
                                const cr_schedule* schedule, const carom_tasks* tasks, int count) {
  const cr_plan* plan = symbolic->plan;
  job j = {symbolic, schedule, precision, factor, 0, INT64_MAX};
  for (int s = 0; s < plan->num_supernodes; s++) atomic_init(&schedule->is_done[s], 0);
  cr_tasks_run(tasks, count, work, &j);
  int64_t bad = atomic_load(&j.bad);
  return bad == INT64_MAX ? -1 : (int)(bad & INT32_MAX);
}
