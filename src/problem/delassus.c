/* Diagonal blocks of the Delassus operator, W_ii = J_i A^-1 J_iᵀ, from the one factor of A. */
#include "linalg/gram.h"
#include "problem/law_table.h"

/* W of more rows than a Gram matrix has at once, from those of its parts: the first and last four
 * rows, then the pairs that are farther apart, each as two rows at that distance.
 * @param W [rows, rows] */
static void compute_large(const cr_gram* gram, const double* J, int rows, int stride, double* W) {
  double part[CR_GRAM_COLUMNS * CR_GRAM_COLUMNS];
  for (int first = 0; first <= rows - CR_GRAM_COLUMNS; first += rows - CR_GRAM_COLUMNS) {
    cr_gram_compute(gram, J + first * stride, CR_GRAM_COLUMNS, stride, part);
    for (int a = 0; a < CR_GRAM_COLUMNS; a++)
      for (int b = 0; b < CR_GRAM_COLUMNS; b++)
        W[(first + a) * rows + first + b] = part[CR_GRAM_COLUMNS * a + b];
  }
  for (int a = 0; a < rows - CR_GRAM_COLUMNS; a++)
    for (int b = CR_GRAM_COLUMNS; b < rows; b++) {
      cr_gram_compute(gram, J + a * stride, 2, (b - a) * stride, part);
      W[a * rows + b] = W[b * rows + a] = part[1];
    }
}

/* W of up to CR_GRAM_COLUMNS constraints of one row each, which stand on the diagonal of what all
 * rows make together. */
static void compute_singles(const cr_gram* gram, const double* J, int count, int stride, int ld,
                            double* W) {
  double G[CR_GRAM_COLUMNS * CR_GRAM_COLUMNS];
  cr_gram_compute(gram, J, count, stride, G);
  for (int k = 0; k < count; k++) W[k * ld] = G[k * (count + 1)];
}

/* How many constraints from i on have one row, CR_GRAM_COLUMNS at most. */
static int count_singles(const cr_problem* problem, int i, int end) {
  int count = 0;
  while (count < CR_GRAM_COLUMNS && i + count < end &&
         cr_law_get(problem->kind[i + count])->rows == 1)
    count++;
  return count;
}

/* The blocks of one group. */
static void compute_group(const cr_problem* problem, const cr_problem_group* group, double* W,
                          double* scratch) {
  const double* J = problem->J + group->J_start;
  int end = group->constraint_start + group->constraint_count;
  cr_gram gram;
  cr_gram_init(&gram, problem->A_symbolic, problem->A_factor, group->block_count,
               problem->group_block + group->block_start, scratch);
  for (int i = group->constraint_start, taken = 1; i < end; i += taken) {
    int singles = count_singles(problem, i, end);
    int rows = singles ? singles : cr_law_get(problem->kind[i])->rows;
    double* out = W + problem->ld * problem->row[i];
    taken = singles ? singles : 1;
    if (singles)
      compute_singles(&gram, J, rows, group->stride, problem->ld, out);
    else if (rows <= CR_GRAM_COLUMNS)
      cr_gram_compute(&gram, J, rows, group->stride, out);
    else
      compute_large(&gram, J, rows, group->stride, out);
    J += rows * group->stride;
  }
}

void cr_problem_compute_delassus_of(const cr_problem* problem, int first, int end, double* W,
                                    double* scratch) {
  for (int g = first; g < end; g++) compute_group(problem, &problem->group[g], W, scratch);
}

void cr_problem_compute_delassus(const cr_problem* problem, double* W, double* scratch) {
  cr_problem_compute_delassus_of(problem, 0, problem->num_groups, W, scratch);
}
