/* Of rows that hold together the bounds of recovery follow from what closes each at once, from the
 * mobilities N_ij = j_i D⁻¹ j_jᵀ of the joints' geometry, which change by
 *
 *   (dj_i) x_j + (dj_j) x_i - x_iᵀ (dD) x_j,      x = D⁻¹ jᵀ,
 *
 * in units of their links' mobilities, and from how the links move against each other. */
#include "derive/equality_tangent.h"

#include "base/copy.h"
#include "derive/equality_response.h"
#include "derive/mobility_tangent.h"
#include "sim/tree/tree_factor.h"
#include "tree/algorithms.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9 /* relative: round-off of what is found again */

/* --- Bounds, found again ------------------------------------------------------------------------
 */

/* Bounds all rows of out anew, whose v_hat, R and recovery are copies. */
static bool bound_again(const cr_constraint_state* s, cr_recovery* again) {
  const cr_problem* p = s->p;
  for (int i = 0; i < p->num_constraints; i++) {
    const cr_constraint* c = &s->out->constraints[s->out->order[i]];
    if (c->rule != CR_ROW_CONTACT && c->rule != CR_ROW_EQUALITY) continue;
    int rows = cr_law_get(p->kind[i])->rows, last = p->row[i] + rows - 1;
    cr_distance_row at = cr_constraint_state_find_distance(s, c, p->row[i], rows);
    again->out->problem.v_hat[last] = cr_compliance_find_v_hat(s->t->step, c, &at);
    if (c->rule == CR_ROW_EQUALITY || isfinite(c->stiffness)) continue;
    const int* link = c->point < 0 ? c->link : s->out->points->items[c->point].link;
    cr_row_place place = {cr_problem_find_group(p, last), last};
    cr_recovery_bound_contact(again, link, place, at.mobility);
  }
  return cr_recovery_bound_equalities(again);
}

bool cr_equality_tangents_find(cr_constraint_state* s, cr_equality_tangent** list) {
  cr_arena* arena = s->t->arena;
  size_t rows = (size_t)s->p->num_rows;
  cr_step_problem out = *s->out;
  cr_recovery again;
  out.problem.v_hat = CR_PUSH(arena, double, rows);
  out.problem.R = CR_PUSH(arena, double, rows);
  out.recovery = CR_PUSH(arena, cr_recovery_bound, rows);
  *list = NULL;
  if (arena->failed || !cr_recovery_look(s->t->step, &out, arena, &again)) return false;
  CR_COPY(out.problem.v_hat, s->p->v_hat, rows);
  CR_COPY(out.problem.R, s->p->R, rows);
  again.kept = arena;
  if (!bound_again(s, &again)) return false;
  for (const cr_equality_bounds* b = again.bounds; b; b = b->next) {
    cr_equality_tangent* e = CR_PUSH(arena, cr_equality_tangent, 1);
    if (!e) return false;
    *e = (cr_equality_tangent){.bounds = b, .v_hat = out.problem.v_hat, .is_known = true};
    for (int i = 0; i < b->num_first; i++)
      e->is_known &= b->rows[i].part == 0 || b->rows[i].limit != CR_EQUALITY_OTHER;
    e->next = *list, *list = e;
  }
  return true;
}

/* --- Its rows -----------------------------------------------------------------------------------
 */

/* Work. */
typedef struct maker {
  cr_constraint_state* s;
  cr_equality_tangent* e;
  cr_equality_response response;
  cr_active_constraint** active; /* [count] null: nothing comes of that row */
  double* J;                     /* [count, num_v] */
  double* x;                     /* likewise, D⁻¹ jᵀ / scale */
  cr_row_motion* motion;         /* [count] that */
  spatial_inertia* composite;    /* [num_links] */
  double* radius;                /* [num_v] - dD of the dof at hand */
  double* scale;                 /* [count] root of the links' mobility */
  double* W;                     /* [count, count], see cr_equality_move */
  double* wanted;                /* [count] likewise */
  double* rest;                  /* [count, count] u of rows that wait */
  double *unit, *moved, *own;    /* [num_v], [count] and [count] */
  sv* twist;                     /* [num_links] */
  int* dof;
  int num_dofs;
} maker;

static bool push(maker* m) {
  cr_arena* arena = m->s->t->arena;
  size_t count = (size_t)m->e->bounds->count, n = (size_t)m->s->t->num_v;
  size_t links = (size_t)m->s->t->step->model->tree.num_links;
  m->active = CR_PUSH(arena, cr_active_constraint*, count);
  m->J = CR_PUSH(arena, double, count* n);
  m->x = CR_PUSH(arena, double, count* n);
  m->motion = CR_PUSH(arena, cr_row_motion, count);
  m->composite = CR_PUSH(arena, spatial_inertia, links);
  m->radius = CR_PUSH(arena, double, n);
  m->scale = CR_PUSH(arena, double, count);
  m->W = CR_PUSH(arena, double, count* count);
  m->wanted = CR_PUSH(arena, double, count);
  m->rest = CR_PUSH(arena, double, count* count);
  m->unit = CR_PUSH(arena, double, n);
  m->moved = CR_PUSH(arena, double, count);
  m->e->share = CR_PUSH(arena, double, count);
  m->own = CR_PUSH(arena, double, count);
  m->twist = CR_PUSH(arena, sv, links);
  m->dof = CR_PUSH(arena, int, n);
  for (int i = 0; i < 3; i++) m->e->by[i] = CR_PUSH(arena, double, count* n);
  m->e->own = CR_PUSH(arena, double, count* n);
  if (arena->failed) return false;
  memset(m->e->own, 0, sizeof(double) * count * n);
  for (int i = 0; i < 3; i++) memset(m->e->by[i], 0, sizeof(double) * count * n);
  memset(m->J, 0, sizeof(double) * count * n);
  memset(m->unit, 0, sizeof(double) * n);
  memset(m->twist, 0, sizeof(sv) * links);
  return true;
}

static cr_active_constraint* find_active(const cr_constraint_state* s, int row) {
  for (int i = 0; i < s->num_active; i++) {
    cr_active_constraint* a = &s->active[i];
    if (a->is_distance && a->row + a->rows - 1 == row) return a;
  }
  return NULL;
}

/* Its trees' dofs, and the rows' Jacobians and motions. */
static bool find_rows(maker* m) {
  cr_constraint_state* s = m->s;
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  const cr_equality_bounds* b = m->e->bounds;
  cr_mobilities mobilities;
  double* x = CR_PUSH(s->t->arena, double, s->n);
  if (!x || !cr_mobilities_init(step, s->out, s->t->arena, &mobilities)) return false;
  for (int i = 0; i < b->count; i++) {
    double *J = m->J + i * s->t->num_v, *own = m->x + i * s->t->num_v;
    m->scale[i] = sqrt(b->rows[i].mobility);
    m->active[i] = find_active(s, b->rows[i].at.row);
    memset(x, 0, sizeof(double) * (size_t)s->n);
    cr_problem_add_row(s->p, b->rows[i].at.row, 1, x);
    cr_blocks_scatter(step, &s->out->blocks, x, J);
    cr_mobility_move(&mobilities, b->rows[i].at);
    for (int k = 0; k < s->t->num_v; k++) own[k] = mobilities.x[k] / m->scale[i];
    cr_mobility_rest(&mobilities, b->rows[i].at);
    if (!cr_row_motion_push(s->t, own, &m->motion[i])) return false;
    memset(m->motion[i].link, 0, sizeof(sv) * (size_t)model->num_links);
    memset(m->motion[i].link_drift, 0, sizeof(sv) * (size_t)model->num_links);
  }
  for (int k = 0; k < cr_tree_factor_count(step, &s->out->blocks); k++) {
    int tree = s->out->blocks.movers[k], start = model->tree_v_start[tree];
    bool any = false;
    for (int i = 0; i < b->count; i++)
      for (int j = start; j < model->tree_v_start[tree + 1] && !any; j++)
        any = m->J[i * s->t->num_v + j] != 0;
    if (!any) continue;
    cr_tree_compute_composites(model, tree, &step->kinematics, m->composite);
    for (int i = 0; i < b->count; i++) cr_row_motion_find(step, tree, &m->motion[i]);
    for (int j = start; j < model->tree_v_start[tree + 1]; j++) m->dof[m->num_dofs++] = j;
  }
  m->e->dof = m->dof, m->e->num_dofs = m->num_dofs;
  return true;
}

/* --- What a dof does ----------------------------------------------------------------------------
 */

/* Sets what a row's links do by a dof, or takes it back. */
static void set_links(const maker* m, const cr_active_constraint* a, int dof, bool is_on) {
  cr_constraint_state* s = m->s;
  const cr_row_shape* row = &a->shape[0];
  sv none = sv_zero();
  for (int k = 0; k < 2 && row->kind != CR_ROW_OF_DOFS; k++) {
    int link = row->link[k];
    bool is_its = is_on && cr_dof_moves(&s->t->step->model->tree, dof, link);
    m->twist[link] = is_its ? s->t->step->kinematics.S[dof] : none;
    cr_row_motion* states[] = {&s->star, &s->v0};
    for (int i = 0; i < 2; i++) {
      states[i]->link_drift[link] = is_its ? states[i]->drift[dof] : none;
      states[i]->link_change[link] = none;
    }
  }
}

/* Whether a dof's place moves a row. */
static bool is_moved(const maker* m, const cr_row_shape* row, int dof) {
  const cr_tree_model* model = &m->s->t->step->model->tree;
  return row->kind == CR_ROW_OF_DOFS || row->num_dofs > 0 ||
         cr_dof_moves(model, dof, row->link[0]) || cr_dof_moves(model, dof, row->link[1]);
}

/* What closes a row at once, and (dj) x / scale of all rows in `moved`, by a dof's place. */
static double move_row(const maker* m, int row, int dof) {
  cr_constraint_state* s = m->s;
  cr_active_constraint* a = m->active[row];
  const cr_step* step = s->t->step;
  cr_row_change change[CR_LAW_MAX_ROWS];
  const cr_row_maker way = {
      .s = s, .a = a, .twist = m->twist, .dof = dof, .token = 3 * dof + CR_BY_Q};
  int last = a->rows - 1, count = m->e->bounds->count;
  set_links(m, a, dof, true);
  s->star.dv = s->v0.dv = s->t->still;
  cr_distance_row by = {.distance = cr_row_maker_differentiate(&way, m->unit, change)};
  cr_row_carry(step, &a->shape[last], m->twist, &change[last]);
  by.v1 = cr_row_rate_change(step, &a->shape[last], &change[last], &s->star);
  by.v0 = cr_row_rate_change(step, &a->shape[last], &change[last], &s->v0);
  cr_row_velocity_changes(step, &a->shape[last], &change[last],
                          &(cr_row_unit){dof, count, m->motion}, m->moved);
  set_links(m, a, dof, false);
  return cr_compliance_differentiate(step, a->constraint, &a->at, &by).v_hat;
}

/* - dD by a dof's place. */
static void find_radii(const maker* m, int dof) {
  const cr_step* step = m->s->t->step;
  memset(m->radius, 0, sizeof(double) * (size_t)m->s->t->num_v);
  for (int i = step->model->tree.dof_parent[dof]; i >= 0; i = step->model->tree.dof_parent[i])
    m->radius[i] = cr_mobility_find_radius_slope(step, m->composite, dof, i);
}

/* What all move by where a dof does: W and wanted. */
static void move_rows(maker* m, int dof) {
  const cr_equality_bounds* b = m->e->bounds;
  int count = b->count, n = m->s->t->num_v;
  memset(m->W, 0, sizeof(double) * (size_t)(count * count));
  find_radii(m, dof);
  m->unit[dof] = 1;
  for (int i = 0; i < count; i++) {
    if (!m->active[i] || !is_moved(m, &m->active[i]->shape[0], dof)) continue;
    m->wanted[i] = move_row(m, i, dof);
    for (int j = 0; j < count; j++) {
      double by = m->moved[j] / m->scale[i];
      m->W[i > j ? i * count + j : j * count + i] += i == j ? 2 * by : by;
    }
  }
  m->unit[dof] = 0;
  for (int k = m->s->t->step->model->tree.dof_parent[dof]; k >= 0;
       k = m->s->t->step->model->tree.dof_parent[k])
    for (int i = 0; i < count && m->radius[k] != 0; i++)
      for (int j = 0; j <= i; j++)
        m->W[i * count + j] += m->radius[k] * m->x[i * n + k] * m->x[j * n + k];
  for (int i = 0; i < count; i++) /* those in units of their own */
    if (b->rows[i].is_own) m->own[i] = m->W[i * (count + 1)];
  for (int i = 0; i < count; i++)
    m->e->own[i * n + dof] = b->rows[i].mobility * m->W[i * (count + 1)];
  for (int i = 0; i < count; i++)
    for (int j = 0; j <= i; j++)
      m->W[i * count + j] -= 0.5 * b->W[i * count + j] * (m->own[i] + m->own[j]);
}

/* The velocity of a link at its centre of mass at the start, and its change by a dof. */
static sv find_velocity(const maker* m, int link, int dof, cr_unit_source by, sv* change) {
  const cr_constraint_state* s = m->s;
  const cr_step* step = s->t->step;
  const cr_tree_model* model = &step->model->tree;
  *change = sv_zero();
  if (link < 0 || model->link_tree[link] < 0) return sv_zero();
  sv V = s->v0.link[link], S = step->kinematics.S[dof];
  v3 r = v3_sub(step->kinematics.link_com[link], step->kinematics.origin[model->link_tree[link]]);
  bool moves = cr_dof_moves(model, dof, link);
  sv dV = by == CR_BY_V0 ? S : sv_add(sv_cross_motion(S, V), s->v0.drift[dof]);
  v3 way = by == CR_BY_V0 ? v3_zero() : v3_cross(V.ang, sv_point_velocity(S, r));
  if (moves) *change = (sv){dV.ang, v3_add(sv_point_velocity(dV, r), way)};
  return (sv){V.ang, sv_point_velocity(V, r)};
}

/* The squared size of the motion that may close a part, by a dof's place or v0. */
static double move_size(const maker* m, const cr_equality_row* row, int dof, cr_unit_source by) {
  if (row->limit != CR_EQUALITY_MOTION || by == CR_BY_STAR) return 0;
  const int* link = m->s->out->constraints[m->s->out->order[row->place]].link;
  sv change[2], V[2];
  for (int k = 0; k < 2; k++) V[k] = find_velocity(m, link[k], dof, by, &change[k]);
  double sum = v3_dot(v3_sub(V[1].lin, V[0].lin), v3_sub(change[1].lin, change[0].lin)) +
               row->linear / row->angular *
                   v3_dot(v3_sub(V[1].ang, V[0].ang), v3_sub(change[1].ang, change[0].ang));
  return 2 * CR_EQUALITY_SHARE * CR_EQUALITY_SHARE * sum;
}

/* What a part's speeds, given as they would close it at once, move by where they are scaled down,
 * s² |wanted|² = size² mobility, in units of its links'.
 * @return what the size² does */
static double move_part(const maker* m, int first, int dof, cr_unit_source by) {
  const cr_equality_bounds* b = m->e->bounds;
  const cr_equality_row* row = &b->rows[first];
  double size2 = move_size(m, row, dof, by), along = 0, most2 = row->size2 * row->mobility;
  for (int i = first; i < first + row->part; i++)
    along += row->share * b->wanted[i] * sqrt(b->rows[i].mobility) * m->wanted[i];
  double scale = row->share < 1 ? 0.5 * (size2 / row->size2 + m->own[first]) - along / most2 : 0;
  for (int i = first; i < first + row->part; i++)
    m->wanted[i] = row->share * m->wanted[i] / sqrt(b->rows[i].mobility) +
                   b->wanted[i] * (scale - 0.5 * m->own[i]);
  return size2;
}

/* uᵀ W u of a row that waits. */
static double find_rest(const maker* m, const double* W, int row) {
  int count = m->e->bounds->count;
  const double* u = m->rest + row * count;
  double sum = 0;
  for (int j = 0; j < count; j++)
    for (int k = 0; k < count && u[j] != 0; k++)
      sum += u[j] * u[k] * cr_equality_entry(W, count, j, k);
  return sum;
}

/* A column of the result. */
static void fill_column(maker* m, int dof, cr_unit_source by) {
  const cr_equality_bounds* b = m->e->bounds;
  int count = b->count, n = m->s->t->num_v;
  double* out = m->e->by[by] + dof;
  cr_equality_move move = {.wanted = m->wanted};
  const cr_distance_row unit = {.v1 = by == CR_BY_STAR, .v0 = by == CR_BY_V0};
  for (int i = 0; i < count; i++) {
    const cr_active_constraint* a = m->active[i];
    m->wanted[i] = m->own[i] = 0;
    if (a && m->J[i * n + dof] != 0 && by != CR_BY_Q)
      m->wanted[i] = m->J[i * n + dof] *
                     cr_compliance_differentiate(m->s->t->step, a->constraint, &a->at, &unit).v_hat;
  }
  if (by == CR_BY_Q) move_rows(m, dof), move.W = m->W;
  for (int i = 0; i < b->num_first; i++)
    if (b->rows[i].part > 0) move.allowed += move_part(m, i, dof, by);
  cr_equality_response_apply(&m->response, &move, m->moved);
  for (int i = 0; i < b->num_first; i++)
    out[i * n] =
        sqrt(b->rows[i].mobility) * m->moved[i] + 0.5 * m->own[i] * m->e->v_hat[b->rows[i].at.row];
  for (int i = b->num_first; i < count && move.W; i++) out[i * n] = find_rest(m, m->W, i);
}

static bool fill(cr_constraint_state* s, cr_equality_tangent* e) {
  maker m = {.s = s, .e = e};
  if (!push(&m) || !cr_equality_response_find(s->t, e->bounds, &m.response) || !find_rows(&m))
    return false;
  for (int i = 0; i < e->bounds->num_first; i++)
    if (e->bounds->rows[i].part > 0) cr_step_tangent_mark_kink(s->t, e->bounds->rows[i].change);
  for (int i = e->bounds->num_first; i < e->bounds->count; i++) {
    cr_equality_response_find_rest(&m.response, i, m.rest + i * e->bounds->count);
    e->share[i] = find_rest(&m, e->bounds->W, i);
  }
  for (int k = 0; k < m.num_dofs; k++)
    for (int by = CR_BY_Q; by <= CR_BY_V0; by++) fill_column(&m, m.dof[k], (cr_unit_source)by);
  cr_equality_response_mark(s->t, &m.response);
  return true;
}

const cr_equality_tangent* cr_equality_tangent_of_row(cr_constraint_state* s,
                                                      cr_equality_tangent* list, int row, int* at) {
  for (cr_equality_tangent* e = list; e; e = e->next)
    for (int i = 0; i < e->bounds->count; i++) {
      if (e->bounds->rows[i].at.row != row) continue;
      *at = i;
      return e->by[0] || fill(s, e) ? e : NULL;
    }
  return NULL;
}

bool cr_equality_tangent_is_known(const cr_equality_tangent* e, const cr_problem* p, int at,
                                  double ease) {
  int row = e->bounds->rows[at].at.row;
  double wanted = e->bounds->wanted[at] * sqrt(e->bounds->rows[at].mobility);
  double v_hat = ease * e->v_hat[row], size = fabs(wanted) + fabs(e->v_hat[row]);
  return e->is_known && fabs(p->v_hat[row] - v_hat) <= SAME * size;
}

/* m times the square of the row's speed, or of the recovery speed at the row's mobility or its
 * links'. */
void cr_equality_tangent_find_energy(const cr_constraint_state* s, const cr_active_constraint* a,
                                     cr_recovery_tangent* out) {
  const cr_recovery_bound* bound = &s->out->recovery[a->row];
  const cr_equality_row* row = &a->joint->bounds->rows[a->joint_row];
  double speed = a->joint->v_hat[a->row], recovery = s->t->step->sim->def.recovery_speed;
  double of_row = speed * speed;
  double of_recovery = recovery * recovery * fmin(row->own, row->mobility);
  out->energy = (cr_recovery_slopes){.mobility = -bound->energy / a->at.mobility};
  if (of_row > of_recovery)
    out->energy.lever = 2 * bound->mass * speed;
  else if (row->own < row->mobility || row->is_own)
    out->energy_by_own = bound->mass * recovery * recovery;
  out->has_energy = true;
}
