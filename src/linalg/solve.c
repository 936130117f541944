/* Substitutions with the factor, and Gram matrices Bᵀ A⁻¹ B.
 *
 * Right-hand sides are permuted into the order of elimination. Each supernode works on a dense copy
 * of its rows: its own columns, then the rows below gathered or scattered run by run. */
#include "linalg/cholesky.h"
#include "linalg/plan.h"

#include <string.h>

/* A group of right-hand sides in the order of elimination, and a panel's share of it. */
typedef struct substitution {
  const cr_symbolic* symbolic;
  const cr_plan* plan;
  const double* factor;
  double* y; /* [num_rows, num_rhs] column-major, stride num_rows */
  double* z; /* [max_rows and slack, num_rhs] column-major, stride ldz */
  int num_rhs, ldy, ldz;
} substitution;

static substitution start_substitution(const cr_symbolic* symbolic, const double* factor,
                                       int num_rhs, double* y, double* z) {
  const cr_plan* plan = symbolic->plan;
  return (substitution){symbolic,
                        plan,
                        factor,
                        y,
                        z,
                        num_rhs,
                        symbolic->pattern.num_rows,
                        plan->max_rows + CR_KERNEL_SLACK};
}

static cr_panel get_panel(const substitution* f, const cr_supernode* node) {
  /* Substitutions only read the panel. */
  double* values = (double*)(uintptr_t)(f->factor + node->offset);
  return (cr_panel){values, node->rows, node->width, node->stride};
}

/* y1 <- L1⁻¹ y1, and y2 -= L2 y1 in the rows below. */
static void substitute_forward(const substitution* f, const cr_supernode* node) {
  cr_panel panel = get_panel(f, node);
  for (int r = 0; r < f->num_rhs; r++) {
    const double* y = f->y + (size_t)r * (size_t)f->ldy + node->first_row;
    for (int k = 0; k < node->width; k++) f->z[r * f->ldz + k] = y[k];
  }
  f->symbolic->kernels->solve_forward(&panel, f->z, f->ldz, f->num_rhs);
  for (int r = 0; r < f->num_rhs; r++) {
    double* y = f->y + (size_t)r * (size_t)f->ldy;
    const double* z = f->z + r * f->ldz;
    for (int k = 0; k < node->width; k++) y[node->first_row + k] = *z++;
    for (int i = node->first_run; i < node[1].first_run; i++) {
      cr_row_run run = f->plan->run[i];
      for (int k = 0; k < run.count; k++) y[run.start + k] += *z++;
    }
  }
}

/* y1 <- L1⁻ᵀ (y1 - L2ᵀ y2) */
static void substitute_backward(const substitution* f, const cr_supernode* node) {
  cr_panel panel = get_panel(f, node);
  for (int r = 0; r < f->num_rhs; r++) {
    const double* y = f->y + (size_t)r * (size_t)f->ldy;
    double* z = f->z + r * f->ldz;
    for (int k = 0; k < node->width; k++) *z++ = y[node->first_row + k];
    for (int i = node->first_run; i < node[1].first_run; i++) {
      cr_row_run run = f->plan->run[i];
      for (int k = 0; k < run.count; k++) *z++ = y[run.start + k];
    }
    for (int k = 0; k < CR_KERNEL_SLACK; k++) z[k] = 0;
  }
  f->symbolic->kernels->solve_backward(&panel, f->z, f->ldz, f->num_rhs);
  for (int r = 0; r < f->num_rhs; r++) {
    double* y = f->y + (size_t)r * (size_t)f->ldy + node->first_row;
    for (int k = 0; k < node->width; k++) y[k] = f->z[r * f->ldz + k];
  }
}

static void solve_group(const substitution* f, double* X, int ldx) {
  const int* row = f->plan->row;
  int num_rows = f->symbolic->pattern.num_rows;
  for (int r = 0; r < f->num_rhs; r++)
    for (int k = 0; k < num_rows; k++)
      f->y[(size_t)r * (size_t)f->ldy + (size_t)k] = X[(size_t)r * (size_t)ldx + (size_t)row[k]];
  const cr_supernode* nodes = f->plan->supernode;
  for (int s = 0; s < f->plan->num_supernodes; s++) substitute_forward(f, &nodes[s]);
  for (int s = f->plan->num_supernodes - 1; s >= 0; s--) substitute_backward(f, &nodes[s]);
  for (int r = 0; r < f->num_rhs; r++)
    for (int k = 0; k < num_rows; k++)
      X[(size_t)r * (size_t)ldx + (size_t)row[k]] = f->y[(size_t)r * (size_t)f->ldy + (size_t)k];
}

void cr_cholesky_solve(const cr_symbolic* symbolic, const double* factor, double* X, int num_rhs,
                       int ldx, double* scratch) {
  double* z = scratch + CR_SOLVE_GROUP * (size_t)symbolic->pattern.num_rows;
  for (int first = 0; first < num_rhs; first += CR_SOLVE_GROUP) {
    int count = num_rhs - first < CR_SOLVE_GROUP ? num_rhs - first : CR_SOLVE_GROUP;
    substitution f = start_substitution(symbolic, factor, count, scratch, z);
    solve_group(&f, X + (size_t)first * (size_t)ldx, ldx);
  }
}

/* The heads of the paths from the touched blocks: their supernodes, each once. */
typedef struct reach {
  const cr_plan* plan;
  int* head;
  int count;
} reach;

static reach start_reach(const cr_plan* plan, int num_touched, const int* blocks, int* head) {
  for (int k = 0; k < num_touched; k++) head[k] = plan->block_supernode[blocks[k]];
  return (reach){plan, head, num_touched};
}

/* The lowest supernode of all paths, or -1 at their end; its paths move on to its parent. */
static int advance_reach(reach* paths) {
  if (paths->count == 0) return -1;
  int lowest = paths->head[0];
  for (int k = 1; k < paths->count; k++)
    if (paths->head[k] < lowest) lowest = paths->head[k];
  /* Paths that met go on as one. */
  int parent = paths->plan->supernode[lowest].parent, kept = 0;
  for (int k = 0; k < paths->count; k++)
    if (paths->head[k] != lowest) paths->head[kept++] = paths->head[k];
  if (parent >= 0) paths->head[kept++] = parent;
  paths->count = kept;
  return lowest;
}

/* Sets y to P B in the rows that the reach touches. */
static void scatter_touched(const substitution* f, reach paths, int num_touched, const int* blocks,
                            const double* B, int num_rhs) {
  for (int s; (s = advance_reach(&paths)) >= 0;) {
    const cr_supernode* node = &f->plan->supernode[s];
    for (int r = 0; r < num_rhs; r++)
      memset(f->y + (size_t)r * (size_t)f->ldy + node->first_row, 0,
             sizeof(double) * (size_t)node->width);
  }
  for (int t = 0; t < num_touched; t++)
    for (int k = 0; k < f->symbolic->pattern.size[blocks[t]]; k++, B += num_rhs)
      for (int r = 0; r < num_rhs; r++)
        f->y[(size_t)r * (size_t)f->ldy + (size_t)(f->plan->block_row[blocks[t]] + k)] = B[r];
}

void cr_cholesky_compute_gram(const cr_symbolic* symbolic, const double* factor, int num_touched,
                              const int* blocks, const double* B, int num_rhs, double* G,
                              double* scratch) {
  const cr_plan* plan = symbolic->plan;
  size_t num_rows = (size_t)symbolic->pattern.num_rows;
  double* z = scratch + CR_GRAM_COLUMNS * num_rows;
  int* head = (int*)(void*)(z + CR_SOLVE_GROUP * (size_t)(plan->max_rows + CR_KERNEL_SLACK));
  substitution f = start_substitution(symbolic, factor, num_rhs, scratch, z);
  scatter_touched(&f, start_reach(plan, num_touched, blocks, head), num_touched, blocks, B,
                  num_rhs);

  memset(G, 0, sizeof(double) * (size_t)(num_rhs * num_rhs));
  reach paths = start_reach(plan, num_touched, blocks, head);
  for (int s; (s = advance_reach(&paths)) >= 0;) {
    const cr_supernode* node = &plan->supernode[s];
    for (int first = 0; first < num_rhs; first += CR_SOLVE_GROUP) {
      substitution group = f;
      group.y = scratch + (size_t)first * num_rows;
      group.num_rhs = num_rhs - first < CR_SOLVE_GROUP ? num_rhs - first : CR_SOLVE_GROUP;
      substitute_forward(&group, node);
    }
    symbolic->kernels->accumulate_gram(f.y + node->first_row, node->width, num_rhs, f.ldy, G);
  }
}
