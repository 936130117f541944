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

int cr_cholesky_factor_panel(const cr_symbolic* symbolic, int supernode, double* factor) {
  const cr_plan* plan = symbolic->plan;
  const cr_kernels* kernels = symbolic->kernels;
  const cr_supernode* node = &plan->supernode[supernode];
  cr_panel panel = {factor + node->offset, node->width, node->below, node->rows, node->stride};
  int bad = kernels->factor_panel(&panel);
  if (bad >= 0) return plan->row[node->first_row + bad];
  for (int u = node->first_update; u < node[1].first_update; u++)
    kernels->apply_update(&panel, &plan->update[u], plan->segment, factor);
  return -1;
}

int cr_cholesky_factor(const cr_symbolic* symbolic, double* factor, double* scratch) {
  (void)scratch;
  const cr_plan* plan = symbolic->plan;
  for (int s = 0; s < plan->num_supernodes; s++) {
    int bad = cr_cholesky_factor_panel(symbolic, s, factor);
    if (bad >= 0) return bad;
  }
  return -1;
}

/* True when the part's blocks are eliminated in the same order within the whole. */
static bool is_order_kept(const cr_plan* from, const cr_symbolic* part, const int* blocks) {
  for (int k = 1; k < part->pattern.num_blocks; k++) {
    int before = blocks[part->permutation[k - 1]], after = blocks[part->permutation[k]];
    if (from->block_row[before] > from->block_row[after]) return false;
  }
  return true;
}

bool cr_cholesky_extract(const cr_symbolic* whole, const double* factor, const cr_symbolic* part,
                         const int* blocks, double* part_factor) {
  const cr_plan *from = whole->plan, *to = part->plan;
  if (!is_order_kept(from, part, blocks)) return false;
  for (int b = 0; b < part->pattern.num_blocks; b++) {
    const cr_supernode* x = &from->supernode[from->block_supernode[blocks[b]]];
    const cr_supernode* y = &to->supernode[to->block_supernode[b]];
    int at = to->block_row[b] - y->first_row;
    bool is_same = x->width == y->width && x->rows == y->rows && x->stride == y->stride &&
                   from->block_row[blocks[b]] - x->first_row == at;
    if (!is_same) return false;
    if (at == 0)
      memcpy(part_factor + y->offset, factor + x->offset,
             sizeof(double) * (size_t)y->width * (size_t)y->stride);
  }
  memset(part_factor + part->factor_size - CR_KERNEL_SLACK, 0, sizeof(double) * CR_KERNEL_SLACK);
  return true;
}
