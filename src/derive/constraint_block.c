/* A block's columns are what one dof alone does: its links' twist S_j and drifts d_j, a unit of v*
 * or of v0. */
#include "derive/constraint_block.h"

#include "base/copy.h"
#include "derive/friction_memory.h"
#include "derive/model_rows.h"
#include "derive/place_parameters.h"
#include "derive/row_parameters.h"
#include "derive/soft_tangent.h"
#include "derive/surface_motion.h"
#include "sim/tree/tree_factor.h"

#include <math.h>
#include <string.h>

/* Which field a unit is of. */
typedef enum source { BY_Q, BY_STAR, BY_V0 } source;

typedef struct maker {
  cr_constraint_state* s;
  cr_active_constraint* a;
  sv* twist; /* [num_links] of the unit at hand, which is of a dof and a field, or a parameter */
  int dof;
  source by;
  double *unit, *still;         /* [num_v] a unit is put there and taken back; zeros */
  int token;                    /* of the unit, for what contacts keep */
  double push;                  /* m/s, by which bodies part faster as prescribed */
  const cr_theta_column* shape; /* a geometry's that moves; null: none */
} maker;

/* --- Dofs ---------------------------------------------------------------------------------------
 */

/* Whether a dof moves a link. */
static bool moves(const cr_tree_model* model, int dof, int link) {
  if (dof >= model->num_v) return false; /* a soft body's */
  int k = model->link_last_dof[link];
  while (k > dof) k = model->dof_parent[k];
  return k == dof;
}

static void add_dof(int dof, int* dofs, int* count) {
  for (int i = 0; i < *count; i++)
    if (dofs[i] == dof) return;
  dofs[(*count)++] = dof;
}

/* All dofs of a link's tree. */
static void add_tree(const cr_tree_model* model, int link, int* dofs, int* count) {
  int tree = model->link_tree[link];
  for (int i = tree < 0 ? 0 : model->tree_v_start[tree];
       tree >= 0 && i < model->tree_v_start[tree + 1]; i++)
    add_dof(i, dofs, count);
}

/* Those that move the constraint's links, or those that it is about; all of their trees, where its
 * mobility counts. */
static int list_dofs(const cr_step* step, const cr_active_constraint* a, int* dofs) {
  const cr_tree_model* model = &step->model->tree;
  const cr_row_shape* row = &a->shape[0];
  int count = 0;
  for (int k = 0; k < row->num_dofs; k++) add_dof(row->dof[k], dofs, &count);
  bool is_whole = a->answer || a->lever;
  for (int k = 0; k < row->num_dofs && is_whole; k++)
    add_tree(model, model->dof_link[row->dof[k]], dofs, &count);
  for (int k = 0; k < 2 && is_whole && row->kind != CR_ROW_OF_DOFS; k++)
    add_tree(model, row->link[k], dofs, &count);
  if (row->kind == CR_ROW_OF_DOFS || is_whole) return count;
  for (int j = model->link_last_dof[row->link[0]]; j >= 0; j = model->dof_parent[j])
    dofs[count++] = j;
  for (int j = model->link_last_dof[row->link[1]]; j >= 0; j = model->dof_parent[j])
    if (!moves(model, j, row->link[0])) dofs[count++] = j;
  return count;
}

/* --- Units --------------------------------------------------------------------------------------
 */

static void set_links(maker* m, int dof, source by, double on) {
  cr_constraint_state* s = m->s;
  const cr_step* step = s->t->step;
  cr_row_motion* motions[] = {&s->v, &s->star, &s->v0};
  const cr_row_shape* row = &m->a->shape[0];
  m->unit[dof] = on, m->dof = dof, m->by = by;
  s->star.dv = by == BY_STAR ? m->unit : m->still, s->v0.dv = by == BY_V0 ? m->unit : m->still;
  for (int k = 0; k < 2 && row->kind != CR_ROW_OF_DOFS; k++) {
    int link = row->link[k];
    bool is_its = on != 0 && moves(&step->model->tree, dof, link);
    sv none = sv_zero(), S = is_its ? step->kinematics.S[dof] : none;
    m->twist[link] = is_its && by == BY_Q ? S : none;
    for (int i = 0; i < 3; i++)
      motions[i]->link_drift[link] = is_its && by == BY_Q ? motions[i]->drift[dof] : none;
    cr_row_motion* const own[] = {m->a->answer, m->a->lever};
    for (int i = 0; i < 2; i++)
      if (own[i]) own[i]->link_drift[link] = is_its && by == BY_Q ? own[i]->drift[dof] : none;
    s->star.link_change[link] = is_its && by == BY_STAR ? S : none;
    s->v0.link_change[link] = is_its && by == BY_V0 ? S : none;
  }
}

/* How the rows move by the unit at hand; returns what the distance does. */
static double differentiate_rows(const maker* m, const double* dq, cr_row_change* change) {
  const cr_constraint_state* s = m->s;
  const cr_active_constraint* a = m->a;
  const cr_step* step = s->t->step;
  if (!a->contact)
    return cr_model_row_differentiate(step, a->constraint, a->shape, dq, m->twist, change);
  const cr_contact_column at = {m->token, m->twist, dq, &s->star, &s->v0, m->shape};
  return cr_contact_tangent_differentiate(step, a->contact, a->shape, a->rows, &at, change);
}

/* W = j A⁻¹ jᵀ: 2 (dj) z - zᵀ (dA) z; likewise of the lever.
 * @param slope [num_v] of the last term; @param motion null: none is asked for */
static double find_mobility(const maker* m, const cr_row_change* change,
                            const cr_row_motion* motion, const double* slope) {
  const cr_active_constraint* a = m->a;
  int last = a->rows - 1;
  if (!motion) return 0;
  double sum =
      2 * cr_row_velocity_change(m->s->t->step, &a->shape[last], &change[last], m->twist, motion);
  return m->by == BY_Q ? sum + slope[m->dof] : sum;
}

/* What R and v_hat of a distance's row change by. */
static cr_compliance_change differentiate_compliance(const cr_constraint_state* s,
                                                     const cr_active_constraint* a,
                                                     const cr_distance_row* moved, double lever) {
  cr_compliance_change out = cr_compliance_differentiate(s->t->step, a->constraint, &a->at, moved);
  const cr_recovery_tangent* r = a->recovery;
  if (!r) return out;
  return (cr_compliance_change){cr_recovery_slopes_apply(&r->R, moved, out.v_hat, lever),
                                cr_recovery_slopes_apply(&r->v_hat, moved, out.v_hat, lever)};
}

/* Surfaces and bodies that move as prescribed, as a change d of the rows. */
static void add_surfaces(maker* m, const cr_row_change* change, double* distance, double* d) {
  const cr_active_constraint* a = m->a;
  const cr_step* step = m->s->t->step;
  m->push = 0;
  const cr_contact_extra* extra = a->contact ? a->point->extra : NULL;
  if (!extra || (!extra->drifts && !extra->is_driven)) return;
  cr_surface_rows at = {.point = a->point,
                        .shape = a->shape,
                        .change = change,
                        .rows = a->rows,
                        .twist = m->twist,
                        .normal = cr_contact_tangent_turn_normal(a->contact)};
  at.place = cr_contact_tangent_find_first(a->contact, &at.moved);
  m->push = cr_surface_motion_subtract(step, &at, d);
  *distance += (a->constraint->theta.q - step->sim->theta.q) * step->dt * m->push;
}

/* What a record's cotangent makes of a column, in which a contact's rows move. */
static void pull_record(const cr_constraint_state* s, const cr_active_constraint* a,
                        const cr_memory_column* column, const cr_row_change* change) {
  if (a->left) *a->of_column += cr_memory_pull_record(s, a, column, change);
}

/* A column of a contact whose rows were differentiated. */
static cr_memory_column column_of(const maker* m, const cr_row_change* change, double dissipation) {
  return (cr_memory_column){.twist = m->twist,
                            .position = change[0].place[0],
                            .normal = cr_contact_tangent_turn_normal(m->a->contact),
                            .dissipation = dissipation};
}

/* What v_hat and R do, as a change d of the rows. */
static void add_compliance(const maker* m, const cr_row_change* change, const double* dq,
                           double distance, double* d) {
  const cr_constraint_state* s = m->s;
  const cr_active_constraint* a = m->a;
  const cr_step* step = s->t->step;
  int last = a->rows - 1;
  bool has_record = a->left && !(a->is_distance && a->is_plain);
  if (has_record) {
    cr_memory_column still = column_of(m, change, 0);
    pull_record(s, a, &still, change);
  }
  if (!a->is_distance || !a->is_plain) return;
  cr_distance_row moved = {
      .distance = distance,
      .v1 = cr_row_rate_change(step, &a->shape[last], &change[last], m->twist, &s->star) + m->push,
      .v0 = cr_row_rate_change(step, &a->shape[last], &change[last], m->twist, &s->v0) + m->push,
      .mobility = find_mobility(m, change, a->answer, a->mobility_slope)};
  double lever = find_mobility(m, change, a->lever, a->lever_slope);
  const cr_contact_column column = {m->token, m->twist, dq, &s->star, &s->v0, NULL};
  if (a->contact)
    cr_contact_tangent_vary(step, a->contact, &column, &moved.stiffness, &moved.dissipation);
  cr_compliance_change out = differentiate_compliance(s, a, &moved, lever);
  d[last] += out.R * s->out->gamma[a->row + last] - out.v_hat;
  if (!a->anchor && !a->left) return;
  double give[2];
  cr_memory_column at =
      column_of(m, change, cr_compliance_differentiate_dissipation(a->constraint, &a->at, &moved));
  pull_record(s, a, &at, change);
  if (!a->anchor) return;
  cr_anchor_differentiate(s, a, &at, give);
  for (int k = 0; k < 2; k++) d[k] += give[k];
}

/* What a bound that was given does, on the right side c. */
static double find_bound(const maker* m) {
  const cr_active_constraint* a = m->a;
  if (!a->contact || a->constraint->rule != CR_ROW_DRY) return 0;
  return cr_lagged_differentiate(m->s->t->step, a->point,
                                 cr_contact_tangent_turn_normal(a->contact));
}

/* How the impulses on both links change, beside being carried along. */
static void find_moved(const maker* m, const cr_row_change* change, sv moved[2]) {
  const cr_constraint_state* s = m->s;
  const cr_active_constraint* a = m->a;
  const cr_step* step = s->t->step;
  moved[0] = moved[1] = sv_zero();
  for (int r = 0; r < a->rows; r++) {
    const cr_row_shape* row = &a->shape[r];
    for (int k = 0; k < 2 && row->kind != CR_ROW_OF_DOFS; k++)
      if (step->model->tree.link_tree[row->link[k]] >= 0)
        moved[k] = sv_axpy(moved[k], s->out->gamma[a->row + r],
                           cr_row_wrench_change(step, row, &change[r], k, m->twist[row->link[k]]));
  }
}

/* What the impulses do beside being carried along, column `at` of a block's b. */
static void fill_b(const maker* m, const cr_row_change* change, int at, double* b) {
  const cr_constraint_state* s = m->s;
  const cr_active_constraint* a = m->a;
  const cr_step* step = s->t->step;
  int n = a->block.num_dofs;
  sv moved[2];
  find_moved(m, change, moved);
  for (int i = 0; i < n; i++) b[i * n + at] = 0;
  for (int r = 0; r < a->rows; r++) {
    const cr_row_shape* row = &a->shape[r];
    for (int k = 0; k < row->num_dofs; k++)
      for (int i = 0; i < n; i++)
        if (row->dof[k] == a->block.dof[i])
          b[i * n + at] += s->out->gamma[a->row + r] * change[r].coefficient[k];
  }
  for (int k = 0; k < 2 && a->shape[0].kind != CR_ROW_OF_DOFS; k++)
    for (int i = 0; i < n; i++)
      if (moves(&step->model->tree, a->block.dof[i], a->shape[0].link[k]))
        b[i * n + at] += sv_dot(step->kinematics.S[a->block.dof[i]], moved[k]);
}

/* What the record's cotangent has made of the column that was looked at last. */
static double take_record(const cr_active_constraint* a) {
  double sum = a->left ? *a->of_column : 0;
  if (a->left) *a->of_column = 0;
  return sum;
}

static void fill_column(maker* m, int at, source by, double* c, double* b) {
  const cr_constraint_state* s = m->s;
  cr_active_constraint* a = m->a;
  cr_row_change change[CR_LAW_MAX_ROWS];
  double d[CR_LAW_MAX_ROWS] = {0};
  int dof = a->block.dof[at], n = a->block.num_dofs;
  set_links(m, dof, by, 1);
  m->token++;
  const double* dq = by == BY_Q ? m->unit : m->still;
  double distance = differentiate_rows(m, dq, change);
  for (int r = 0; r < a->rows; r++)
    d[r] = cr_row_velocity_change(s->t->step, &a->shape[r], &change[r], m->twist, &s->v);
  add_surfaces(m, change, &distance, d);
  add_compliance(m, change, dq, distance, d);
  if (a->constraint->rule == CR_ROW_ACTUATOR)
    d[0] -=
        cr_model_row_differentiate_actuator(s->t->step, a->constraint, &a->shape[0],
                                            &(cr_row_force_direction){dq, s->star.dv, s->v0.dv});
  double bound = find_bound(m);
  for (int r = 0; r < a->rows; r++) {
    double sum = bound * a->law.widen[r];
    for (int j = 0; j < a->rows; j++) sum -= a->law.D[r][j] * d[j];
    c[r * n + at] = sum;
  }
  if (b) fill_b(m, change, at, b);
  double* const of_record[] = {a->block.m_q, a->block.m_star, a->block.m_v0};
  if (a->left) of_record[by][at] = take_record(a);
  set_links(m, dof, by, 0);
}

/* d (row · v) / d v of a dof. */
static double find_entry(const cr_step* step, const cr_row_shape* row, int dof) {
  double sum = 0;
  for (int k = 0; k < row->num_dofs; k++)
    if (row->dof[k] == dof) sum += row->coefficient[k];
  for (int k = 0; k < 2 && row->kind != CR_ROW_OF_DOFS; k++)
    if (moves(&step->model->tree, dof, row->link[k]))
      sum += sv_dot(step->kinematics.S[dof], cr_row_wrench(step, row, k));
  return sum;
}

/* c_star and c_v0 where rates count in the distance alone, along the last row. */
static void fill_rates(const maker* m) {
  const cr_active_constraint* a = m->a;
  const cr_step* step = m->s->t->step;
  int last = a->rows - 1, n = a->block.num_dofs;
  double* const to[2] = {a->block.c_star, a->block.c_v0};
  const cr_distance_row unit[2] = {{.v1 = 1}, {.v0 = 1}};
  for (int i = 0; i < 2; i++) {
    cr_compliance_change by = {0, 0};
    if (a->is_distance && a->is_plain) by = differentiate_compliance(m->s, a, &unit[i], 0);
    double d = by.R * m->s->out->gamma[a->row + last] - by.v_hat;
    for (int at = 0; at < n; at++) {
      double entry = d == 0 ? 0 : d * find_entry(step, &a->shape[last], a->block.dof[at]);
      for (int r = 0; r < a->rows; r++) to[i][r * n + at] = -a->law.D[r][last] * entry;
    }
  }
}

/* --- Blocks -------------------------------------------------------------------------------------
 */

/* What the impulses do by q_mid belongs to the slope of the tree, where only one has a part. */
static void give_to_tree(const cr_constraint_state* s, cr_constraint_block* b) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  int n = b->num_dofs, tree = -1;
  for (int i = 0; i < n; i++)
    if (b->dof[i] >= model->num_v) return; /* soft bodies have none */
  if (n > 0) tree = model->link_tree[model->dof_link[b->dof[0]]];
  for (int i = 1; i < n; i++)
    if (model->link_tree[model->dof_link[b->dof[i]]] != tree) return;
  if (tree < 0) return;
  int start = model->tree_v_start[tree], size = model->tree_v_start[tree + 1] - start;
  double* slope = s->tree_slope + step->sim->plan.M_start[tree];
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      slope[(b->dof[k] - start) * size + b->dof[i] - start] -= b->b_q[i * n + k];
  b->b_q = NULL;
}

static bool push_block(const cr_constraint_state* s, cr_active_constraint* a, const int* dofs) {
  cr_arena* arena = s->t->arena;
  cr_constraint_block* b = &a->block;
  size_t n = (size_t)b->num_dofs, rows = (size_t)a->rows;
  int* kept = CR_PUSH(arena, int, n);
  double** of_rows[] = {&b->c_q, &b->c_star, &b->c_v0};
  double** of_dofs[] = {&b->b_q, &b->b_star, &b->b_v0};
  for (int i = 0; i < 3; i++) *of_rows[i] = CR_PUSH(arena, double, rows* n);
  for (int i = 0; i < (a->yields ? 3 : 1); i++) *of_dofs[i] = CR_PUSH(arena, double, n* n);
  double** of_record[] = {&b->m_q, &b->m_star, &b->m_v0};
  for (int i = 0; i < 3 && a->left; i++) *of_record[i] = CR_PUSH(arena, double, n);
  if (arena->failed) return false;
  for (int i = 0; i < 3 && a->left; i++) memset(*of_record[i], 0, sizeof(double) * n);
  CR_COPY(kept, dofs, n);
  b->dof = kept;
  return true;
}

/* Columns of `from` into those of `to`. */
static void add_column(double* from, double* to, int rows, int n, int at) {
  for (int r = 0; r < rows && from; r++) {
    to[r * n + at] += from[r * n + at];
    from[r * n + at] = 0;
  }
}

/* What is by v_lin is by v0 where a soft body is linearised there. */
static void move_rates(const cr_constraint_state* s, cr_active_constraint* a) {
  const carom_model* m = s->t->step->model;
  cr_constraint_block* b = &a->block;
  for (int at = 0; at < b->num_dofs; at++) {
    if (b->dof[at] < m->tree.num_v) continue;
    if (!cr_soft_tangents_of_dof(s->t, b->dof[at])->is_known) continue;
    add_column(b->c_star, b->c_v0, a->rows, b->num_dofs, at);
    if (a->yields) add_column(b->b_star, b->b_v0, b->num_dofs, b->num_dofs, at);
  }
}

static bool make_block(maker* m, cr_active_constraint* a, int* dofs) {
  m->a = a;
  a->block.num_dofs = list_dofs(m->s->t->step, a, dofs);
  if (!push_block(m->s, a, dofs)) return false;
  const cr_constraint_block* b = &a->block;
  bool by_rates = a->yields || a->constraint->rule == CR_ROW_ACTUATOR;
  for (int at = 0; at < b->num_dofs; at++) {
    fill_column(m, at, BY_Q, b->c_q, b->b_q);
    if (by_rates) fill_column(m, at, BY_STAR, b->c_star, b->b_star);
    if (by_rates) fill_column(m, at, BY_V0, b->c_v0, b->b_v0);
  }
  if (!by_rates) fill_rates(m);
  move_rates(m->s, a);
  give_to_tree(m->s, &a->block);
  return true;
}

bool cr_constraint_blocks_make(cr_constraint_state* s) {
  const cr_tree_model* model = &s->t->step->model->tree;
  size_t num_v = (size_t)s->t->num_v;
  maker m = {.s = s};
  int* dofs = CR_PUSH(s->t->arena, int, 2 * num_v + 3);
  m.twist = CR_PUSH(s->t->arena, sv, model->num_links);
  m.unit = CR_PUSH(s->t->arena, double, num_v);
  m.still = CR_PUSH(s->t->arena, double, num_v);
  if (s->t->arena->failed) return false;
  memset(m.twist, 0, sizeof(sv) * (size_t)model->num_links);
  memset(m.unit, 0, sizeof(double) * num_v);
  memset(m.still, 0, sizeof(double) * num_v);
  for (int i = 0; i < s->num_active; i++)
    if (!make_block(&m, &s->active[i], dofs)) return false;
  s->still = m.twist;
  return true;
}

/* --- Use ----------------------------------------------------------------------------------------
 */

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
  if (!a->yields) return;
  multiply(block, block->b_star, n, star, block->dof, b);
  multiply(block, block->b_v0, n, v0, block->dof, b);
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
  if (!a->yields) return;
  multiply_transposed(block, block->b_star, n, block->dof, b, out->v_star);
  multiply_transposed(block, block->b_v0, n, block->dof, b, out->v0);
}

/* - zᵀ (dA) z by a parameter. */
static double find_mobility_theta(const cr_constraint_state* s, const cr_active_constraint* a,
                                  const cr_theta_column* theta) {
  const cr_step_tangent* t = s->t;
  double sum = 0, *Az = t->step->work;
  if (!a->answer) return 0;
  memset(Az, 0, sizeof(double) * (size_t)t->num_v);
  for (int b = 0; b < cr_tree_factor_count(t->step, &s->out->blocks); b++) {
    cr_theta_add_matrix(t, theta, s->out->blocks.movers[b], a->answer->v, Az);
    if (cr_theta_is_of_place(theta))
      cr_place_theta_add_matrix(t, theta, s->out->blocks.movers[b],
                                &(cr_place_load){a->answer->v, NULL}, Az);
  }
  for (int i = 0; i < t->num_v; i++) sum -= Az[i] * a->answer->v[i];
  return sum;
}

/* Displaces a constraint's links as a parameter does, or puts them back. */
static void displace_links(const maker* m, const cr_theta_column* theta, bool on) {
  const cr_constraint_state* s = m->s;
  const cr_step* step = s->t->step;
  const cr_row_motion* motions[] = {&s->v, &s->star, &s->v0, m->a->answer, m->a->lever};
  cr_tree_insertion in[2];
  int count = on ? cr_place_theta_list(step, theta, in) : 0;
  for (int k = 0; k < 2; k++) {
    int link = m->a->shape[0].link[k];
    m->twist[link] = sv_zero();
    for (int i = 0; i < 5; i++)
      if (motions[i]) motions[i]->link_drift[link] = sv_zero();
    for (int j = 0; j < count; j++) {
      if (!cr_tree_carries(&step->model->tree, &in[j], link)) continue;
      m->twist[link] = sv_add(m->twist[link], in[j].S);
      for (int i = 0; i < 5; i++)
        if (motions[i])
          motions[i]->link_drift[link] = sv_add(
              motions[i]->link_drift[link], cr_place_theta_find_drift(step, &in[j], motions[i]->v));
    }
  }
}

/* Lengths of rows of moments that grow with a parameter, as changes of their axes. */
static void lengthen_rows(const maker* m, const cr_theta_column* theta, cr_row_change* change) {
  const cr_active_constraint* a = m->a;
  double by = a->contact ? cr_theta_of_lengths(m->s->t, theta, a->point) : 0;
  for (int r = 0; r < a->rows && by != 0; r++)
    if (a->shape[r].kind == CR_ROW_OF_MOMENT)
      change[r].axis = v3_axpy(change[r].axis, by, a->shape[r].axis);
}

static bool has_moments(const cr_active_constraint* a) {
  bool any = false;
  for (int r = 0; r < a->rows; r++) any |= a->shape[r].kind == CR_ROW_OF_MOMENT;
  return any;
}

/* What shapes that move on their links, links that are displaced, or rows that grow, make of b and
 * c. */
static void add_moved(cr_constraint_state* s, cr_active_constraint* a, const cr_theta_column* theta,
                      double* b, double* c) {
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  maker m = {.s = s,
             .a = a,
             .twist = s->still,
             .by = BY_STAR,
             .token = -2 - (int)(theta - s->t->thetas),
             .shape = cr_theta_moves_contacts(theta) ? theta : NULL};
  cr_row_change change[CR_LAW_MAX_ROWS];
  double d[CR_LAW_MAX_ROWS] = {0};
  sv moved[2];
  if (cr_theta_is_of_place(theta)) displace_links(&m, theta, true);
  double distance = 0; /* of_row has it where the row itself moves */
  if (cr_theta_is_of_row(theta))
    cr_row_theta_move(step, theta, a->constraint, &a->shape[0], change);
  else
    distance = differentiate_rows(&m, s->t->still, change);
  lengthen_rows(&m, theta, change);
  for (int r = 0; r < a->rows; r++)
    d[r] = cr_row_velocity_change(step, &a->shape[r], &change[r], m.twist, &s->v);
  add_surfaces(&m, change, &distance, d);
  add_compliance(&m, change, s->t->still, distance, d);
  double bound = find_bound(&m);
  for (int r = 0; r < a->rows; r++) {
    c[r] += bound * a->law.widen[r];
    for (int j = 0; j < a->rows; j++) c[r] -= a->law.D[r][j] * d[j];
  }
  find_moved(&m, change, moved);
  for (int k = 0; k < a->shape[0].num_dofs; k++)
    b[a->shape[0].dof[k]] += s->out->gamma[a->row] * change[0].coefficient[k];
  for (int k = 0; k < 2 && a->shape[0].kind != CR_ROW_OF_DOFS; k++)
    for (int i = model->link_last_dof[a->shape[0].link[k]]; i >= 0; i = model->dof_parent[i])
      b[i] += sv_dot(step->kinematics.S[i], moved[k]);
  if (cr_theta_is_of_place(theta)) displace_links(&m, theta, false);
}

/* What R and v_hat of a distance's row, and of its anchor's, do where nothing moves.
 * @param d [rows] is added to */
static void add_still(const cr_constraint_state* s, const cr_active_constraint* a,
                      const cr_distance_row* moved, double* d) {
  int last = a->rows - 1;
  cr_compliance_change out = differentiate_compliance(s, a, moved, 0);
  d[last] += out.R * s->out->gamma[a->row + last] - out.v_hat;
  if (!a->anchor) return;
  double give[2];
  cr_memory_column at = {.twist = s->still,
                         .dissipation =
                             cr_compliance_differentiate_dissipation(a->constraint, &a->at, moved),
                         .stiffness = s->t->step->sim->def.tangent_ratio * moved->stiffness};
  pull_record(s, a, &at, NULL);
  cr_anchor_differentiate(s, a, &at, give);
  for (int k = 0; k < 2; k++) d[k] += give[k];
}

double cr_constraint_find_mobility_slope(const cr_constraint_state* s,
                                         const cr_active_constraint* a, double d[CR_LAW_MAX_ROWS]) {
  for (int r = 0; r < CR_LAW_MAX_ROWS; r++) d[r] = 0;
  add_still(s, a, &(cr_distance_row){.mobility = 1}, d);
  return take_record(a);
}

/* What a parameter does to R and v_hat of a distance's row, and to its anchor's. */
static void add_compliance_theta(const cr_constraint_state* s, const cr_active_constraint* a,
                                 const cr_theta_column* theta, cr_contact_theta by, double* c) {
  double d[CR_LAW_MAX_ROWS] = {0};
  cr_distance_row moved = {.distance = by.distance,
                           .mobility = find_mobility_theta(s, a, theta),
                           .stiffness = by.stiffness * (a->contact ? a->point->weight : 1),
                           .dissipation = by.dissipation};
  add_still(s, a, &moved, d);
  for (int r = 0; r < a->rows; r++)
    for (int j = 0; j < a->rows; j++) c[r] -= a->law.D[r][j] * d[j];
}

double cr_constraint_add_theta(cr_constraint_state* s, cr_active_constraint* a,
                               const cr_theta_column* theta, double* b, double* c) {
  bool is_its = a->contact && cr_theta_moves_contacts(theta) &&
                (a->point->geom[0] == theta->index || a->point->geom[1] == theta->index);
  is_its |= theta->kind == CR_THETA_FRICTION && a->contact && has_moments(a);
  bool is_placed = cr_theta_is_of_place(theta) && a->shape[0].kind != CR_ROW_OF_DOFS;
  cr_row_theta of_row = cr_row_theta_find(s->t->step, theta, a->constraint, &a->shape[0]);
  if (is_its || is_placed || of_row.is_moved) add_moved(s, a, theta, b, c);
  if (a->constraint->rule == CR_ROW_ACTUATOR)
    c[0] +=
        a->law.D[0][0] * cr_model_row_differentiate_law(s->t, a->constraint, &a->shape[0], theta);
  if (cr_active_is_dry(a))
    of_row.friction += cr_theta_of_friction_loss(s->t, theta, a->shape[0].dof[0]);
  c[0] += s->t->step->dt * of_row.friction * a->law.widen[0];
  cr_contact_theta by = {0, of_row.stiffness, of_row.dissipation, of_row.distance};
  int tie = a->contact ? -1 : cr_model_row_find_tie(s->t->step, a->constraint);
  if (a->contact) by = cr_theta_of_contact(s->t, theta, a->point);
  if (tie >= 0) by = cr_theta_of_tie(s->t, theta, tie);
  double bound = by.friction;
  if (a->contact && a->constraint->rule == CR_ROW_DRY)
    bound = cr_lagged_differentiate_theta(s->t, a->point, theta);
  for (int r = 0; r < a->rows; r++) c[r] += bound * a->law.widen[r];
  if (a->is_plain && a->is_distance) add_compliance_theta(s, a, theta, by, c);
  return take_record(a);
}

/* --- Memory -------------------------------------------------------------------------------------
 */

/* What a seed of the records makes of a contact's rows of c, times their cotangents, and of the
 * record that it leaves. */
static double pull_seed(const cr_constraint_state* s, const cr_active_constraint* a,
                        const double* rows, const cr_memory_seed* seed) {
  double sum = 0, give[2];
  if (a->constraint->rule == CR_ROW_DRY) {
    double bound = cr_lagged_differentiate_seed(s->t->step, a->point, seed);
    for (int r = 0; r < a->rows; r++) sum += bound * a->law.widen[r] * rows[r];
  }
  if (!a->anchor) return sum;
  const cr_memory_column at = {.twist = s->still, .seed = seed};
  cr_anchor_differentiate(s, a, &at, give);
  for (int r = 0; r < a->rows; r++)
    for (int k = 0; k < 2; k++) sum -= rows[r] * a->law.D[r][k] * give[k];
  return sum + (a->left ? cr_memory_pull_record(s, a, &at, NULL) : 0);
}

void cr_constraint_pull_memory(const cr_constraint_state* s, const cr_active_constraint* a,
                               const double* rows, const cr_stage_cotangents* out) {
  const cr_contact_memory* memory = &s->t->step->sim->memory;
  const cr_constraint_block* b = &a->block;
  const cr_contact_record* record;
  if (!s->t->memory || !a->contact) return;
  for (int k = 0; k < b->num_dofs && a->left; k++) {
    out->q_mid[b->dof[k]] += b->m_q[k];
    out->v_star[b->dof[k]] += b->m_star[k], out->v0[b->dof[k]] += b->m_v0[k];
  }
  int count = cr_contact_memory_find_pair(memory, a->point->key.pair, &record);
  for (int i = 0; i < count; i++) {
    cr_memory_cotangent* to = &s->t->memory->begun[record + i - memory->records];
    for (int e = 0; e < 3; e++) {
      v3 unit = v3_set(v3_zero(), e, 1), none = v3_zero();
      const cr_memory_seed seeds[] = {{record + i, unit, none, none},
                                      {record + i, none, unit, none},
                                      {record + i, none, none, unit}};
      to->impulse[e] += pull_seed(s, a, rows, &seeds[0]);
      if (!a->anchor) continue;
      to->stretch[e] += pull_seed(s, a, rows, &seeds[1]);
      to->place[e] += pull_seed(s, a, rows, &seeds[2]);
    }
  }
}
