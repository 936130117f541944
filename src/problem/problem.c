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
    const double* from = v + problem->pattern.row_start[block];
    for (int i = 0; i < size; i++) local[at++] = from[i];
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

/* The group's Jacobian as the kernels take it. */
static cr_rows rows_of(const cr_problem* problem, const cr_problem_group* group) {
  return (cr_rows){problem->J + group->J_start, group->row_count, group->columns, group->stride};
}

void cr_problem_apply_J(const cr_problem* problem, const double* v, double* v_c, double* scratch) {
  const cr_kernels* kernels = cr_problem_kernels(problem);
  for (int g = 0; g < problem->num_groups; g++) {
    const cr_problem_group* group = &problem->group[g];
    cr_rows J = rows_of(problem, group);
    gather(problem, group, v, scratch);
    kernels->multiply_rows(&J, scratch, v_c + group->row_start);
  }
}

void cr_problem_add_J_transposed(const cr_problem* problem, const double* gamma, double* x,
                                 double* scratch) {
  const cr_kernels* kernels = cr_problem_kernels(problem);
  for (int g = 0; g < problem->num_groups; g++) {
    const cr_problem_group* group = &problem->group[g];
    cr_rows J = rows_of(problem, group);
    memset(scratch, 0, sizeof(double) * (size_t)group->stride);
    kernels->accumulate_transposed(&J, gamma + group->row_start, scratch);
    scatter_add(problem, group, scratch, x);
  }
}
