/* Products with the blocks that constraint_block.c has made. */
#include "derive/constraint_block.h"

/* y += M x over the block's dofs; y by dofs or by rows. */
static void multiply(const cr_constraint_block* block, const double* M, int rows, const double* x,
                     const int* to, double* y) {
  int n = block->num_dofs;
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += M[i * n + k] * x[block->dof[k]];
    y[to ? to[i] : i] += sum;
  }
}

/* Whether a column moves none of the block's dofs. */
static bool is_still(const cr_constraint_block* block, const double* q, const double* star,
                     const double* v0) {
  for (int k = 0; k < block->num_dofs; k++) {
    int dof = block->dof[k];
    if (q[dof] != 0 || star[dof] != 0 || v0[dof] != 0) return false;
  }
  return true;
}

void cr_constraint_block_apply(const cr_constraint_state* s, const cr_active_constraint* a,
                               int column, double* b, double* c) {
  const cr_step_tangent* t = s->t;
  const cr_constraint_block* block = &a->block;
  const double *q = cr_column(t, t->q_mid, column), *star = cr_column(t, t->v_star, column);
  const double* v0 = cr_column(t, t->v0, column);
  int n = block->num_dofs;
  if (is_still(block, q, star, v0)) return;
  multiply(block, block->c_q, a->rows, q, NULL, c);
  for (int r = 0; r < a->rows; r++) {
    if (!a->yields && a->law.D[r][a->rows - 1] == 0) continue;
    multiply(block, block->c_star + r * n, 1, star, NULL, c + r);
    multiply(block, block->c_v0 + r * n, 1, v0, NULL, c + r);
  }
  if (block->b_q) multiply(block, block->b_q, n, q, block->dof, b);
  if (!block->b_star) return;
  multiply(block, block->b_star, n, star, block->dof, b);
  multiply(block, block->b_v0, n, v0, block->dof, b);
}

double cr_constraint_block_apply_record(const cr_constraint_state* s, const cr_active_constraint* a,
                                        int column) {
  const cr_step_tangent* t = s->t;
  const cr_constraint_block* block = &a->block;
  double sum = 0;
  multiply(block, block->m_q, 1, cr_column(t, t->q_mid, column), NULL, &sum);
  multiply(block, block->m_star, 1, cr_column(t, t->v_star, column), NULL, &sum);
  multiply(block, block->m_v0, 1, cr_column(t, t->v0, column), NULL, &sum);
  return sum;
}

/* y += Mᵀ x, x by rows or by dofs. */
static void multiply_transposed(const cr_constraint_block* block, const double* M, int rows,
                                const int* from, const double* x, double* y) {
  int n = block->num_dofs;
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < n; k++) y[block->dof[k]] += M[i * n + k] * x[from ? from[i] : i];
}

void cr_constraint_block_apply_transposed(const cr_active_constraint* a, const double* b,
                                          const double* c, const cr_stage_cotangents* out) {
  const cr_constraint_block* block = &a->block;
  int n = block->num_dofs;
  multiply_transposed(block, block->c_q, a->rows, NULL, c, out->q_mid);
  multiply_transposed(block, block->c_star, a->rows, NULL, c, out->v_star);
  multiply_transposed(block, block->c_v0, a->rows, NULL, c, out->v0);
  if (block->b_q) multiply_transposed(block, block->b_q, n, block->dof, b, out->q_mid);
  if (!block->b_star) return;
  multiply_transposed(block, block->b_star, n, block->dof, b, out->v_star);
  multiply_transposed(block, block->b_v0, n, block->dof, b, out->v0);
}
