/* Symbolic analysis: the passes in order, and the one block of memory that holds their result.
 *
 * The block starts with the plan; all arrays follow. lay_out names the place of every array from
 * the counts alone, so that a copied block is made usable by laying it out once more. */
#include "linalg/gram.h"
#include "linalg/ordering.h"
#include "linalg/schur.h"
#include "linalg/tables.h"

#include <string.h>

/* Takes `size` bytes of a block at `base` (null: only counts). */
static void* take(char* base, size_t* used, size_t size) {
  size_t at = *used;
  *used = at + (size + CR_ALIGNMENT - 1) / CR_ALIGNMENT * CR_ALIGNMENT;
  return base ? base + at : NULL;
}

/* Points all arrays of an analysis into a block; the counts stand in `s->pattern` and `plan`.
 * @return bytes of the block */
static size_t lay_out(char* base, cr_plan* plan, cr_symbolic* s) {
  size_t used = 0;
  cr_bsm_pattern* p = &s->pattern;
  size_t blocks = (size_t)p->num_blocks, lower = (size_t)p->num_lower;
  s->plan = take(base, &used, sizeof(cr_plan));
  p->size = take(base, &used, sizeof(int) * blocks);
  p->row_start = take(base, &used, sizeof(int) * (blocks + 1));
  p->col_start = take(base, &used, sizeof(int) * (blocks + 1));
  p->row_index = take(base, &used, sizeof(int) * lower);
  p->value_start = take(base, &used, sizeof(int) * (lower + 1));
  s->permutation = take(base, &used, sizeof(int) * blocks);
  s->target = take(base, &used, sizeof(cr_factor_target) * lower);
  plan->supernode = take(base, &used, sizeof(cr_supernode) * (size_t)(plan->num_supernodes + 1));
  plan->run = take(base, &used, sizeof(cr_row_run) * (size_t)plan->num_runs);
  plan->update = take(base, &used, sizeof(cr_update) * (size_t)plan->num_updates);
  plan->segment = take(base, &used, sizeof(cr_segment) * (size_t)plan->num_segments);
  plan->row = take(base, &used, sizeof(int) * (size_t)p->num_rows);
  plan->block_row = take(base, &used, sizeof(int) * blocks);
  plan->block_parent = take(base, &used, sizeof(int) * blocks);
  plan->block_supernode = take(base, &used, sizeof(int) * blocks);
  return used;
}

static void copy_array(const void* to, const void* from, size_t size) {
  /* The arrays are constant for everyone but this file, which fills its own block. */
  if (size) memcpy((void*)to, from, size);
}

/* Copies all arrays into the block that `s` and `plan` were laid out in. */
static void fill_block(const cr_bsm_pattern* pattern, const int* permutation,
                       const cr_tables* tables, const cr_symbolic* s, const cr_plan* plan) {
  const cr_plan* from = &tables->plan;
  size_t blocks = (size_t)pattern->num_blocks, lower = (size_t)pattern->num_lower;
  copy_array(s->plan, plan, sizeof *plan);
  copy_array(s->pattern.size, pattern->size, sizeof(int) * blocks);
  copy_array(s->pattern.row_start, pattern->row_start, sizeof(int) * (blocks + 1));
  copy_array(s->pattern.col_start, pattern->col_start, sizeof(int) * (blocks + 1));
  copy_array(s->pattern.row_index, pattern->row_index, sizeof(int) * lower);
  copy_array(s->pattern.value_start, pattern->value_start, sizeof(int) * (lower + 1));
  copy_array(s->permutation, permutation, sizeof(int) * blocks);
  copy_array(s->target, tables->target, sizeof(cr_factor_target) * lower);
  copy_array(plan->supernode, from->supernode,
             sizeof(cr_supernode) * (size_t)(plan->num_supernodes + 1));
  copy_array(plan->run, from->run, sizeof(cr_row_run) * (size_t)plan->num_runs);
  copy_array(plan->update, from->update, sizeof(cr_update) * (size_t)plan->num_updates);
  copy_array(plan->segment, from->segment, sizeof(cr_segment) * (size_t)plan->num_segments);
  copy_array(plan->row, from->row, sizeof(int) * (size_t)pattern->num_rows);
  copy_array(plan->block_row, from->block_row, sizeof(int) * blocks);
  copy_array(plan->block_parent, from->block_parent, sizeof(int) * blocks);
  copy_array(plan->block_supernode, from->block_supernode, sizeof(int) * blocks);
}

/* Doubles that substitutions need: permuted right-hand sides and one panel's share of a group of
 * them; or those of a Gram matrix, and (in other types) what it finds on its paths. */
static int count_scratch(const cr_bsm_pattern* pattern, const cr_plan* plan) {
  int solve = CR_SOLVE_GROUP * (pattern->num_rows + plan->max_below + 2 * CR_KERNEL_SLACK);
  int gram = CR_GRAM_COLUMNS * pattern->num_rows + CR_GRAM_BLOCK_SCRATCH * pattern->num_blocks;
  return solve > gram ? solve : gram;
}

/* Gathers the result of the passes into one block of the arena. */
static bool gather(const cr_bsm_pattern* pattern, const int* permutation, const cr_tables* tables,
                   cr_arena* arena, cr_symbolic* s) {
  cr_plan plan = tables->plan;
  s->pattern = *pattern;
  s->memory_size = lay_out(NULL, &plan, s);
  char* base = cr_arena_push(arena, s->memory_size);
  if (!base) return false;
  lay_out(base, &plan, s);
  fill_block(pattern, permutation, tables, s, &plan);
  s->factor_size = tables->factor_size;
  s->scratch_size = count_scratch(pattern, &plan);
  s->kernels = cr_kernels_select();
  return true;
}

static bool take_order(cr_analysis* a, const int* order, cr_arena* arena, double* flops) {
  if (!cr_elimination_compute(&a->graph, order, arena, &a->elimination)) return false;
  *flops = cr_elimination_count_flops(&a->graph, &a->elimination);
  return true;
}

/* @param order [num_blocks] block eliminated k-th; null: as the ordering has it
 * @param is_kept see cr_supernodes_compute */
static bool analyze(const cr_bsm_pattern* pattern, cr_ordering ordering, const int* order,
                    const int* is_kept, cr_arena* arena, cr_symbolic* symbolic) {
  if (arena->failed) return false;
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  cr_symbolic s = {0};
  cr_analysis a = {.pattern = pattern};
  cr_tables tables;
  if (!cr_block_graph_build(pattern, arena, &a.graph)) return false;
  if (order ? !take_order(&a, order, arena, &s.flops)
            : !cr_ordering_choose(&a.graph, ordering, arena, &a.elimination, &s.flops))
    return false;
  if (!cr_supernodes_compute(&a.graph, is_kept, arena, &a.elimination, &a.supernodes)) return false;
  if (!cr_tables_build(&a, arena, &tables)) return false;
  if (!gather(pattern, a.elimination.permutation, &tables, arena, &s)) return false;
  cr_arena_pop_scratch(arena, mark);
  *symbolic = s;
  return true;
}

bool cr_symbolic_analyze(const cr_bsm_pattern* pattern, cr_ordering ordering, cr_arena* arena,
                         cr_symbolic* symbolic) {
  return analyze(pattern, ordering, NULL, NULL, arena, symbolic);
}

bool cr_symbolic_analyze_ordered(const cr_bsm_pattern* pattern, const int* order, cr_arena* arena,
                                 cr_symbolic* symbolic) {
  return analyze(pattern, CR_ORDERING_NATURAL, order, NULL, arena, symbolic);
}

bool cr_schur_analyze(const cr_bsm_pattern* pattern, const int* order, const int* is_kept,
                      cr_arena* arena, cr_symbolic* symbolic) {
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  int *kept_last = CR_SCRATCH(arena, int, pattern->num_blocks), at = 0;
  if (arena->failed) return false;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < pattern->num_blocks; k++)
      if ((is_kept[order[k]] != 0) == pass) kept_last[at++] = order[k];
  bool done = analyze(pattern, CR_ORDERING_NATURAL, kept_last, is_kept, arena, symbolic);
  cr_arena_pop_scratch(arena, mark);
  return done;
}

bool cr_symbolic_copy(const cr_symbolic* symbolic, cr_arena* arena, cr_symbolic* copy) {
  char* base = cr_arena_push(arena, symbolic->memory_size);
  if (!base) return false;
  memcpy(base, symbolic->plan, symbolic->memory_size);
  *copy = *symbolic;
  cr_plan* plan = (cr_plan*)(void*)base;
  lay_out(base, plan, copy);
  return true;
}

bool cr_symbolic_matches(const cr_symbolic* symbolic, const cr_bsm_pattern* pattern) {
  const cr_bsm_pattern* own = &symbolic->pattern;
  if (own->num_blocks != pattern->num_blocks || own->num_lower != pattern->num_lower) return false;
  if (own->num_blocks == 0) return true;
  size_t blocks = (size_t)own->num_blocks, lower = (size_t)own->num_lower;
  return !memcmp(own->size, pattern->size, sizeof(int) * blocks) &&
         !memcmp(own->col_start, pattern->col_start, sizeof(int) * blocks) &&
         !memcmp(own->row_index, pattern->row_index, sizeof(int) * lower);
}
