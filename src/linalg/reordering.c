/* Elimination orders made better by parts (see ordering.h).
 *
 * An order that looks at one elimination at a time has luck or not: with its ties broken otherwise
 * it leaves from a tenth fewer to a fifth more operations. What luck it has in one part of the tree
 * does not depend on the others: the blocks of a subtree, or those of it that stand above smaller
 * subtrees, may be ordered anew in any way, and nothing below or above them changes. So parts are
 * drawn and ordered anew with ties broken at random, and kept where that takes fewer operations
 * (ruin and recreate; Schrimpf et al., Record breaking optimization results using the ruin and
 * recreate principle, 2000). */
#include "base/copy.h"
#include "linalg/ordering.h"

#include <string.h>

#define LEAST_PART 4  /* blocks of a part that are worth it */
#define LEAST_TREE 20 /* of the subtree that it stands in */
#define DRAWS      64 /* of a root, for one that has as many */
#define WHOLE      4  /* one part in so many stands in the whole tree */
#define FINEST     32 /* the least share of a part that a subtree of it may have and stay */

typedef struct reordering {
  const cr_block_graph* graph;
  cr_arena* arena;
  uint64_t random;
  cr_elimination tree;
  cr_column_rows column;
  int* subtree; /* [num_blocks] blocks of the subtree of a position, itself counted */
  int* local;   /* [num_blocks] number in the part in hand, by position; -1 */
  int* order;   /* [num_blocks] a new order of all */
} reordering;

/* The blocks of a tree that are ordered anew, by position, and those that wait for them. */
typedef struct part {
  int root, least;   /* subtrees of the root with fewer blocks than this stay, but for its own */
  int count, border; /* blocks; blocks of the factor under the root */
  int num_stay;
  int *position, *stay; /* [count + border]; [num_stay] roots of the subtrees that stay */
  double cost;          /* operations of its columns as they stand */
} part;

static bool take_tree(reordering* r, const int* order) {
  int n = r->graph->num_blocks;
  if (!cr_elimination_compute(r->graph, order, r->arena, &r->tree)) return false;
  if (!cr_elimination_list_rows(r->graph, &r->tree, r->arena, &r->column)) return false;
  r->subtree = CR_SCRATCH(r->arena, int, n);
  r->local = CR_SCRATCH(r->arena, int, n);
  r->order = CR_SCRATCH(r->arena, int, n);
  if (r->arena->failed) return false;
  for (int k = 0; k < n; k++) r->subtree[k] = 1, r->local[k] = -1;
  for (int k = 0; k < n; k++)
    if (r->tree.parent[k] >= 0) r->subtree[r->tree.parent[k]] += r->subtree[k];
  return true;
}

/* --- A part -------------------------------------------------------------------------------------
 */

/* xorshift64* (Vigna: An experimental exploration of Marsaglia's xorshift generators, 2016). */
static int draw(reordering* r, int below) {
  r->random ^= r->random >> 12;
  r->random ^= r->random << 25;
  r->random ^= r->random >> 27;
  return (int)((r->random * UINT64_C(0x2545f4914f6cdd1d) >> 33) % (uint64_t)below);
}

static void shuffle(reordering* r, int* x, int count) {
  for (int i = count - 1; i > 0; i--) {
    int j = draw(r, i + 1), x_i = x[i];
    x[i] = x[j];
    x[j] = x_i;
  }
}

/* The whole, or a subtree that is large enough; half the time without the smaller subtrees that it
 * stands on. */
static bool draw_part(reordering* r, part* p) {
  int n = r->tree.num_blocks;
  p->root = n - 1;
  bool is_whole = draw(r, WHOLE) == 0;
  for (int i = 0; i < DRAWS && !is_whole; i++) {
    p->root = draw(r, n);
    if (r->subtree[p->root] >= LEAST_TREE) break;
  }
  p->least = draw(r, 2) == 0 ? 0 : r->subtree[p->root] / (2 + draw(r, FINEST - 1));
  return r->subtree[p->root] >= LEAST_TREE;
}

/* Lists a part; subtrees that stay are passed over whole. False when memory ran out. */
static bool list_part(reordering* r, part* p) {
  const cr_elimination* e = &r->tree;
  int first = p->root - r->subtree[p->root] + 1;
  const int* border = r->column.row + r->column.start[p->root];
  p->border = e->below_blocks[p->root];
  p->position = CR_SCRATCH(r->arena, int, r->subtree[p->root] + p->border);
  p->stay = CR_SCRATCH(r->arena, int, r->subtree[p->root]);
  p->count = p->num_stay = 0, p->cost = 0;
  if (r->arena->failed) return false;
  for (int k = p->root; k >= first;) {
    if (k != p->root && r->subtree[k] < p->least) {
      p->stay[p->num_stay++] = k;
      k -= r->subtree[k];
      continue;
    }
    p->cost += cr_elimination_count_column(e->below_rows[k], r->graph->size[e->permutation[k]]);
    p->position[p->count++] = k--;
  }
  for (int k = 0; k < p->border; k++) p->position[p->count + k] = border[k];
  return true;
}

/* --- Its graph ----------------------------------------------------------------------------------
 */

typedef struct coupling_bits {
  uint64_t* bits; /* [count, words] */
  int count, words;
} coupling_bits;

static void couple(coupling_bits* c, int i, int j) {
  c->bits[(size_t)i * (size_t)c->words + (size_t)(j >> 6)] |= UINT64_C(1) << (j & 63);
  c->bits[(size_t)j * (size_t)c->words + (size_t)(i >> 6)] |= UINT64_C(1) << (i & 63);
}

static void couple_neighbors(const reordering* r, const part* p, coupling_bits* c) {
  for (int k = 0; k < p->count; k++) {
    int v = r->tree.permutation[p->position[k]];
    for (int a = r->graph->start[v]; a < r->graph->start[v + 1]; a++) {
      int other = r->local[r->tree.position[r->graph->neighbor[a]]];
      if (other >= 0) couple(c, k, other);
    }
  }
}

/* What is under a column whose subtree is gone is a clique. */
static void couple_column(const reordering* r, int column, coupling_bits* c) {
  for (int a = r->column.start[column]; a < r->column.start[column + 1]; a++)
    for (int b = r->column.start[column]; b < a; b++)
      couple(c, r->local[r->column.row[a]], r->local[r->column.row[b]]);
}

static bool list_bits(const reordering* r, const part* p, const coupling_bits* c,
                      cr_block_graph* graph) {
  int *size = CR_SCRATCH(r->arena, int, c->count), most = 0, at = 0;
  for (int w = 0; w < c->count * c->words; w++) most += __builtin_popcountll(c->bits[w]);
  *graph = (cr_block_graph){.num_blocks = c->count,
                            .size = size,
                            .start = CR_SCRATCH(r->arena, int, c->count + 1),
                            .neighbor = CR_SCRATCH(r->arena, int, most)};
  if (r->arena->failed) return false;
  for (int k = 0; k < c->count; k++) {
    size[k] = r->graph->size[r->tree.permutation[p->position[k]]];
    graph->start[k] = at;
    for (int w = 0; w < c->words; w++)
      for (uint64_t word = c->bits[k * c->words + w]; word; word &= word - 1)
        graph->neighbor[at++] = 64 * w + __builtin_ctzll(word);
  }
  graph->start[c->count] = at;
  return true;
}

/* The graph of a part and its border once the subtrees that stay are gone; the border is the clique
 * that it will be in any case. */
static bool build_graph(reordering* r, const part* p, cr_block_graph* graph) {
  coupling_bits c = {.count = p->count + p->border};
  c.words = (c.count + 63) / 64;
  size_t num_words = (size_t)c.count * (size_t)c.words;
  c.bits = CR_SCRATCH(r->arena, uint64_t, num_words);
  if (r->arena->failed) return false;
  memset(c.bits, 0, sizeof(uint64_t) * num_words);
  for (int k = 0; k < c.count; k++) r->local[p->position[k]] = k;
  couple_neighbors(r, p, &c);
  for (int s = 0; s < p->num_stay; s++) couple_column(r, p->stay[s], &c);
  couple_column(r, p->root, &c);
  for (int k = 0; k < c.count; k++) r->local[p->position[k]] = -1;
  return list_bits(r, p, &c, graph);
}

/* --- Its order ----------------------------------------------------------------------------------
 */

/* The order of all blocks with the part's anew: behind the subtrees that stay. */
static void splice(reordering* r, const part* p, const int* order) {
  const int* permutation = r->tree.permutation;
  int first = p->root - r->subtree[p->root] + 1, at = first;
  CR_COPY(r->order, permutation, r->tree.num_blocks);
  for (int k = 0; k < p->count; k++) r->local[p->position[k]] = k;
  for (int k = first; k <= p->root; k++)
    if (r->local[k] < 0) r->order[at++] = permutation[k];
  for (int k = 0; k < p->count; k++) r->order[at++] = permutation[p->position[order[k]]];
  for (int k = 0; k < p->count; k++) r->local[p->position[k]] = -1;
}

/* Orders one part anew, into r->order where that takes fewer operations. */
static bool try_part(reordering* r, bool* is_better) {
  part p;
  cr_block_graph graph;
  *is_better = false;
  if (!draw_part(r, &p)) return true;
  if (!list_part(r, &p)) return false;
  if (p.count < LEAST_PART) return true;
  shuffle(r, p.position, p.count);
  int* order = CR_SCRATCH(r->arena, int, p.count);
  double cost = p.cost;
  if (r->arena->failed || !build_graph(r, &p, &graph)) return false;
  if (!cr_ordering_part(&graph, p.count, r->arena, order, &cost)) return false;
  *is_better = cost < p.cost;
  if (*is_better) splice(r, &p, order);
  return true;
}

bool cr_ordering_improve(const cr_block_graph* graph, int tries, uint64_t seed, cr_arena* arena,
                         int* permutation, double* flops) {
  size_t size = sizeof(int) * (size_t)graph->num_blocks;
  *flops = 0;
  if (size == 0) return true;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  reordering r = {.graph = graph, .arena = arena, .random = seed | 1};
  if (!take_tree(&r, permutation)) return false;
  for (int t = 0; t < tries; t++) {
    cr_scratch_mark inner = cr_arena_mark_scratch(arena);
    bool is_better;
    if (!try_part(&r, &is_better)) return false;
    cr_arena_pop_scratch(arena, inner);
    if (!is_better) continue;
    memcpy(permutation, r.order, size);
    cr_arena_pop_scratch(arena, mark);
    if (!take_tree(&r, permutation)) return false;
  }
  memcpy(permutation, r.tree.permutation, size);
  *flops = cr_elimination_count_flops(graph, &r.tree);
  cr_arena_pop_scratch(arena, mark);
  return true;
}
