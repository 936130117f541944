/* Products with the constraint Jacobian, group by group. */
#include "problem/problem.h"

/* The commonest size of a block, for which copies and sums are unrolled. */
enum { FREE_BODY = 6 };

static inline void copy(const int size, const double* from, double* restrict to) {
  for (int i = 0; i < size; i++) to[i] = from[i];
}

static inline void add(const int size, const double* from, double* restrict to) {
  for (int i = 0; i < size; i++) to[i] += from[i];
}

/* Copies the group's unknowns side by side into local [stride], zero padded. */
static void gather(const cr_problem* problem, const cr_problem_group* group, const double* v,
                   double* local) {
  const int* block = problem->group_block + group->block_start;
  double* end = local + group->stride;
  for (int k = 0; k < group->block_count; k++) {
    int size = problem->pattern.size[block[k]];
    const double* from = v + problem->pattern.row_start[block[k]];
    if (size == FREE_BODY)
      copy(FREE_BODY, from, local);
    else
      copy(size, from, local);
    local += size;
  }
  while (local < end) *local++ = 0;
}

static void scatter_add(const cr_problem* problem, const cr_problem_group* group,
                        const double* local, double* x) {
  const int* block = problem->group_block + group->block_start;
  for (int k = 0; k < group->block_count; k++) {
    int size = problem->pattern.size[block[k]];
    double* out = x + problem->pattern.row_start[block[k]];
    if (size == FREE_BODY)
      add(FREE_BODY, local, out);
    else
      add(size, local, out);
    local += size;
  }
}

/* The group's Jacobian as the kernels take it. */
static cr_rows rows_of(const cr_problem* problem, const cr_problem_group* group) {
  return (cr_rows){problem->J + group->J_start, group->row_count, group->columns, group->stride};
}

/* Vectors that are read where single numbers were written just now wait for these to arrive: the
 * unknowns of several groups are copied before the first of them is multiplied. */
void cr_problem_apply_J(const cr_problem* problem, const double* v, double* v_c, double* scratch) {
  const cr_kernels* kernels = cr_problem_kernels(problem);
  ptrdiff_t stride = problem->max_stride;
  for (int first = 0; first < problem->num_groups; first += CR_PROBLEM_GATHERED) {
    const cr_problem_group* group = problem->group + first;
    int left = problem->num_groups - first;
    int count = left < CR_PROBLEM_GATHERED ? left : CR_PROBLEM_GATHERED;
    for (int g = 0; g < count; g++) gather(problem, &group[g], v, scratch + g * stride);
    for (int g = 0; g < count; g++) {
      cr_rows J = rows_of(problem, &group[g]);
      kernels->multiply_rows(&J, scratch + g * stride, v_c + group[g].row_start);
    }
  }
}

void cr_problem_add_J_transposed(const cr_problem* problem, const double* gamma, double* x,
                                 double* scratch) {
  const cr_kernels* kernels = cr_problem_kernels(problem);
  for (int g = 0; g < problem->num_groups; g++) {
    const cr_problem_group* group = &problem->group[g];
    cr_rows J = rows_of(problem, group);
    kernels->multiply_transposed(&J, gamma + group->row_start, scratch);
    scatter_add(problem, group, scratch, x);
  }
}

/* --- Parts --------------------------------------------------------------------------------------
 */

/* Whether all unknowns of a group are zero. */
static bool is_still(const cr_problem* problem, const cr_problem_group* group, const double* v) {
  const int* block = problem->group_block + group->block_start;
  for (int k = 0; k < group->block_count; k++) {
    const double* from = v + problem->pattern.row_start[block[k]];
    for (int i = 0; i < problem->pattern.size[block[k]]; i++)
      if (from[i] != 0) return false;
  }
  return true;
}

void cr_problem_apply_J_to_part(const cr_problem* problem, const double* v, double* v_c,
                                double* scratch) {
  const cr_kernels* kernels = cr_problem_kernels(problem);
  for (int g = 0; g < problem->num_groups; g++) {
    const cr_problem_group* group = &problem->group[g];
    double* out = v_c + group->row_start;
    if (is_still(problem, group, v)) {
      for (int r = 0; r < group->row_count; r++) out[r] = 0;
      continue;
    }
    gather(problem, group, v, scratch);
    cr_rows J = rows_of(problem, group);
    kernels->multiply_rows(&J, scratch, out);
  }
}

int cr_problem_find_group(const cr_problem* problem, int row) {
  int low = 0, high = problem->num_groups - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (problem->group[middle].row_start <= row)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

void cr_problem_add_row(const cr_problem* problem, int row, double weight, double* x) {
  const cr_problem_group* group = &problem->group[cr_problem_find_group(problem, row)];
  const int* block = problem->group_block + group->block_start;
  const double* from = problem->J + group->J_start + (row - group->row_start) * group->stride;
  for (int k = 0; k < group->block_count; k++) {
    int size = problem->pattern.size[block[k]];
    double* out = x + problem->pattern.row_start[block[k]];
    for (int i = 0; i < size; i++) out[i] += weight * from[i];
    from += size;
  }
}
