/* Slopes of the balance of momentum m of a group of trees: by the configuration q_mid in its step,
 * by v*, and by v0 and q0 beside these. Dynamics, forces that keep their direction, dampers with
 * their weights, and forces along rows, each where free_tangent.c has placed the group. */
#include "derive/free_tangent.h"
#include "derive/row_forces.h"
#include "derive/weight_tangent.h"
#include "math/scalar.h"
#include "sim/tree/balance.h"
#include "sim/tree/damping.h"
#include "sim/tree/lines.h"
#include "sim/tree/tree_matrix.h"

#include <string.h>

/* --- Trees --------------------------------------------------------------------------------------
 */

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

/* What dynamics make of the slopes, t.slope and M [p.n, p.n] column-major: their first part. */
static void set_blocks(const cr_free_tangent* f, const part* p, double theta) {
  const cr_rnea_derivatives* slope = &f->t->slope;
  double dt = f->t->step->dt, end = dt * theta, start = dt * (1 - theta);
  for (int k = 0; k < p->n; k++) {
    size_t from = (size_t)k * (size_t)p->n;
    size_t to = (size_t)(p->at + k) * (size_t)f->n + (size_t)p->at;
    const double *q = slope->q + from, *v = slope->v + from, *M = f->M + from;
    double *by_q = f->by_q + to, *by_v = f->by_v + to, *by_v0 = f->by_v0 + to;
    for (int i = 0; i < p->n; i++) by_q[i] = dt * q[i];
    for (int i = 0; i < p->n; i++) by_v[i] = end * v[i] + M[i];
    for (int i = 0; i < p->n; i++) by_v0[i] = start * v[i] - M[i];
  }
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
  if (!differentiate_tree(f, p)) return false;
  set_blocks(f, p, f->is_known ? 0 : step->theta[p->tree].v);
  for (int k = 0; k < p->n; k++) {
    add_dof(f, p, k);
    add_weight(f, p, k);
  }
  return true;
}

/* --- Forces along rows --------------------------------------------------------------------------
 */

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
      if (cr_free_tangent_has(f, line->dof[a]) && cr_free_tangent_has(f, line->dof[b]))
        f->by_q0[(size_t)f->place[line->dof[b]] * (size_t)f->n + (size_t)f->place[line->dof[a]]] -=
            dt * line->J[a] * p->start * p->start_G[b];
  for (int i = 0; p->z && i < p->z->n; i++)
    for (int a = 0; a < line->n; a++) {
      int dof = p->z->group[i];
      if (!cr_free_tangent_has(f, line->dof[a]) || !cr_free_tangent_has(f, dof)) continue;
      size_t at = (size_t)f->place[dof] * (size_t)f->n + (size_t)f->place[line->dof[a]];
      f->by_q0[at] -= dt * line->J[a] * p->z_force * p->z->q[i];
      f->by_v0[at] -= dt * line->J[a] * p->z_force * p->z->v[i];
    }
  if (is_constant(p)) return;
  for (int b = 0; b < line->n; b++)
    for (int a = 0; a < line->n; a++) {
      if (!cr_free_tangent_has(f, line->dof[a]) || !cr_free_tangent_has(f, line->dof[b])) continue;
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

bool cr_free_tangent_find_slopes(cr_free_tangent* f) {
  double* const all[] = {f->by_q0, f->by_q, f->by_v, f->by_v0};
  for (int i = 0; i < (f->num_trees > 1 ? 4 : 1); i++)
    memset(all[i], 0, sizeof(double) * (size_t)f->n * (size_t)f->n);
  f->joints.num_inputs = 0;
  for (int k = 0; k < f->num_trees; k++) {
    part p = find_part(f, k);
    if (!add_part(f, &p)) return false;
  }
  add_row_forces(f);
  return true;
}
