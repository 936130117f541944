/* Factorisation H = LᵀDL of a tree's joint-space matrix along its branches (Featherstone 2008,
 * section 6.5): no fill, O(n depth²). Dofs count from the tree's first. Small matrices are taken as
 * dense, with two neighbours at once. */
#include "tree/algorithms.h"

#include <string.h>

/* --- Dense --------------------------------------------------------------------------------------
 */

typedef double pair __attribute__((vector_size(16)));

static inline pair load(const double* x) {
  pair p;
  memcpy(&p, x, sizeof p);
  return p;
}

/* y -= a x */
static inline void subtract_row(int n, double a, const double* x, double* y) {
  int j = 0;
  for (; j + 1 < n; j += 2) {
    pair rest = load(y + j) - a * load(x + j);
    memcpy(y + j, &rest, sizeof rest);
  }
  if (j < n) y[j] -= a * x[j];
}

static inline double dot_row(int n, const double* x, const double* y) {
  pair sum = {0, 0};
  int j = 0;
  for (; j + 1 < n; j += 2) sum += load(x + j) * load(y + j);
  double rest = j < n ? x[j] * y[j] : 0;
  return sum[0] + sum[1] + rest;
}

static bool factor_dense(int n, double* H) {
  for (int k = n - 1; k >= 0; k--) {
    double* row = H + (long)k * n;
    if (!(row[k] > 0)) return false;
    double inverse = 1 / row[k];
    for (int i = k - 1; i >= 0; i--) {
      if (row[i] == 0) continue; /* most are on other branches */
      double a = row[i] * inverse;
      subtract_row(i + 1, a, row, H + (long)i * n);
      row[i] = a;
    }
  }
  return true;
}

static void solve_dense(int n, const double* H, double* x) {
  for (int k = n - 1; k >= 0; k--) subtract_row(k, x[k], H + (long)k * n, x);
  for (int k = 0; k < n; k++) {
    const double* row = H + (long)k * n;
    x[k] = x[k] / row[k] - dot_row(k, row, x);
  }
}

/* --- Along the branches -------------------------------------------------------------------------
 */

/* The dofs from a segment to the root in runs of neighbours, the root's last. */
typedef struct path {
  cr_dof_run* run;
  int count;
} path;

static path find_path(const cr_tree_model* model, int start, int segment, cr_dof_run* room) {
  path p = {room, 0};
  for (int s = segment; s >= 0; s = model->segment_parent[s]) {
    cr_dof_run own = {model->segment_v_start[s] - start, model->segment_v_start[s + 1] - start};
    if (p.count && p.run[p.count - 1].first == own.end)
      p.run[p.count - 1].first = own.first;
    else
      p.run[p.count++] = own;
  }
  return p;
}

/* target -= a row, over the dofs of a path up to `end`, which is in its first run. */
static inline void subtract_path(path p, int end, double a, const double* restrict row,
                                 double* restrict target) {
  for (int j = p.run[0].first; j < end; j++) target[j] -= a * row[j];
  for (int r = 1; r < p.count; r++)
    for (int j = p.run[r].first; j < p.run[r].end; j++) target[j] -= a * row[j];
}

/* Takes dof k, in the path's first run, out of the rows of its ancestors, whose elements of its row
 * become those of L. */
static void eliminate(path p, int k, int n, double* H) {
  double *row = H + (long)k * n, inverse = 1 / row[k];
  for (int end = k; p.count > 0; p.run++, p.count--, end = p.count ? p.run->end : 0)
    for (int i = end - 1; i >= p.run->first; i--) {
      double a = row[i] * inverse;
      subtract_path(p, i + 1, a, row, H + (long)i * n);
      row[i] = a;
    }
}

bool cr_tree_factor(const cr_tree_model* model, int tree, cr_tree_scratch* scratch, double* H) {
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  if (n <= CR_TREE_DENSE) return factor_dense(n, H);
  for (int k = n - 1, segment = -1; k >= 0;) {
    segment = model->dof_segment[start + k];
    path p = find_path(model, start, segment, scratch->run);
    for (int first = model->segment_v_start[segment] - start; k >= first; k--) {
      if (!(H[(long)k * n + k] > 0)) return false;
      eliminate(p, k, n, H);
    }
  }
  return true;
}

/* sum - row . x over the dofs of a path up to `end`, the root's first: x of the nearest is the last
 * to be known. */
static double subtract_product(path p, int end, const double* row, const double* x, double sum) {
  for (int r = p.count - 1; r >= 0; r--) {
    int last = r ? p.run[r].end : end;
    for (int j = p.run[r].first; j < last; j++) sum -= row[j] * x[j];
  }
  return sum;
}

void cr_tree_solve(const cr_tree_model* model, int tree, const double* H, cr_tree_scratch* scratch,
                   double* x) {
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  if (n <= CR_TREE_DENSE) {
    solve_dense(n, H, x);
    return;
  }
  int first_segment = model->dof_segment[start], end = model->dof_segment[start + n - 1] + 1;
  for (int s = end - 1; s >= first_segment; s--) {
    path p = find_path(model, start, s, scratch->run);
    int first = model->segment_v_start[s] - start;
    for (int k = model->segment_v_start[s + 1] - start - 1; k >= first; k--)
      subtract_path(p, k, x[k], H + (long)k * n, x);
  }
  for (int s = first_segment; s < end; s++) {
    path p = find_path(model, start, s, scratch->run);
    int last = model->segment_v_start[s + 1] - start;
    for (int k = model->segment_v_start[s] - start; k < last; k++) {
      const double* row = H + (long)k * n;
      x[k] = subtract_product(p, k, row, x, x[k] / row[k]);
    }
  }
}
