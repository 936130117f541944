/* By solves with A's one factor. Groups whose columns do not overlap share a solve: a
 * pile of bodies takes about as many solves as a body has neighbours, times the rows of a pair. */
#include "solve/newton/inverse_columns.h"

#include "base/copy.h"

#include <string.h>

/* --- Parts of A ---------------------------------------------------------------------------------
 */

/* Blocks that A couples, directly or through others. A part is named by one of its blocks. */
typedef struct parts {
  int* of;    /* [num_blocks] the part of a block */
  int* first; /* [num_blocks] a part's first block */
  int* next;  /* [num_blocks] the part's next block, or -1 */
  int* stamp; /* [num_blocks] marks of parts, -1: none */
} parts;

static int find_root(int* parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static bool find_parts(const cr_bsm_pattern* A, cr_arena* arena, parts* x) {
  x->of = CR_SCRATCH(arena, int, A->num_blocks);
  x->first = CR_SCRATCH(arena, int, A->num_blocks);
  x->next = CR_SCRATCH(arena, int, A->num_blocks);
  x->stamp = CR_SCRATCH(arena, int, A->num_blocks);
  if (arena->failed) return false;
  for (int i = 0; i < A->num_blocks; i++) x->of[i] = i, x->first[i] = x->stamp[i] = -1;
  for (int j = 0; j < A->num_blocks; j++)
    for (int k = A->col_start[j]; k < A->col_start[j + 1]; k++)
      x->of[find_root(x->of, A->row_index[k])] = find_root(x->of, j);
  for (int i = A->num_blocks - 1; i >= 0; i--) {
    int part = x->of[i] = find_root(x->of, i);
    x->next[i] = x->first[part];
    x->first[part] = i;
  }
  return true;
}

/* --- Layout -------------------------------------------------------------------------------------
 */

/* The blocks of a group's columns, its own first; written unless `block` is null.
 * @return how many */
static int list_blocks(const cr_problem* p, int g, parts* x, int* block) {
  const cr_problem_group* group = &p->group[g];
  const int* own = p->group_block + group->block_start;
  int count = group->block_count;
  if (block) CR_COPY(block, own, count);
  for (int k = 0; k < group->block_count; k++) {
    int part = x->of[own[k]];
    if (x->stamp[part] == g) continue;
    x->stamp[part] = g;
    for (int b = x->first[part]; b >= 0; b = x->next[b]) {
      bool is_own = false;
      for (int i = 0; i < group->block_count; i++) is_own |= own[i] == b;
      if (is_own) continue;
      if (block) block[count] = b;
      count++;
    }
  }
  return count;
}

static void clear_stamps(const cr_problem* p, parts* x) {
  for (int i = 0; i < p->pattern.num_blocks; i++) x->stamp[i] = -1;
}

static bool lay_out(cr_inverse_columns* inverse, const cr_problem* p, parts* x, cr_arena* arena) {
  int num_blocks = 0;
  int64_t num_B = 0;
  inverse->group = CR_SCRATCH(arena, cr_inverse_columns_group, p->num_groups);
  if (arena->failed) return false;
  for (int g = 0; g < p->num_groups; g++) num_blocks += list_blocks(p, g, x, NULL);
  inverse->block = CR_SCRATCH(arena, int, num_blocks);
  if (arena->failed) return false;
  clear_stamps(p, x);
  num_blocks = 0;
  for (int g = 0; g < p->num_groups; g++) {
    cr_inverse_columns_group* to = &inverse->group[g];
    *to = (cr_inverse_columns_group){.block_start = num_blocks, .B_start = num_B};
    to->block_count = list_blocks(p, g, x, inverse->block + num_blocks);
    for (int k = 0; k < to->block_count; k++)
      to->columns += p->pattern.size[inverse->block[num_blocks + k]];
    num_blocks += to->block_count;
    num_B += (int64_t)p->group[g].row_count * to->columns;
    if (to->columns > inverse->max_columns) inverse->max_columns = to->columns;
  }
  inverse->B = CR_SCRATCH(arena, double, num_B);
  clear_stamps(p, x);
  return !arena->failed;
}

/* --- Values -------------------------------------------------------------------------------------
 */

void cr_inverse_columns_gather(const cr_inverse_columns* inverse, const cr_problem* problem,
                               int group, const double* v, double* local) {
  const cr_inverse_columns_group* g = &inverse->group[group];
  for (int k = 0; k < g->block_count; k++) {
    int block = inverse->block[g->block_start + k], size = problem->pattern.size[block];
    CR_COPY(local, v + problem->pattern.row_start[block], size);
    local += size;
  }
}

void cr_inverse_columns_scatter(const cr_inverse_columns* inverse, const cr_problem* problem,
                                int group, const double* local, double* v) {
  const cr_inverse_columns_group* g = &inverse->group[group];
  for (int k = 0; k < g->block_count; k++) {
    int block = inverse->block[g->block_start + k], size = problem->pattern.size[block];
    CR_COPY(v + problem->pattern.row_start[block], local, size);
    local += size;
  }
}

/* Takes groups whose parts are free into this turn; returns how many. */
static int choose_groups(const cr_problem* p, parts* x, int turn, int* turn_of, int* chosen) {
  int count = 0;
  for (int g = 0; g < p->num_groups; g++) {
    const int* own = p->group_block + p->group[g].block_start;
    bool is_free = turn_of[g] < 0;
    for (int k = 0; k < p->group[g].block_count; k++) is_free &= x->stamp[x->of[own[k]]] != turn;
    if (!is_free) continue;
    for (int k = 0; k < p->group[g].block_count; k++) x->stamp[x->of[own[k]]] = turn;
    turn_of[g] = turn;
    chosen[count++] = g;
  }
  return count;
}

/* One row of each chosen group at once.
 * @param x [n] scratch
 * @return false where no group has so many rows */
static bool solve_rows(cr_inverse_columns* inverse, cr_system* system, const int* chosen, int count,
                       int row, double* x) {
  const cr_problem* p = system->problem;
  int n = p->pattern.num_rows;
  bool any = false;
  memset(x, 0, sizeof(double) * (size_t)n);
  for (int k = 0; k < count; k++) {
    const cr_problem_group* group = &p->group[chosen[k]];
    if (row >= group->row_count) continue;
    const double* J = p->J + group->J_start + (int64_t)row * group->stride;
    any = true;
    for (int b = 0; b < group->block_count; b++) {
      int block = p->group_block[group->block_start + b], size = p->pattern.size[block];
      CR_COPY(x + p->pattern.row_start[block], J, size);
      J += size;
    }
  }
  if (!any) return false;
  cr_system_solve_A(system, x);
  for (int k = 0; k < count; k++) {
    const cr_inverse_columns_group* to = &inverse->group[chosen[k]];
    if (row < p->group[chosen[k]].row_count)
      cr_inverse_columns_gather(inverse, p, chosen[k], x,
                                inverse->B + to->B_start + (int64_t)row * to->columns);
  }
  return true;
}

bool cr_inverse_columns_init(cr_inverse_columns* inverse, cr_system* system, cr_arena* arena) {
  const cr_problem* p = system->problem;
  parts x;
  *inverse = (cr_inverse_columns){0};
  if (!find_parts(&p->pattern, arena, &x) || !lay_out(inverse, p, &x, arena)) return false;
  int* turn_of = CR_SCRATCH(arena, int, p->num_groups);
  int* chosen = CR_SCRATCH(arena, int, p->num_groups);
  if (arena->failed) return false;
  for (int g = 0; g < p->num_groups; g++) turn_of[g] = -1;
  for (int turn = 0, left = p->num_groups; left > 0; turn++) {
    int count = choose_groups(p, &x, turn, turn_of, chosen), row = 0;
    while (solve_rows(inverse, system, chosen, count, row, system->scratch_n)) row++;
    left -= count;
  }
  return true;
}
