/* Elimination tree, postorder and column sizes.
 *
 * Tree: Liu, The role of elimination trees in sparse factorization, 1990, with path compression.
 * Column sizes: row i of the factor is the union of the tree's paths from the neighbours k < i up
 * to i; each path is walked until a block that was seen for i. The work is one visit for each block
 * of the factor. */
#include "linalg/elimination.h"

/* Parents in the order given; `position` is the inverse of `order`. */
static void compute_parents(const cr_block_graph* graph, const int* order, const int* position,
                            int* ancestor, int* parent) {
  for (int i = 0; i < graph->num_blocks; i++) {
    int v = order[i];
    parent[i] = ancestor[i] = -1;
    for (int e = graph->start[v]; e < graph->start[v + 1]; e++) {
      int k = position[graph->neighbor[e]];
      if (k >= i) continue;
      while (ancestor[k] >= 0 && ancestor[k] != i) {
        int above = ancestor[k];
        ancestor[k] = i;
        k = above;
      }
      if (ancestor[k] == i) continue;
      ancestor[k] = parent[k] = i;
    }
  }
}

/* place[i] = number of i in a postorder of the forest; children in ascending order. `first` and
 * `next` are scratch [num_blocks]. Parents are larger than their children, so one pass down counts
 * subtrees and one pass up hands out ranges. */
static void compute_postorder(int num_blocks, const int* parent, int* subtree, int* taken,
                              int* place) {
  for (int i = 0; i < num_blocks; i++) subtree[i] = 1, taken[i] = 0;
  for (int i = 0; i < num_blocks; i++)
    if (parent[i] >= 0) subtree[parent[i]] += subtree[i];
  /* The root's range ends at the last position; a child takes the last free part of its parent's.
   */
  int end = num_blocks;
  for (int i = num_blocks - 1; i >= 0; i--) {
    int p = parent[i];
    if (p < 0) {
      place[i] = end - 1;
      end -= subtree[i];
    } else {
      place[i] = place[p] - 1 - taken[p];
      taken[p] += subtree[i];
    }
  }
}

/* Renumbers order and parents by the postorder. */
static void apply_postorder(int num_blocks, const int* order, const int* parent, const int* place,
                            cr_elimination* e) {
  for (int i = 0; i < num_blocks; i++) {
    int k = place[i];
    e->permutation[k] = order[i];
    e->position[order[i]] = k;
    e->parent[k] = parent[i] < 0 ? -1 : place[parent[i]];
    e->block_parent[order[i]] = parent[i] < 0 ? -1 : order[parent[i]];
  }
}

/* Counts blocks and rows under every diagonal block. */
static void count_below(const cr_block_graph* graph, int* seen, cr_elimination* e) {
  for (int i = 0; i < e->num_blocks; i++) {
    int v = e->permutation[i], size = graph->size[v];
    seen[i] = i;
    e->below_blocks[i] = e->below_rows[i] = 0;
    for (int a = graph->start[v]; a < graph->start[v + 1]; a++) {
      int k = e->position[graph->neighbor[a]];
      if (k > i) continue;
      for (; seen[k] != i; k = e->parent[k]) {
        seen[k] = i;
        e->below_blocks[k]++;
        e->below_rows[k] += size;
      }
    }
  }
}

bool cr_elimination_compute(const cr_block_graph* graph, const int* order, cr_arena* arena,
                            cr_elimination* e) {
  int n = graph->num_blocks;
  *e = (cr_elimination){n,
                        CR_SCRATCH(arena, int, n),
                        CR_SCRATCH(arena, int, n),
                        CR_SCRATCH(arena, int, n),
                        CR_SCRATCH(arena, int, n),
                        CR_SCRATCH(arena, int, n),
                        CR_SCRATCH(arena, int, n)};
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  int* parent = CR_SCRATCH(arena, int, n);
  int* place = CR_SCRATCH(arena, int, n);
  int* work[2] = {CR_SCRATCH(arena, int, n), CR_SCRATCH(arena, int, n)};
  if (arena->failed) return false;
  for (int i = 0; i < n; i++) e->position[order[i]] = i;
  compute_parents(graph, order, e->position, work[0], parent);
  compute_postorder(n, parent, work[0], work[1], place);
  apply_postorder(n, order, parent, place, e);
  count_below(graph, work[0], e);
  cr_arena_pop_scratch(arena, mark);
  return true;
}

bool cr_elimination_list_rows(const cr_block_graph* graph, const cr_elimination* e, cr_arena* arena,
                              cr_column_rows* rows) {
  int n = e->num_blocks, total = 0;
  for (int k = 0; k < n; k++) total += e->below_blocks[k];
  *rows = (cr_column_rows){CR_SCRATCH(arena, int, n + 1), CR_SCRATCH(arena, int, total)};
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  int *end = CR_SCRATCH(arena, int, n), *seen = CR_SCRATCH(arena, int, n);
  if (arena->failed) return false;
  rows->start[0] = 0;
  for (int k = 0; k < n; k++) {
    end[k] = rows->start[k];
    rows->start[k + 1] = rows->start[k] + e->below_blocks[k];
  }
  for (int i = 0; i < n; i++) {
    int v = e->permutation[i];
    seen[i] = i;
    for (int a = graph->start[v]; a < graph->start[v + 1]; a++)
      for (int k = e->position[graph->neighbor[a]]; k < i && seen[k] != i; k = e->parent[k]) {
        seen[k] = i;
        rows->row[end[k]++] = i;
      }
  }
  cr_arena_pop_scratch(arena, mark);
  return true;
}

double cr_elimination_count_flops(const cr_block_graph* graph, const cr_elimination* e) {
  double flops = 0;
  for (int k = 0; k < e->num_blocks; k++)
    flops += cr_elimination_count_column(e->below_rows[k], graph->size[e->permutation[k]]);
  return flops;
}
