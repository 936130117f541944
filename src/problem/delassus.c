/* Diagonal blocks of the Delassus operator, W_ii = J_i A^-1 J_iᵀ, from the one factor of A. */
#include "linalg/gram.h"
#include "problem/law.h"

void cr_problem_compute_delassus(const cr_problem* problem, double* W, double* scratch) {
  for (int g = 0; g < problem->num_groups; g++) {
    const cr_problem_group* group = &problem->group[g];
    const double* J = problem->J + group->J_start;
    int end = group->constraint_start + group->constraint_count;
    cr_gram gram;
    cr_gram_init(&gram, problem->A_symbolic, problem->A_factor, group->block_count,
                 problem->group_block + group->block_start, scratch);
    for (int i = group->constraint_start; i < end; i++) {
      int rows = cr_law_get(problem->kind[i])->rows;
      cr_gram_compute(&gram, J, rows, group->stride, W + CR_LAW_MAX_ROWS * problem->row[i]);
      J += rows * group->stride;
    }
  }
}
