/* Factorisation H = LᵀDL of a tree's joint-space matrix along its branches (Featherstone 2008,
 * section 6.5): no fill, O(n depth²). Dofs count from the tree's first. */
#include "tree/algorithms.h"

/* Parent of the tree's dof k, counted from the tree's first dof; -1: none. */
static int parent_of(const cr_tree_model* model, int start, int k) {
  int parent = model->dof_parent[start + k];
  return parent < start ? -1 : parent - start;
}

bool cr_tree_factor(const cr_tree_model* model, int tree, double* H) {
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  for (int k = n - 1; k >= 0; k--) {
    double* row = H + (long)k * n;
    if (!(row[k] > 0)) return false;
    double inverse = 1 / row[k];
    for (int i = parent_of(model, start, k); i >= 0; i = parent_of(model, start, i)) {
      double a = row[i] * inverse;
      double* target = H + (long)i * n;
      for (int j = i; j >= 0; j = parent_of(model, start, j)) target[j] -= a * row[j];
      row[i] = a;
    }
  }
  return true;
}

void cr_tree_solve(const cr_tree_model* model, int tree, const double* H, double* x) {
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  for (int k = n - 1; k >= 0; k--)
    for (int i = parent_of(model, start, k); i >= 0; i = parent_of(model, start, i))
      x[i] -= H[(long)k * n + i] * x[k];
  for (int k = 0; k < n; k++) {
    double sum = x[k] / H[(long)k * n + k];
    for (int i = parent_of(model, start, k); i >= 0; i = parent_of(model, start, i))
      sum -= H[(long)k * n + i] * x[i];
    x[k] = sum;
  }
}
