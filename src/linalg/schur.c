/* Factorisation in two parts, with the Schur complement taken from the panels in between. */
#include "linalg/schur.h"

#include "linalg/plan.h"

#include <string.h>

/* An element of S of two matrix rows, into both triangles. */
static void put(const int* place, int stride, int row, int column, double value, double* S) {
  size_t i = (size_t)place[row], j = (size_t)place[column];
  S[i * (size_t)stride + j] = S[j * (size_t)stride + i] = value;
}

/* Copies a column of a kept panel that is not factored yet. All rows of such a panel are kept. */
static void copy_column(const cr_plan* plan, const cr_supernode* s, int column, const int* place,
                        const double* factor, int stride, double* S) {
  const double* values = factor + s->offset + (size_t)column * (size_t)s->stride;
  int own = plan->row[s->first_row + column];
  for (int r = column; r < s->width; r++)
    put(place, stride, plan->row[s->first_row + r], own, values[r], S);
  const double* below = values + s->below;
  for (int k = s[0].first_run; k < s[1].first_run; k++)
    for (int r = 0; r < plan->run[k].count; r++, below++)
      put(place, stride, plan->row[plan->run[k].start + r], own, *below, S);
}

static bool is_kept(const cr_plan* plan, int supernode, const int* place) {
  return place[plan->row[plan->supernode[supernode].first_row]] >= 0;
}

/* Factors the kept supernodes, or the others; -1 or the first bad row. */
static int factor_part(const cr_symbolic* symbolic, const int* place, bool kept, double* factor) {
  const cr_plan* plan = symbolic->plan;
  for (int s = 0, bad = -1; s < plan->num_supernodes; s++) {
    if (is_kept(plan, s, place) == kept)
      bad = cr_cholesky_factor_panel(symbolic, CR_DOUBLE, s, factor);
    if (bad >= 0) return bad;
  }
  return -1;
}

int cr_schur_factor(const cr_symbolic* symbolic, const int* place, int count, double* factor,
                    double* S) {
  const cr_plan* plan = symbolic->plan;
  int stride = cr_schur_stride(count), bad = factor_part(symbolic, place, false, factor);
  if (bad >= 0) return bad;
  memset(S, 0, sizeof *S * (size_t)count * (size_t)stride);
  for (int s = 0; s < plan->num_supernodes; s++)
    for (int c = 0; is_kept(plan, s, place) && c < plan->supernode[s].width; c++)
      copy_column(plan, &plan->supernode[s], c, place, factor, stride, S);
  return factor_part(symbolic, place, true, factor);
}
