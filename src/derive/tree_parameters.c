/* Inverse dynamics is linear in the ten inertial parameters of a body (mass, first moment, second
 * moment): their columns are its forces for unit parameters. */
#include "derive/tree_parameters.h"

#include "derive/contact_parameters.h"
#include "derive/fluid_tangent.h"
#include "derive/geom_parameters.h"
#include "derive/place_parameters.h"
#include "force/elements.h"
#include "sim/tree/damping.h"

/* --- Bodies -------------------------------------------------------------------------------------
 */

int cr_theta_find_body(const carom_model* model, const cr_theta_column* theta) {
  if (cr_theta_is_of_shape(theta)) return cr_geom_theta_find_body(model, theta->index);
  return theta->kind >= CR_THETA_MASS && theta->kind <= CR_THETA_INERTIA ? theta->index : -1;
}

spatial_inertia cr_theta_find_inertia(const cr_step* step, const cr_theta_column* theta) {
  const cr_body_model* bodies = &step->model->body;
  int b = cr_theta_find_body(step->model, theta), link = bodies->link[b];
  const pose *X = &step->kinematics.link_pose[link], *local = &bodies->local[b];
  m3 R = m3_mul(&X->R, &local->R);
  int tree = step->model->tree.link_tree[link];
  v3 origin = tree < 0 ? v3_zero() : step->kinematics.origin[tree];
  if (cr_theta_is_of_shape(theta)) return cr_geom_theta_find_inertia(step, theta, origin);
  v3 com = v3_load(bodies->com + 3 * b);
  v3 c = v3_sub(pose_point(X, pose_point(local, com)), origin);
  m3 none = {{{0}}};
  if (theta->kind == CR_THETA_MASS) return spatial_inertia_make(1, c, &none);
  if (theta->kind == CR_THETA_INERTIA) {
    double unit[6] = {0};
    unit[theta->element] = 1;
    m3 I = m3_symmetric(unit), turned = m3_mul(&R, &I), back = m3_transpose(&R);
    I = m3_mul(&turned, &back);
    return spatial_inertia_make(0, v3_zero(), &I);
  }
  return spatial_inertia_of_move(bodies->mass[b], c, m3_column(&R, theta->element));
}

/* out_k += scale S_k · F along a link's path. */
static void add_force(const cr_step* step, int link, double scale, sv F, double* out) {
  const cr_tree_model* model = &step->model->tree;
  for (int k = model->link_last_dof[link]; k >= 0; k = model->dof_parent[k])
    out[k] += scale * sv_dot(step->kinematics.S[k], F);
}

/* The same of what bears weight, but where actuators bear it that do all that their joint lets them
 * do. */
static void add_lift(const cr_step* step, int link, sv F, double* out) {
  const cr_tree_model* model = &step->model->tree;
  const cr_force_model* force = &step->model->force;
  bool binds = force->num_bearers > 0 && step->is_held;
  for (int k = model->link_last_dof[link]; k >= 0; k = model->dof_parent[k])
    if (!(binds && force->dof_bears_weight[k] && step->is_held[k]))
      out[k] -= step->dt * sv_dot(step->kinematics.S[k], F);
}

/* What bears a body's weight, with its mass and where it acts. */
static void add_compensation(const cr_step* step, int b, const spatial_inertia* I, double* dm) {
  double share = step->model->body.gravity_compensation[b];
  if (share == 0) return;
  v3 lift = v3_scale(-share, v3_load(step->model->force.gravity));
  sv F = {v3_cross(I->mc, lift), v3_scale(I->mass, lift)};
  add_lift(step, step->model->body.link[b], F, dm);
}

/* A body's own share, which its weight is borne by. */
static void add_share(const cr_step* step, const cr_theta_column* theta, int tree, double* dm) {
  const cr_body_model* bodies = &step->model->body;
  int b = theta->index, link = bodies->link[b];
  if (step->model->tree.link_tree[link] != tree) return;
  v3 lift = v3_scale(-bodies->mass[b], v3_load(step->model->force.gravity));
  v3 com = pose_point(&step->kinematics.link_pose[link],
                      pose_point(&bodies->local[b], v3_load(bodies->com + 3 * b)));
  add_lift(step, link, sv_point_force(lift, v3_sub(com, step->kinematics.origin[tree])), dm);
}

/* What sticks to each other pulls with what both surfaces' adhesion makes. */
static void add_adhesion(const cr_step* step, const cr_theta_column* theta, int tree, double* dm) {
  const carom_sim* sim = step->sim;
  for (int i = 0; i < sim->num_adhesion; i++) {
    const cr_adhesion_force* a = &sim->adhesion[i];
    if (a->actuator >= 0 || step->model->tree.link_tree[a->link] != tree) continue;
    double by = cr_theta_of_adhesion(step->model, theta, a->geom);
    v3 place = pose_point(&step->kinematics.link_pose[a->link], a->local);
    v3 pull = v3_scale(by / v3_norm(a->force), a->force);
    sv F = sv_point_force(pull, v3_sub(place, step->kinematics.origin[tree]));
    add_force(step, a->link, -step->dt, F, dm);
  }
}

/* The tree that a body is in has been differentiated: its accelerations are at hand. */
static void add_body(const cr_step_tangent* t, const cr_theta_column* theta, int tree, double* dm) {
  const cr_step* step = t->step;
  int body = cr_theta_find_body(step->model, theta), link = step->model->body.link[body];
  if (step->model->tree.link_tree[link] != tree) return;
  spatial_inertia I = cr_theta_find_inertia(step, theta);
  sv V = step->velocities.link_V[link], A = t->rnea.scratch->a[link];
  sv F = sv_add(spatial_inertia_mulv(&I, A), sv_cross_force(V, spatial_inertia_mulv(&I, V)));
  add_force(step, link, step->dt, F, dm);
  add_compensation(step, body, &I, dm);
}

/* Weight of all that hangs on each dof, and what bears it. */
static void add_gravity(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                        double* dm) {
  const cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  const cr_body_model* bodies = &step->model->body;
  v3 unit = v3_set(v3_zero(), theta->element, 1);
  for (int i = model->tree_link_start[tree]; i < model->tree_link_end[tree]; i++) {
    sv A = {v3_zero(), v3_neg(unit)};
    add_force(step, i, step->dt, spatial_inertia_mulv(&step->kinematics.link_I[i], A), dm);
  }
  for (int b = 1; b < bodies->num_bodies; b++) {
    int link = bodies->link[b];
    if (bodies->gravity_compensation[b] == 0 || model->link_tree[link] != tree) continue;
    v3 com = pose_point(&step->kinematics.link_pose[link],
                        pose_point(&bodies->local[b], v3_load(bodies->com + 3 * b)));
    v3 lift = v3_scale(-bodies->gravity_compensation[b] * bodies->mass[b], unit);
    sv F = sv_point_force(lift, v3_sub(com, step->kinematics.origin[tree]));
    add_lift(step, link, F, dm);
  }
}

/* --- Joints -------------------------------------------------------------------------------------
 */

/* dA of a joint's dof. */
static double joint_matrix(const cr_step* step, const cr_theta_column* theta, int tree, int dof) {
  cr_matrix_weights w = cr_damping_weigh_dof(step, tree, dof);
  if (theta->kind == CR_THETA_ARMATURE) return 1;
  if (theta->kind == CR_THETA_STIFFNESS) return w.stiffness;
  return theta->kind == CR_THETA_DAMPING ? w.damping : 0;
}

static void add_joint(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                      bool is_known, double* dm) {
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  int j = theta->index, first = model->joint_v_start[j];
  if (model->link_tree[model->joint_link[j]] != tree) return;
  cr_tree_compute_difference(model, tree, step->model->force.q_spring, step->q_mid, step->work);
  for (int i = first; i < model->tree_v_start[tree + 1] && model->dof_joint[i] == j; i++) {
    double change = step->v_star[i] - step->v0[i];
    double way = step->work[i] + (step->x_e ? step->x_e[i] : 0);
    if (theta->kind == CR_THETA_STIFFNESS) dm[i] += step->dt * way;
    if (theta->kind == CR_THETA_DAMPING) dm[i] += step->dt * cr_step_joint_rate(step, i);
    if (theta->kind == CR_THETA_SPRING_REFERENCE)
      dm[i] -= step->dt * step->model->force.joint_stiffness[j];
    if (theta->kind == CR_THETA_ARMATURE)
      dm[i] += change;
    else if (is_known)
      dm[i] += joint_matrix(step, theta, tree, i) * change;
  }
}

/* --- All ----------------------------------------------------------------------------------------
 */

static bool is_of_joint(const cr_theta_column* theta) {
  return theta->kind >= CR_THETA_STIFFNESS && theta->kind <= CR_THETA_ARMATURE;
}

void cr_theta_add_balance(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                          bool is_known, double* dm) {
  if (theta->kind == CR_THETA_GRAVITY) add_gravity(t, theta, tree, dm);
  if (cr_theta_is_of_fluid(theta)) cr_fluid_theta_add_balance(t, theta, tree, dm);
  if (theta->kind == CR_THETA_COMPENSATION) add_share(t->step, theta, tree, dm);
  if (theta->kind == CR_THETA_ADHESION) add_adhesion(t->step, theta, tree, dm);
  if (cr_theta_is_of_place(theta)) cr_place_theta_add_balance(t, theta, tree, dm);
  if (cr_theta_find_body(t->step->model, theta) >= 0) add_body(t, theta, tree, dm);
  if (is_of_joint(theta)) add_joint(t, theta, tree, is_known, dm);
}

void cr_theta_add_matrix(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                         const double* x, double* out) {
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  int body = cr_theta_find_body(step->model, theta);
  if (cr_theta_is_of_fluid(theta)) cr_fluid_theta_add_matrix(t, theta, tree, x, out);
  if (body >= 0) {
    int link = step->model->body.link[body];
    if (model->link_tree[link] != tree) return;
    spatial_inertia I = cr_theta_find_inertia(step, theta);
    sv X = sv_zero();
    for (int k = model->link_last_dof[link]; k >= 0; k = model->dof_parent[k])
      X = sv_axpy(X, x[k], step->kinematics.S[k]);
    add_force(step, link, 1, spatial_inertia_mulv(&I, X), out);
  }
  if (is_of_joint(theta) && model->link_tree[model->joint_link[theta->index]] == tree)
    for (int i = model->joint_v_start[theta->index];
         i < model->num_v && model->dof_joint[i] == theta->index; i++)
      out[i] += joint_matrix(step, theta, tree, i) * x[i];
}

double cr_theta_of_friction_loss(const cr_step_tangent* t, const cr_theta_column* theta, int dof) {
  bool is_its =
      theta->kind == CR_THETA_FRICTION_LOSS && t->step->model->tree.dof_joint[dof] == theta->index;
  return is_its ? 1 : 0;
}
