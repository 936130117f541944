/* Substitutions with the factor.
 *
 * Right-hand sides are permuted into the order of elimination; then each supernode's panel works on
 * its own rows of them. */
#include "linalg/cholesky.h"
#include "linalg/plan.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

/* A group of right-hand sides in the order of elimination, in the factor's precision. */
typedef struct substitution {
  const cr_plan* plan;
  const cr_panel_kernels* kernels;
  const char* factor;
  cr_vectors vectors;
} substitution;

/* @param scratch room for the right-hand sides, then for one panel's rows of each */
static substitution start_substitution(const cr_symbolic* symbolic, cr_precision precision,
                                       const void* factor, int num_rhs, double* scratch) {
  const cr_plan* plan = symbolic->plan;
  int y_stride = symbolic->pattern.num_rows, z_stride = plan->max_below + CR_KERNEL_SLACK;
  double* z = scratch + CR_SOLVE_GROUP * (size_t)y_stride;
  return (substitution){plan,
                        symbolic->kernels->panels[precision],
                        factor,
                        {scratch, z, y_stride, z_stride, num_rhs}};
}

static cr_panel get_panel(const substitution* f, const cr_supernode* node) {
  /* Substitutions only read the panel. */
  void* values = (char*)f->factor + node->offset * (int64_t)f->kernels->number_size;
  return (cr_panel){values, node->width, node->below, node->rows, node->stride};
}

static cr_panel_rows get_rows(const substitution* f, const cr_supernode* node) {
  return (cr_panel_rows){node->first_row, node[1].first_run - node->first_run,
                         f->plan->run + node->first_run};
}

static void substitute_panel_forward(const substitution* f, const cr_supernode* node) {
  cr_panel panel = get_panel(f, node);
  cr_panel_rows rows = get_rows(f, node);
  f->kernels->solve_forward(&panel, &rows, &f->vectors);
}

/* Y <- L⁻¹ Y */
static void substitute_forward(const substitution* f) {
  const cr_supernode* nodes = f->plan->supernode;
  for (int s = 0; s < f->plan->num_supernodes; s++) substitute_panel_forward(f, &nodes[s]);
}

/* Y <- L⁻ᵀ Y */
static void substitute_backward(const substitution* f) {
  const cr_supernode* nodes = f->plan->supernode;
  for (int s = f->plan->num_supernodes - 1; s >= 0; s--) {
    cr_panel panel = get_panel(f, &nodes[s]);
    cr_panel_rows rows = get_rows(f, &nodes[s]);
    f->kernels->solve_backward(&panel, &rows, &f->vectors);
  }
}

/* The elements of one right-hand side in doubles. */
static double* get_column(const substitution* f, int r) {
  return (double*)f->vectors.y + (size_t)r * (size_t)f->vectors.y_stride;
}

/* Y = P X */
static void permute(const substitution* f, int num_rows, const double* X, int ldx) {
  const int* row = f->plan->row;
  for (int r = 0; r < f->vectors.count; r++) {
    double* y = get_column(f, r);
    const double* x = X + (size_t)r * (size_t)ldx;
    for (int k = 0; k < num_rows; k++) y[k] = x[row[k]];
  }
}

/* Y = L⁻¹ P X */
static void start_group(const substitution* f, int num_rows, const double* X, int ldx) {
  permute(f, num_rows, X, ldx);
  substitute_forward(f);
}

static void solve_group(const substitution* f, int num_rows, double* X, int ldx) {
  const int* row = f->plan->row;
  start_group(f, num_rows, X, ldx);
  substitute_backward(f);
  for (int r = 0; r < f->vectors.count; r++) {
    double *y = get_column(f, r), *x = X + (size_t)r * (size_t)ldx;
    for (int k = 0; k < num_rows; k++) x[row[k]] = y[k];
  }
}

void cr_cholesky_solve(const cr_symbolic* symbolic, const double* factor, double* X, int num_rhs,
                       int ldx, double* scratch) {
  for (int first = 0; first < num_rhs; first += CR_SOLVE_GROUP) {
    int count = num_rhs - first < CR_SOLVE_GROUP ? num_rhs - first : CR_SOLVE_GROUP;
    substitution f = start_substitution(symbolic, CR_DOUBLE, factor, count, scratch);
    solve_group(&f, symbolic->pattern.num_rows, X + (size_t)first * (size_t)ldx, ldx);
  }
}

void cr_cholesky_solve_single(const cr_symbolic* symbolic, const float* factor, double* x,
                              double* scratch) {
  substitution f = start_substitution(symbolic, CR_SINGLE, factor, 1, scratch);
  const int *row = f.plan->row, n = symbolic->pattern.num_rows;
  double largest = 0;
  for (int k = 0; k < n; k++) largest = scalar_max(largest, fabs(x[k]));
  if (largest == 0) return;
  float* y = f.vectors.y;
  double scale = 1 / largest;
  for (int k = 0; k < n; k++) y[k] = (float)(x[row[k]] * scale);
  substitute_forward(&f);
  substitute_backward(&f);
  for (int k = 0; k < n; k++) x[row[k]] = largest * (double)y[k];
}

/* The elements of one right-hand side in floats. */
static float* get_single_column(const substitution* f, int r) {
  return (float*)f->vectors.y + (size_t)r * (size_t)f->vectors.y_stride;
}

/* Whether nothing of the right-hand sides is in a panel's own rows, so that nothing leaves them:
 * the first number is zero, and each is as the one before it. */
static bool is_zero(const substitution* f, const cr_supernode* node) {
  static const double zero = 0;
  size_t size = f->kernels->number_size, rest = size * (size_t)(node->width - 1);
  const char* y = (const char*)f->vectors.y + size * (size_t)node->first_row;
  for (int r = 0; r < f->vectors.count; r++, y += size * (size_t)f->vectors.y_stride)
    if (memcmp(y, &zero, size) != 0 || memcmp(y, y + size, rest) != 0) return false;
  return true;
}

/* Y <- L⁻¹ Y along the paths of what is not zero. */
static void substitute_along_paths(const substitution* f) {
  const cr_supernode* nodes = f->plan->supernode;
  for (int s = 0; s < f->plan->num_supernodes; s++)
    if (!is_zero(f, &nodes[s])) substitute_panel_forward(f, &nodes[s]);
}

static void solve_half_group(const substitution* f, int n, double* X, int ldx) {
  permute(f, n, X, ldx);
  substitute_along_paths(f);
  for (int r = 0; r < f->vectors.count; r++)
    memcpy(X + (size_t)r * (size_t)ldx, get_column(f, r), sizeof(double) * (size_t)n);
}

static void solve_half_group_single(const substitution* f, int n, double* X, int ldx) {
  for (int r = 0; r < f->vectors.count; r++) {
    float* y = get_single_column(f, r);
    const double* x = X + (size_t)r * (size_t)ldx;
    for (int k = 0; k < n; k++) y[k] = (float)x[f->plan->row[k]];
  }
  substitute_along_paths(f);
  for (int r = 0; r < f->vectors.count; r++) {
    const float* y = get_single_column(f, r);
    for (int k = 0; k < n; k++) X[(size_t)r * (size_t)ldx + (size_t)k] = (double)y[k];
  }
}

void cr_cholesky_solve_half(const cr_symbolic* symbolic, cr_precision precision, const void* factor,
                            double* X, int num_rhs, int ldx, double* scratch) {
  int n = symbolic->pattern.num_rows;
  for (int first = 0; first < num_rhs; first += CR_SOLVE_GROUP) {
    int count = num_rhs - first < CR_SOLVE_GROUP ? num_rhs - first : CR_SOLVE_GROUP;
    substitution f = start_substitution(symbolic, precision, factor, count, scratch);
    double* x = X + (size_t)first * (size_t)ldx;
    if (precision == CR_SINGLE)
      solve_half_group_single(&f, n, x, ldx);
    else
      solve_half_group(&f, n, x, ldx);
  }
}

double cr_cholesky_inverse_norm2(const cr_symbolic* symbolic, const double* factor, const double* x,
                                 double* scratch) {
  int n = symbolic->pattern.num_rows;
  substitution f = start_substitution(symbolic, CR_DOUBLE, factor, 1, scratch);
  start_group(&f, n, x, n);
  return scalar_dot(f.vectors.y, f.vectors.y, n);
}
