/* The transpose of a step's derivative, stage by stage backwards. With the second stage's
 * (constraint_ tangent.c) E dgamma + D J dv = c and A dv = b + Jᵀ dgamma, a cotangent l of v has
 *
 *   A y = l,    Sᵀ p = J y,    and p of c,    y - A⁻¹ Jᵀ Dᵀ p of b;
 *
 * with the first's J dv* = -dm a cotangent l of v* has -J⁻ᵀ l of dm. One transposed solve of each
 * for all parameters together. Where the step was linearised at a solution that has the cotangent
 * of v*, and dm minus that of b; the linearisation before goes on with what has come so far. A
 * solution that recovery was slowed at has the cotangents of the shares that follow from it. */
#include "base/alloc.h"
#include "base/copy.h"
#include "base/error.h"
#include "derive/area_mobility.h"
#include "derive/constraint_rows.h"
#include "derive/constraint_tangent.h"
#include "derive/controller_tangent.h"
#include "derive/film_mobility.h"
#include "derive/free_tangent.h"
#include "derive/idle_kinks.h"
#include "derive/model_rows.h"
#include "derive/soft_tangent.h"
#include "derive/softening.h"
#include "derive/tension_tangent.h"
#include "derive/weight_tangent.h"
#include "linalg/lu.h"
#include "math/scalar.h"
#include "sim/tree/damping.h"
#include "sim/tree/tree_factor.h"

#include <string.h>

/* Cotangents of fields [num_v], in internal coordinates, and of what the user gives. */
typedef struct adjoint {
  cr_step_tangent* t;
  const double* x1; /* [num_x] */
  carom_vjp* out;
  double* carried; /* [num_carried] what the solution before goes on with, one by one: */
  double *v, *q0, *v0;
  double* inputs; /* [num_activations + num_controls + num_thetas], columns from first_activation
                     on, of parameters that forces along rows have as inputs */
  double* thetas; /* [num_thetas] */
  double* v_lin;  /* of where it was linearised, so far */
  size_t num_carried;
  double* passed; /* [num_carried] of the solution behind; null: none has been */
  cr_shares shares;
  double *v_star, *q_mid;
  double* b; /* of the second stage's right side */
} adjoint;

static bool push(adjoint* a) {
  cr_step_tangent* t = a->t;
  double** fields[] = {&a->v_star, &a->q_mid, &a->b};
  size_t nv = (size_t)t->num_v, num_thetas = (size_t)t->num_thetas;
  size_t num_inputs = (size_t)(t->num_activations + t->num_controls) + num_thetas;
  a->num_carried = 4 * nv + num_inputs + num_thetas;
  a->carried = CR_PUSH(t->arena, double, a->num_carried);
  for (int i = 0; i < 3; i++) *fields[i] = CR_PUSH(t->arena, double, nv);
  if (t->arena->failed) return false;
  a->v = a->carried, a->q0 = a->v + nv, a->v0 = a->q0 + nv;
  a->inputs = a->v0 + nv, a->thetas = a->inputs + num_inputs, a->v_lin = a->thetas + num_thetas;
  memset(a->carried, 0, sizeof *a->carried * a->num_carried);
  for (int i = 0; i < 3; i++) memset(*fields[i], 0, sizeof(double) * nv);
  return true;
}

/* --- Solutions ----------------------------------------------------------------------------------
 */

/* To the solution before, by movers that are linearised there. */
static carom_status pass_on(adjoint* a) {
  const carom_model* m = a->t->step->model;
  if (!a->passed)
    a->passed = cr_alloc(&a->t->step->sim->allocator, sizeof *a->passed * a->num_carried);
  if (!a->passed) return cr_error_memory(a->t->error);
  for (int k = 0; k < m->tree.num_trees; k++)
    for (int i = m->tree.tree_v_start[k]; i < m->tree.tree_v_start[k + 1]; i++)
      a->v_lin[i] += cr_step_tangent_is_at_solution(a->t, k) ? a->v_star[i] : 0;
  for (int i = m->tree.num_v; i < a->t->num_v; i++)
    a->v_lin[i] += cr_soft_tangents_of_dof(a->t, i)->is_at_solution ? a->v_star[i] : 0;
  CR_COPY(a->passed, a->carried, a->num_carried);
  return CAROM_OK;
}

/* From the solution behind, which was linearised here or has taken shares over. */
static void go_on(adjoint* a) {
  size_t size = sizeof(double) * (size_t)a->t->num_v;
  CR_COPY(a->carried, a->passed, a->num_carried);
  memset(a->v, 0, size);
  if (a->t->is_softer) return;
  CR_COPY(a->v, a->v_lin, a->t->num_v);
  memset(a->v_lin, 0, size);
}

/* What an input's cotangent is to its activation and control. */
static void add_input(const adjoint* a, const cr_input_way* s, double cotangent) {
  cr_input_way_pull(s, cotangent, a->t->first_activation, a->inputs);
}

static cr_soft_cotangents soft_cotangents(const adjoint* a) {
  return (cr_soft_cotangents){a->q0, a->v0, a->v_star, a->q_mid, a->v, a->thetas};
}

/* --- The end ------------------------------------------------------------------------------------
 */

static carom_status pull_end(const adjoint* a) {
  cr_step_tangent* t = a->t;
  const cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  const double *to_q1 = a->x1, *to_v1 = a->x1 + t->num_v;
  cr_stride_tangent stride;
  double* q1 = CR_PUSH(t->arena, double, t->num_v);
  if (!cr_step_tangent_find_stride(t, &stride)) return cr_error_memory(t->error);
  for (int i = 0; i < model->num_trees; i++) {
    double vq = step->theta[i].vq;
    double* v_q = step->v_q;
    cr_tree_force_to_internal(model, i, t->q_end, to_q1, q1);
    cr_tree_force_to_internal(model, i, t->q_end, to_v1, a->v);
    cr_tree_add_velocity_cotangent(model, i, t->q_end, step->v, -1, to_v1, q1);
    for (int k = model->tree_v_start[i]; k < model->tree_v_start[i + 1]; k++) v_q[k] = 0;
    cr_tree_add_stride_cotangent(model, i, &stride, q1, 1, a->q0, v_q);
    for (int k = model->tree_v_start[i]; k < model->tree_v_start[i + 1]; k++)
      a->v[k] += vq * v_q[k], a->v0[k] += (1 - vq) * v_q[k];
  }
  const cr_soft_cotangents softs = soft_cotangents(a);
  cr_soft_pull_end(t, to_q1, to_v1, &softs);
  const cr_force_model* force = &step->model->force;
  for (int k = 0; k < force->num_actuators; k++) {
    cr_input_way way;
    int activation = cr_activation_way_find(t, k, &way);
    if (activation >= 0) add_input(a, &way, a->x1[activation]);
    const cr_law_cotangents to = {a->q_mid, a->v, a->v_star, a->v0, a->inputs};
    if (force->actuator_law[k] >= 0) cr_law_pull_end(t, k, a->x1, &to);
  }
  return CAROM_OK;
}

/* --- Constraints --------------------------------------------------------------------------------
 */

/* A⁻¹ of soft bodies' part of full. */
static void solve_softs(const adjoint* a, double* full) {
  for (int k = 0; k < a->t->step->model->soft.num_parts; k++)
    if (a->t->softs[k].is_touched) cr_soft_solve(a->t, &a->t->softs[k], full);
}

/* p in c's rows, b's cotangent in b, of that of v in b.
 * @param full [num_v] A⁻¹ of that of v, of soft bodies */
static void solve_transposed(cr_constraint_tangent* c, const double* full, double* b) {
  const cr_constraint_state* s = &c->s;
  cr_cholesky_solve(s->p->A_symbolic, s->p->A_factor, b, 1, s->n, c->chol);
  cr_constraint_gather_softs(c, full, b);
  cr_problem_apply_J(s->p, b, c->gamma, s->local);
  for (int i = 0; i < s->num_active; i++)
    for (int r = 0; r < s->active[i].rows; r++)
      c->rows[s->active[i].first + r] = c->gamma[s->active[i].row + r] + s->active[i].of_gamma[r];
  cr_lu_solve(c->S, c->pivot, s->num_rows, c->rows);
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* a = &s->active[i];
    for (int r = 0; r < a->rows; r++) {
      double sum = 0;
      for (int j = 0; j < a->rows; j++) sum += a->law.D[j][r] * c->rows[a->first + j];
      scalar_axpy(b, -sum, c->Z + (size_t)(a->first + r) * (size_t)s->n, s->n, b);
    }
  }
}

/* full -= (dA)(v - v*) of soft bodies by a parameter. */
static void subtract_soft_matrices(const cr_step_tangent* t, const cr_theta_column* theta,
                                   double* full) {
  for (int k = 0; k < t->step->model->soft.num_parts; k++)
    if (t->softs[k].is_touched) cr_soft_theta_subtract_matrix(t, &t->softs[k], theta, full);
}

/* What parameters make of b and c. */
static void pull_thetas(const adjoint* a, cr_constraint_tangent* c, const double* full) {
  cr_step_tangent* t = a->t;
  cr_constraint_state* s = &c->s;
  double* moved = c->full;
  for (int k = 0; k < t->num_thetas; k++) {
    memset(moved, 0, sizeof(double) * (size_t)t->num_v);
    for (int b = 0; b < cr_tree_factor_count(t->step, &s->out->blocks); b++)
      cr_constraint_subtract_matrix(c, &t->thetas[k], s->out->blocks.movers[b], moved);
    for (int i = 0; i < s->num_active; i++) {
      double rows[CR_LAW_MAX_ROWS] = {0};
      a->thetas[k] += cr_constraint_add_theta(s, &s->active[i], &t->thetas[k], moved, rows);
      a->thetas[k] += scalar_dot(rows, c->rows + s->active[i].first, s->active[i].rows);
    }
    subtract_soft_matrices(t, &t->thetas[k], moved);
    a->thetas[k] += scalar_dot(moved, full, t->num_v);
  }
}

static void pull_weight(const adjoint* a, const cr_weight_tangent* w, double by) {
  for (int i = 0; i < w->n; i++)
    a->q0[w->group[i]] += by * w->q[i], a->v0[w->group[i]] += by * w->v[i];
}

/* What weights in A and in rows make of b and c. */
static void pull_weights(const adjoint* a, const cr_constraint_tangent* c, const double* full) {
  for (int k = 0; k < a->t->weights->count; k++) {
    const cr_weight_tangent* w = &a->t->weights->items[k];
    pull_weight(a, w, -w->matrix * c->change[w->dof] * full[w->dof]);
  }
  for (int i = 0; i < c->s.num_active; i++) {
    const cr_active_constraint* row = &c->s.active[i];
    if (row->weight)
      pull_weight(a, row->weight, -row->law.D[0][0] * row->by_weight * c->rows[row->first]);
  }
}

/* Soft bodies: the cotangent of b in full, and A times that, of v*, in moved.
 * @param answer A⁻¹ of the cotangent of v */
static carom_status pull_softs(const adjoint* a, cr_constraint_tangent* c, const double* answer,
                               double* full, double* moved) {
  cr_step_tangent* t = a->t;
  const cr_constraint_state* s = &c->s;
  const cr_soft_cotangents to = soft_cotangents(a);
  if (t->step->model->soft.num_parts == 0) return CAROM_OK;
  double* of_rows = CR_PUSH(t->arena, double, s->num_rows + 1);
  double* pulled = CR_PUSH(t->arena, double, t->num_v);
  if (t->arena->failed) return cr_error_memory(t->error);
  memset(of_rows, 0, sizeof(double) * (size_t)s->num_rows);
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* at = &s->active[i];
    for (int r = 0; r < at->rows; r++)
      for (int j = 0; j < at->rows; j++)
        of_rows[at->first + r] += at->law.D[j][r] * c->rows[at->first + j];
  }
  cr_constraint_add_impulses(c, of_rows, pulled);
  for (int k = 0; k < t->step->model->soft.num_parts; k++) {
    const cr_soft_tangents* soft = &t->softs[k];
    if (!soft->is_touched) continue;
    int first = soft->soft->first_v;
    for (int i = first; i < first + soft->n; i++) moved[i] = a->v[i] - pulled[i];
    cr_soft_solve(t, soft, pulled);
    for (int i = first; i < first + soft->n; i++) full[i] = answer[i] - pulled[i];
    cr_soft_subtract_bend_transposed(t, soft, full, &to);
  }
  return CAROM_OK;
}

/* The cotangent of what a constraint's d grows with. */
static double find_cotangent(const cr_constraint_tangent* c, const cr_active_constraint* row,
                             const cr_distance_row* unit) {
  double d[CR_LAW_MAX_ROWS], by = cr_constraint_find_mobility_slope(&c->s, row, unit, d);
  for (int r = 0; r < row->rows; r++)
    for (int j = 0; j < row->rows; j++) by -= row->law.D[r][j] * d[j] * c->rows[row->first + r];
  return by;
}

/* What the mobilities of rows make of c with the rest of A. */
static void pull_mobilities(const adjoint* a, const cr_constraint_tangent* c) {
  const cr_constraint_state* s = &c->s;
  const cr_mobility_cotangents to = {
      a->q0, a->v0, {a->q_mid, a->v_star, a->v0, a->q0, a->inputs - a->t->first_activation}};
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* row = &s->active[i];
    if (row->area) row->area->cotangent += find_cotangent(c, row, &(cr_distance_row){.area = 1});
    if (row->film)
      cr_film_mobility_pull(s, row->film, find_cotangent(c, row, &(cr_distance_row){.film = 1}),
                            &to);
    if (row->answer.motion)
      cr_mobility_tangent_pull(s, row->answer.motion->v,
                               find_cotangent(c, row, &(cr_distance_row){.mobility = 1}), &to);
  }
  for (cr_area_mobility* area = s->areas; area; area = area->next)
    cr_area_mobility_pull(s, area, &to);
}

/* What v's cotangent makes of those of v*, q_mid and v0. Where no constraint takes part v is v*. */
static carom_status pull_constraints(adjoint* a, cr_constraint_tangent* c) {
  cr_step_tangent* t = a->t;
  const cr_constraint_state* s = &c->s;
  const cr_blocks* blocks = &s->out->blocks;
  double *full = CR_PUSH(t->arena, double, t->num_v), *b = CR_PUSH(t->arena, double, s->n);
  double* moved = CR_PUSH(t->arena, double, t->num_v);
  double* answer = CR_PUSH(t->arena, double, t->num_v); /* of soft bodies */
  if (t->arena->failed) return cr_error_memory(t->error);
  memset(full, 0, sizeof(double) * (size_t)t->num_v);
  CR_COPY(answer, a->v, t->num_v);
  solve_softs(a, answer);
  cr_blocks_gather(t->step, blocks, a->v, b);
  solve_transposed(c, answer, b);
  cr_blocks_scatter(t->step, blocks, b, full);
  cr_bsm_multiply(&s->p->pattern, s->p->A, b, c->x);
  CR_COPY(moved, a->v, t->num_v);
  cr_blocks_scatter(t->step, blocks, c->x, moved);
  CR_TRY(pull_softs(a, c, answer, full, moved));
  CR_COPY(a->b, full, t->num_v);
  for (int i = 0; i < t->num_v; i++) a->v_star[i] += moved[i];
  const cr_stage_cotangents to = {a->q_mid, a->v_star, a->v0};
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* active = &s->active[i];
    const double* rows = c->rows + active->first;
    cr_constraint_block_apply_transposed(active, full, rows, &to);
    cr_constraint_pull_memory(s, active, rows, &to);
    if (!cr_share_pull(s, active, rows)) return cr_error_memory(t->error);
    if (active->constraint->rule == CR_ROW_ACTUATOR)
      cr_model_row_pull_input(t, active->constraint, active->law.D[0][0] * rows[0],
                              a->inputs - t->first_activation, a->q0);
  }
  for (int k = 0; k < cr_tree_factor_count(t->step, blocks); k++)
    cr_constraint_subtract_slope_transposed(c, blocks->movers[k], full, a->q_mid);
  const cr_row_force_cotangents of_forces = {a->q_mid, a->v_star, a->v0, a->q0,
                                             a->inputs - t->first_activation};
  for (int k = 0; k < t->row_forces->count; k++)
    cr_row_force_add_matrix_transposed(&t->row_forces->items[k], c->change, full, -1, &of_forces);
  cr_tension_tangent_pull_strings(s, full, a->q_mid);
  pull_weights(a, c, full);
  pull_mobilities(a, c);
  pull_thetas(a, c, full);
  return CAROM_OK;
}

/* --- Free motion --------------------------------------------------------------------------------
 */

/* What a cotangent of dm, in `by`, makes of those of what it follows from, v* aside. */
static void pull_balance(const adjoint* a, const cr_free_tangent* f, const double* by) {
  const cr_step_tangent* t = a->t;
  cr_free_tangent_add_transposed(f, f->by_v0, by, a->v0);
  cr_free_tangent_add_transposed(f, f->by_q0, by, a->q0);
  for (int k = 0; k < f->joints.num_inputs; k++) {
    const cr_input_slope* s = &f->joints.inputs[k];
    add_input(a, &s->way, -t->step->dt * s->force * by[s->dof]);
  }
  const cr_force_model* force = &t->step->model->force;
  for (int k = 0; k < force->num_actuators && force->num_adhesions > 0; k++) {
    if (force->actuator_body[k] < 0) continue;
    cr_input_way way = cr_input_way_find(t, k);
    double along = cr_free_tangent_find_adhesion(f, k, by);
    add_input(a, &way, cr_free_tangent_of_adhesion(f, k) * along);
  }
  for (int k = 0; k < t->row_forces->count; k++) {
    const cr_row_force* p = &t->row_forces->items[k];
    cr_row_force_change change;
    for (int i = 0; i < p->num_inputs; i++)
      if (cr_free_tangent_of_input(f, p, &p->inputs[i], &change))
        add_input(a, &p->inputs[i].way, cr_row_force_pull_change(p, &p->inputs[i], change, by));
  }
}

/* What cotangents of q_mid make of those of q0, v0 and v*. */
static void pull_place(const adjoint* a, const cr_free_tangent* f) {
  const cr_step* step = a->t->step;
  const int* v_start = step->model->tree.tree_v_start;
  double* v_q = f->v_q;
  for (int k = 0; k < f->num_trees; k++) {
    int tree = f->trees[k];
    const cr_place_tangent place = cr_free_tangent_find_place(a->t, tree);
    for (int i = v_start[tree]; i < v_start[tree + 1]; i++) v_q[i] = 0;
    cr_tree_add_stride_cotangent(&step->model->tree, tree, &place.stride, a->q_mid, 1, a->q0, v_q);
    for (int i = v_start[tree]; i < v_start[tree + 1]; i++)
      a->v0[i] += (1 - place.share) * v_q[i], a->v_star[i] += place.share * v_q[i];
  }
}

static carom_status pull_group(const adjoint* a, cr_free_tangent* f) {
  const cr_step_tangent* t = a->t;
  double* by = f->by;
  CR_TRY(cr_free_tangent_factor(f));
  pull_place(a, f);
  const double* from = f->is_at_solution ? a->b : a->v_star;
  for (int i = 0; i < f->n; i++) by[f->dof[i]] = -from[f->dof[i]];
  if (!f->is_at_solution) cr_free_tangent_solve_transposed(f, by);
  pull_balance(a, f, by);
  if (f->is_at_solution) cr_free_tangent_add_transposed(f, f->by_v, by, a->v_star);
  for (int k = 0; k < t->num_thetas; k++) {
    for (int i = 0; i < f->n; i++) f->dm[f->dof[i]] = 0;
    for (int i = 0; i < f->num_trees; i++)
      cr_theta_add_balance(t, &t->thetas[k], f->trees[i], f->is_known, f->dm);
    for (int i = 0; i < f->n; i++) a->thetas[k] += f->dm[f->dof[i]] * by[f->dof[i]];
  }
  return CAROM_OK;
}

/* --- The start ----------------------------------------------------------------------------------
 */

static void copy(double* to, const double* from, int count) {
  if (to) CR_COPY(to, from, count);
}

/* What each part of the step makes of the same numbers is summed. */
static void sum(const cr_step_tangent* t, const double* from, int count, double* to) {
  bool is_last = t->part == t->parts - 1;
  for (int i = 0; i < count && to; i++) to[i] = (is_last ? 0 : to[i]) + from[i];
}

static void pull_start(const adjoint* a) {
  const cr_step_tangent* t = a->t;
  const carom_sim* sim = t->step->sim;
  const cr_tree_model* model = &sim->model->tree;
  double *q = a->q_mid, *v = a->v_star; /* of the interface */
  for (int i = 0; i < model->num_trees; i++) {
    cr_tree_force_to_interface(model, i, sim->q, a->q0, q);
    cr_tree_force_to_interface(model, i, sim->q, a->v0, v);
    cr_tree_add_velocity_cotangent(model, i, sim->q, sim->v, 1, a->v0, q);
  }
  cr_soft_mask_held(t, a->v0);
  for (int i = model->num_v; i < t->num_v; i++) q[i] = a->q0[i], v[i] = a->v0[i];
  double* x0 = t->part > 0 ? t->carry : a->out->x0;
  copy(x0, q, t->num_v);
  copy(x0 ? x0 + t->num_v : NULL, v, t->num_v);
  copy(x0 ? x0 + t->first_activation : NULL, a->inputs, t->num_activations);
  const double* of_forces = a->inputs + t->num_activations + t->num_controls;
  for (int i = 0; i < t->num_thetas; i++) a->thetas[i] += of_forces[i];
  sum(t, a->inputs + t->num_activations, t->num_controls, a->out->u);
  sum(t, a->thetas, t->num_thetas, a->out->theta);
}

static carom_status pull_back(void* data, cr_step_tangent* t, const cr_contact_set* set,
                              const cr_step_problem* problem) {
  adjoint* a = data;
  cr_free_tangent f = {.t = t};
  cr_constraint_tangent c;
  a->t = t, t->shares = &a->shares;
  if (!t->is_passed) cr_shares_clear(&a->shares);
  cr_constraint_tangent_start(&c, t, problem);
  if (t->part < t->parts - 1) a->x1 = t->carry;
  CR_TRY(cr_thetas_find(t, a->out->parameters, a->out->num_parameters));
  if (!cr_step_tangent_init(t) || !push(a) || !cr_free_tangent_init(&f))
    return cr_error_memory(t->error);
  cr_idle_kinks_mark(t, set);
  CR_TRY(cr_soft_tangents_find(t, problem));
  CR_TRY(cr_free_tangent_find_row_forces(&f));
  if (t->is_passed)
    go_on(a);
  else
    CR_TRY(pull_end(a));
  if (c.s.p->num_constraints == 0) {
    for (int i = 0; i < t->num_v; i++) a->v_star[i] += a->v[i];
  } else {
    cr_row_forces* of_free_motion = t->row_forces;
    CR_TRY(cr_constraint_tangent_make(&c, set));
    CR_TRY(pull_constraints(a, &c));
    t->row_forces = of_free_motion;
  }
  for (int i = 0; cr_free_tangent_select(&f, i); i++) CR_TRY(pull_group(a, &f));
  const cr_soft_cotangents of_softs = soft_cotangents(a);
  cr_soft_pull_free_motion(t, a->b, &of_softs);
  if (t->is_first)
    pull_start(a);
  else
    CR_TRY(pass_on(a));
  a->out->num_kinks = t->num_kinks, a->out->nearest_kink = t->nearest_kink;
  a->out->kink_speed = t->kink_speed;
  a->out->num_held = t->num_held;
  return CAROM_OK;
}

carom_status carom_sim_compute_vjp(carom_sim* sim, const double* x1, carom_vjp* vjp,
                                   carom_error* error) {
  if (!sim || !x1 || !vjp)
    return cr_error_set(error, CAROM_ERROR_INVALID_ARGUMENT, "vjp: an argument is null");
  return cr_sim_compute_vjp(sim, x1, vjp, NULL, error);
}

carom_status cr_sim_compute_vjp(carom_sim* sim, const double* x1, carom_vjp* vjp,
                                cr_memory_cotangents* memory, carom_error* error) {
  CR_TRY(cr_sim_check_finite("x1", x1, carom_model_get_num_x(sim->model), error));
  adjoint a = {.x1 = x1, .out = vjp, .shares = {&sim->allocator, .width = 1, .is_backwards = true}};
  const cr_derivation how = {.derive = pull_back,
                             .data = &a,
                             .smoothing = vjp->smoothing,
                             .is_backwards = true,
                             .memory = memory};
  carom_status status = cr_derive_step(sim, &how, error);
  cr_shares_clear(&a.shares);
  if (a.passed) cr_release(&sim->allocator, a.passed, sizeof *a.passed * a.num_carried);
  return status;
}
