/* Supernodes of an elimination tree, and their merging.
 *
 * Column j + 1 continues the supernode of column j when it is j's parent and has the same rows
 * below. A child is then merged into its parent, at the price of explicit zeros, where a model of
 * the numeric phase says that this saves time: fewer panels, fewer and deeper updates. What is
 * wider than the kernels are deep is cut into parts in the end: that costs them nothing, and one
 * thread can work on a part while another works on the next. */
#include "linalg/supernodes.h"

#include <string.h>

/* Most columns of a part of a supernode (more where a single block has more): as deep as the
 * kernels work at a time, and a whole number of segments where blocks have 6 or 3 rows. */
#define MOST_COLUMNS 96

/* Modelled time of a supernode in cycles. A panel is factored and then updates its ancestors in
 * tiles of 8 rows and 6 columns; a tile costs a share for being loaded and stored and a share for
 * each column of the panel. */
static double model_time(double width, double below) {
  const double per_panel = 150, per_column = 20, per_tile = 25, per_tile_column = 4;
  double tile = per_tile + per_tile_column * width;
  double panel_tiles = (width + 2 * below + 8) * width / (2 * 8 * 6);
  double update_tiles = (below + 8) * below / (2 * 8 * 6);
  return per_panel + per_column * width + panel_tiles * (per_tile + 0.5 * per_tile_column * width) +
         update_tiles * tile;
}

/* Fundamental supernodes in postorder. Lists of a supernode's children, and of the supernodes that
 * it absorbed, are linked by `next`. */
typedef struct fundamental {
  int num;
  int* first;    /* [num + 1] position of the first block */
  int* parent;   /* [num] -1 for a root */
  int* width;    /* [num] columns; grows with what is absorbed */
  int* below;    /* [num] rows below */
  int* child;    /* [num] first of the children list, -1 at the end */
  int* next;     /* [num] */
  int* target;   /* [num] the supernode it ends up in */
  int* of_block; /* [num_blocks] supernode of the block at a position */
} fundamental;

static bool push_fundamental(cr_arena* arena, int num_blocks, fundamental* f) {
  int** vectors[] = {&f->parent, &f->width,  &f->below,   &f->child,
                     &f->next,   &f->target, &f->of_block};
  f->first = CR_SCRATCH(arena, int, num_blocks + 1);
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = CR_SCRATCH(arena, int, num_blocks);
  return !arena->failed;
}

/* Whether the blocks at two positions may stand in one supernode: both are kept, or neither. */
static bool are_alike(const cr_elimination* e, const int* is_kept, int i, int j) {
  return !is_kept || !is_kept[e->permutation[i]] == !is_kept[e->permutation[j]];
}

static void find_fundamental(const cr_block_graph* graph, const cr_elimination* e,
                             const int* is_kept, fundamental* f) {
  f->num = 0;
  for (int j = 0; j < e->num_blocks; j++) {
    bool continues = j > 0 && e->parent[j - 1] == j &&
                     e->below_blocks[j - 1] == e->below_blocks[j] + 1 &&
                     are_alike(e, is_kept, j - 1, j);
    if (!continues) {
      f->first[f->num] = j;
      f->width[f->num++] = 0;
    }
    int s = f->num - 1;
    f->of_block[j] = s;
    f->width[s] += graph->size[e->permutation[j]];
    f->below[s] = e->below_rows[j];
  }
  f->first[f->num] = e->num_blocks;
  for (int s = 0; s < f->num; s++) {
    int above = e->parent[f->first[s + 1] - 1];
    f->parent[s] = above < 0 ? -1 : f->of_block[above];
  }
}

/* Links every supernode into its parent's list of children. */
static void link_children(fundamental* f) {
  for (int s = 0; s < f->num; s++) f->child[s] = -1, f->target[s] = s;
  for (int s = f->num - 1; s >= 0; s--)
    if (f->parent[s] >= 0) {
      f->next[s] = f->child[f->parent[s]];
      f->child[f->parent[s]] = s;
    }
}

/* Merges children into p, and their children in turn, while the modelled time falls. */
static void absorb_children(const cr_elimination* e, const int* is_kept, fundamental* f, int p) {
  double own = model_time(f->width[p], f->below[p]);
  int* link = &f->child[p];
  while (*link >= 0) {
    int c = *link;
    double apart = own + model_time(f->width[c], f->below[c]);
    double merged = model_time(f->width[c] + f->width[p], f->below[p]);
    if (merged >= apart || !are_alike(e, is_kept, f->first[c], f->first[p])) {
      link = &f->next[c];
      continue;
    }
    /* The grandchildren take c's place in the list. */
    f->target[c] = p;
    f->width[p] += f->width[c];
    own = merged;
    int last = f->child[c], after = f->next[c];
    *link = last >= 0 ? last : after;
    if (last < 0) continue;
    while (f->next[last] >= 0) last = f->next[last];
    f->next[last] = after;
  }
}

/* Gathers the absorbed into lists of their final supernode, ascending: child[] heads, next[]. */
static void gather_members(fundamental* f) {
  for (int s = f->num - 1; s >= 0; s--)
    if (f->target[s] != s) f->target[s] = f->target[f->target[s]];
  for (int s = 0; s < f->num; s++) f->child[s] = -1;
  for (int s = f->num - 1; s >= 0; s--) {
    f->next[s] = f->child[f->target[s]];
    f->child[f->target[s]] = s;
  }
}

/* Begins a supernode at a position. */
static void begin_part(int position, int rows, int count, cr_supernodes* sn) {
  sn->first[sn->num] = position;
  sn->width[sn->num] = 0;
  sn->below_rows[sn->num] = rows;
  sn->below_count[sn->num] = count;
  sn->goes_on[sn->num++] = false;
}

/* Takes a block into the last supernode; where that became too wide, into a new one, to which the
 * rows below it belong, too. */
static void take_block(int position, int size, cr_supernodes* sn) {
  int k = sn->num - 1;
  if (sn->width[k] && sn->width[k] + size > MOST_COLUMNS) {
    sn->goes_on[k] = true;
    sn->parent[k] = k + 1;
    k++;
    begin_part(position, sn->below_rows[k - 1], sn->below_count[k - 1], sn);
  }
  sn->width[k] += size;
  sn->below_rows[k] -= size;
  sn->below_count[k]--;
  sn->of_position[position] = k;
}

/* Numbers the parts of a final supernode, and its blocks. */
static void number_blocks(const cr_block_graph* graph, const fundamental* f, int s,
                          const cr_elimination* e, int* permutation, cr_supernodes* sn) {
  int position = sn->first[sn->num], blocks = 0;
  for (int member = f->child[s]; member >= 0; member = f->next[member])
    blocks += f->first[member + 1] - f->first[member];
  begin_part(position, f->width[s] + f->below[s], blocks + e->below_blocks[f->first[s + 1] - 1],
             sn);
  for (int member = f->child[s]; member >= 0; member = f->next[member])
    for (int j = f->first[member]; j < f->first[member + 1]; j++) {
      permutation[position] = e->permutation[j];
      take_block(position++, graph->size[e->permutation[j]], sn);
    }
  sn->first[sn->num] = position;
}

/* Numbers the final supernodes and their blocks anew. */
static void renumber(const cr_block_graph* graph, const fundamental* f, int* first_part,
                     int* last_part, cr_elimination* e, int* permutation, cr_supernodes* sn) {
  sn->num = sn->first[0] = 0;
  for (int s = 0; s < f->num; s++) {
    if (f->target[s] != s) continue;
    first_part[s] = sn->num;
    number_blocks(graph, f, s, e, permutation, sn);
    last_part[s] = sn->num - 1;
  }
  for (int s = 0; s < f->num; s++)
    if (f->target[s] == s)
      sn->parent[last_part[s]] = f->parent[s] < 0 ? -1 : first_part[f->target[f->parent[s]]];
  for (int j = 0; j < e->num_blocks; j++) {
    e->permutation[j] = permutation[j];
    e->position[permutation[j]] = j;
  }
}

bool cr_supernodes_compute(const cr_block_graph* graph, const int* is_kept, cr_arena* arena,
                           cr_elimination* e, cr_supernodes* sn) {
  int n = e->num_blocks;
  *sn = (cr_supernodes){0,
                        CR_SCRATCH(arena, int, n + 1),
                        CR_SCRATCH(arena, int, n),
                        CR_SCRATCH(arena, int, n),
                        CR_SCRATCH(arena, int, n),
                        CR_SCRATCH(arena, int, n),
                        CR_SCRATCH(arena, int, n),
                        CR_SCRATCH(arena, bool, n)};
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  fundamental f;
  bool ok = push_fundamental(arena, n, &f);
  int* first_part = CR_SCRATCH(arena, int, n);
  int* last_part = CR_SCRATCH(arena, int, n);
  int* permutation = CR_SCRATCH(arena, int, n);
  if (!ok || arena->failed) return false;
  find_fundamental(graph, e, is_kept, &f);
  link_children(&f);
  for (int p = 0; p < f.num; p++) absorb_children(e, is_kept, &f, p);
  gather_members(&f);
  renumber(graph, &f, first_part, last_part, e, permutation, sn);
  cr_arena_pop_scratch(arena, mark);
  return true;
}
