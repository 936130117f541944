#include "solve/newton/elimination_matrix.h"

#include "math/scalar.h"

void cr_elimination_matrix_init(cr_elimination_matrix* m, const cr_elimination* x,
                                const cr_elimination_active* list) {
  m->x = x, m->count = list->count, m->rows = list->rows;
  for (int k = 0, row = 0; k < m->count; row += m->size[k++])
    m->row[k] = row, m->size[k] = x->chosen[list->chosen[k]].rows;
}

/* A row of M, which is a column of its panel. */
static double* get_M(const cr_elimination_matrix* m, int i) {
  return m->x->memory->M + CR_ELIMINATION_ROWS * i;
}

/* M = s LᵀX */
static void multiply_left(cr_elimination_matrix* m, double sign, const double* X) {
  int n = m->rows;
  for (int k = 0; k < m->count; k++) {
    const double* L = cr_elimination_matrix_get_L(m, k);
    int first = m->row[k], rows = m->size[k];
    for (int a = 0; a < rows; a++) {
      double *to = get_M(m, first + a), scale = sign * L[rows * a + a];
      for (int j = 0; j < n; j++) to[j] = scale * X[n * (first + a) + j];
      for (int b = a + 1; b < rows; b++)
        scalar_axpy(to, sign * L[rows * b + a], X + n * (first + b), n, to);
    }
  }
}

void cr_elimination_matrix_multiply_Lt(cr_elimination_matrix* m, double* y) {
  for (int k = 0; k < m->count; k++, y += m->size[k - 1]) {
    const double* L = cr_elimination_matrix_get_L(m, k);
    int rows = m->size[k];
    for (int a = 0; a < rows; a++) {
      y[a] *= L[rows * a + a];
      for (int b = a + 1; b < rows; b++) y[a] += L[rows * b + a] * y[b];
    }
  }
}

/* The matrix as one panel. */
static cr_panel get_panel(const cr_elimination_matrix* m) {
  int rows = (m->rows + CR_SEGMENT_ROWS - 1) / CR_SEGMENT_ROWS * CR_SEGMENT_ROWS;
  return (cr_panel){m->x->memory->M, m->rows, rows, rows, CR_ELIMINATION_ROWS};
}

static const cr_panel_kernels* get_kernels(const cr_elimination_matrix* m) {
  return m->x->system->H.kernels->panels[CR_DOUBLE];
}

bool cr_elimination_matrix_factor(cr_elimination_matrix* m, double sign, const double* X) {
  cr_panel panel = get_panel(m);
  multiply_left(m, sign, X);
  for (int i = 0; i < m->rows; i++) {
    double* column = get_M(m, i);
    cr_elimination_matrix_multiply_Lt(m, column);
    column[i] += 1;
    for (int k = m->rows; k < panel.rows; k++) column[k] = 0;
  }
  return get_kernels(m)->factor_panel(&panel) < 0;
}

typedef void substitution(const cr_panel* panel, const cr_panel_rows* rows, const cr_vectors* v);

static void substitute(const cr_elimination_matrix* m, substitution* solve, double* y, int count) {
  double below[CR_SOLVE_GROUP * CR_KERNEL_SLACK];
  cr_panel panel = get_panel(m);
  cr_panel_rows rows = {0};
  cr_vectors vectors = {y, below, CR_ELIMINATION_STRIDE, CR_KERNEL_SLACK, count};
  solve(&panel, &rows, &vectors);
}

void cr_elimination_matrix_solve_forward(const cr_elimination_matrix* m, double* y, int count) {
  substitute(m, get_kernels(m)->solve_forward, y, count);
}

void cr_elimination_matrix_solve_backward(const cr_elimination_matrix* m, double* y, int count) {
  substitute(m, get_kernels(m)->solve_backward, y, count);
}
