/* Orders that new couplings have spoilt (see ordering.h).
 *
 * Where blocks of two subtrees become neighbours, the one that is eliminated later, y, becomes the
 * parent of the other subtree's root c, and everything between y and the block z that parted the
 * subtrees receives what c leaves. Eliminated directly before z, y alone is what both subtrees
 * receive. After y, z is the first row that c leaves, or among the first where there are more new
 * couplings than one. */
#include "base/copy.h"
#include "linalg/ordering.h"

#include <math.h>

#define MOST_DELAYS 12   /* that are looked at, the most promising */
#define NEAREST     3    /* rows after y that z is sought among */
#define SHARE       0.25 /* of what is to be gained: what a delay has to gain at least */

typedef struct repair {
  const cr_block_graph* graph;
  cr_arena* arena;
  cr_elimination tree;
  cr_column_rows column;
  int *first, *next; /* [num_blocks] children of a position; -1: no more */
  int* mark;         /* [num_blocks] scratch, 0 */
  int* order;        /* [num_blocks] a new order of all */
} repair;

typedef struct delay {
  int block, before; /* positions of y and z */
  double gain;       /* at most, about */
} delay;

static bool take_tree(repair* r, const int* order) {
  int n = r->graph->num_blocks;
  if (!cr_elimination_compute(r->graph, order, r->arena, &r->tree)) return false;
  if (!cr_elimination_list_rows(r->graph, &r->tree, r->arena, &r->column)) return false;
  int** arrays[] = {&r->first, &r->next, &r->mark, &r->order};
  for (int i = 0; i < 4; i++) *arrays[i] = CR_SCRATCH(r->arena, int, n);
  if (r->arena->failed) return false;
  for (int k = 0; k < n; k++) r->first[k] = -1, r->mark[k] = 0;
  for (int k = n - 1; k >= 0; k--) {
    int parent = r->tree.parent[k];
    if (parent >= 0) r->next[k] = r->first[parent], r->first[parent] = k;
  }
  return true;
}

static void mark_column(repair* r, int column, int value) {
  for (int a = r->column.start[column]; a < r->column.start[column + 1]; a++)
    r->mark[r->column.row[a]] = value;
}

/* Rows that a child alone leaves to its parent's column. */
static int count_owed(repair* r, int child) {
  int y = r->tree.parent[child], v = r->tree.permutation[y], owed = 0;
  mark_column(r, child, 1);
  for (int a = r->graph->start[v]; a < r->graph->start[v + 1]; a++)
    r->mark[r->tree.position[r->graph->neighbor[a]]] = 0;
  for (int c = r->first[y]; c >= 0; c = r->next[c])
    if (c != child) mark_column(r, c, 0);
  for (int a = r->column.start[child] + 1; a < r->column.start[child + 1]; a++)
    if (r->mark[r->column.row[a]]) owed += r->graph->size[r->tree.permutation[r->column.row[a]]];
  mark_column(r, child, 0);
  return owed;
}

/* What is between y and z loses what y owes to the child, if nothing else leaves it there. */
static double estimate_gain(const repair* r, int y, int z, int owed) {
  const cr_elimination* e = &r->tree;
  double gain = 0;
  for (int k = e->parent[y]; k >= 0 && k < z; k = e->parent[k]) {
    int size = r->graph->size[e->permutation[k]], below = e->below_rows[k];
    int left = below > owed ? below - owed : 0;
    gain += cr_elimination_count_column(below, size) - cr_elimination_count_column(left, size);
  }
  return gain;
}

static void keep_delay(delay best[MOST_DELAYS], delay d) {
  for (int i = 0; i < MOST_DELAYS; i++) {
    if (d.gain <= best[i].gain) continue;
    delay other = best[i];
    best[i] = d;
    d = other;
  }
}

/* The most promising delays, by what they may gain. */
static void find_delays(repair* r, delay best[MOST_DELAYS]) {
  for (int i = 0; i < MOST_DELAYS; i++) best[i] = (delay){0};
  for (int c = 0; c < r->tree.num_blocks; c++) {
    int y = r->tree.parent[c], owed = -1, at = r->column.start[c] + 1;
    for (int k = 0; k < NEAREST && at + k < r->column.start[c + 1]; k++) {
      int z = r->column.row[at + k];
      if (r->tree.parent[y] == z) continue;
      if (owed < 0) owed = count_owed(r, c);
      if (owed > 0) keep_delay(best, (delay){y, z, estimate_gain(r, y, z, owed)});
    }
  }
}

static void write_delayed(repair* r, const delay* d) {
  for (int k = 0, at = 0; k < r->tree.num_blocks; k++) {
    if (k == d->before) r->order[at++] = r->tree.permutation[d->block];
    if (k != d->block) r->order[at++] = r->tree.permutation[k];
  }
}

/* Operations of the new order, which becomes an equivalent postorder. */
static bool count_flops(repair* r, double* flops) {
  cr_elimination e;
  cr_scratch_mark mark = cr_arena_mark_scratch(r->arena);
  if (!cr_elimination_compute(r->graph, r->order, r->arena, &e)) return false;
  *flops = cr_elimination_count_flops(r->graph, &e);
  CR_COPY(r->order, e.permutation, e.num_blocks);
  cr_arena_pop_scratch(r->arena, mark);
  return true;
}

/* Makes a delay that gains a share of what is to be gained; `flops`, of the order, stays where none
 * does. */
static bool delay_one(repair* r, double enough, int* permutation, double* flops) {
  delay best[MOST_DELAYS];
  double least = SHARE * (*flops - enough), most = *flops - least, found;
  if (!take_tree(r, permutation)) return false;
  find_delays(r, best);
  for (int i = 0; i < MOST_DELAYS && best[i].gain > least && *flops > most; i++) {
    write_delayed(r, &best[i]);
    if (!count_flops(r, &found)) return false;
    if (found > most) continue;
    *flops = found;
    CR_COPY(permutation, r->order, r->graph->num_blocks);
  }
  return true;
}

bool cr_ordering_repair(const cr_block_graph* graph, double enough, cr_arena* arena,
                        int* permutation, double* flops) {
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  repair r = {.graph = graph, .arena = arena};
  for (double before = INFINITY; *flops > enough && *flops < before;) {
    before = *flops;
    if (!delay_one(&r, enough, permutation, flops)) return false;
    cr_arena_pop_scratch(arena, mark);
  }
  return true;
}
