/* Grouping of constraints by the blocks they touch, with a hash table over block lists. Groups
 * stand in the order of their first constraint, constraints within a group in the order of
 * addition. Where that is the order in which all were added, their rows stay where they are. */
#include "problem/assembly.h"

#include "base/assert.h"
#include "base/copy.h"
#include "base/hash.h"
#include "problem/law_table.h"

#include <string.h>

bool cr_assembly_init(cr_assembly* assembly, const cr_bsm_pattern* pattern,
                      const cr_assembly_capacity* capacity, cr_arena* arena) {
  *assembly = (cr_assembly){.pattern = pattern,
                            .capacity = *capacity,
                            .item = CR_PUSH(arena, cr_assembly_item, capacity->constraints),
                            .block = CR_PUSH(arena, int, capacity->block_references),
                            .J = CR_PUSH(arena, double, capacity->J + CR_KERNEL_SLACK),
                            .R = CR_PUSH(arena, double, capacity->rows),
                            .v_hat = CR_PUSH(arena, double, capacity->rows)};
  if (arena->failed) return false;
  memset(assembly->R, 0, sizeof(double) * (size_t)capacity->rows);
  memset(assembly->v_hat, 0, sizeof(double) * (size_t)capacity->rows);
  return true;
}

cr_assembly_rows cr_assembly_add(cr_assembly* a, cr_law_kind kind, const int* blocks,
                                 int block_count, double parameter0, double parameter1) {
  int rows = cr_law_get(kind)->rows, columns = 0;
  for (int i = 0; i < block_count; i++) {
    a->block[a->num_block_references + i] = blocks[i];
    columns += a->pattern->size[blocks[i]];
  }
  int stride = cr_assembly_stride(columns);
  cr_assembly_item item = {
      kind, a->num_block_references, block_count, a->num_rows, columns, stride, a->num_J,
      -1,   {parameter0, parameter1}};
  a->item[a->num_items++] = item;
  cr_assembly_rows out = {a->J + a->num_J, a->R + a->num_rows, a->v_hat + a->num_rows, stride};
  a->num_block_references += block_count;
  a->num_rows += rows;
  a->num_J += (int64_t)rows * stride;
  CR_ASSERT(a->num_items <= a->capacity.constraints && a->num_rows <= a->capacity.rows);
  CR_ASSERT(a->num_block_references <= a->capacity.block_references && a->num_J <= a->capacity.J);
  memset(out.J, 0, sizeof(double) * (size_t)rows * (size_t)stride);
  return out;
}

/* --- Grouping -----------------------------------------------------------------------------------
 */

typedef struct grouping {
  const cr_assembly* assembly;
  int num_groups;
  int* first; /* [num_items] first item of a group */
  int* slots; /* hash table of groups, -1: free */
  int mask;
  bool is_ordered; /* as the constraints were added */
} grouping;

static bool same_blocks(const cr_assembly* a, const cr_assembly_item* x,
                        const cr_assembly_item* y) {
  return x->block_count == y->block_count &&
         memcmp(a->block + x->block_start, a->block + y->block_start,
                sizeof(int) * (size_t)x->block_count) == 0;
}

static int find_group(grouping* g, int index) {
  const cr_assembly* a = g->assembly;
  const cr_assembly_item* item = &a->item[index];
  uint64_t hash = CR_HASH_SEED;
  for (int i = 0; i < item->block_count; i++)
    hash = cr_hash_u64(hash, (uint64_t)a->block[item->block_start + i]);
  int slot = (int)(hash & (uint64_t)g->mask);
  while (g->slots[slot] >= 0) {
    int group = g->slots[slot];
    if (same_blocks(a, item, &a->item[g->first[group]])) return group;
    slot = (slot + 1) & g->mask;
  }
  g->first[g->num_groups] = index;
  g->slots[slot] = g->num_groups;
  return g->num_groups++;
}

static bool find_groups(grouping* g, cr_assembly* a, cr_arena* arena) {
  int size = 16;
  while (size < 2 * a->num_items) size *= 2;
  *g = (grouping){.assembly = a, .mask = size - 1};
  g->first = CR_SCRATCH(arena, int, a->num_items);
  g->slots = CR_SCRATCH(arena, int, size);
  if (arena->failed) return false;
  for (int i = 0; i < size; i++) g->slots[i] = -1;
  g->is_ordered = true;
  for (int i = 0, last = 0; i < a->num_items; i++) {
    /* Points of a patch follow each other. */
    bool goes_on = i > 0 && same_blocks(a, &a->item[i], &a->item[i - 1]);
    int group = a->item[i].group = goes_on ? last : find_group(g, i);
    g->is_ordered &= group >= last;
    last = group;
  }
  return true;
}

/* --- Output -------------------------------------------------------------------------------------
 */

typedef struct output {
  cr_problem_group* group;
  int *group_block, *kind, *row, *order;
  double *J, *R, *v_hat, *parameter;
} output;

static bool allocate(const cr_assembly* a, const grouping* g, cr_arena* arena, output* out) {
  *out = (output){.group = CR_PUSH(arena, cr_problem_group, g->num_groups),
                  .group_block = CR_PUSH(arena, int, a->num_block_references),
                  .kind = CR_PUSH(arena, int, a->num_items),
                  .row = CR_PUSH(arena, int, a->num_items),
                  .order = CR_PUSH(arena, int, a->num_items),
                  .J = a->J,
                  .R = a->R,
                  .v_hat = a->v_hat,
                  .parameter = CR_PUSH(arena, double, 2 * a->num_items)};
  if (!g->is_ordered) {
    out->J = CR_PUSH(arena, double, a->num_J + CR_KERNEL_SLACK);
    out->R = CR_PUSH(arena, double, a->num_rows);
    out->v_hat = CR_PUSH(arena, double, a->num_rows);
  }
  return !arena->failed;
}

/* Sizes and starts of all groups. */
static void lay_out(const cr_assembly* a, const grouping* g, output* out, cr_problem* problem) {
  for (int k = 0; k < g->num_groups; k++) out->group[k] = (cr_problem_group){0};
  for (int i = 0; i < a->num_items; i++) {
    cr_problem_group* group = &out->group[a->item[i].group];
    int rows = cr_law_get(a->item[i].kind)->rows;
    group->constraint_count++;
    group->row_count += rows;
    if (rows > problem->ld) problem->ld = rows;
  }
  cr_problem_group next = {0};
  for (int k = 0; k < g->num_groups; k++) {
    cr_problem_group* group = &out->group[k];
    const cr_assembly_item* first = &a->item[g->first[k]];
    group->block_start = next.block_start, group->block_count = first->block_count;
    group->constraint_start = next.constraint_start, group->row_start = next.row_start;
    group->columns = first->columns, group->stride = first->stride;
    group->J_start = next.J_start;
    CR_COPY(out->group_block + group->block_start, a->block + first->block_start,
            first->block_count);
    next.block_start += group->block_count, next.constraint_start += group->constraint_count;
    next.row_start += group->row_count;
    next.J_start += (int64_t)group->row_count * group->stride;
    if (group->stride > problem->max_stride) problem->max_stride = group->stride;
  }
}

/* Moves every item to its place; `filled` counts the constraints of each group so far. */
static void copy_items(const cr_assembly* a, bool is_ordered, int* filled, int* filled_rows,
                       output* out) {
  for (int i = 0; i < a->num_items; i++) {
    const cr_assembly_item* item = &a->item[i];
    const cr_problem_group* group = &out->group[item->group];
    int rows = cr_law_get(item->kind)->rows, offset = filled_rows[item->group];
    int at = group->constraint_start + filled[item->group]++, row = group->row_start + offset;
    filled_rows[item->group] += rows;
    out->kind[at] = item->kind, out->row[at] = row, out->order[at] = i;
    out->parameter[2 * at] = item->parameter[0], out->parameter[2 * at + 1] = item->parameter[1];
    if (is_ordered) continue;
    CR_COPY(out->J + group->J_start + (int64_t)offset * group->stride, a->J + item->J_start,
            (size_t)rows * (size_t)item->stride);
    CR_COPY(out->R + row, a->R + item->row, rows);
    CR_COPY(out->v_hat + row, a->v_hat + item->row, rows);
  }
}

static bool copy_all(const cr_assembly* a, const grouping* g, cr_arena* arena, output* out) {
  int* filled = CR_SCRATCH(arena, int, g->num_groups);
  int* filled_rows = CR_SCRATCH(arena, int, g->num_groups);
  if (arena->failed) return false;
  memset(filled, 0, sizeof(int) * (size_t)g->num_groups);
  memset(filled_rows, 0, sizeof(int) * (size_t)g->num_groups);
  copy_items(a, g->is_ordered, filled, filled_rows, out);
  return true;
}

bool cr_assembly_finish(cr_assembly* assembly, cr_arena* arena, cr_problem* problem, int** order) {
  output out;
  grouping groups;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  problem->max_stride = 0, problem->ld = CR_LAW_LEAST_LD;
  if (!find_groups(&groups, assembly, arena) || !allocate(assembly, &groups, arena, &out))
    return false;
  lay_out(assembly, &groups, &out, problem);
  if (!copy_all(assembly, &groups, arena, &out)) return false;
  cr_arena_pop_scratch(arena, mark);
  problem->num_groups = groups.num_groups;
  problem->num_constraints = assembly->num_items;
  problem->num_rows = assembly->num_rows;
  problem->group = out.group, problem->group_block = out.group_block, problem->J = out.J;
  problem->kind = out.kind, problem->row = out.row, problem->parameter = out.parameter;
  problem->R = out.R, problem->v_hat = out.v_hat;
  *order = out.order;
  return true;
}
