/* The free motion's derivative, group by group. With the balance of momentum
 *
 *   m = dt (ID(q_mid, v_f, a) - tau(q_mid, x_e, v_e, u)),     a = (v* - v0) / dt,
 *
 * an implicit step solves m(v*) = 0, so that (dm/dv*) dv* = -dm at v* held; one from what is known
 * has A (v* - v0) = -m at v0, so that A dv* = A dv0 - dm - dA (v* - v0), where dm + (dM)(v* - v0)
 * is the derivative of dt (ID - tau) with that a. */
#include "derive/free_tangent.h"

#include "base/error.h"
#include "derive/row_forces.h"
#include "derive/weight_tangent.h"
#include "force/actuator.h"
#include "linalg/lu.h"
#include "linalg/sparse_rows.h"
#include "math/scalar.h"
#include "sim/tree/balance.h"
#include "sim/tree/damping.h"
#include "sim/tree/external.h"
#include "sim/tree/free_motion.h"
#include "sim/tree/lines.h"
#include "sim/tree/tree_matrix.h"

#include <math.h>
#include <string.h>

/* --- Groups -------------------------------------------------------------------------------------
 */

static bool is_joined(const cr_free_tangent* f, int tree) {
  return f->t->step->sim->plan.has_spring[tree] != 0;
}

static void add_tree(cr_free_tangent* f, int tree) {
  const int* v_start = f->t->step->model->tree.tree_v_start;
  f->trees[f->num_trees++] = tree;
  for (int i = v_start[tree]; i < v_start[tree + 1]; i++) {
    f->place[i] = f->n;
    f->dof[f->n++] = i;
  }
}

/* A tree by itself, or, with the first of the joined ones, all of these. */
bool cr_free_tangent_select(cr_free_tangent* f, int group) {
  int num_trees = f->t->step->model->tree.num_trees, count = 0, first = -1;
  f->num_trees = f->n = 0;
  for (int t = 0; t < num_trees; t++) {
    if (is_joined(f, t) && first >= 0) continue;
    if (is_joined(f, t)) first = t;
    if (count++ != group) continue;
    add_tree(f, t);
    for (int other = t + 1; is_joined(f, t) && other < num_trees; other++)
      if (is_joined(f, other)) add_tree(f, other);
    f->is_known = !is_joined(f, t) && cr_free_motion_is_known(f->t->step, t);
    return true;
  }
  return false;
}

/* --- Slopes of m --------------------------------------------------------------------------------
 */

void cr_free_tangent_place(cr_free_tangent* f) {
  cr_step* step = f->t->step;
  const cr_tree_model* model = &step->model->tree;
  const double* v = f->is_known ? step->v0 : step->v_star;
  for (int k = 0; k < f->num_trees; k++) cr_balance_place(step, f->trees[k], v);
  cr_external_update(step, f->trees, f->num_trees);
  cr_step_lines_update_forces(step, f->trees, f->num_trees, v);
  for (int k = 0; k < f->num_trees; k++)
    cr_tree_find_mid_tangent(model, f->trees[k], step->v_q, step->dt, step->theta[f->trees[k]].q,
                             &f->t->mid);
}

/* A tree of the group. */
typedef struct part {
  int tree, start, n, at; /* its dofs in the model and in the group */
} part;

static part find_part(const cr_free_tangent* f, int k) {
  const int* v_start = f->t->step->model->tree.tree_v_start;
  int tree = f->trees[k], start = v_start[tree];
  return (part){tree, start, v_start[tree + 1] - start, f->place[start]};
}

/* Forces and torques that keep their direction in the world, at a body's centre of mass: what they
 * do beside being carried along. Column j of `out` gets S_k · (ω_j × force, ω_j × torque). */
static void add_fixed_wrench(const cr_free_tangent* f, const part* p, int link, v3 force, v3 torque,
                             v3 place, double* out) {
  const cr_tree_model* model = &f->t->step->model->tree;
  const cr_tree_kinematics* kinematics = &f->t->step->kinematics;
  v3 arm = v3_sub(place, kinematics->origin[p->tree]);
  for (int j = model->link_last_dof[link]; j >= 0; j = model->dof_parent[j]) {
    v3 turn = kinematics->S[j].ang;
    v3 df = v3_cross(turn, force), dt = v3_cross(turn, torque);
    for (int k = model->link_last_dof[link]; k >= 0; k = model->dof_parent[k]) {
      sv S = kinematics->S[k];
      out[(size_t)(j - p->start) * p->n + (k - p->start)] +=
          v3_dot(sv_point_velocity(S, arm), df) + v3_dot(S.ang, dt);
    }
  }
}

static void add_fixed_wrenches(const cr_free_tangent* f, const part* p, double* out) {
  const cr_step* step = f->t->step;
  const cr_body_model* bodies = &step->model->body;
  for (int b = 1; b < bodies->num_bodies; b++) {
    int link = bodies->link[b];
    if (step->model->tree.link_tree[link] != p->tree) continue;
    v3 force =
        v3_axpy(step->sim->wrench[b].force, -bodies->gravity_compensation[b] * bodies->mass[b],
                v3_load(step->model->force.gravity));
    v3 torque = step->sim->wrench[b].torque;
    if (v3_norm2(force) + v3_norm2(torque) == 0) continue;
    v3 in_link = pose_point(&bodies->local[b], v3_load(bodies->com + 3 * b));
    add_fixed_wrench(f, p, link, force, torque,
                     pose_point(&step->kinematics.link_pose[link], in_link), out);
  }
}

/* Adhesion keeps its direction, too, at a place that the link carries along. */
static void add_adhesion(const cr_free_tangent* f, const part* p, double* out) {
  const cr_step* step = f->t->step;
  for (int i = 0; i < step->sim->num_adhesion; i++) {
    const cr_adhesion_force* a = &step->sim->adhesion[i];
    if (step->model->tree.link_tree[a->link] == p->tree)
      add_fixed_wrench(f, p, a->link, a->force, v3_zero(),
                       pose_point(&step->kinematics.link_pose[a->link], a->local), out);
  }
}

/* Where a joint bounds what its actuators do and these bear weight, they do the less of the rest: d
 * of what is borne. */
static bool add_borne(const cr_free_tangent* f, const part* p, double* out) {
  const cr_step* step = f->t->step;
  const cr_body_model* bodies = &step->model->body;
  const int* bears = step->model->force.dof_bears_weight;
  cr_line_place at = cr_step_line_place(step);
  for (int b = 1; b < bodies->num_bodies && step->is_held && step->model->force.num_bearers > 0;
       b++) {
    int link = bodies->link[b];
    v3 com = pose_point(&bodies->local[b], v3_load(bodies->com + 3 * b));
    if (step->model->tree.link_tree[link] != p->tree || bodies->gravity_compensation[b] == 0)
      continue;
    double share = -bodies->gravity_compensation[b] * bodies->mass[b];
    const cr_line_wrench lift = {link, true, pose_point(&step->kinematics.link_pose[link], com),
                                 v3_scale(share, v3_load(step->model->force.gravity)), v3_zero()};
    cr_line_tangent row;
    if (!cr_line_tangent_of_wrench(&at, &lift, f->t->arena, &row)) return false;
    for (int i = 0; i < row.n; i++)
      for (int j = 0; j < row.n; j++)
        if (bears[row.dof[i]] && step->is_held[row.dof[i]])
          out[(size_t)(row.dof[j] - p->start) * p->n + (row.dof[i] - p->start)] +=
              row.H[i * row.n + j];
  }
  return true;
}

/* y += s X of a tree's block, X [p.n, p.n] column-major. */
static void add_block(const cr_free_tangent* f, const part* p, double s, const double* X,
                      double* y) {
  for (int k = 0; k < p->n; k++)
    scalar_axpy(y + (size_t)(p->at + k) * (size_t)f->n + p->at, s, X + (size_t)k * (size_t)p->n,
                p->n, y + (size_t)(p->at + k) * (size_t)f->n + p->at);
}

/* t.slope <- d(ID - tau) / d q_mid but for lines, and d ID / d v_f; M and what is of the joints. */
static bool differentiate_tree(cr_free_tangent* f, const part* p) {
  cr_step_tangent* t = f->t;
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  double* a = step->work;
  for (int i = p->start; i < p->start + p->n; i++)
    a[i] = (step->v_star[i] - step->v0[i]) / step->dt;
  cr_tree_motion motion = {&step->kinematics, &step->velocities, step->v_f, a,
                           cr_balance_find_loads(step, p->tree)};
  cr_tree_differentiate_inverse_dynamics(model, p->tree, &motion, &t->rnea, &t->slope);
  add_fixed_wrenches(f, p, t->slope.q);
  add_adhesion(f, p, t->slope.q);
  cr_tree_compute_mass_matrix(model, p->tree, &step->kinematics, &step->scratch, f->M);
  cr_joint_slopes_find(t, p->tree, &f->joints);
  for (int i = 0; i < p->n * p->n; i++) t->slope.q[i] += f->joints.stiffness[i];
  if (f->is_known) cr_step_compute_diagonal(step, p->tree, f->diagonal);
  return add_borne(f, p, t->slope.q);
}

/* Dampers, and springs beside stiff ones, of dof k of a tree. */
static void add_dof(const cr_free_tangent* f, const part* p, int k) {
  const cr_step* step = f->t->step;
  cr_weight w = cr_damping_of_dof(step, p->start + k);
  double dt = step->dt, theta = f->is_known ? 0 : step->theta[p->tree].v;
  double damping = dt * f->joints.damping[k], own = dt * dt * f->joints.own[k];
  size_t at = (size_t)(p->at + k) * (size_t)(f->n + 1);
  double* of_end = f->is_known ? f->by_v0 : f->by_v;
  double rate = f->is_known ? 0 : w.rate;
  of_end[at] += own * w.end;
  f->by_v[at] += damping * (theta + rate);
  f->by_v0[at] += damping * (1 - theta - rate) + own * w.start;
  if (!f->is_known) return;
  f->by_v[at] += f->diagonal[p->start + k];
  f->by_v0[at] -= f->diagonal[p->start + k];
}

/* What the weights of a dof's damper do: its spring counts at x_e, the damper at v_e. */
static void add_weight(const cr_free_tangent* f, const part* p, int k) {
  const cr_step* step = f->t->step;
  int dof = p->start + k, index = f->t->weights->of_dof[dof];
  if (index < 0) return;
  const cr_weight_tangent* w = &f->t->weights->items[index];
  double dt = step->dt, damping = f->joints.damping[k], own = f->joints.own[k];
  double v0 = step->v0[dof], v = f->is_known ? v0 : step->v_star[dof];
  double push =
      dt * (damping * cr_weight_rate(w->by, v, v0) + own * cr_weight_shift(w->by, dt, v, v0));
  if (f->is_known) push += w->matrix * (step->v_star[dof] - v0);
  for (int i = 0; i < w->n; i++) {
    size_t at = (size_t)f->place[w->group[i]] * (size_t)f->n + (size_t)f->place[dof];
    f->by_q0[at] += push * w->q[i], f->by_v0[at] += push * w->v[i];
  }
}

static bool add_part(cr_free_tangent* f, const part* p) {
  const cr_step* step = f->t->step;
  double dt = step->dt, theta = f->is_known ? 0 : step->theta[p->tree].v;
  if (!differentiate_tree(f, p)) return false;
  add_block(f, p, dt, f->t->slope.q, f->by_q);
  add_block(f, p, dt * theta, f->t->slope.v, f->by_v);
  add_block(f, p, dt * (1 - theta), f->t->slope.v, f->by_v0);
  add_block(f, p, 1, f->M, f->by_v);
  add_block(f, p, -1, f->M, f->by_v0);
  for (int k = 0; k < p->n; k++) {
    add_dof(f, p, k);
    add_weight(f, p, k);
  }
  return true;
}

/* --- Forces along rows --------------------------------------------------------------------------
 */

static bool has(const cr_free_tangent* f, int dof) {
  int at = f->place[dof];
  return at < f->n && f->dof[at] == dof;
}

/* J of a row's force times v* - v0, by which a change of A counts where the motion is known. */
static double find_change(const cr_free_tangent* f, const cr_row_force* p) {
  const cr_step* step = f->t->step;
  if (!f->is_known) return 0;
  return cr_line_tangent_rate(&p->line, step->v_star) - cr_line_tangent_rate(&p->line, step->v0);
}

static bool is_constant(const cr_row_force* p) {
  return p->stiffness == 0 && p->damping == 0 && p->inertia == 0 && p->force == 0;
}

/* m has - dt Jᵀ f, and the inertia of a row. */
static void add_row_force(const cr_free_tangent* f, const cr_row_force* p) {
  double dt = f->t->step->dt, change = find_change(f, p);
  double of_length = dt * p->stiffness + change * p->weight_by[0];
  double of_rate = dt * p->damping + change * p->weight_by[1];
  const cr_line_tangent* line = &p->line;
  for (int b = 0; b < line->n && p->start != 0; b++)
    for (int a = 0; a < line->n; a++)
      if (has(f, line->dof[a]) && has(f, line->dof[b]))
        f->by_q0[(size_t)f->place[line->dof[b]] * (size_t)f->n + (size_t)f->place[line->dof[a]]] -=
            dt * line->J[a] * p->start * line->G[b];
  for (int i = 0; p->z && i < p->z->n; i++)
    for (int a = 0; a < line->n; a++) {
      int dof = p->z->group[i];
      if (!has(f, line->dof[a]) || !has(f, dof)) continue;
      size_t at = (size_t)f->place[dof] * (size_t)f->n + (size_t)f->place[line->dof[a]];
      f->by_q0[at] -= dt * line->J[a] * p->z_force * p->z->q[i];
      f->by_v0[at] -= dt * line->J[a] * p->z_force * p->z->v[i];
    }
  if (is_constant(p)) return;
  for (int b = 0; b < line->n; b++)
    for (int a = 0; a < line->n; a++) {
      if (!has(f, line->dof[a]) || !has(f, line->dof[b])) continue;
      size_t at = (size_t)f->place[line->dof[b]] * (size_t)f->n + (size_t)f->place[line->dof[a]];
      double by_q = of_length * p->length.by_q[b] + of_rate * p->rate.by_q[b];
      double length = of_length * p->length.J[b], rate = of_rate * p->rate.J[b], inertia[3] = {0};
      for (int k = 0; k < 3 && p->inertia > 0; k++) inertia[k] = p->inertia * p->inertia_by[k][b];
      double bend = line->H[a * line->n + b];
      if (p->is_external) bend -= line->carried[a * line->n + b];
      f->by_q[at] += line->J[a] * (by_q + inertia[0]) - dt * p->force * bend;
      f->by_v[at] += line->J[a] * (length * p->length.by_v + rate * p->rate.by_v + inertia[1]);
      f->by_v0[at] += line->J[a] * (length * p->length.by_v0 + rate * p->rate.by_v0 + inertia[2]);
    }
}

static void add_row_forces(const cr_free_tangent* f) {
  for (int i = 0; i < f->t->row_forces->count; i++) add_row_force(f, &f->t->row_forces->items[i]);
}

bool cr_free_tangent_of_input(const cr_free_tangent* f, const cr_row_force* force,
                              const cr_row_force_input* input, cr_row_force_change* change) {
  const cr_step* step = f->t->step;
  double moved[2] = {0, 0}, v[2], v0[2];
  if (force->line.n == 0 || !has(f, force->line.dof[0])) return false;
  if (f->is_known) {
    cr_row_force_find_rates(force, input, step->v_star, v);
    cr_row_force_find_rates(force, input, step->v0, v0);
    for (int k = 0; k < 2; k++) moved[k] = v[k] - v0[k];
  }
  *change = cr_row_force_differentiate_input(force, input, -step->dt, moved);
  return true;
}

/* Joints whose actuators are about to reach their bounds, or to leave them. */
static void mark_bounds(const cr_free_tangent* f, int tree) {
  const cr_step* step = f->t->step;
  const int* v_start = step->model->tree.tree_v_start;
  if (!step->is_held || f->t->smoothing > 0) return;
  cr_step_sum_drives(step, tree, step->work);
  for (int i = v_start[tree]; i < v_start[tree + 1]; i++) {
    const double* range = step->model->force.dof_drive_range + 2 * (size_t)i;
    double whole = step->work[i], left = fmin(fabs(whole - range[0]), fabs(range[1] - whole));
    if (whole != 0 && isfinite(left)) cr_step_tangent_mark_kink(f->t, left / (fabs(whole) + left));
  }
}

carom_status cr_free_tangent_find_row_forces(cr_free_tangent* f) {
  if (!cr_weight_tangents_find(f->t)) return cr_error_memory(f->t->error);
  for (int i = 0; cr_free_tangent_select(f, i); i++) {
    cr_free_tangent_place(f);
    for (int k = 0; k < f->num_trees; k++) mark_bounds(f, f->trees[k]);
  }
  cr_weight_tangents_settle(f->t);
  return cr_row_forces_find(f->t);
}

/* --- Adhesion -----------------------------------------------------------------------------------
 */

/* Motion of a dof where a force of adhesion pulls, along the force. */
static double find_pull(const cr_step* step, const cr_adhesion_force* a, int dof) {
  int tree = step->model->tree.link_tree[a->link];
  v3 place = pose_point(&step->kinematics.link_pose[a->link], a->local);
  return v3_dot(cr_tree_dof_point_velocity(&step->kinematics, tree, dof, place), a->force);
}

double cr_free_tangent_of_adhesion(const cr_free_tangent* f, int actuator) {
  const cr_step* step = f->t->step;
  const cr_force_model* force = &step->model->force;
  double whole = cr_actuator_compute_drive(force, actuator, step->input, 0, 0).force;
  if (whole == 0) return 0;
  cr_actuator_tangent by = cr_actuator_tangent_find(force, actuator, step->input, 0, 0);
  return -step->dt * by.input / whole;
}

void cr_free_tangent_add_adhesion(const cr_free_tangent* f, int actuator, double s, double* y) {
  const cr_step* step = f->t->step;
  const cr_tree_model* model = &step->model->tree;
  for (int i = 0; i < step->sim->num_adhesion; i++) {
    const cr_adhesion_force* a = &step->sim->adhesion[i];
    if (a->actuator != actuator || model->link_tree[a->link] < 0) continue;
    for (int k = model->link_last_dof[a->link]; k >= 0; k = model->dof_parent[k])
      if (has(f, k)) y[k] += s * find_pull(step, a, k);
  }
}

double cr_free_tangent_find_adhesion(const cr_free_tangent* f, int actuator, const double* x) {
  const cr_step* step = f->t->step;
  const cr_tree_model* model = &step->model->tree;
  double sum = 0;
  for (int i = 0; i < step->sim->num_adhesion; i++) {
    const cr_adhesion_force* a = &step->sim->adhesion[i];
    if (a->actuator != actuator || model->link_tree[a->link] < 0) continue;
    for (int k = model->link_last_dof[a->link]; k >= 0; k = model->dof_parent[k])
      if (has(f, k)) sum += x[k] * find_pull(step, a, k);
  }
  return sum;
}

/* --- Its derivative -----------------------------------------------------------------------------
 */

bool cr_free_tangent_has_start(const cr_free_tangent* f) {
  return f->t->weights->count > 0 || f->t->row_forces->has_start;
}

void cr_free_tangent_subtract_product(const cr_free_tangent* f, const double* X, const double* x,
                                      double* y) {
  double *in = f->local, *out = f->local + f->n;
  const cr_rows rows = {X, f->n, f->n, f->n};
  if (f->num_trees == 1) { /* its dofs stand side by side */
    cr_sparse_subtract_rows(f->t->kernels, x + f->dof[0], &rows, y + f->dof[0]);
    return;
  }
  for (int i = 0; i < f->n; i++) in[i] = x[f->dof[i]], out[i] = 0;
  cr_sparse_subtract_rows(f->t->kernels, in, &rows, out);
  for (int i = 0; i < f->n; i++) y[f->dof[i]] += out[i];
}

void cr_free_tangent_add_transposed(const cr_free_tangent* f, const double* X, const double* x,
                                    double* y) {
  for (int i = 0; i < f->n; i++) f->local[i] = x[f->dof[i]];
  for (int k = 0; k < f->n; k++)
    y[f->dof[k]] += scalar_dot(X + (size_t)k * (size_t)f->n, f->local, f->n);
}

/* The tangent of q_mid. */
static void place_tangent(const cr_free_tangent* f, const double* q0, const double* v0,
                          const double* v_star, double* q_mid) {
  const cr_step* step = f->t->step;
  const double* v = f->is_known ? v0 : v_star;
  for (int k = 0; k < f->num_trees; k++) {
    cr_step_blend(step, f->trees[k], step->theta[f->trees[k]].vq, v, v0, f->v_q);
    cr_tree_apply_stride_tangent(&step->model->tree, f->trees[k], &f->t->mid, q0, f->v_q, q_mid);
  }
}

static void clear(const cr_free_tangent* f, double* x) {
  for (int i = 0; i < f->n; i++) x[f->dof[i]] = 0;
}

/* The part of the controls and activations. */
static void add_inputs(const cr_free_tangent* f, int column, double* dm) {
  for (int k = 0; k < f->joints.num_inputs; k++) {
    const cr_input_slope* s = &f->joints.inputs[k];
    dm[s->dof] -= f->t->step->dt * s->force * cr_input_way_in(&s->way, column);
  }
  for (int k = 0; k < f->t->row_forces->count; k++) {
    const cr_row_force* p = &f->t->row_forces->items[k];
    for (int i = 0; i < p->num_inputs; i++) {
      double by = cr_input_way_in(&p->inputs[i].way, column);
      cr_row_force_change change;
      if (by != 0 && cr_free_tangent_of_input(f, p, &p->inputs[i], &change))
        cr_row_force_add_change(p, &p->inputs[i], change, by, dm);
    }
  }
}

/* The part of actuators that make bodies stick. */
static void add_adhesion_inputs(const cr_free_tangent* f, int column, double* dm) {
  const cr_force_model* force = &f->t->step->model->force;
  for (int a = 0; a < force->num_actuators && force->num_adhesions > 0; a++) {
    if (force->actuator_body[a] < 0) continue;
    cr_input_way way = cr_input_way_find(f->t, a);
    double by = cr_input_way_in(&way, column);
    if (by != 0) cr_free_tangent_add_adhesion(f, a, by * cr_free_tangent_of_adhesion(f, a), dm);
  }
}

/* J by columns, for a unit of v* each. */
static bool factor(const cr_free_tangent* f) {
  double* v_star = f->zero;
  clear(f, f->q_mid);
  for (int k = 0; k < f->n; k++) {
    v_star[f->dof[k]] = 1;
    if (!f->is_known) place_tangent(f, f->still, f->still, v_star, f->q_mid);
    v_star[f->dof[k]] = 0;
    clear(f, f->dm);
    cr_free_tangent_subtract_product(f, f->by_q, f->q_mid, f->dm);
    for (int i = 0; i < f->n; i++)
      f->J[(size_t)i * (size_t)f->n + (size_t)k] =
          f->by_v[(size_t)k * (size_t)f->n + (size_t)i] - f->dm[f->dof[i]];
  }
  return cr_lu_factor(f->J, f->n, f->pivot);
}

void cr_free_tangent_solve_transposed(const cr_free_tangent* f, double* x) {
  for (int i = 0; i < f->n; i++) f->local[i] = x[f->dof[i]];
  cr_lu_solve_transposed(f->J, f->pivot, f->n, f->local);
  for (int i = 0; i < f->n; i++) x[f->dof[i]] = f->local[i];
}

/* - dm of a column of the state with v* held. */
static void find_balance_of_state(const cr_free_tangent* f, int column) {
  const cr_step_tangent* t = f->t;
  const double *q0 = cr_column(t, t->q0, column), *v0 = cr_column(t, t->v0, column);
  double* q_mid = cr_column(t, t->q_mid, column);
  place_tangent(f, q0, v0, f->zero, q_mid);
  cr_free_tangent_subtract_product(f, f->by_q, q_mid, f->dm);
  cr_free_tangent_subtract_product(f, f->by_v0, v0, f->dm);
  if (cr_free_tangent_has_start(f)) cr_free_tangent_subtract_product(f, f->by_q0, q0, f->dm);
}

/* The same of one of activations, controls and parameters. */
static void find_balance_of_input(const cr_free_tangent* f, int column) {
  const cr_step_tangent* t = f->t;
  add_inputs(f, column, f->dm);
  add_adhesion_inputs(f, column, f->dm);
  for (int k = 0; k < f->num_trees && column >= t->first_theta; k++)
    cr_theta_add_balance(t, &t->thetas[column - t->first_theta], f->trees[k], f->is_known, f->dm);
  for (int i = 0; i < f->n; i++) f->dm[f->dof[i]] = -f->dm[f->dof[i]];
}

/* Up to CR_FREE_WIDTH columns: v* by m, then q_mid with it. */
static void solve_columns(const cr_free_tangent* f, const int* columns, int count) {
  const cr_step_tangent* t = f->t;
  for (int c = 0; c < count; c++) {
    clear(f, f->dm);
    if (columns[c] < t->first_activation)
      find_balance_of_state(f, columns[c]);
    else
      find_balance_of_input(f, columns[c]);
    for (int i = 0; i < f->n; i++) f->panel[i * count + c] = f->dm[f->dof[i]];
  }
  cr_lu_solve_rows(f->J, f->pivot, f->n, count, f->panel);
  for (int c = 0; c < count; c++) {
    double* v_star = cr_column(t, t->v_star, columns[c]);
    for (int i = 0; i < f->n; i++) v_star[f->dof[i]] = f->panel[i * count + c];
    place_tangent(f, cr_column(t, t->q0, columns[c]), cr_column(t, t->v0, columns[c]), v_star,
                  cr_column(t, t->q_mid, columns[c]));
  }
}

/* --- Groups -------------------------------------------------------------------------------------
 */

carom_status cr_free_tangent_factor(cr_free_tangent* f) {
  size_t size = sizeof(double) * (size_t)f->n * (size_t)f->n;
  double* const all[] = {f->by_q, f->by_v, f->by_v0, f->by_q0};
  cr_free_tangent_place(f);
  for (int i = 0; i < 4; i++) memset(all[i], 0, size);
  f->joints.num_inputs = 0;
  for (int k = 0; k < f->num_trees; k++) {
    part p = find_part(f, k);
    if (!add_part(f, &p)) return cr_error_memory(f->t->error);
  }
  add_row_forces(f);
  if (factor(f)) return CAROM_OK;
  return cr_error_set(f->t->error, CAROM_ERROR_NUMERICAL,
                      "derivatives: the balance of momentum of tree %d is singular", f->trees[0]);
}

static carom_status derive_group(cr_free_tangent* f) {
  cr_step_tangent* t = f->t;
  CR_TRY(cr_free_tangent_factor(f));
  int count = cr_step_tangent_list_columns(t, f->trees, f->num_trees, t->tree_columns);
  for (int k = 0; k < count; k += CR_FREE_WIDTH)
    solve_columns(f, t->tree_columns + k, int_min(count - k, CR_FREE_WIDTH));
  return CAROM_OK;
}

/* Dofs of the largest group. */
static size_t find_largest(const cr_free_tangent* f) {
  const int* v_start = f->t->step->model->tree.tree_v_start;
  int most = cr_derive_largest_tree(&f->t->step->model->tree), joined = 0;
  for (int t = 0; t < f->t->step->model->tree.num_trees; t++)
    if (is_joined(f, t)) joined += v_start[t + 1] - v_start[t];
  return (size_t)(joined > most ? joined : most);
}

bool cr_free_tangent_init(cr_free_tangent* f) {
  cr_arena* arena = f->t->arena;
  const cr_tree_model* model = &f->t->step->model->tree;
  size_t most = find_largest(f), nv = (size_t)model->num_v;
  size_t tree = (size_t)cr_derive_largest_tree(model);
  double** squares[] = {&f->by_q, &f->by_v, &f->by_v0, &f->J, &f->by_q0};
  double** vectors[] = {&f->diagonal, &f->zero, &f->still, &f->v_q, &f->q_mid, &f->dm};
  for (int i = 0; i < 5; i++) *squares[i] = CR_PUSH(arena, double, most* most);
  for (int i = 0; i < 6; i++) *vectors[i] = CR_PUSH(arena, double, nv);
  f->M = CR_PUSH(arena, double, tree* tree);
  f->local = CR_PUSH(arena, double, 2 * most);
  f->panel = CR_PUSH(arena, double, CR_FREE_WIDTH* most);

  f->pivot = CR_PUSH(arena, int, most);
  f->dof = CR_PUSH(arena, int, most);
  f->place = CR_PUSH(arena, int, nv);
  f->trees = CR_PUSH(arena, int, model->num_trees);
  if (!cr_joint_slopes_push(f->t, &f->joints)) return false;
  for (int i = 0; i < 6; i++) memset(*vectors[i], 0, sizeof(double) * nv);
  return true;
}

carom_status cr_derive_free_motion(cr_step_tangent* t) {
  cr_free_tangent f = {.t = t};
  if (!cr_free_tangent_init(&f)) return cr_error_memory(t->error);
  CR_TRY(cr_free_tangent_find_row_forces(&f));
  for (int i = 0; cr_free_tangent_select(&f, i); i++) CR_TRY(derive_group(&f));
  return CAROM_OK;
}
