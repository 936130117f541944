/* Substitutions with the factor, and Gram matrices Bᵀ A⁻¹ B.
 *
 * Right-hand sides are permuted into the order of elimination; then each supernode's panel works on
 * its own rows of them. */
#include "linalg/cholesky.h"
#include "linalg/plan.h"

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

static void solve_group(const substitution* f, int num_rows, double* X, int ldx) {
  const int* row = f->plan->row;
  for (int r = 0; r < f->vectors.count; r++) {
    double *y = get_column(f, r), *x = X + (size_t)r * (size_t)ldx;
    for (int k = 0; k < num_rows; k++) y[k] = x[row[k]];
  }
  const cr_supernode* nodes = f->plan->supernode;
  for (int s = 0; s < f->plan->num_supernodes; s++) substitute_forward(f, &nodes[s]);
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

/* What a Gram matrix is made of: B, on a few blocks. */
typedef struct touched {
  int num_blocks;
  const int* block;
  const double* B; /* [rows of the blocks, num_rhs] row-major */
  const int* size; /* of every block */
} touched;

/* Sets y to P B in the rows that the reach touches. */
static void scatter_touched(const substitution* f, reach paths, const touched* t) {
  int num_rhs = f->vectors.count;
  for (int s; (s = advance_reach(&paths)) >= 0;) {
    const cr_supernode* node = &f->plan->supernode[s];
    for (int r = 0; r < num_rhs; r++)
      memset(get_column(f, r) + node->first_row, 0, sizeof(double) * (size_t)node->width);
  }
  const double* B = t->B;
  for (int b = 0; b < t->num_blocks; b++)
    for (int k = 0; k < t->size[t->block[b]]; k++, B += num_rhs)
      for (int r = 0; r < num_rhs; r++)
        get_column(f, r)[f->plan->block_row[t->block[b]] + k] = B[r];
}

/* Forward substitution with more right-hand sides than go at once. */
static void substitute_forward_groups(const substitution* f, const cr_supernode* node) {
  int num_rhs = f->vectors.count;
  substitution group = *f;
  for (int first = 0; first < num_rhs; first += CR_SOLVE_GROUP) {
    group.vectors.y = get_column(f, first);
    group.vectors.count = num_rhs - first < CR_SOLVE_GROUP ? num_rhs - first : CR_SOLVE_GROUP;
    substitute_forward(&group, node);
  }
}

/* --- Blocks that stand alone --------------------------------------------------------------------
 */

enum { MOST_ALONE = 12 }; /* columns of a panel below which plain loops beat the kernels */

/* True when each block is a small panel of its own that no other row follows, as free bodies are.
 */
static bool stand_alone(const cr_plan* plan, const touched* t) {
  for (int b = 0; b < t->num_blocks; b++) {
    const cr_supernode* node = &plan->supernode[plan->block_supernode[t->block[b]]];
    bool is_last = node->parent < 0 && node[1].first_run == node->first_run;
    if (!is_last || node->width != t->size[t->block[b]] || node->width > MOST_ALONE) return false;
  }
  return true;
}

/* G += Bᵀ A⁻¹ B for one panel, in its upper triangle. The panel's diagonal holds reciprocals. */
static inline void add_alone(const double* L, const cr_supernode* node, const double* B,
                             const int num_rhs, double* G) {
  double z[MOST_ALONE][CR_GRAM_COLUMNS];
  for (int i = 0; i < node->width; i++, B += num_rhs) {
    double* x = z[i];
    for (int r = 0; r < num_rhs; r++) x[r] = B[r];
    for (int k = 0; k < i; k++)
      for (int r = 0; r < num_rhs; r++) x[r] -= L[i + k * node->stride] * z[k][r];
    for (int r = 0; r < num_rhs; r++) x[r] *= L[i + i * node->stride];
    for (int a = 0; a < num_rhs; a++)
      for (int b = a; b < num_rhs; b++) G[a * num_rhs + b] += x[a] * x[b];
  }
}

static void compute_alone(const cr_plan* plan, const double* factor, const touched* t, int num_rhs,
                          double* G) {
  const double* B = t->B;
  for (int b = 0; b < t->num_blocks; b++) {
    const cr_supernode* node = &plan->supernode[plan->block_supernode[t->block[b]]];
    const double* L = factor + node->offset;
    if (num_rhs == 3)
      add_alone(L, node, B, 3, G);
    else
      add_alone(L, node, B, num_rhs, G);
    B += node->width * num_rhs;
  }
  for (int a = 0; a < num_rhs; a++)
    for (int b = 0; b < a; b++) G[a * num_rhs + b] = G[b * num_rhs + a];
}

/* --- Gram matrices ------------------------------------------------------------------------------
 */

void cr_cholesky_compute_gram(const cr_symbolic* symbolic, const double* factor, int num_touched,
                              const int* blocks, const double* B, int num_rhs, double* G,
                              double* scratch) {
  const cr_plan* plan = symbolic->plan;
  double* z = scratch + CR_GRAM_COLUMNS * (size_t)symbolic->pattern.num_rows;
  int* head = (int*)(void*)(z + CR_SOLVE_GROUP * (size_t)(plan->max_below + CR_KERNEL_SLACK));
  substitution f = start_substitution(symbolic, factor, num_rhs, scratch, z);
  touched t = {num_touched, blocks, B, symbolic->pattern.size};
  memset(G, 0, sizeof(double) * (size_t)(num_rhs * num_rhs));
  if (stand_alone(plan, &t)) {
    compute_alone(plan, factor, &t, num_rhs, G);
    return;
  }
  scatter_touched(&f, start_reach(plan, num_touched, blocks, head), &t);

  reach paths = start_reach(plan, num_touched, blocks, head);
  for (int s; (s = advance_reach(&paths)) >= 0;) {
    const cr_supernode* node = &plan->supernode[s];
    substitute_forward_groups(&f, node);
    symbolic->kernels->accumulate_gram(scratch + node->first_row, node->width, num_rhs,
                                       f.vectors.y_stride, G);
  }
}
