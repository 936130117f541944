/* Orders in which the block rows of a matrix are eliminated; approximate minimum degree through
 * libamd (Amestoy, Davis, Duff: An approximate minimum degree ordering algorithm, 1996). */
#include "linalg/ordering.h"

#include "base/assert.h"

#include <amd.h>

/* Minimum fill leaves about a tenth fewer operations than approximate minimum degree, in less time
 * on small graphs. On larger ones its time grows faster and either may be better, so both are worth
 * their time up to the second limit. */
#define FILL_ALONE_LIMIT 800
#define FILL_LIMIT       4096

/* @return 1 or 2 */
static int list_candidates(int num_blocks, cr_ordering candidates[2]) {
  int count = 0;
  if (num_blocks <= FILL_LIMIT) candidates[count++] = CR_ORDERING_MINIMUM_FILL;
  if (num_blocks > FILL_ALONE_LIMIT) candidates[count++] = CR_ORDERING_AMD;
  return count;
}

bool cr_ordering_compute(const cr_block_graph* graph, cr_ordering ordering, cr_arena* arena,
                         int* permutation) {
  CR_ASSERT(ordering != CR_ORDERING_AUTO);
  if (ordering == CR_ORDERING_MINIMUM_DEGREE || ordering == CR_ORDERING_MINIMUM_FILL)
    return cr_ordering_local(graph, ordering == CR_ORDERING_MINIMUM_FILL, arena, permutation);
  if (ordering == CR_ORDERING_AMD) return cr_ordering_amd(graph, arena, permutation);
  int last = graph->num_blocks - 1;
  for (int k = 0; k <= last; k++) permutation[k] = ordering == CR_ORDERING_REVERSE ? last - k : k;
  return true;
}

bool cr_ordering_choose(const cr_block_graph* graph, cr_ordering ordering, cr_arena* arena,
                        cr_elimination* elimination, double* flops) {
  cr_ordering candidates[2] = {ordering};
  int count = ordering == CR_ORDERING_AUTO ? list_candidates(graph->num_blocks, candidates) : 1;
  for (int k = 0; k < count; k++) {
    cr_elimination found;
    int* order = CR_SCRATCH(arena, int, graph->num_blocks);
    if (arena->failed) return false;
    if (!cr_ordering_compute(graph, candidates[k], arena, order)) return false;
    if (!cr_elimination_compute(graph, order, arena, &found)) return false;
    double operations = cr_elimination_count_flops(graph, &found);
    if (k > 0 && operations >= *flops) continue;
    *flops = operations;
    *elimination = found;
  }
  return true;
}

/* The arrays that amd_2 works in; it takes no memory itself. */
typedef struct amd_workspace {
  int *Pe, *Iw, *Len, *Nv, *Next, *Head, *Elen, *Degree, *W;
  int iwlen;
} amd_workspace;

static bool push_workspace(cr_arena* arena, int num_blocks, int num_neighbors, amd_workspace* w) {
  int** vectors[] = {&w->Pe, &w->Len, &w->Nv, &w->Next, &w->Head, &w->Elen, &w->Degree, &w->W};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = CR_SCRATCH(arena, int, num_blocks);
  w->iwlen = num_neighbors + num_neighbors / 5 + num_blocks; /* as amd_2 recommends */
  w->Iw = CR_SCRATCH(arena, int, w->iwlen);
  return !arena->failed;
}

bool cr_ordering_amd(const cr_block_graph* graph, cr_arena* arena, int* permutation) {
  int num_blocks = graph->num_blocks, num_neighbors = graph->start[num_blocks];
  if (num_blocks == 0) return true;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  amd_workspace w;
  if (!push_workspace(arena, num_blocks, num_neighbors, &w)) return false;
  for (int e = 0; e < num_neighbors; e++) w.Iw[e] = graph->neighbor[e];
  for (int v = 0; v < num_blocks; v++) {
    w.Pe[v] = graph->start[v];
    w.Len[v] = graph->start[v + 1] - graph->start[v];
  }
  double control[AMD_CONTROL], info[AMD_INFO];
  amd_defaults(control);
  amd_2(num_blocks, w.Pe, w.Iw, w.Len, w.iwlen, num_neighbors, w.Nv, w.Next, permutation, w.Head,
        w.Elen, w.Degree, w.W, control, info);
  cr_arena_pop_scratch(arena, mark);
  return true;
}
