/* Loading and factoring: right-looking over the supernodes, each panel factored once and then
 * subtracted from all panels that it updates (Rothberg and Gupta: An evaluation of left-looking,
 * right-looking and multifrontal approaches to sparse Cholesky factorization, 1993), with the
 * places of every update worked out beforehand. */
#include "linalg/cholesky.h"

#include "linalg/plan.h"

#include <string.h>

/* Copies a block [rows, cols] to its place, as it stands or transposed. */
static void load_block(const double* block, int rows, int cols, cr_factor_target t,
                       double* factor) {
  for (int c = 0; c < cols; c++, block += rows) {
    double* column = factor + t.offset + (int64_t)c * t.col_stride;
    if (t.row_stride == 1)
      for (int r = 0; r < rows; r++) column[r] = block[r];
    else
      for (int r = 0; r < rows; r++) column[(int64_t)r * t.row_stride] = block[r];
  }
}

void cr_cholesky_load(const cr_symbolic* symbolic, const double* values, double* factor) {
  const cr_bsm_pattern* p = &symbolic->pattern;
  memset(factor, 0, sizeof(double) * (size_t)symbolic->factor_size);
  for (int j = 0; j < p->num_blocks; j++)
    for (int b = p->col_start[j]; b < p->col_start[j + 1]; b++)
      load_block(values + p->value_start[b], p->size[p->row_index[b]], p->size[j],
                 symbolic->target[b], factor);
}

int cr_cholesky_factor(const cr_symbolic* symbolic, double* factor, double* scratch) {
  (void)scratch;
  const cr_plan* plan = symbolic->plan;
  const cr_kernels* kernels = symbolic->kernels;
  for (int s = 0; s < plan->num_supernodes; s++) {
    const cr_supernode* node = &plan->supernode[s];
    cr_panel panel = {factor + node->offset, node->width, node->below, node->rows, node->stride};
    int bad = kernels->factor_panel(&panel);
    if (bad >= 0) return plan->row[node->first_row + bad];
    for (int u = node->first_update; u < node[1].first_update; u++)
      kernels->apply_update(&panel, &plan->update[u], plan->segment, factor);
  }
  return -1;
}
