/* Minimum degree ordering with exact external degrees, counted in scalar rows.
 *
 * The graph that remains after each elimination is kept explicitly, one bit set per block row.
 * Eliminating v joins all its neighbours; a neighbour whose set is then just the others of that
 * clique is eliminated with v (mass elimination; George and Liu: The evolution of the minimum
 * degree ordering algorithm, 1989). Ties: last changed first, then lowest index. */
#include "linalg/ordering.h"

#include <string.h>

typedef struct minimum_degree {
  int num_words;      /* 64-bit words of a set */
  const int* size;    /* [num_blocks] rows of a block row */
  uint64_t* adjacent; /* [num_blocks][num_words] neighbours that remain */
  uint64_t* pivot;    /* [num_words] the neighbours of the block being eliminated */
  int* degree;        /* [num_blocks] rows of all neighbours */
  /* Blocks of equal degree in doubly linked lists. */
  int* head;            /* [num_rows + 1] first block of a degree, or -1 */
  int *next, *previous; /* [num_blocks] */
  int lowest;           /* no list below it holds a block */
  int* order;           /* where the next eliminated block goes */
} minimum_degree;

static void insert_block(minimum_degree* md, int v) {
  int degree = md->degree[v], old = md->head[degree];
  md->next[v] = old;
  md->previous[v] = -1;
  if (old >= 0) md->previous[old] = v;
  md->head[degree] = v;
  if (degree < md->lowest) md->lowest = degree;
}

static void remove_block(minimum_degree* md, int v) {
  int next = md->next[v], previous = md->previous[v];
  if (next >= 0) md->previous[next] = previous;
  if (previous >= 0)
    md->next[previous] = next;
  else
    md->head[md->degree[v]] = next;
}

static void clear_bit(uint64_t* set, int v) { set[v >> 6] &= ~(UINT64_C(1) << (v & 63)); }

/* Rows of the blocks in one word of a set. */
static int sum_sizes(const int* size, uint64_t word) {
  int sum = 0;
  for (; word; word &= word - 1) sum += size[__builtin_ctzll(word)];
  return sum;
}

/* Joins the set of u with the pivot's; returns the rows that u gained. */
static int join_pivot(const minimum_degree* md, int u) {
  uint64_t* set = md->adjacent + (size_t)u * (size_t)md->num_words;
  int gained = 0;
  for (int w = 0; w < md->num_words; w++) {
    uint64_t fresh = md->pivot[w] & ~set[w];
    set[w] |= fresh;
    if (fresh) gained += sum_sizes(md->size + 64 * w, fresh);
  }
  clear_bit(set, u);
  return gained - md->size[u];
}

/* Takes the blocks of `gone` out of the sets of all blocks in the pivot's set. */
static void drop_blocks(minimum_degree* md, const uint64_t* gone, int gone_rows) {
  for (int w = 0; w < md->num_words; w++)
    for (uint64_t word = md->pivot[w]; word; word &= word - 1) {
      int u = 64 * w + __builtin_ctzll(word);
      uint64_t* set = md->adjacent + (size_t)u * (size_t)md->num_words;
      for (int k = 0; k < md->num_words; k++) set[k] &= ~gone[k];
      md->degree[u] -= gone_rows;
      insert_block(md, u);
    }
}

/* Eliminates v and all that become indistinguishable from it; returns how many. `gone` is zero
 * before and after. */
static int eliminate(minimum_degree* md, int v, uint64_t* gone) {
  size_t words = (size_t)md->num_words;
  int clique_rows = md->degree[v] + md->size[v], gone_rows = md->size[v], count = 1;
  remove_block(md, v);
  memcpy(md->pivot, md->adjacent + (size_t)v * words, sizeof(uint64_t) * words);
  md->order[0] = v;
  gone[v >> 6] |= UINT64_C(1) << (v & 63);
  for (int w = 0; w < md->num_words; w++)
    for (uint64_t word = md->pivot[w]; word; word &= word - 1) {
      int u = 64 * w + __builtin_ctzll(word);
      remove_block(md, u);
      md->degree[u] += join_pivot(md, u);
      if (md->degree[u] + md->size[u] != clique_rows) continue;
      gone[w] |= word & -word;
      gone_rows += md->size[u];
      md->order[count++] = u;
    }
  for (size_t w = 0; w < words; w++) md->pivot[w] &= ~gone[w];
  drop_blocks(md, gone, gone_rows);
  for (int k = 0; k < count; k++) gone[md->order[k] >> 6] = 0;
  return count;
}

/* Sets the sets, degrees and lists of the graph as it stands. */
static void init_state(minimum_degree* md, const cr_block_graph* graph, int num_rows) {
  int num_blocks = graph->num_blocks;
  memset(md->adjacent, 0, sizeof(uint64_t) * (size_t)num_blocks * (size_t)md->num_words);
  for (int d = 0; d <= num_rows; d++) md->head[d] = -1;
  md->lowest = num_rows;
  for (int v = num_blocks - 1; v >= 0; v--) {
    uint64_t* set = md->adjacent + (size_t)v * (size_t)md->num_words;
    md->degree[v] = 0;
    for (int e = graph->start[v]; e < graph->start[v + 1]; e++) {
      int u = graph->neighbor[e];
      set[u >> 6] |= UINT64_C(1) << (u & 63);
      md->degree[v] += graph->size[u];
    }
    insert_block(md, v);
  }
}

bool cr_ordering_minimum_degree(const cr_block_graph* graph, cr_arena* arena, int* permutation) {
  int num_blocks = graph->num_blocks, num_rows = 0;
  for (int v = 0; v < num_blocks; v++) num_rows += graph->size[v];
  size_t mark = cr_arena_mark_scratch(arena);
  size_t words = ((size_t)num_blocks + 63) / 64;
  minimum_degree md = {
      .num_words = (int)words,
      .size = graph->size,
      .adjacent = CR_SCRATCH(arena, uint64_t, (size_t)num_blocks * words),
      .pivot = CR_SCRATCH(arena, uint64_t, words),
      .degree = CR_SCRATCH(arena, int, num_blocks),
      .head = CR_SCRATCH(arena, int, num_rows + 1),
      .next = CR_SCRATCH(arena, int, num_blocks),
      .previous = CR_SCRATCH(arena, int, num_blocks),
      .order = permutation,
  };
  uint64_t* gone = CR_SCRATCH(arena, uint64_t, words);
  if (arena->failed) return false;
  for (size_t w = 0; w < words; w++) gone[w] = 0;
  init_state(&md, graph, num_rows);
  for (int done = 0; done < num_blocks;) {
    while (md.head[md.lowest] < 0) md.lowest++;
    int count = eliminate(&md, md.head[md.lowest], gone);
    md.order += count;
    done += count;
  }
  cr_arena_pop_scratch(arena, mark);
  return true;
}
