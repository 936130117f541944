/* A group of right-hand sides in the order of elimination, on which panel after panel works. */
#ifndef CR_LINALG_SUBSTITUTION_H
#define CR_LINALG_SUBSTITUTION_H

#include "linalg/cholesky.h"
#include "linalg/plan.h"
#include "math/scalar.h"

#include <math.h>

typedef struct cr_substitution {
  const cr_plan* plan;
  const cr_panel_kernels* kernels;
  const char* factor;
  cr_vectors vectors; /* in the factor's precision */
} cr_substitution;

/* @param num_rhs 1 to CR_SOLVE_GROUP
 * @param scratch room for the right-hand sides, then for one panel's rows of each */
static inline cr_substitution cr_substitution_start(const cr_symbolic* symbolic,
                                                    cr_precision precision, const void* factor,
                                                    int num_rhs, double* scratch) {
  const cr_plan* plan = symbolic->plan;
  int y_stride = symbolic->pattern.num_rows, z_stride = plan->max_below + CR_KERNEL_SLACK;
  double* z = scratch + CR_SOLVE_GROUP * (size_t)y_stride;
  return (cr_substitution){plan,
                           symbolic->kernels->panels[precision],
                           factor,
                           {scratch, z, y_stride, z_stride, num_rhs}};
}

static inline cr_panel cr_substitution_panel(const cr_substitution* f, const cr_supernode* node) {
  /* Substitutions only read the panel. */
  void* values = (char*)f->factor + node->offset * (int64_t)f->kernels->number_size;
  return (cr_panel){values, node->width, node->below, node->rows, node->stride};
}

static inline cr_panel_rows cr_substitution_rows(const cr_substitution* f,
                                                 const cr_supernode* node) {
  return (cr_panel_rows){node->first_row, node[1].first_run - node->first_run,
                         f->plan->run + node->first_run};
}

static inline void cr_substitute_panel_forward(const cr_substitution* f, const cr_supernode* node) {
  cr_panel panel = cr_substitution_panel(f, node);
  cr_panel_rows rows = cr_substitution_rows(f, node);
  f->kernels->solve_forward(&panel, &rows, &f->vectors);
}

/* Y <- L⁻ᵀ Y */
static inline void cr_substitute_backward(const cr_substitution* f) {
  const cr_supernode* nodes = f->plan->supernode;
  for (int s = f->plan->num_supernodes - 1; s >= 0; s--) {
    cr_panel panel = cr_substitution_panel(f, &nodes[s]);
    cr_panel_rows rows = cr_substitution_rows(f, &nodes[s]);
    f->kernels->solve_backward(&panel, &rows, &f->vectors);
  }
}

/* The elements of one right-hand side in doubles, in the order of elimination. */
static inline double* cr_substitution_column(const cr_substitution* f, int r) {
  return (double*)f->vectors.y + (size_t)r * (size_t)f->vectors.y_stride;
}

/* And in floats. */
static inline float* cr_substitution_single_column(const cr_substitution* f, int r) {
  return (float*)f->vectors.y + (size_t)r * (size_t)f->vectors.y_stride;
}

/* Puts the elements x[row[k]], or x[k] where row is null, into the one right-hand side in floats,
 * scaled so that the largest becomes one; returns what that was, 0 with nothing done for none. */
static inline double cr_substitution_put_single(const cr_substitution* f, int num_rows,
                                                const double* x, const int* row) {
  float* y = cr_substitution_single_column(f, 0);
  double largest = 0;
  for (int k = 0; k < num_rows; k++) largest = scalar_max(largest, fabs(x[k]));
  if (largest == 0) return 0;
  double scale = 1 / largest;
  for (int k = 0; k < num_rows; k++) y[k] = (float)(x[row ? row[k] : k] * scale);
  return largest;
}

/* x = scale Pᵀ y of the one right-hand side in floats. */
static inline void cr_substitution_get_single(const cr_substitution* f, int num_rows, double scale,
                                              double* x) {
  const float* y = cr_substitution_single_column(f, 0);
  for (int k = 0; k < num_rows; k++) x[f->plan->row[k]] = scale * (double)y[k];
}

/* x = Pᵀ y of one right-hand side in doubles. */
static inline void cr_substitution_get(const cr_substitution* f, int num_rows, int r, double* x) {
  const double* y = cr_substitution_column(f, r);
  for (int k = 0; k < num_rows; k++) x[f->plan->row[k]] = y[k];
}

#endif
