/* The derivative of the second stage, A (v - v*) = Jᵀ gamma with the laws of all constraints. With
 * those whose impulses move, E dgamma + D dd = 0 (law_tangent.h), and everything that moves with
 * the configuration, x = v - v* held, on the right,
 *
 *   A dv - Jᵀ dgamma = A dv* - d(A x - Jᵀ gamma)                                   = b
 *   D J dv + E dgamma = - D ((dJ) v - dv_hat + (dR) gamma)                         = c
 *
 * so that (E + D J A⁻¹ Jᵀ) dgamma = c - D J A⁻¹ b and A dv = b + Jᵀ dgamma. d(A x - Jᵀ gamma) is
 * the derivative of inverse dynamics at rest without weight, for the acceleration x and with the
 * impulses on the links, which these carry along, but for what the impulses do beside that. */
#include "base/error.h"
#include "derive/constraint_block.h"
#include "derive/model_rows.h"
#include "linalg/lu.h"
#include "math/scalar.h"
#include "sim/tree/tree_factor.h"

#include <string.h>

typedef struct constraint_tangent {
  cr_constraint_state s;
  double* Z; /* [n, num_rows] A⁻¹ Jᵀ, column-major */
  double* S; /* [num_rows²] E + D J A⁻¹ Jᵀ, later its LU factors */
  int* pivot;
  double *b, *c;        /* [n], [num_rows] of all columns; later dv and dgamma */
  double *x, *full;     /* [n], [num_v] work */
  double *gamma, *chol; /* [p.num_rows], scratch of A's factor */
} constraint_tangent;

static bool push(constraint_tangent* c) {
  cr_arena* arena = c->s.t->arena;
  size_t rows = (size_t)c->s.num_rows, n = (size_t)c->s.n;
  size_t columns = (size_t)c->s.t->num_columns;
  c->Z = CR_PUSH(arena, double, n* rows);
  c->S = CR_PUSH(arena, double, rows* rows);
  c->pivot = CR_PUSH(arena, int, rows);
  c->b = CR_PUSH(arena, double, n* columns);
  c->c = CR_PUSH(arena, double, rows* columns);
  c->x = CR_PUSH(arena, double, n);
  c->full = CR_PUSH(arena, double, c->s.t->num_v);
  c->gamma = CR_PUSH(arena, double, c->s.p->num_rows);
  c->chol = CR_PUSH(arena, double, c->s.out->A_symbolic.scratch_size);
  return !arena->failed;
}

/* --- Matrices -----------------------------------------------------------------------------------
 */

/* y = D times the active rows of `rows` [p.num_rows], subtracted where sign is -1. */
static void add_D(const constraint_tangent* c, double sign, const double* rows, double* y) {
  for (int i = 0; i < c->s.num_active; i++) {
    const cr_active_constraint* a = &c->s.active[i];
    for (int r = 0; r < a->rows; r++)
      for (int j = 0; j < a->rows; j++) y[a->first + r] += sign * a->law.D[r][j] * rows[a->row + j];
  }
}

static void fill_Z(constraint_tangent* c) {
  const cr_problem* p = c->s.p;
  size_t n = (size_t)c->s.n;
  memset(c->gamma, 0, sizeof(double) * (size_t)p->num_rows);
  memset(c->Z, 0, sizeof(double) * n * (size_t)c->s.num_rows);
  for (int i = 0; i < c->s.num_active; i++)
    for (int r = 0; r < c->s.active[i].rows; r++) {
      double* entry = &c->gamma[c->s.active[i].row + r];
      *entry = 1;
      cr_problem_add_J_transposed(p, c->gamma, c->Z + (size_t)(c->s.active[i].first + r) * n,
                                  c->s.local);
      *entry = 0;
    }
  cr_cholesky_solve(p->A_symbolic, p->A_factor, c->Z, c->s.num_rows, c->s.n, c->chol);
}

/* Column by column, which stand as rows of the transpose until the end. */
static void fill_S(constraint_tangent* c) {
  size_t m = (size_t)c->s.num_rows;
  double* column = c->c;
  for (size_t k = 0; k < m; k++) {
    cr_problem_apply_J(c->s.p, c->Z + k * (size_t)c->s.n, c->gamma, c->s.local);
    memset(column, 0, sizeof(double) * m);
    add_D(c, 1, c->gamma, column);
    for (size_t i = 0; i < m; i++) c->S[i * m + k] = column[i];
  }
  for (int i = 0; i < c->s.num_active; i++) {
    const cr_active_constraint* a = &c->s.active[i];
    for (int r = 0; r < a->rows; r++)
      for (int j = 0; j < a->rows; j++)
        c->S[(size_t)(a->first + r) * m + (size_t)(a->first + j)] += a->law.E[r][j];
  }
}

/* --- Right sides --------------------------------------------------------------------------------
 */

/* What a parameter of A itself takes from b, (dA) x. */
static void subtract_matrix(const constraint_tangent* c, const cr_theta_column* theta, int tree,
                            double* full) {
  const cr_step_tangent* t = c->s.t;
  const cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  double *x = c->s.t->step->v_q, *Ax = step->work;
  int start = model->tree_v_start[tree], end = model->tree_v_start[tree + 1];
  for (int i = start; i < end; i++) x[i] = step->v[i] - step->v_star[i], Ax[i] = 0;
  cr_theta_add_matrix(t, theta, tree, x, Ax);
  for (int i = start; i < end; i++) full[i] -= Ax[i];
}

/* - d(A x - Jᵀ gamma) of a tree, its impulses carried along. */
static void subtract_slope(const constraint_tangent* c, int tree, const double* dq, double* full) {
  const cr_step* step = c->s.t->step;
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  const double* slope = c->s.tree_slope + step->sim->plan.M_start[tree];
  for (int k = 0; k < n; k++)
    if (dq[start + k] != 0)
      scalar_axpy(full + start, -dq[start + k], slope + (size_t)k * (size_t)n, n, full + start);
}

static const cr_theta_column* theta_of(const cr_step_tangent* t, int column) {
  return column < t->first_theta ? NULL : &t->thetas[column - t->first_theta];
}

static void fill_column(constraint_tangent* c, int column, double* b, double* rows) {
  const cr_constraint_state* s = &c->s;
  cr_step_tangent* t = s->t;
  const cr_theta_column* theta = theta_of(t, column);
  const double* dq = cr_column(t, t->q_mid, column);
  memset(c->full, 0, sizeof(double) * (size_t)t->num_v);
  memset(rows, 0, sizeof(double) * (size_t)s->num_rows);
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* a = &s->active[i];
    double* own = rows + a->first;
    cr_constraint_block_apply(s, a, column, c->full, own);
    if (a->constraint->rule == CR_ROW_ACTUATOR)
      own[0] += a->law.D[0][0] * cr_model_row_differentiate_input(t, a->constraint, column);
    if (theta) cr_constraint_add_theta(s, a, theta, own);
  }
  for (int k = 0; k < cr_tree_factor_count(t->step, &s->out->blocks); k++) {
    subtract_slope(c, s->out->blocks.movers[k], dq, c->full);
    if (theta) subtract_matrix(c, theta, s->out->blocks.movers[k], c->full);
  }
  cr_blocks_gather(t->step, &s->out->blocks, cr_column(t, t->v_star, column), c->x);
  cr_bsm_multiply(&s->p->pattern, s->p->A, c->x, b);
  cr_blocks_gather(t->step, &s->out->blocks, c->full, c->x);
  for (int i = 0; i < s->n; i++) b[i] += c->x[i];
}

/* --- Solution -----------------------------------------------------------------------------------
 */

/* dv in b's place, dgamma in c's, of all columns. */
static void solve(constraint_tangent* c) {
  const cr_constraint_state* s = &c->s;
  int columns = s->t->num_columns, m = s->num_rows;
  cr_cholesky_solve(s->p->A_symbolic, s->p->A_factor, c->b, columns, s->n, c->chol);
  for (int k = 0; k < columns; k++) {
    double *b = c->b + (size_t)k * (size_t)s->n, *rows = c->c + (size_t)k * (size_t)m;
    cr_problem_apply_J(s->p, b, c->gamma, s->local);
    add_D(c, -1, c->gamma, rows);
    cr_lu_solve(c->S, c->pivot, m, rows);
    for (int r = 0; r < m; r++) scalar_axpy(b, rows[r], c->Z + (size_t)r * (size_t)s->n, s->n, b);
  }
}

static carom_status prepare(constraint_tangent* c, const cr_contact_set* set) {
  CR_TRY(cr_constraint_state_find(&c->s, set));
  if (!cr_constraint_blocks_make(&c->s) || !push(c)) return cr_error_memory(c->s.t->error);
  fill_Z(c);
  fill_S(c);
  if (!cr_lu_factor(c->S, c->s.num_rows, c->pivot))
    return cr_error_set(c->s.t->error, CAROM_ERROR_NUMERICAL,
                        "derivatives: the constraints' equations are singular");
  return CAROM_OK;
}

carom_status cr_derive_constraints(cr_step_tangent* t, const cr_contact_set* set,
                                   const cr_step_problem* problem) {
  constraint_tangent c = {
      .s = {
          .t = t, .out = problem, .p = &problem->problem, .n = problem->problem.pattern.num_rows}};
  memcpy(t->v, t->v_star, sizeof(double) * (size_t)t->num_v * (size_t)t->num_columns);
  if (c.s.p->num_constraints == 0) return CAROM_OK;
  CR_TRY(prepare(&c, set));
  for (int k = 0; k < t->num_columns; k++)
    fill_column(&c, k, c.b + (size_t)k * (size_t)c.s.n, c.c + (size_t)k * (size_t)c.s.num_rows);
  solve(&c);
  for (int k = 0; k < t->num_columns; k++)
    cr_blocks_scatter(t->step, &problem->blocks, c.b + (size_t)k * (size_t)c.s.n,
                      cr_column(t, t->v, k));
  return CAROM_OK;
}
