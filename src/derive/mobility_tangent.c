/* W = j A⁻¹ jᵀ changes by 2 (dj) z - zᵀ (dA) z with the answer z = A⁻¹ jᵀ, and the mobility of the
 * joints' geometry, j D⁻¹ jᵀ, by 2 (dj) x - xᵀ (dD) x, x = D⁻¹ jᵀ. D_i = M_ii / m of what hangs on
 * dof i; as dof k further out moves, what it carries has d M_ii = - 2 (S_k × S_i) · I_k S_i. */
#include "derive/mobility_tangent.h"

#include "base/copy.h"
#include "derive/parameters.h"
#include "derive/place_parameters.h"
#include "math/scalar.h"
#include "sim/tree/tree_factor.h"

#include <math.h>
#include <string.h>

/* --- Answers ------------------------------------------------------------------------------------
 */

/* z of rows, in all dofs. */
static bool solve_rows(cr_constraint_state* s, const cr_row_sum* along, double* z) {
  cr_arena* arena = s->t->arena;
  double* x = CR_PUSH(arena, double, s->n);
  double* scratch = CR_PUSH(arena, double, s->out->A_symbolic.scratch_size);
  if (arena->failed) return false;
  memset(x, 0, sizeof(double) * (size_t)s->n);
  memset(z, 0, sizeof(double) * (size_t)s->t->num_v);
  for (int k = 0; k < along->count; k++) cr_problem_add_row(s->p, along->row[k], along->by[k], x);
  cr_cholesky_solve(s->p->A_symbolic, s->p->A_factor, x, 1, s->n, scratch);
  cr_blocks_scatter(s->t->step, &s->out->blocks, x, z);
  return true;
}

/* - zᵀ (dA) z of a tree: with all that hangs on dof k, its momentum h and the velocity that it
 * stands on, dof k turns h but for what it has of that, zᵀ (dA) z = 2 h · drift_k. */
static void add_mobility_slope(const cr_constraint_state* s, int tree, const cr_row_motion* motion,
                               double* slope) {
  const cr_tree_model* model = &s->t->step->model->tree;
  const cr_tree_kinematics* kinematics = &s->t->step->kinematics;
  sv* momentum = s->t->step->scratch.f;
  int first = model->tree_link_start[tree], end = model->tree_link_end[tree];
  for (int i = first; i < end; i++)
    momentum[i] = spatial_inertia_mulv(&kinematics->link_I[i], motion->link[i]);
  for (int i = end - 1; i > first; i--) {
    int parent = model->link_parent[i];
    momentum[parent] = sv_add(momentum[parent], momentum[i]);
  }
  for (int k = model->tree_v_start[tree]; k < model->tree_v_start[tree + 1]; k++)
    slope[k] = -2 * sv_dot(momentum[model->dof_link[k]], motion->drift[k]);
}

/* Whether it moves a tree. */
static bool moves(const cr_tree_model* model, int tree, const double* z) {
  int i = model->tree_v_start[tree];
  while (i < model->tree_v_start[tree + 1] && z[i] == 0) i++;
  return i < model->tree_v_start[tree + 1];
}

static bool push(const cr_constraint_state* s, cr_row_motion** motion, double** v, double** slope) {
  cr_step_tangent* t = s->t;
  size_t size = sizeof(double) * (size_t)t->num_v;
  *v = CR_PUSH(t->arena, double, t->num_v);
  *motion = CR_PUSH(t->arena, cr_row_motion, 1);
  *slope = CR_PUSH(t->arena, double, t->num_v);
  if (t->arena->failed || !cr_row_motion_push(t, *v, *motion)) return false;
  memset(*v, 0, size), memset(*slope, 0, size);
  return true;
}

bool cr_answer_find(cr_constraint_state* s, const cr_row_sum* along, cr_answer* answer) {
  const cr_blocks* blocks = &s->out->blocks;
  double* z;
  if (!push(s, &answer->motion, &z, &answer->slope) || !solve_rows(s, along, z)) return false;
  const cr_tree_model* model = &s->t->step->model->tree;
  memset(answer->motion->link, 0, sizeof(sv) * (size_t)model->num_links);
  memset(answer->motion->drift, 0, sizeof(sv) * (size_t)s->t->num_v);
  for (int b = 0, count = cr_tree_factor_count(s->t->step, blocks); b < count; b++) {
    if (!moves(model, blocks->movers[b], z)) continue;
    cr_row_motion_find(s->t->step, blocks->movers[b], answer->motion);
    add_mobility_slope(s, blocks->movers[b], answer->motion, answer->slope);
  }
  return true;
}

static bool add_answer(cr_constraint_state* s, cr_active_constraint* a) {
  return cr_answer_find_row(s, a->row + a->rows - 1, &a->answer);
}

/* --- Levers -------------------------------------------------------------------------------------
 */

/* - xᵀ (dD) x of a tree. */
static void add_lever_slope(const cr_constraint_state* s, int tree, const spatial_inertia* I,
                            const double* x, double* slope) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  const sv* S = step->kinematics.S;
  for (int k = model->tree_v_start[tree]; k < model->tree_v_start[tree + 1]; k++)
    for (int i = model->dof_parent[k]; i >= 0; i = model->dof_parent[i]) {
      if (x[i] == 0 || model->dof_joint[i] == model->dof_joint[k]) continue;
      double moved =
          sv_dot(sv_cross_motion(S[k], S[i]), spatial_inertia_mulv(&I[model->dof_link[k]], S[i]));
      slope[k] += 2 * x[i] * x[i] * moved / I[model->dof_link[i]].mass;
    }
}

static bool add_lever(cr_constraint_state* s, cr_active_constraint* a, cr_mobilities* m,
                      cr_row_place at) {
  const cr_step* step = s->t->step;
  const cr_blocks* blocks = &s->out->blocks;
  double* x;
  if (!push(s, &a->lever, &x, &a->lever_slope)) return false;
  cr_mobility_move(m, at);
  CR_COPY(x, m->x, s->t->num_v);
  cr_mobility_rest(m, at);
  for (int b = 0; b < cr_tree_factor_count(step, blocks); b++) {
    int tree = blocks->movers[b];
    cr_row_motion_find(step, tree, a->lever);
    cr_tree_compute_composites(&step->model->tree, tree, &step->kinematics, m->composite);
    add_lever_slope(s, tree, m->composite, x, a->lever_slope);
  }
  return true;
}

/* --- Recovery -----------------------------------------------------------------------------------
 */

/* Four rigid contacts and more of one patch share its load as their traces of compliance say, which
 * move with the mobilities; where one slides that is felt. */
static bool shares_load(const cr_constraint_state* s, const cr_active_constraint* a) {
  bool any = false;
  int count = 0;
  if (!a->contact) return false;
  for (int i = 0; i < s->num_active; i++) {
    const cr_active_constraint* other = &s->active[i];
    if (!other->contact || other->point->first != a->point->first) continue;
    any |= other->law.state == CR_LAW_SLIDE;
    count += other->constraint->rule == CR_ROW_CONTACT;
  }
  return any && count > 3;
}

/* Parameters that the mobilities of geometry, or masses, follow from. */
static bool moves_with_thetas(const cr_step_tangent* t) {
  bool any = false;
  for (int i = 0; i < t->num_thetas; i++)
    any |= t->thetas[i].kind == CR_THETA_GRAVITY || cr_theta_is_of_place(&t->thetas[i]) ||
           cr_theta_find_body(t->step->model, &t->thetas[i]) >= 0;
  return any;
}

/* A rigid one-sided row: what recovery makes of it, where that is more than its trace.
 * @param look null: not yet */
static bool add_recovery(cr_constraint_state* s, cr_active_constraint* a, cr_recovery* look) {
  cr_step_tangent* t = s->t;
  int normal = a->row + a->rows - 1;
  const int* link = a->point ? a->point->link : a->constraint->link;
  cr_row_place at = {cr_problem_find_group(s->p, normal), normal};
  if (look->step == NULL && !cr_recovery_look(t->step, (cr_step_problem*)s->out, t->arena, look))
    return false;
  cr_recovery_tangent* found = CR_PUSH(t->arena, cr_recovery_tangent, 1);
  if (t->arena->failed) return false;
  bool is_more =
      !a->is_plain || cr_compliance_is_deep(t->step, s->out, a->constraint, &a->at, normal);
  cr_recovery_row row = {a->constraint, &a->at, normal,
                         cr_compliance_find_v_hat(t->step, a->constraint, &a->at),
                         cr_recovery_find_reach(look, link, at, a->at.mobility)};
  cr_recovery_tangent_find(t->step, s->out, &row, found);
  if (found->is_known) a->recovery = found, a->is_plain = true;
  if (found->is_known && s->out->gamma[normal] > 0) cr_step_tangent_mark_kink(t, found->kink);
  t->num_held += !found->is_known || (is_more && moves_with_thetas(t));
  bool is_levered = found->R.lever != 0 || found->v_hat.lever != 0;
  return !found->is_known || !is_levered || add_lever(s, a, &look->mobilities, at);
}

/* A row of a rigid equality that repeats others, and holds nothing.
 * @param look as in add_recovery */
static bool add_loose(cr_constraint_state* s, cr_active_constraint* a, cr_recovery* look) {
  cr_step_tangent* t = s->t;
  double W = a->at.mobility, R = s->p->R[a->row];
  if (look->step == NULL && !cr_recovery_look(t->step, (cr_step_problem*)s->out, t->arena, look))
    return false;
  cr_recovery_tangent* found = CR_PUSH(t->arena, cr_recovery_tangent, 1);
  if (t->arena->failed) return false;
  bool is_loose = cr_recovery_is_equality(a->constraint) && s->p->v_hat[a->row] == 0 &&
                  R == cr_recovery_find_loose_R(look, a->constraint->link, W);
  *found = (cr_recovery_tangent){.is_known = is_loose};
  if (cr_recovery_find_loose_R(look, a->constraint->link, 0) != R) found->R.mobility = R / W;
  if (is_loose) a->recovery = found, a->is_plain = true;
  t->num_held += !is_loose;
  return true;
}

bool cr_mobility_tangents_find(cr_constraint_state* s) {
  cr_recovery look = {.step = NULL};
  for (int i = 0; i < s->num_active; i++) {
    cr_active_constraint* a = &s->active[i];
    bool is_rigid = isinf(a->constraint->stiffness), asks = false;
    int normal = a->row + a->rows - 1;
    if (!a->is_distance) continue;
    bool recovers = a->constraint->rule == CR_ROW_CONTACT && is_rigid;
    bool is_more =
        !a->is_plain || cr_compliance_is_deep(s->t->step, s->out, a->constraint, &a->at, normal);
    if (cr_active_is_soft(s, a)) { /* a mobility goes with all of the body's stiffness */
      s->t->num_held += is_more || a->at.film > 0 || cr_compliance_asks_for_mobility(a->constraint);
      continue;
    }
    if (recovers && (is_more || a->area || shares_load(s, a))) {
      if (!add_recovery(s, a, &look)) return false;
      asks = a->recovery && (a->recovery->R.mobility != 0 || a->recovery->v_hat.mobility != 0);
    } else if (!a->is_plain) {
      if (!add_loose(s, a, &look)) return false;
      asks = a->recovery && a->recovery->R.mobility != 0;
    } else {
      asks = a->is_plain && cr_compliance_asks_for_mobility(a->constraint);
    }
    if (asks && !add_answer(s, a)) return false;
  }
  return true;
}

/* --- What else is in A --------------------------------------------------------------------------
 */

/* - zᵀ (dA) z. */
double cr_mobility_tangent_move(const cr_constraint_state* s, const double* z, int column,
                                double* work) {
  const cr_step_tangent* t = s->t;
  const double *q0 = cr_column(t, t->q0, column), *v0 = cr_column(t, t->v0, column);
  const cr_row_force_direction by = {cr_column(t, t->q_mid, column),
                                     cr_column(t, t->v_star, column), v0, q0};
  double sum = 0;
  for (int k = 0; k < t->weights->count; k++) {
    const cr_weight_tangent* w = &t->weights->items[k];
    if (z[w->dof] != 0)
      sum -= z[w->dof] * z[w->dof] * w->matrix * cr_weight_tangent_move(w, q0, v0);
  }
  for (int k = 0; k < t->row_forces->count; k++) {
    const cr_row_force* p = &t->row_forces->items[k];
    cr_row_force_add_matrix(p, z, &by, column, 1, work);
    for (int i = 0; i < p->line.n; i++) {
      int dof = p->line.dof[i];
      sum -= z[dof] * work[dof], work[dof] = 0;
    }
  }
  return sum;
}

void cr_mobility_tangent_pull(const cr_constraint_state* s, const double* z, double cotangent,
                              const cr_mobility_cotangents* out) {
  const cr_step_tangent* t = s->t;
  for (int k = 0; k < t->weights->count; k++) {
    const cr_weight_tangent* w = &t->weights->items[k];
    double by = -cotangent * z[w->dof] * z[w->dof] * w->matrix;
    for (int i = 0; i < w->n; i++)
      out->q0[w->group[i]] += by * w->q[i], out->v0[w->group[i]] += by * w->v[i];
  }
  for (int k = 0; k < t->row_forces->count; k++)
    cr_row_force_add_matrix_transposed(&t->row_forces->items[k], z, z, -cotangent, &out->of_forces);
}
