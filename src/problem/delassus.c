/* Diagonal blocks of the Delassus operator, W_ii = J_i A^-1 J_iᵀ, from the one factor of A. */
#include "problem/law.h"

/* B = J_iᵀ, row-major [columns, rows]. */
static void transpose_rows(const double* J, int rows, int columns, int stride, double* B) {
  for (int c = 0; c < columns; c++)
    for (int r = 0; r < rows; r++) B[c * rows + r] = J[r * stride + c];
}

void cr_problem_compute_delassus(const cr_problem* problem, double* W, double* scratch_solve,
                                 double* scratch_group) {
  for (int g = 0; g < problem->num_groups; g++) {
    const cr_problem_group* group = &problem->group[g];
    const int* blocks = problem->group_block + group->block_start;
    const double* J = problem->J + group->J_start;
    int end = group->constraint_start + group->constraint_count;
    for (int i = group->constraint_start; i < end; i++) {
      int rows = cr_law_get(problem->kind[i])->rows;
      transpose_rows(J, rows, group->columns, group->stride, scratch_group);
      cr_cholesky_compute_gram(problem->A_symbolic, problem->A_factor, group->block_count, blocks,
                               scratch_group, rows, W + CR_LAW_MAX_ROWS * problem->row[i],
                               scratch_solve);
      J += rows * group->stride;
    }
  }
}
