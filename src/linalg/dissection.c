/* Nested dissection by places; see ordering.h. */
#include "base/copy.h"
#include "linalg/ordering.h"

#include <math.h>
#include <stdlib.h>

/* Parts that minimum fill orders: below, dissection leaves more operations. */
#define SMALL_PART 400

typedef struct placed_block {
  double place; /* along the axis */
  int block;
} placed_block;

typedef struct dissection {
  const cr_block_graph* graph;
  const double (*place)[3];
  cr_arena* arena;
  placed_block* sorted; /* [num_blocks] scratch */
  int* half;            /* [num_blocks] of the part in hand: 1 or 2; 0 elsewhere */
  int* local;           /* [num_blocks] -1, see cr_block_graph_take */
} dissection;

/* Equal places in the order of the blocks, so that every machine finds the same halves. */
static int compare(const void* a, const void* b) {
  const placed_block *x = a, *y = b;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  return x->block - y->block;
}

/* Sorts a part along an axis and marks its halves. */
static void halve(dissection* d, const int* part, int count, int axis) {
  for (int k = 0; k < count; k++) d->sorted[k] = (placed_block){d->place[part[k]][axis], part[k]};
  qsort(d->sorted, (size_t)count, sizeof *d->sorted, compare);
  for (int k = 0; k < count; k++) d->half[d->sorted[k].block] = k < count / 2 ? 1 : 2;
}

static bool touches(const dissection* d, int block, int half) {
  const cr_block_graph* g = d->graph;
  for (int e = g->start[block]; e < g->start[block + 1]; e++)
    if (d->half[g->neighbor[e]] == half) return true;
  return false;
}

/* Where a part is best cut: an axis, and the half that gives the separator. */
typedef struct cut {
  int axis, half;
} cut;

static cut find_cut(dissection* d, const int* part, int count) {
  cut best = {0, 1};
  for (int axis = 0, least = count + 1; axis < 3; axis++) {
    int border[3] = {0, 0, 0};
    halve(d, part, count, axis);
    for (int k = 0; k < count; k++) {
      int half = d->half[part[k]];
      border[half] += touches(d, part[k], 3 - half);
    }
    for (int half = 1; half <= 2; half++)
      if (border[half] < least) least = border[half], best = (cut){axis, half};
  }
  return best;
}

/* Rearranges a part: what is left of the first half, what is left of the second, the separator. */
static void separate(dissection* d, cut at, int* part, int count, int sizes[3]) {
  halve(d, part, count, at.axis);
  int next = 0;
  for (int group = 0; group < 3; group++) {
    int before = next;
    for (int k = 0; k < count; k++) {
      int block = d->sorted[k].block, half = d->half[block];
      bool parts = half == at.half && touches(d, block, 3 - half);
      if ((parts ? 2 : half - 1) == group) part[next++] = block;
    }
    sizes[group] = next - before;
  }
  for (int k = 0; k < count; k++) d->half[part[k]] = 0;
}

static bool order_small(dissection* d, int* part, int count) {
  cr_scratch_mark mark = cr_arena_mark_scratch(d->arena);
  cr_block_graph graph;
  int* order = CR_SCRATCH(d->arena, int, count);
  if (d->arena->failed || !cr_block_graph_take(d->graph, part, count, d->local, d->arena, &graph) ||
      !cr_ordering_local(&graph, true, d->arena, order))
    return false;
  for (int k = 0; k < count; k++) order[k] = part[order[k]];
  CR_COPY(part, order, count);
  cr_arena_pop_scratch(d->arena, mark);
  return true;
}

/* Every level halves, so that the depth is that of the logarithm. */
static bool dissect(dissection* d, int* part, int count) {
  if (count == 0) return true;
  if (count <= SMALL_PART) return order_small(d, part, count);
  int sizes[3];
  separate(d, find_cut(d, part, count), part, count, sizes);
  return dissect(d, part, sizes[0]) && dissect(d, part + sizes[0], sizes[1]);
}

bool cr_ordering_dissect(const cr_block_graph* graph, const double (*place)[3], cr_arena* arena,
                         int* permutation) {
  int n = graph->num_blocks;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  dissection d = {.graph = graph,
                  .place = place,
                  .arena = arena,
                  .sorted = CR_SCRATCH(arena, placed_block, n),
                  .half = CR_SCRATCH(arena, int, n),
                  .local = CR_SCRATCH(arena, int, n)};
  if (arena->failed) return false;
  for (int b = 0; b < n; b++) permutation[b] = b, d.half[b] = 0, d.local[b] = -1;
  bool done = dissect(&d, permutation, n);
  cr_arena_pop_scratch(arena, mark);
  return done;
}
