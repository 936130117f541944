/* Pattern and loading of a tree's matrix for block Cholesky. */
#include "tree/factor.h"

#include <string.h>

/* --- Pattern -----------------------------------------------------------------------------------
 */

static int first_segment(const cr_tree_model* model, int tree) {
  return model->dof_segment[model->tree_v_start[tree]];
}

static int end_segment(const cr_tree_model* model, int tree) {
  return model->dof_segment[model->tree_v_start[tree + 1] - 1] + 1;
}

/* Couplings of every segment with its ancestors; counts only when `couplings` is null. */
static int list_couplings(const cr_tree_model* model, int first, int end, int (*couplings)[2]) {
  int count = 0;
  for (int s = first; s < end; s++)
    for (int up = model->segment_parent[s]; up >= 0; up = model->segment_parent[up], count++)
      if (couplings) couplings[count][0] = s - first, couplings[count][1] = up - first;
  return count;
}

bool cr_tree_build_pattern(const cr_tree_model* model, int tree, cr_arena* arena,
                           cr_bsm_pattern* pattern) {
  int first = first_segment(model, tree), end = end_segment(model, tree);
  int count = list_couplings(model, first, end, NULL);
  int* size = CR_PUSH(arena, int, end - first);
  int(*couplings)[2] = cr_arena_push(arena, sizeof(int[2]) * (size_t)count);
  if (arena->failed) return false;
  list_couplings(model, first, end, couplings);
  for (int s = first; s < end; s++)
    size[s - first] = model->segment_v_start[s + 1] - model->segment_v_start[s];
  return cr_bsm_pattern_build(arena, end - first, size, count, couplings, pattern);
}

/* --- Values -------------------------------------------------------------------------------------
 */

/* Writes one block of the row-major lower triangle M [n, n] to its place in the factor. */
static void load_block(const double* M, int n, int rows, int columns, bool is_diagonal,
                       cr_factor_target to, double* factor) {
  for (int r = 0; r < rows; r++, M += n) {
    double* out = factor + to.offset + (int64_t)r * to.row_stride;
    for (int c = 0, end = is_diagonal ? r + 1 : columns; c < end; c++)
      out[(int64_t)c * to.col_stride] = M[c];
  }
}

void cr_tree_load_matrix(const cr_symbolic* symbolic, const double* M, double* factor) {
  const cr_bsm_pattern* p = &symbolic->pattern;
  int n = p->num_rows;
  memset(factor, 0, sizeof(double) * (size_t)symbolic->factor_size);
  for (int j = 0; j < p->num_blocks; j++)
    for (int b = p->col_start[j]; b < p->col_start[j + 1]; b++) {
      int i = p->row_index[b];
      load_block(M + (size_t)p->row_start[i] * (size_t)n + p->row_start[j], n, p->size[i],
                 p->size[j], i == j, symbolic->target[b], factor);
    }
}
