/* Extraction of a Schur complement from the panels of a factor. */
#include "linalg/schur.h"

#include "linalg/plan.h"

#include <string.h>

/* Copies the kept rows of a column of L. A panel's diagonal holds reciprocals. */
static void copy_column(const cr_plan* plan, const cr_supernode* s, int column, const int* place,
                        const double* panel, double* to) {
  const double* values = panel + (size_t)column * (size_t)s->stride;
  to[place[plan->row[s->first_row + column]]] = 1 / values[column];
  for (int r = column + 1; r < s->width; r++) {
    int at = place[plan->row[s->first_row + r]];
    if (at >= 0) to[at] = values[r];
  }
  const double* below = values + s->below;
  for (int k = s[0].first_run; k < s[1].first_run; k++)
    for (int r = 0; r < plan->run[k].count; r++, below++) {
      int at = place[plan->row[plan->run[k].start + r]];
      if (at >= 0) to[at] = *below;
    }
}

/* L_kkᵀ [count, stride]: a row for each kept column, in the order of elimination. */
static void copy_kept(const cr_symbolic* symbolic, const double* factor, const int* place,
                      int stride, double* L) {
  const cr_plan* plan = symbolic->plan;
  for (int k = 0; k < plan->num_supernodes; k++) {
    const cr_supernode* s = &plan->supernode[k];
    for (int c = 0; c < s->width; c++) {
      if (place[plan->row[s->first_row + c]] < 0) continue;
      copy_column(plan, s, c, place, factor + s->offset, L);
      L += stride;
    }
  }
}

bool cr_schur_extract(const cr_symbolic* symbolic, const double* factor, const int* place,
                      int count, cr_arena* arena, double* S) {
  int stride = cr_schur_stride(count);
  size_t size = (size_t)count * (size_t)stride, mark = cr_arena_mark_scratch(arena);
  double* L = CR_SCRATCH(arena, double, size + CR_KERNEL_SLACK);
  if (arena->failed) return false;
  memset(L, 0, sizeof *L * size);
  memset(S, 0, sizeof *S * size);
  copy_kept(symbolic, factor, place, stride, L);
  cr_rows rows = {L, count, count, stride};
  symbolic->kernels->accumulate_product_upper(&rows, L, S);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++)
      S[(size_t)i * (size_t)stride + j] = S[(size_t)j * (size_t)stride + i];
  cr_arena_pop_scratch(arena, mark);
  return true;
}
