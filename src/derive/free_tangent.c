/* The free motion's derivative, tree by tree. With the balance of momentum
 *
 *   m = dt (ID(q_mid, v_f, a) - tau(q_mid, x_e, v_e, u)),     a = (v* - v0) / dt,
 *
 * an implicit step solves m(v*) = 0, so that (dm/dv*) dv* = -dm at v* held; one from what is known
 * has A (v* - v0) = -m at v0, so that A dv* = A dv0 - dm - dA (v* - v0), where dm + (dM)(v* - v0)
 * is the derivative of dt (ID - tau) with that a. */
#include "derive/free_tangent.h"

#include "base/error.h"
#include "linalg/lu.h"
#include "math/scalar.h"
#include "sim/tree/balance.h"
#include "sim/tree/damping.h"
#include "sim/tree/external.h"
#include "sim/tree/free_motion.h"
#include "sim/tree/lines.h"
#include "sim/tree/tree_matrix.h"

#include <math.h>
#include <string.h>

/* --- Slopes of m --------------------------------------------------------------------------------
 */

static void place(const cr_free_tangent* f) {
  cr_step* step = f->t->step;
  cr_balance_place(step, f->tree, f->is_known ? step->v0 : step->v_star);
  cr_external_update(step, &f->tree, 1);
}

/* Forces and torques that keep their direction in the world, at a body's centre of mass: what they
 * do beside being carried along. Column j of `out` gets S_k · (ω_j × force, ω_j × torque). */
static void add_fixed_wrench(const cr_free_tangent* f, int link, v3 force, v3 torque, v3 place,
                             double* out) {
  const cr_tree_model* model = &f->t->step->model->tree;
  const cr_tree_kinematics* kinematics = &f->t->step->kinematics;
  v3 arm = v3_sub(place, kinematics->origin[f->tree]);
  for (int j = model->link_last_dof[link]; j >= 0; j = model->dof_parent[j]) {
    v3 turn = kinematics->S[j].ang;
    v3 df = v3_cross(turn, force), dt = v3_cross(turn, torque);
    for (int k = model->link_last_dof[link]; k >= 0; k = model->dof_parent[k]) {
      sv S = kinematics->S[k];
      out[(size_t)(j - f->start) * f->n + (k - f->start)] +=
          v3_dot(sv_point_velocity(S, arm), df) + v3_dot(S.ang, dt);
    }
  }
}

static void add_fixed_wrenches(const cr_free_tangent* f, double* out) {
  const cr_step* step = f->t->step;
  const cr_body_model* bodies = &step->model->body;
  for (int b = 1; b < bodies->num_bodies; b++) {
    int link = bodies->link[b];
    if (step->model->tree.link_tree[link] != f->tree) continue;
    v3 force =
        v3_axpy(step->sim->wrench[b].force, -bodies->gravity_compensation[b] * bodies->mass[b],
                v3_load(step->model->force.gravity));
    v3 torque = step->sim->wrench[b].torque;
    if (v3_norm2(force) + v3_norm2(torque) == 0) continue;
    v3 in_link = pose_point(&bodies->local[b], v3_load(bodies->com + 3 * b));
    add_fixed_wrench(f, link, force, torque, pose_point(&step->kinematics.link_pose[link], in_link),
                     out);
  }
}

/* slope.q <- d(ID - tau) / d q_mid, slope.v <- d ID / d v_f, M and what is of the joints. */
static void differentiate_balance(cr_free_tangent* f) {
  cr_step_tangent* t = f->t;
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  double* a = step->work;
  for (int i = f->start; i < f->start + f->n; i++)
    a[i] = (step->v_star[i] - step->v0[i]) / step->dt;
  cr_tree_motion motion = {&step->kinematics, &step->velocities, step->v_f, a,
                           cr_balance_find_loads(step, f->tree)};
  cr_tree_differentiate_inverse_dynamics(model, f->tree, &motion, &t->rnea, &t->slope);
  add_fixed_wrenches(f, t->slope.q);
  cr_tree_compute_mass_matrix(model, f->tree, &step->kinematics, &step->scratch, f->M);
  cr_joint_slopes_find(t, f->tree, &f->joints);
  for (int i = 0; i < f->n * f->n; i++) t->slope.q[i] += f->joints.stiffness[i];
  for (int i = f->start; i < f->start + f->n; i++) {
    cr_weight w = cr_damping_of_dof(step, i);
    t->num_held += w.rate != 0 || w.end != 0;
  }
  if (f->is_known) cr_step_compute_diagonal(step, f->tree, f->diagonal);
}

/* --- Its derivative -----------------------------------------------------------------------------
 */

void cr_free_tangent_add_product(const cr_free_tangent* f, double s, const double* X,
                                 const double* x, double* y) {
  for (int k = 0; k < f->n; k++)
    if (x[f->start + k] != 0)
      scalar_axpy(y + f->start, s * x[f->start + k], X + (size_t)k * f->n, f->n, y + f->start);
}

void cr_free_tangent_add_transposed(const cr_free_tangent* f, double s, const double* X,
                                    const double* x, double* y) {
  for (int k = 0; k < f->n; k++)
    y[f->start + k] += s * scalar_dot(X + (size_t)k * f->n, x + f->start, f->n);
}

/* The tree's entries of out = s x + r y. */
static void blend(const cr_free_tangent* f, double s, const double* x, double r, const double* y,
                  double* out) {
  for (int i = f->start; i < f->start + f->n; i++) out[i] = s * x[i] + r * y[i];
}

/* The tangent of q_mid; v_q is left that of v^theta_vq. */
static void place_tangent(const cr_free_tangent* f, const double* q0, const double* v0,
                          const double* v_star, double* q_mid) {
  double vq = f->t->step->theta[f->tree].vq;
  blend(f, vq, f->is_known ? v0 : v_star, 1 - vq, v0, f->v_q);
  cr_tree_apply_stride_tangent(&f->t->step->model->tree, f->tree, &f->t->mid, q0, f->v_q, q_mid);
}

/* dm with the inputs held.
 * @param q_mid receives the tangent of q_mid */
static void differentiate(const cr_free_tangent* f, const double* q0, const double* v0,
                          const double* v_star, double* q_mid, double* dm) {
  const cr_step* step = f->t->step;
  cr_theta theta = step->theta[f->tree];
  double dt = step->dt;
  const double* v_at = f->is_known ? v0 : v_star;
  place_tangent(f, q0, v0, v_star, q_mid);
  double* v_f = f->v_q;
  blend(f, theta.v, v_at, 1 - theta.v, v0, v_f);
  memset(dm + f->start, 0, sizeof(double) * (size_t)f->n);
  cr_free_tangent_add_product(f, dt, f->t->slope.q, q_mid, dm);
  cr_free_tangent_add_product(f, dt, f->t->slope.v, v_f, dm);
  for (int i = f->start, k = 0; k < f->n; i++, k++) {
    cr_weight w = cr_damping_of_dof(step, i);
    dm[i] += dt * f->joints.damping[k] * (v_f[i] + cr_weight_rate(w, v_at[i], v0[i]));
    dm[i] += dt * f->joints.own[k] * cr_weight_shift(w, dt, v_at[i], v0[i]);
    if (f->is_known) dm[i] += f->diagonal[i] * (v_star[i] - v0[i]);
  }
  blend(f, 1, v_star, -1, v0, f->v_q);
  cr_free_tangent_add_product(f, 1, f->M, f->v_q, dm);
}

/* The part of the controls and activations. */
static void add_inputs(const cr_free_tangent* f, int column, double* dm) {
  const cr_step* step = f->t->step;
  for (int k = 0; k < f->joints.num_inputs; k++) {
    const cr_input_slope* s = &f->joints.inputs[k];
    double change = f->is_known ? step->v_star[s->dof] - step->v0[s->dof] : 0;
    dm[s->dof] += (s->matrix * change - step->dt * s->force) * cr_input_slope_in(s, column);
  }
}

static bool factor(const cr_free_tangent* f) {
  double* v_star = f->v_at;
  memset(v_star + f->start, 0, sizeof(double) * (size_t)f->n);
  for (int k = 0; k < f->n; k++) {
    v_star[f->start + k] = 1;
    differentiate(f, f->zero, f->zero, v_star, f->q_mid, f->dm);
    v_star[f->start + k] = 0;
    for (int i = 0; i < f->n; i++) f->J[(size_t)i * f->n + k] = f->dm[f->start + i];
  }
  return cr_lu_factor(f->J, f->n, f->pivot);
}

/* One column: v* by m, then q_mid with it. */
static void solve_column(const cr_free_tangent* f, int column) {
  const cr_step_tangent* t = f->t;
  const double *q0 = cr_column(t, t->q0, column), *v0 = cr_column(t, t->v0, column);
  double *v_star = cr_column(t, t->v_star, column), *q_mid = cr_column(t, t->q_mid, column);
  if (column < t->first_activation)
    differentiate(f, q0, v0, f->zero, q_mid, f->dm);
  else
    memset(f->dm + f->start, 0, sizeof(double) * (size_t)f->n);
  add_inputs(f, column, f->dm);
  if (column >= t->first_theta)
    cr_theta_add_balance(t, &t->thetas[column - t->first_theta], f->tree, f->is_known, f->dm);
  for (int i = f->start; i < f->start + f->n; i++) v_star[i] = -f->dm[i];
  cr_lu_solve(f->J, f->pivot, f->n, v_star + f->start);
  place_tangent(f, q0, v0, v_star, q_mid);
}

void cr_free_tangent_place(cr_free_tangent* f, int tree) {
  const cr_step* step = f->t->step;
  const cr_tree_model* model = &step->model->tree;
  f->tree = tree, f->start = model->tree_v_start[tree];
  f->n = model->tree_v_start[tree + 1] - f->start;
  f->is_known = cr_free_motion_is_known(step, tree);
  place(f);
  cr_tree_find_mid_tangent(model, tree, step->v_q, step->dt, step->theta[tree].q, &f->t->mid);
}

carom_status cr_free_tangent_factor(cr_free_tangent* f, int tree) {
  cr_free_tangent_place(f, tree);
  differentiate_balance(f);
  if (factor(f)) return CAROM_OK;
  return cr_error_set(f->t->error, CAROM_ERROR_NUMERICAL,
                      "derivatives: the balance of momentum of tree %d is singular", tree);
}

static carom_status derive_tree(cr_free_tangent* f, int tree) {
  cr_step_tangent* t = f->t;
  CR_TRY(cr_free_tangent_factor(f, tree));
  int count = cr_step_tangent_list_columns(t, tree, t->tree_columns);
  for (int k = 0; k < count; k++) solve_column(f, t->tree_columns[k]);
  return CAROM_OK;
}

bool cr_free_tangent_init(cr_free_tangent* f) {
  cr_arena* arena = f->t->arena;
  const cr_tree_model* model = &f->t->step->model->tree;
  size_t most = (size_t)cr_derive_largest_tree(model), nv = (size_t)model->num_v;
  double** squares[] = {&f->M, &f->J};
  double** vectors[] = {&f->diagonal, &f->zero, &f->v_at, &f->v_q, &f->q_mid, &f->dm};
  for (int i = 0; i < 2; i++) *squares[i] = CR_PUSH(arena, double, most* most);
  for (int i = 0; i < 6; i++) *vectors[i] = CR_PUSH(arena, double, nv);
  f->pivot = CR_PUSH(arena, int, most);
  if (!cr_joint_slopes_push(f->t, &f->joints)) return false;
  for (int i = 0; i < 6; i++) memset(*vectors[i], 0, sizeof(double) * nv);
  return true;
}

carom_status cr_derive_free_motion(cr_step_tangent* t) {
  cr_free_tangent f = {.t = t};
  if (!cr_free_tangent_init(&f)) return cr_error_memory(t->error);
  for (int i = 0; i < t->step->model->tree.num_trees; i++) CR_TRY(derive_tree(&f, i));
  return CAROM_OK;
}
