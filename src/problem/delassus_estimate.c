/* Diagonal blocks of the Delassus operator without a factor of A: from small dense matrices, the
 * part of A of a group's blocks and their neighbours. They are too small by what the rest would
 * give way. */
#include "base/copy.h"
#include "linalg/graph.h"
#include "problem/law_table.h"

#include <math.h>
#include <string.h>

typedef struct patch {
  const cr_problem* problem;
  const cr_block_graph* graph;
  int* local; /* [num_blocks] first row in the patch, -1: not in it */
  int *block, count, rows;
  double* L; /* [rows, rows] row-major lower triangle: A, then its factor */
  double* y; /* [rows] */
} patch;

static void add_block(patch* x, int block) {
  if (x->local[block] >= 0) return;
  x->local[block] = x->rows;
  x->rows += x->problem->pattern.size[block];
  x->block[x->count++] = block;
}

/* The group's blocks and all that are coupled to them. */
static void collect(patch* x, const cr_problem_group* group) {
  const int* own = x->problem->group_block + group->block_start;
  x->count = x->rows = 0;
  for (int k = 0; k < group->block_count; k++) add_block(x, own[k]);
  for (int k = 0; k < group->block_count; k++)
    for (int e = x->graph->start[own[k]]; e < x->graph->start[own[k] + 1]; e++)
      add_block(x, x->graph->neighbor[e]);
}

static void release(patch* x) {
  for (int k = 0; k < x->count; k++) x->local[x->block[k]] = -1;
}

/* Copies a stored block of A, given by its block row i and block column j, i >= j. */
static void copy_block(patch* x, int i, int j, const double* from) {
  int rows = x->problem->pattern.size[i], columns = x->problem->pattern.size[j];
  for (int c = 0; c < columns; c++)
    for (int r = i == j ? c : 0; r < rows; r++) {
      int a = x->local[i] + r, b = x->local[j] + c, low = a > b ? a : b;
      x->L[(size_t)low * (size_t)x->rows + (size_t)(a + b - low)] = from[c * rows + r];
    }
}

static void assemble(patch* x) {
  const cr_bsm_pattern* p = &x->problem->pattern;
  memset(x->L, 0, sizeof *x->L * (size_t)x->rows * (size_t)x->rows);
  for (int k = 0; k < x->count; k++) {
    int j = x->block[k];
    for (int b = p->col_start[j]; b < p->col_start[j + 1]; b++)
      if (x->local[p->row_index[b]] >= 0)
        copy_block(x, p->row_index[b], j, x->problem->A + p->value_start[b]);
  }
}

/* L Lᵀ in place, with reciprocals on the diagonal. */
static void factor(patch* x) {
  for (int i = 0; i < x->rows; i++) {
    double* row = x->L + (size_t)i * (size_t)x->rows;
    for (int j = 0; j <= i; j++) {
      const double* other = x->L + (size_t)j * (size_t)x->rows;
      double sum = row[j];
      for (int k = 0; k < j; k++) sum -= row[k] * other[k];
      row[j] = j < i ? sum * other[j] : 1 / sqrt(sum);
    }
  }
}

/* y = L^-1 Jᵀ of one row of the group. */
static void respond(patch* x, const cr_problem_group* group, const double* J, double* y) {
  memset(y, 0, sizeof *y * (size_t)x->rows);
  CR_COPY(y, J, group->columns); /* its blocks come first, in their order */
  for (int i = 0; i < x->rows; i++) {
    const double* row = x->L + (size_t)i * (size_t)x->rows;
    for (int k = 0; k < i; k++) y[i] -= row[k] * y[k];
    y[i] *= row[i];
  }
}

static void fill_constraint(patch* x, const cr_problem_group* group, int constraint, double* W) {
  const cr_problem* p = x->problem;
  int row = p->row[constraint], rows = cr_law_get(p->kind[constraint])->rows;
  const double* J = p->J + group->J_start + (int64_t)(row - group->row_start) * group->stride;
  W += p->ld * row;
  for (int a = 0; a < rows; a++) respond(x, group, J + a * group->stride, x->y + a * x->rows);
  for (int a = 0; a < rows; a++)
    for (int b = 0; b < rows; b++) {
      double sum = 0;
      for (int k = 0; k < x->rows; k++) sum += x->y[a * x->rows + k] * x->y[b * x->rows + k];
      W[a * rows + b] = sum;
    }
}

/* The most rows that a patch has. */
static int find_most_rows(patch* x) {
  int most = 0;
  for (int g = 0; g < x->problem->num_groups; g++) {
    collect(x, &x->problem->group[g]);
    if (x->rows > most) most = x->rows;
    release(x);
  }
  return most;
}

bool cr_problem_estimate_delassus(const cr_problem* problem, cr_arena* arena, double* W) {
  cr_scratch_mark mark = cr_arena_mark_scratch(arena);
  cr_block_graph graph;
  patch x = {.problem = problem, .graph = &graph};
  if (!cr_block_graph_build(&problem->pattern, arena, &graph)) return false;
  x.local = CR_SCRATCH(arena, int, problem->pattern.num_blocks);
  x.block = CR_SCRATCH(arena, int, problem->pattern.num_blocks);
  if (arena->failed) return false;
  for (int b = 0; b < problem->pattern.num_blocks; b++) x.local[b] = -1;
  size_t most = (size_t)find_most_rows(&x);
  x.L = CR_SCRATCH(arena, double, most* most);
  x.y = CR_SCRATCH(arena, double, CR_LAW_MAX_ROWS* most);
  if (arena->failed) return false;
  for (int g = 0; g < problem->num_groups; g++) {
    const cr_problem_group* group = &problem->group[g];
    collect(&x, group);
    assemble(&x);
    factor(&x);
    for (int c = 0; c < group->constraint_count; c++)
      fill_constraint(&x, group, group->constraint_start + c, W);
    release(&x);
  }
  cr_arena_pop_scratch(arena, mark);
  return true;
}
