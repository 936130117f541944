/* Loading and factoring: right-looking over the supernodes, each panel factored once and then
 * subtracted from all panels that it updates (Rothberg and Gupta: An evaluation of left-looking,
 * right-looking and multifrontal approaches to sparse Cholesky factorization, 1993), with the
 * places of every update worked out beforehand; parallel.c does the same by panels that receive. */
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

/* The panel of a supernode. */
static cr_panel get_panel(const cr_symbolic* symbolic, cr_precision precision, int supernode,
                          void* factor) {
  const cr_plan* plan = symbolic->plan;
  const cr_supernode* node = &plan->supernode[supernode];
  size_t number_size = symbolic->kernels->panels[precision]->number_size;
  char* values = (char*)factor + node->offset * (int64_t)number_size;
  return (cr_panel){values, node->width, node->below, node->rows, node->stride};
}

int cr_cholesky_factor_columns(const cr_symbolic* symbolic, cr_precision precision, int supernode,
                               void* factor) {
  const cr_plan* plan = symbolic->plan;
  cr_panel panel = get_panel(symbolic, precision, supernode, factor);
  int bad = symbolic->kernels->panels[precision]->factor_panel(&panel);
  return bad < 0 ? -1 : plan->row[plan->supernode[supernode].first_row + bad];
}

void cr_cholesky_apply_update(const cr_symbolic* symbolic, cr_precision precision, int supernode,
                              int update, void* factor) {
  const cr_plan* plan = symbolic->plan;
  cr_panel panel = get_panel(symbolic, precision, supernode, factor);
  symbolic->kernels->panels[precision]->apply_update(&panel, &plan->update[update], plan->segment,
                                                     factor);
}

int cr_cholesky_factor_panel(const cr_symbolic* symbolic, cr_precision precision, int supernode,
                             void* factor) {
  const cr_supernode* node = &((const cr_plan*)symbolic->plan)->supernode[supernode];
  int bad = cr_cholesky_factor_columns(symbolic, precision, supernode, factor);
  if (bad >= 0) return bad;
  for (int u = node->first_update; u < node[1].first_update; u++)
    cr_cholesky_apply_update(symbolic, precision, supernode, u, factor);
  return -1;
}

static int factor_panels(const cr_symbolic* symbolic, cr_precision precision, void* factor) {
  const cr_plan* plan = symbolic->plan;
  for (int s = 0; s < plan->num_supernodes; s++) {
    int bad = cr_cholesky_factor_panel(symbolic, precision, s, factor);
    if (bad >= 0) return bad;
  }
  return -1;
}

int cr_cholesky_factor(const cr_symbolic* symbolic, double* factor, double* scratch) {
  (void)scratch;
  return factor_panels(symbolic, CR_DOUBLE, factor);
}

int cr_cholesky_factor_single(const cr_symbolic* symbolic, float* factor) {
  return factor_panels(symbolic, CR_SINGLE, factor);
}

/* Where a part stands in a whole: blocks[b], or first + b where that is null. */
typedef struct part_place {
  const cr_symbolic *whole, *part;
  const int* blocks;
  int first;
} part_place;

static int find_block(const part_place* at, int b) {
  return at->blocks ? at->blocks[b] : at->first + b;
}

/* True when the part's blocks are eliminated in the same order within the whole. */
static bool is_order_kept(const part_place* at) {
  const cr_plan* whole = at->whole->plan;
  for (int k = 1; k < at->part->pattern.num_blocks; k++) {
    int before = find_block(at, at->part->permutation[k - 1]);
    int after = find_block(at, at->part->permutation[k]);
    if (whole->block_row[before] > whole->block_row[after]) return false;
  }
  return true;
}

/* The panels of one block in the whole and in the part; false where they differ. */
static bool find_panels(const part_place* at, int b, const cr_supernode** whole,
                        const cr_supernode** part, bool* is_first) {
  const cr_plan *from = at->whole->plan, *to = at->part->plan;
  int block = find_block(at, b);
  const cr_supernode* x = *whole = &from->supernode[from->block_supernode[block]];
  const cr_supernode* y = *part = &to->supernode[to->block_supernode[b]];
  int row = to->block_row[b] - y->first_row;
  *is_first = row == 0;
  return x->width == y->width && x->rows == y->rows && x->stride == y->stride &&
         x[1].offset - x->offset == y[1].offset - y->offset &&
         from->block_row[block] - x->first_row == row;
}

/* Copies all panels of the part from or to the whole. */
static bool copy_panels(const part_place* at, const double* from, bool is_from_whole, double* to) {
  if (!is_order_kept(at)) return false;
  for (int b = 0; b < at->part->pattern.num_blocks; b++) {
    const cr_supernode *x, *y;
    bool is_first;
    if (!find_panels(at, b, &x, &y, &is_first)) return false;
    size_t size = sizeof(double) * (size_t)(y[1].offset - y->offset);
    if (is_first && is_from_whole) memcpy(to + y->offset, from + x->offset, size);
    if (is_first && !is_from_whole) memcpy(to + x->offset, from + y->offset, size);
  }
  const cr_symbolic* filled = is_from_whole ? at->part : at->whole;
  memset(to + filled->factor_size - CR_KERNEL_SLACK, 0, sizeof(double) * CR_KERNEL_SLACK);
  return true;
}

bool cr_cholesky_extract(const cr_symbolic* whole, const double* factor, const cr_symbolic* part,
                         const int* blocks, double* part_factor) {
  part_place at = {whole, part, blocks, 0};
  return copy_panels(&at, factor, true, part_factor);
}

bool cr_cholesky_insert(const cr_symbolic* part, const double* part_factor,
                        const cr_symbolic* whole, int first_block, double* factor) {
  part_place at = {whole, part, NULL, first_block};
  return copy_panels(&at, part_factor, false, factor);
}
