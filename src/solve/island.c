/* Partition into connected components by union-find, and their extraction. */
#include "solve/island.h"

#include "base/copy.h"

#include <string.h>

/* --- Union-find ---------------------------------------------------------------------------------
 */

static int find_root(int* parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* The smaller index becomes the root, so that roots do not depend on the order of unions. */
static void unite(int* parent, int a, int b) {
  a = find_root(parent, a), b = find_root(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

static void unite_all(const cr_problem* p, int* parent) {
  for (int i = 0; i < p->pattern.num_blocks; i++) parent[i] = i;
  for (int j = 0; j < p->pattern.num_blocks; j++)
    for (int k = p->pattern.col_start[j]; k < p->pattern.col_start[j + 1]; k++)
      unite(parent, p->pattern.row_index[k], j);
  for (int g = 0; g < p->num_groups; g++)
    for (int k = 1; k < p->group[g].block_count; k++)
      unite(parent, p->group_block[p->group[g].block_start],
            p->group_block[p->group[g].block_start + k]);
}

/* --- Partition ----------------------------------------------------------------------------------
 */

/* Numbers the components that have constraints, by their first block; -1 for the others. */
static int number_components(const cr_problem* p, int* parent, int* island) {
  int count = 0;
  for (int i = 0; i < p->pattern.num_blocks; i++) island[i] = -1;
  for (int g = 0; g < p->num_groups; g++)
    if (p->group[g].block_count)
      island[find_root(parent, p->group_block[p->group[g].block_start])] = 0;
  for (int i = 0; i < p->pattern.num_blocks; i++) {
    int root = find_root(parent, i);
    if (root == i && island[i] == 0)
      island[i] = count++;
    else if (root != i)
      island[i] = island[root];
  }
  return count;
}

/* Sorts items into islands by counting; `of` gives the island of an item, -1: none. */
static void bucket(int count, const int* of, int num_items, int* start, int* items) {
  memset(start, 0, sizeof(int) * (size_t)(count + 1));
  for (int i = 0; i < num_items; i++)
    if (of[i] >= 0) start[of[i] + 1]++;
  for (int i = 0; i < count; i++) start[i + 1] += start[i];
  for (int i = 0; i < num_items; i++)
    if (of[i] >= 0) items[start[of[i]]++] = i;
  for (int i = count; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
}

bool cr_islands_find(const cr_problem* problem, cr_arena* arena, cr_islands* islands) {
  int blocks = problem->pattern.num_blocks, groups = problem->num_groups;
  int* block = CR_PUSH(arena, int, blocks);
  int* group = CR_PUSH(arena, int, groups);
  int* block_start = CR_PUSH(arena, int, blocks + 1);
  int* group_start = CR_PUSH(arena, int, blocks + 1);
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  int* parent = CR_SCRATCH(arena, int, blocks);
  int* island = CR_SCRATCH(arena, int, blocks);
  int* island_of_group = CR_SCRATCH(arena, int, groups);
  if (arena->failed) return false;
  unite_all(problem, parent);
  int count = number_components(problem, parent, island);
  for (int g = 0; g < groups; g++)
    island_of_group[g] = problem->group[g].block_count
                             ? island[problem->group_block[problem->group[g].block_start]]
                             : -1;
  bucket(count, island, blocks, block_start, block);
  bucket(count, island_of_group, groups, group_start, group);
  cr_arena_pop_scratch(arena, mark);
  *islands = (cr_islands){count, group_start, group, block_start, block};
  return true;
}

/* --- Extraction ---------------------------------------------------------------------------------
 */

typedef struct extraction {
  const cr_problem* from;
  cr_problem* to;
  cr_arena* arena;
  const int *group, *block;
  int num_groups, num_blocks;
  int* local; /* [blocks of the whole] index in the island */
} extraction;

/* Pattern and values of A, and the vectors. */
static bool extract_unknowns(extraction* x) {
  const cr_bsm_pattern* all = &x->from->pattern;
  int num_lower = 0, num_values = 0, num_rows = 0;
  for (int k = 0; k < x->num_blocks; k++) {
    int j = x->block[k], end = all->col_start[j + 1];
    x->local[j] = k;
    num_lower += end - all->col_start[j];
    num_values += all->value_start[end] - all->value_start[all->col_start[j]];
    num_rows += all->size[j];
  }
  int* size = CR_PUSH(x->arena, int, x->num_blocks);
  int* row_start = CR_PUSH(x->arena, int, x->num_blocks + 1);
  int* col_start = CR_PUSH(x->arena, int, x->num_blocks + 1);
  int* row_index = CR_PUSH(x->arena, int, num_lower);
  int* value_start = CR_PUSH(x->arena, int, num_lower + 1);
  double* A = CR_PUSH(x->arena, double, num_values);
  double* v_star = CR_PUSH(x->arena, double, num_rows);
  double* v0 = CR_PUSH(x->arena, double, num_rows);
  double* least = x->from->A_least ? CR_PUSH(x->arena, double, num_rows) : NULL;
  if (x->arena->failed) return false;
  int at = 0, row = 0, value = 0;
  for (int k = 0; k < x->num_blocks; k++) {
    int j = x->block[k], first = all->col_start[j], count = all->col_start[j + 1] - first;
    size[k] = all->size[j], row_start[k] = row, col_start[k] = at;
    CR_COPY(v_star + row, x->from->v_star + all->row_start[j], size[k]);
    CR_COPY(v0 + row, x->from->v0 + all->row_start[j], size[k]);
    if (least) CR_COPY(least + row, x->from->A_least + all->row_start[j], size[k]);
    for (int b = 0; b < count; b++, at++) {
      row_index[at] = x->local[all->row_index[first + b]];
      value_start[at] = value + all->value_start[first + b] - all->value_start[first];
    }
    int values = all->value_start[first + count] - all->value_start[first];
    CR_COPY(A + value, x->from->A + all->value_start[first], values);
    value += values, row += size[k];
  }
  row_start[x->num_blocks] = row, col_start[x->num_blocks] = at, value_start[at] = value;
  x->to->pattern = (cr_bsm_pattern){x->num_blocks, num_rows,  num_lower, num_values, size,
                                    row_start,     col_start, row_index, value_start};
  x->to->A = A, x->to->v_star = v_star, x->to->v0 = v0, x->to->A_least = least;
  x->to->most_iterations = x->from->most_iterations;
  x->to->accuracy = x->from->accuracy;
  x->to->velocity_floor = x->from->velocity_floor;
  for (int k = 0; k < x->num_blocks; k++)
    x->to->num_elastic += x->block[k] >= all->num_blocks - x->from->num_elastic;
  x->to->ld = x->from->ld;
  return true;
}

static void count_constraints(extraction* x, int* blocks) {
  *blocks = 0;
  x->to->num_groups = x->num_groups;
  for (int k = 0; k < x->num_groups; k++) {
    const cr_problem_group* g = &x->from->group[x->group[k]];
    *blocks += g->block_count;
    x->to->num_constraints += g->constraint_count;
    x->to->num_rows += g->row_count;
    if (g->stride > x->to->max_stride) x->to->max_stride = g->stride;
  }
}

/* Arrays of the island's constraints, writable while they are filled. */
typedef struct constraint_arrays {
  cr_problem_group* group;
  int *group_block, *kind, *row, *rows;
  double *parameter, *R, *v_hat, *W, *v_c_star, *v_c0;
} constraint_arrays;

static void copy_group(extraction* x, const cr_problem_group* g, cr_problem_group* to,
                       constraint_arrays* a) {
  const cr_problem* from = x->from;
  for (int b = 0; b < g->block_count; b++)
    a->group_block[to->block_start + b] = x->local[from->group_block[g->block_start + b]];
  for (int c = 0; c < g->constraint_count; c++) {
    int in = g->constraint_start + c, out = to->constraint_start + c;
    a->kind[out] = from->kind[in];
    a->row[out] = from->row[in] - g->row_start + to->row_start;
    a->parameter[2 * out] = from->parameter[2 * in];
    a->parameter[2 * out + 1] = from->parameter[2 * in + 1];
  }
  for (int r = 0; r < g->row_count; r++) {
    a->R[to->row_start + r] = from->R[g->row_start + r];
    a->v_hat[to->row_start + r] = from->v_hat[g->row_start + r];
    a->rows[to->row_start + r] = g->row_start + r;
  }
  size_t rows = sizeof(double) * (size_t)g->row_count;
  if (from->v_c_star) memcpy(a->v_c_star + to->row_start, from->v_c_star + g->row_start, rows);
  if (from->v_c0) memcpy(a->v_c0 + to->row_start, from->v_c0 + g->row_start, rows);
  if (from->W)
    CR_COPY(a->W + from->ld * to->row_start, from->W + from->ld * g->row_start,
            from->ld * g->row_count);
}

/* The rows of J stay where they are: groups say where. */
static bool extract_constraints(extraction* x, int** rows) {
  int num_blocks;
  count_constraints(x, &num_blocks);
  int n = x->to->num_constraints, m = x->to->num_rows;
  constraint_arrays a = {CR_PUSH(x->arena, cr_problem_group, x->num_groups),
                         CR_PUSH(x->arena, int, num_blocks),
                         CR_PUSH(x->arena, int, n),
                         CR_PUSH(x->arena, int, n),
                         CR_PUSH(x->arena, int, m),
                         CR_PUSH(x->arena, double, 2 * n),
                         CR_PUSH(x->arena, double, m),
                         CR_PUSH(x->arena, double, m),
                         x->from->W ? CR_PUSH(x->arena, double, x->from->ld* m) : NULL,
                         x->from->v_c_star ? CR_PUSH(x->arena, double, m) : NULL,
                         x->from->v_c0 ? CR_PUSH(x->arena, double, m) : NULL};
  if (x->arena->failed) return false;
  cr_problem_group next = {0};
  for (int k = 0; k < x->num_groups; k++) {
    const cr_problem_group* g = &x->from->group[x->group[k]];
    cr_problem_group to = *g;
    to.block_start = next.block_start, to.constraint_start = next.constraint_start;
    to.row_start = next.row_start;
    copy_group(x, g, &to, &a);
    a.group[k] = to;
    next.block_start += g->block_count, next.constraint_start += g->constraint_count;
    next.row_start += g->row_count;
  }
  x->to->group = a.group, x->to->group_block = a.group_block, x->to->J = x->from->J;
  x->to->kind = a.kind, x->to->row = a.row, x->to->parameter = a.parameter;
  x->to->R = a.R, x->to->v_hat = a.v_hat, x->to->W = a.W;
  x->to->v_c_star = a.v_c_star, x->to->v_c0 = a.v_c0;
  *rows = a.rows;
  return true;
}

bool cr_islands_extract(const cr_problem* problem, const cr_islands* islands, int index,
                        cr_arena* arena, cr_problem* island, int** rows) {
  extraction x = {.from = problem, .to = island, .arena = arena};
  x.group = islands->group + islands->group_start[index];
  x.num_groups = islands->group_start[index + 1] - islands->group_start[index];
  x.block = islands->block + islands->block_start[index];
  x.num_blocks = islands->block_start[index + 1] - islands->block_start[index];
  *island = (cr_problem){0};
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  x.local = CR_SCRATCH(arena, int, problem->pattern.num_blocks);
  if (arena->failed) return false;
  bool done = extract_unknowns(&x) && extract_constraints(&x, rows);
  cr_arena_pop_scratch(arena, mark);
  return done;
}
