/* The derivative of the second stage, A (v - v*) = Jᵀ gamma with the laws of all constraints. With
 * those whose impulses move, E dgamma + D dd = 0 (law_tangent.h), and everything that moves with
 * the configuration, x = v - v* held, on the right,
 *
 *   A dv - Jᵀ dgamma = A dv* - d(A x - Jᵀ gamma)                                   = b
 *   D J dv + E dgamma = - D ((dJ) v - dv_hat + (dR) gamma)                         = c
 *
 * so that (E + D J A⁻¹ Jᵀ) dgamma = c - D J A⁻¹ b and dv = A⁻¹ b + A⁻¹ Jᵀ dgamma, A⁻¹ b being dv*
 * and what A⁻¹ makes of the rest of b. d(A x - Jᵀ gamma) is
 * the derivative of inverse dynamics at rest without weight, for the acceleration x and with the
 * impulses on the links, which these carry along, but for what the impulses do beside that. */
#include "derive/constraint_tangent.h"

#include "base/copy.h"
#include "base/error.h"
#include "derive/area_mobility.h"
#include "derive/constraint_rows.h"
#include "derive/film_mobility.h"
#include "derive/force_tangent.h"
#include "derive/free_tangent.h"
#include "derive/model_rows.h"
#include "derive/near_kinks.h"
#include "derive/place_parameters.h"
#include "derive/recovery_rows.h"
#include "derive/row_force.h"
#include "derive/search_kinks.h"
#include "derive/soft_tangent.h"
#include "derive/softening.h"
#include "derive/tension_tangent.h"
#include "derive/weight_tangent.h"
#include "linalg/sparse_rows.h"
#include "math/scalar.h"
#include "sim/tree/tree_factor.h"

#include <string.h>

void cr_constraint_tangent_start(cr_constraint_tangent* c, cr_step_tangent* t,
                                 const cr_step_problem* problem) {
  *c = (cr_constraint_tangent){
      .s = {
          .t = t, .out = problem, .p = &problem->problem, .n = problem->problem.pattern.num_rows}};
}

static bool push(cr_constraint_tangent* c) {
  cr_arena* arena = c->s.t->arena;
  size_t rows = (size_t)c->s.num_rows, n = (size_t)c->s.n;
  c->Z = CR_PUSH(arena, double, n* rows);
  c->S = CR_PUSH(arena, double, rows* rows);
  c->pivot = CR_PUSH(arena, int, rows);
  c->rows = CR_PUSH(arena, double, rows);
  c->x = CR_PUSH(arena, double, n);
  c->full = CR_PUSH(arena, double, c->s.t->num_v);
  c->zeros = CR_PUSH(arena, double, c->s.t->num_v);
  c->change = CR_PUSH(arena, double, c->s.t->num_v);
  c->gamma = CR_PUSH(arena, double, c->s.p->num_rows);
  c->chol = CR_PUSH(arena, double, c->s.out->A_symbolic.scratch_size);
  return !arena->failed;
}

/* --- Matrices -----------------------------------------------------------------------------------
 */

static bool is_zero(const double* x, int start, int end) {
  while (start < end && x[start] == 0) start++;
  return start == end;
}

void cr_constraint_add_laws(const cr_constraint_tangent* c, double sign, const double* rows,
                            double* y) {
  for (int i = 0; i < c->s.num_active; i++) {
    const cr_active_constraint* a = &c->s.active[i];
    if (is_zero(rows, a->row, a->row + a->rows)) continue;
    for (int r = 0; r < a->rows; r++)
      for (int j = 0; j < a->rows; j++) y[a->first + r] += sign * a->law.D[r][j] * rows[a->row + j];
  }
}

static void fill_Z(cr_constraint_tangent* c) {
  const cr_problem* p = c->s.p;
  size_t n = (size_t)c->s.n;
  memset(c->Z, 0, sizeof(double) * n * (size_t)c->s.num_rows);
  for (int i = 0; i < c->s.num_active; i++) {
    const cr_active_constraint* a = &c->s.active[i];
    for (int r = 0; r < a->rows; r++)
      cr_problem_add_row(p, a->row + r, 1, c->Z + (size_t)(a->first + r) * n);
  }
  cr_cholesky_solve(p->A_symbolic, p->A_factor, c->Z, c->s.num_rows, c->s.n, c->chol);
}

static void fill_S(cr_constraint_tangent* c) {
  size_t m = (size_t)c->s.num_rows;
  memset(c->S, 0, sizeof(double) * m * m);
  for (size_t k = 0; k < m; k++) {
    cr_problem_apply_J_to_part(c->s.p, c->Z + k * (size_t)c->s.n, c->gamma, c->s.local);
    cr_constraint_add_laws(c, 1, c->gamma, c->S + k * m);
  }
  for (int i = 0; i < c->s.num_active; i++) {
    const cr_active_constraint* a = &c->s.active[i];
    for (int r = 0; r < a->rows; r++)
      for (int j = 0; j < a->rows; j++)
        c->S[(size_t)(a->first + j) * m + (size_t)(a->first + r)] += a->law.E[r][j];
  }
}

/* --- Right sides --------------------------------------------------------------------------------
 */

void cr_constraint_subtract_matrix(const cr_constraint_tangent* c, const cr_theta_column* theta,
                                   int tree, double* full) {
  const cr_step_tangent* t = c->s.t;
  const cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  const double* x = c->change;
  double* Ax = step->work;
  int start = model->tree_v_start[tree], end = model->tree_v_start[tree + 1];
  for (int i = start; i < end; i++) Ax[i] = 0;
  cr_theta_add_matrix(t, theta, tree, x, Ax);
  if (cr_theta_is_of_place(theta))
    cr_place_theta_add_matrix(t, theta, tree, &(cr_place_load){x, c->s.impulse}, Ax);
  for (int i = start; i < end; i++) full[i] -= Ax[i];
}

void cr_constraint_subtract_slope(const cr_constraint_tangent* c, int tree, const double* dq,
                                  double* full) {
  const cr_step* step = c->s.t->step;
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  const cr_rows slope = {c->s.tree_slope + step->sim->plan.M_start[tree], n, n, n};
  cr_sparse_subtract_rows(c->s.t->kernels, dq + start, &slope, full + start);
}

void cr_constraint_subtract_slope_transposed(const cr_constraint_tangent* c, int tree,
                                             const double* full, double* dq) {
  const cr_step* step = c->s.t->step;
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  const double* slope = c->s.tree_slope + step->sim->plan.M_start[tree];
  for (int k = 0; k < n; k++)
    dq[start + k] -= scalar_dot(slope + (size_t)k * (size_t)n, full + start, n);
}

static const cr_theta_column* theta_of(const cr_step_tangent* t, int column) {
  return column < t->first_theta ? NULL : &t->thetas[column - t->first_theta];
}

/* What the weights of dampers in A make of b and c. */
static void add_weights(const cr_constraint_tangent* c, int column, double* full, double* rows) {
  const cr_step_tangent* t = c->s.t;
  const double *q0 = cr_column(t, t->q0, column), *v0 = cr_column(t, t->v0, column);
  for (int k = 0; k < t->weights->count; k++) {
    const cr_weight_tangent* w = &t->weights->items[k];
    double by = cr_weight_tangent_move(w, q0, v0);
    int num_rows = c->s.num_rows + c->s.num_softenings;
    if (by == 0) continue;
    full[w->dof] -= by * w->matrix * c->change[w->dof];
    scalar_axpy(rows, by, c->by_weights + (size_t)k * (size_t)num_rows, num_rows, rows);
  }
}

/* What soft bodies' A makes of b; A⁻¹ b of all their nodes is added to v, which is v* so far. */
static void fill_softs(cr_constraint_tangent* c, int column) {
  cr_step_tangent* t = c->s.t;
  const cr_theta_column* theta = theta_of(t, column);
  double* v = cr_column(t, t->v, column);
  for (int k = 0; k < t->step->model->soft.num_parts; k++) {
    const cr_soft_tangents* s = &t->softs[k];
    double* own = c->full + s->soft->first_v;
    if (!s->is_touched) continue;
    cr_soft_subtract_bend(t, s, column, c->full);
    if (theta) cr_soft_theta_subtract_matrix(t, s, theta, c->full);
    cr_soft_solve(t, s, c->full);
    for (int i = 0; i < s->n; i++) v[s->soft->first_v + i] += own[i];
  }
}

void cr_constraint_gather_softs(const cr_constraint_tangent* c, const double* v, double* x) {
  const cr_blocks* blocks = &c->s.out->blocks;
  const int* start = c->s.t->step->model->tree.segment_v_start;
  for (int b = blocks->num_segments; b < blocks->pattern.num_blocks; b++)
    CR_COPY(x + blocks->pattern.row_start[b], v + start[blocks->block_segment[b]], 3);
}

void cr_constraint_add_impulses(cr_constraint_tangent* c, const double* rows, double* full) {
  const cr_constraint_state* s = &c->s;
  cr_step_tangent* t = s->t;
  memset(c->gamma, 0, sizeof(double) * (size_t)s->p->num_rows);
  memset(c->x, 0, sizeof(double) * (size_t)s->n);
  for (int i = 0; i < s->num_active; i++)
    CR_COPY(c->gamma + s->active[i].row, rows + s->active[i].first, s->active[i].rows);
  cr_problem_add_J_transposed(s->p, c->gamma, c->x, s->local);
  memset(full, 0, sizeof(double) * (size_t)t->num_v);
  cr_blocks_scatter(t->step, &s->out->blocks, c->x, full);
}

/* What impulses make of all nodes of soft bodies, of which the problem has those that are touched.
 */
static void complete_softs(cr_constraint_tangent* c, int column, const double* rows) {
  cr_step_tangent* t = c->s.t;
  double* v = cr_column(t, t->v, column);
  if (t->step->model->soft.num_parts == 0) return;
  cr_constraint_add_impulses(c, rows, c->full);
  for (int k = 0; k < t->step->model->soft.num_parts; k++) {
    const cr_soft_tangents* s = &t->softs[k];
    if (!s->is_touched) continue;
    cr_soft_solve(t, s, c->full);
    for (int i = s->soft->first_v; i < s->soft->first_v + s->n; i++) v[i] += c->full[i];
  }
}

/* What a constraint hands on, the impulses held, is behind c's rows. */
static void hand_on(const cr_constraint_state* s, const cr_active_constraint* a, double by,
                    double* rows) {
  if (a->softening) rows[s->num_rows + a->softening->at] += by;
}

/* Adds what mobilities that move make of c. */
static void add_moved(const cr_constraint_state* s, const cr_active_constraint* a,
                      const cr_distance_row* moved, double* rows) {
  double d[CR_LAW_MAX_ROWS];
  hand_on(s, a, cr_constraint_find_mobility_slope(s, a, moved, d), rows);
  for (int r = 0; r < a->rows; r++)
    for (int j = 0; j < a->rows; j++) rows[a->first + r] -= a->law.D[r][j] * d[j];
}

/* What a weight or forces along rows make of c by the mobilities of rows. */
static void add_mobilities(const cr_constraint_tangent* c, const cr_matrix_way* way, double* rows) {
  const cr_constraint_state* s = &c->s;
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* a = &s->active[i];
    cr_distance_row moved = {0};
    if (a->answer.motion)
      moved.mobility = cr_mobility_tangent_move(s, a->answer.motion->v, way, c->zeros);
    if (a->film) moved.film = cr_film_mobility_move_matrix(s, a->film, way, c->zeros);
    if (moved.mobility == 0 && moved.film == 0) continue;
    add_moved(s, a, &moved, rows);
  }
  for (const cr_area_mobility* area = s->areas; area; area = area->next) {
    double moved = cr_area_mobility_move_matrix(s, area, way, c->zeros);
    for (int i = 0; i < s->num_active && moved != 0; i++) {
      const cr_active_constraint* a = &s->active[i];
      if (a->area == area) add_moved(s, a, &(cr_distance_row){.area = moved}, rows);
    }
  }
}

static bool find_weights(cr_constraint_tangent* c) {
  const cr_weight_tangents* weights = c->s.t->weights;
  size_t rows = (size_t)(c->s.num_rows + c->s.num_softenings), size = rows * (size_t)weights->count;
  c->by_weights = CR_PUSH(c->s.t->arena, double, size);
  if (c->s.t->arena->failed) return false;
  memset(c->by_weights, 0, sizeof(double) * size);
  for (int k = 0; k < weights->count; k++)
    add_mobilities(c, &(cr_matrix_way){.weight = &weights->items[k]},
                   c->by_weights + (size_t)k * rows);
  return true;
}

void cr_constraint_add_direct(cr_constraint_tangent* c, int column, double* full, double* rows) {
  cr_constraint_state* s = &c->s;
  cr_step_tangent* t = s->t;
  const cr_theta_column* theta = theta_of(t, column);
  const double *q0 = cr_column(t, t->q0, column), *v0 = cr_column(t, t->v0, column);
  const cr_row_force_direction by = {cr_column(t, t->q_mid, column),
                                     cr_column(t, t->v_star, column), v0, q0};
  for (int i = 0; i < s->num_active; i++) {
    cr_active_constraint* a = &s->active[i];
    double* own = rows + a->first;
    if (a->constraint->rule == CR_ROW_ACTUATOR)
      own[0] += a->law.D[0][0] * cr_model_row_differentiate_input(t, a->constraint, column);
    if (a->weight)
      own[0] -= a->law.D[0][0] * a->by_weight * cr_weight_tangent_move(a->weight, q0, v0);
    if (a->share) cr_share_add(s, a, column, own);
    if (theta) hand_on(s, a, cr_constraint_add_theta(s, a, theta, full, own), rows);
  }
  for (int k = 0; k < c->num_trees && theta; k++)
    cr_constraint_subtract_matrix(c, theta, s->out->blocks.movers[k], full);
  for (int k = 0; k < t->row_forces->count; k++)
    cr_row_force_add_matrix(&t->row_forces->items[k], c->change, &by, column, -1, full);
  cr_tension_tangent_subtract_strings(s, by.q_mid, full);
  if (t->row_forces->count > 0) add_mobilities(c, &(cr_matrix_way){.column = column}, rows);
}

/* The trees that a column moves, see cr_tree_bit. */
static uint64_t find_moved(const cr_step_tangent* t, int column) {
  const cr_tree_model* model = &t->step->model->tree;
  double* const fields[] = {t->q_mid, t->v_star, t->v0};
  uint64_t moved = 0;
  for (int i = 0; i < 3; i++) {
    const double* x = cr_column(t, fields[i], column);
    for (int k = 0; k < model->num_trees; k++)
      if (!is_zero(x, model->tree_v_start[k], model->tree_v_start[k + 1])) moved |= cr_tree_bit(k);
    if (!is_zero(x, model->num_v, t->num_v)) moved |= cr_tree_bit(0);
  }
  return moved;
}

void cr_constraint_fill_column(cr_constraint_tangent* c, int column, double* b, double* rows) {
  cr_constraint_state* s = &c->s;
  cr_step_tangent* t = s->t;
  uint64_t moved = find_moved(t, column);
  memset(c->full, 0, sizeof(double) * (size_t)t->num_v);
  memset(rows, 0, sizeof(double) * (size_t)(s->num_rows + s->num_softenings));
  for (int i = 0; i < s->num_active; i++) {
    cr_active_constraint* a = &s->active[i];
    if (!(a->block.trees & moved)) continue;
    cr_constraint_block_apply(s, a, column, c->full, rows + a->first);
    if (a->softening) hand_on(s, a, cr_constraint_block_apply_record(s, a, column), rows);
  }
  for (int k = 0; k < c->num_trees; k++)
    cr_constraint_subtract_slope(c, s->out->blocks.movers[k], cr_column(t, t->q_mid, column),
                                 c->full);
  cr_constraint_add_direct(c, column, c->full, rows);
  add_weights(c, column, c->full, rows);
  if (t->balance) scalar_axpy(c->full, 1, cr_column(t, t->balance, column), t->num_v, c->full);
  fill_softs(c, column);
  cr_blocks_gather(t->step, &s->out->blocks, c->full, b);
}

/* --- Solution -----------------------------------------------------------------------------------
 */

/* Whether impulses are asked for, beside what they do to the problem's unknowns. */
static bool wants_impulses(const cr_constraint_state* s) {
  return s->t->forces || s->t->step->model->soft.num_parts > 0 || s->num_softenings > 0;
}

/* dv in b's place and dgamma in c's of a column, A⁻¹ b given in b's. */
static void solve_column(cr_constraint_tangent* c, int column, double* b, double* rows) {
  const cr_constraint_state* s = &c->s;
  const cr_step_tangent* t = s->t;
  cr_blocks_gather(t->step, &s->out->blocks, cr_column(t, t->v_star, column), c->x);
  scalar_axpy(b, 1, c->x, s->n, b);
  cr_constraint_gather_softs(c, cr_column(t, t->v, column), b);
  cr_problem_apply_J(s->p, b, c->gamma, s->local);
  cr_constraint_add_laws(c, -1, c->gamma, rows);
  cr_lu_solve_transposed(c->S, c->pivot, s->num_rows, rows);
  for (int r = 0; r < s->num_rows; r++)
    if (rows[r] != 0) scalar_axpy(b, rows[r], c->Z + (size_t)r * (size_t)s->n, s->n, b);
}

/* dv of all columns and impulses, column by column. */
static carom_status solve_all(cr_constraint_tangent* c, const cr_contact_set* set) {
  const cr_constraint_state* s = &c->s;
  cr_step_tangent* t = s->t;
  size_t n = (size_t)s->n, columns = (size_t)t->num_columns;
  size_t m = (size_t)(s->num_rows + s->num_softenings);
  double* b = CR_PUSH(t->arena, double, n* columns);
  double* rows = CR_PUSH(t->arena, double, m* columns);
  if (t->arena->failed) return cr_error_memory(t->error);
  for (size_t k = 0; k < columns; k++)
    cr_constraint_fill_column(c, (int)k, b + k * n, rows + k * m);
  cr_cholesky_solve(s->p->A_symbolic, s->p->A_factor, b, (int)columns, s->n, c->chol);
  for (size_t k = 0; k < columns; k++) {
    solve_column(c, (int)k, b + k * n, rows + k * m);
    complete_softs(c, (int)k, rows + k * m);
    cr_softenings_hand_on(s, (int)k, rows + k * m);
    cr_blocks_scatter(t->step, &s->out->blocks, b + k * n, cr_column(t, t->v, (int)k));
  }
  return t->forces ? cr_force_tangents_find(c, set, rows) : CAROM_OK;
}

carom_status cr_constraint_tangent_make(cr_constraint_tangent* c, const cr_contact_set* set) {
  CR_TRY(cr_constraint_state_find(&c->s, set));
  if (!cr_search_kinks_mark(&c->s)) return cr_error_memory(c->s.t->error);
  CR_TRY(cr_area_mobilities_find(&c->s, set));
  if (!cr_film_mobilities_find(&c->s) || !cr_recovery_rows_find(&c->s) ||
      !cr_softenings_find(&c->s))
    return cr_error_memory(c->s.t->error);
  if (!cr_constraint_blocks_make(&c->s) || !push(c)) return cr_error_memory(c->s.t->error);
  memset(c->zeros, 0, sizeof(double) * (size_t)c->s.t->num_v);
  for (int i = 0; i < c->s.t->num_v; i++)
    c->change[i] = c->s.t->step->v[i] - c->s.t->step->v_star[i];
  c->num_trees = cr_tree_factor_count(c->s.t->step, &c->s.out->blocks);
  c->has_direct = c->s.t->row_forces->count > 0;
  for (int i = 0; i < c->s.num_active; i++)
    c->has_direct |= c->s.active[i].weight || c->s.active[i].share ||
                     c->s.active[i].constraint->rule == CR_ROW_ACTUATOR;
  fill_Z(c);
  fill_S(c);
  if (!cr_lu_factor(c->S, c->s.num_rows, c->pivot))
    return cr_error_set(c->s.t->error, CAROM_ERROR_NUMERICAL,
                        "derivatives: the constraints' equations are singular");
  return cr_near_kinks_mark(c) && cr_softening_kinks_mark(c) ? CAROM_OK
                                                             : cr_error_memory(c->s.t->error);
}

carom_status cr_derive_constraints(cr_step_tangent* t, const cr_contact_set* set,
                                   const cr_step_problem* problem) {
  cr_constraint_tangent c;
  cr_constraint_tangent_start(&c, t, problem);
  CR_COPY(t->v, t->v_star, (size_t)t->num_v * (size_t)t->num_columns);
  if (c.s.p->num_constraints == 0) return CAROM_OK;
  CR_TRY(cr_constraint_tangent_make(&c, set));
  if (!find_weights(&c)) return cr_error_memory(t->error);
  bool is_whole = wants_impulses(&c.s) || t->balance;
  if (is_whole || c.has_direct || t->num_thetas > 0) cr_free_tangent_place_columns(t);
  return is_whole ? solve_all(&c, set) : cr_constraint_respond(&c);
}
