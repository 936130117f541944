/* Substitutions with the factor.
 *
 * Right-hand sides are permuted into the order of elimination; then each supernode's panel works on
 * its own rows of them. */
#include "linalg/cholesky.h"
#include "linalg/plan.h"
#include "math/scalar.h"

#include <string.h>

/* A group of right-hand sides in the order of elimination. */
typedef struct substitution {
  const cr_plan* plan;
  const cr_kernels* kernels;
  const double* factor;
  cr_vectors vectors;
} substitution;

static substitution start_substitution(const cr_symbolic* symbolic, const double* factor,
                                       int num_rhs, double* y, double* z) {
  const cr_plan* plan = symbolic->plan;
  int y_stride = symbolic->pattern.num_rows, z_stride = plan->max_below + CR_KERNEL_SLACK;
  return (substitution){plan, symbolic->kernels, factor, {y, z, y_stride, z_stride, num_rhs}};
}

static cr_panel get_panel(const substitution* f, const cr_supernode* node) {
  /* Substitutions only read the panel. */
  double* values = (double*)f->factor + node->offset;
  return (cr_panel){values, node->width, node->below, node->rows, node->stride};
}

static cr_panel_rows get_rows(const substitution* f, const cr_supernode* node) {
  return (cr_panel_rows){node->first_row, node[1].first_run - node->first_run,
                         f->plan->run + node->first_run};
}

static void substitute_forward(const substitution* f, const cr_supernode* node) {
  cr_panel panel = get_panel(f, node);
  cr_panel_rows rows = get_rows(f, node);
  f->kernels->solve_forward(&panel, &rows, &f->vectors);
}

static void substitute_backward(const substitution* f, const cr_supernode* node) {
  cr_panel panel = get_panel(f, node);
  cr_panel_rows rows = get_rows(f, node);
  f->kernels->solve_backward(&panel, &rows, &f->vectors);
}

/* The elements of one right-hand side. */
static double* get_column(const substitution* f, int r) {
  return f->vectors.y + (size_t)r * (size_t)f->vectors.y_stride;
}

/* Y = L⁻¹ P X */
static void start_group(const substitution* f, int num_rows, const double* X, int ldx) {
  const int* row = f->plan->row;
  for (int r = 0; r < f->vectors.count; r++) {
    double* y = get_column(f, r);
    const double* x = X + (size_t)r * (size_t)ldx;
    for (int k = 0; k < num_rows; k++) y[k] = x[row[k]];
  }
  const cr_supernode* nodes = f->plan->supernode;
  for (int s = 0; s < f->plan->num_supernodes; s++) substitute_forward(f, &nodes[s]);
}

static void solve_group(const substitution* f, int num_rows, double* X, int ldx) {
  const int* row = f->plan->row;
  const cr_supernode* nodes = f->plan->supernode;
  start_group(f, num_rows, X, ldx);
  for (int s = f->plan->num_supernodes - 1; s >= 0; s--) substitute_backward(f, &nodes[s]);
  for (int r = 0; r < f->vectors.count; r++) {
    double *y = get_column(f, r), *x = X + (size_t)r * (size_t)ldx;
    for (int k = 0; k < num_rows; k++) x[row[k]] = y[k];
  }
}

void cr_cholesky_solve(const cr_symbolic* symbolic, const double* factor, double* X, int num_rhs,
                       int ldx, double* scratch) {
  double* z = scratch + CR_SOLVE_GROUP * (size_t)symbolic->pattern.num_rows;
  for (int first = 0; first < num_rhs; first += CR_SOLVE_GROUP) {
    int count = num_rhs - first < CR_SOLVE_GROUP ? num_rhs - first : CR_SOLVE_GROUP;
    substitution f = start_substitution(symbolic, factor, count, scratch, z);
    solve_group(&f, symbolic->pattern.num_rows, X + (size_t)first * (size_t)ldx, ldx);
  }
}

double cr_cholesky_inverse_norm2(const cr_symbolic* symbolic, const double* factor, const double* x,
                                 double* scratch) {
  int n = symbolic->pattern.num_rows;
  substitution f =
      start_substitution(symbolic, factor, 1, scratch, scratch + CR_SOLVE_GROUP * (size_t)n);
  start_group(&f, n, x, n);
  return scalar_dot(f.vectors.y, f.vectors.y, n);
}
