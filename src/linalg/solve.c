/* Substitutions with the factor.
 *
 * Right-hand sides are permuted into the order of elimination; then each supernode's panel works on
 * its own rows of them. */
#include "base/copy.h"
#include "linalg/substitution.h"
#include "math/scalar.h"

/* Y <- L⁻¹ Y */
static void substitute_forward(const cr_substitution* f) {
  const cr_supernode* nodes = f->plan->supernode;
  for (int s = 0; s < f->plan->num_supernodes; s++) cr_substitute_panel_forward(f, &nodes[s]);
}

/* Y = P X */
static void permute(const cr_substitution* f, int num_rows, const double* X, int ldx) {
  const int* row = f->plan->row;
  for (int r = 0; r < f->vectors.count; r++) {
    double* y = cr_substitution_column(f, r);
    const double* x = X + (size_t)r * (size_t)ldx;
    for (int k = 0; k < num_rows; k++) y[k] = x[row[k]];
  }
}

/* Y = L⁻¹ P X */
static void start_group(const cr_substitution* f, int num_rows, const double* X, int ldx) {
  permute(f, num_rows, X, ldx);
  substitute_forward(f);
}

/* X = Y of a part of the solution's columns, each as its rows are ordered. */
static void get_halves(const cr_substitution* f, int num_rows, double* X, int ldx) {
  for (int r = 0; r < f->vectors.count; r++)
    CR_COPY(X + (size_t)r * (size_t)ldx, cr_substitution_column(f, r), num_rows);
}

static void get_solutions(const cr_substitution* f, int num_rows, double* X, int ldx) {
  for (int r = 0; r < f->vectors.count; r++)
    cr_substitution_get(f, num_rows, r, X + (size_t)r * (size_t)ldx);
}

/* Whether rows of all right-hand sides are zero. */
static bool are_zero(const cr_substitution* f, int first, int count) {
  for (int r = 0; r < f->vectors.count; r++) {
    const double* y = cr_substitution_column(f, r) + first;
    for (int i = 0; i < count; i++)
      if (y[i] != 0) return false;
  }
  return true;
}

/* Y <- L⁻ᵀ L⁻¹ Y of right-hand sides of which parts may stay zero, which are passed by. */
static void substitute_parts(const cr_substitution* f) {
  const cr_supernode* nodes = f->plan->supernode;
  for (int s = 0; s < f->plan->num_supernodes; s++)
    if (!are_zero(f, nodes[s].first_row, nodes[s].width)) cr_substitute_panel_forward(f, &nodes[s]);
  for (int s = f->plan->num_supernodes - 1; s >= 0; s--) {
    cr_panel panel = cr_substitution_panel(f, &nodes[s]);
    cr_panel_rows rows = cr_substitution_rows(f, &nodes[s]);
    bool is_zero = are_zero(f, rows.first, panel.width);
    for (int i = 0; i < rows.num_runs && is_zero; i++)
      is_zero = are_zero(f, rows.run[i].start, rows.run[i].count);
    if (!is_zero) f->kernels->solve_backward(&panel, &rows, &f->vectors);
  }
}

/* Columns a few at once, to the end or halfway. */
static void solve(const cr_symbolic* symbolic, const double* factor, double* X, int num_rhs,
                  int ldx, bool halfway, double* scratch) {
  int n = symbolic->pattern.num_rows;
  for (int first = 0; first < num_rhs; first += CR_SOLVE_GROUP) {
    int count = num_rhs - first < CR_SOLVE_GROUP ? num_rhs - first : CR_SOLVE_GROUP;
    double* columns = X + (size_t)first * (size_t)ldx;
    cr_substitution f = cr_substitution_start(symbolic, CR_DOUBLE, factor, count, scratch);
    permute(&f, n, columns, ldx);
    if (halfway) {
      substitute_forward(&f);
      get_halves(&f, n, columns, ldx);
    } else {
      substitute_parts(&f);
      get_solutions(&f, n, columns, ldx);
    }
  }
}

void cr_cholesky_solve(const cr_symbolic* symbolic, const double* factor, double* X, int num_rhs,
                       int ldx, double* scratch) {
  solve(symbolic, factor, X, num_rhs, ldx, false, scratch);
}

void cr_cholesky_solve_forward(const cr_symbolic* symbolic, const double* factor, double* X,
                               int num_rhs, int ldx, double* scratch) {
  solve(symbolic, factor, X, num_rhs, ldx, true, scratch);
}

void cr_cholesky_solve_backward(const cr_symbolic* symbolic, const double* factor, double* x,
                                double* scratch) {
  int n = symbolic->pattern.num_rows;
  cr_substitution f = cr_substitution_start(symbolic, CR_DOUBLE, factor, 1, scratch);
  CR_COPY(cr_substitution_column(&f, 0), x, n);
  cr_substitute_backward(&f);
  cr_substitution_get(&f, n, 0, x);
}

void cr_cholesky_solve_single(const cr_symbolic* symbolic, const float* factor, double* x,
                              double* scratch) {
  cr_substitution f = cr_substitution_start(symbolic, CR_SINGLE, factor, 1, scratch);
  int n = symbolic->pattern.num_rows;
  double scale = cr_substitution_put_single(&f, n, x, f.plan->row);
  if (scale == 0) return;
  substitute_forward(&f);
  cr_substitute_backward(&f);
  cr_substitution_get_single(&f, n, scale, x);
}

double cr_cholesky_inverse_norm2(const cr_symbolic* symbolic, const double* factor, const double* x,
                                 double* scratch) {
  int n = symbolic->pattern.num_rows;
  cr_substitution f = cr_substitution_start(symbolic, CR_DOUBLE, factor, 1, scratch);
  start_group(&f, n, x, n);
  return scalar_dot(f.vectors.y, f.vectors.y, n);
}
