/* Products with the constraint Jacobian, group by group. */
#include "problem/problem.h"

#include <string.h>

/* Copies the group's unknowns side by side into local [stride], zero padded. */
static void gather(const cr_problem* problem, const cr_problem_group* group, const double* v,
                   double* local) {
  int at = 0;
  for (int k = 0; k < group->block_count; k++) {
    int block = problem->group_block[group->block_start + k];
    int size = problem->pattern.size[block];
    memcpy(local + at, v + problem->pattern.row_start[block], sizeof(double) * (size_t)size);
    at += size;
  }
  for (; at < group->stride; at++) local[at] = 0;
}

static void scatter_add(const cr_problem* problem, const cr_problem_group* group,
                        const double* local, double* x) {
  for (int k = 0; k < group->block_count; k++) {
    int block = problem->group_block[group->block_start + k];
    int size = problem->pattern.size[block];
    double* out = x + problem->pattern.row_start[block];
    for (int i = 0; i < size; i++) out[i] += local[i];
    local += size;
  }
}

void cr_problem_apply_J(const cr_problem* problem, const double* v, double* v_c, double* scratch) {
  for (int g = 0; g < problem->num_groups; g++) {
    const cr_problem_group* group = &problem->group[g];
    gather(problem, group, v, scratch);
    const double* J = problem->J + group->J_start;
    for (int r = 0; r < group->row_count; r++, J += group->stride) {
      double sum = 0;
      for (int c = 0; c < group->columns; c++) sum += J[c] * scratch[c];
      v_c[group->row_start + r] = sum;
    }
  }
}

void cr_problem_add_J_transposed(const cr_problem* problem, const double* gamma, double* x,
                                 double* scratch) {
  for (int g = 0; g < problem->num_groups; g++) {
    const cr_problem_group* group = &problem->group[g];
    memset(scratch, 0, sizeof(double) * (size_t)group->stride);
    const double* J = problem->J + group->J_start;
    for (int r = 0; r < group->row_count; r++, J += group->stride) {
      double y = gamma[group->row_start + r];
      for (int c = 0; c < group->columns; c++) scratch[c] += J[c] * y;
    }
    scatter_add(problem, group, scratch, x);
  }
}
