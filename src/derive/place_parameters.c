/* With R_0 the frame before a joint and R_1 the one behind it, a joint's anchor that moves by e
 * displaces what it carries by R_0 e, and back by R_1 e behind its dofs; an axis that turns by w
 * turns it about the anchor by R_0 w, and back by R_1 w. A body's place in its parent is before all
 * its joints. */
#include "derive/place_parameters.h"

#include "base/error.h"
#include "derive/rotation_slope.h"
#include "model/record.h"
#include "sim/tree/balance.h"
#include "sim/tree/external.h"

#include <math.h>
#include <string.h>

/* --- Displacements ------------------------------------------------------------------------------
 */

/* From the frame behind a joint to the one before it (tree/kinematics.c). */
static pose step_back(const cr_tree_model* model, int joint, const double* q, pose X) {
  const double* at = q + model->joint_q_start[joint];
  v3 anchor = v3_load(model->joint_anchor + 3 * joint);
  v3 axis = v3_load(model->joint_axis + 3 * joint), p = pose_point(&X, anchor);
  double way = at[0] - model->joint_reference[joint];
  m3 back = m3_identity();
  switch ((carom_joint_type)model->joint_type[joint]) {
  case CAROM_JOINT_SLIDE:
    return (pose){v3_axpy(X.p, -way, m3_mulv(&X.R, axis)), X.R};
  case CAROM_JOINT_HINGE:
    back = quat_to_m3(quat_from_axis_angle(axis, -way));
    p = v3_axpy(p, -way * model->joint_pitch[joint], m3_mulv(&X.R, axis));
    break;
  case CAROM_JOINT_BALL:
    back = quat_to_m3(quat_conjugate(quat_normalize(quat_load(at))));
    break;
  case CAROM_JOINT_FREE:
    return X;
  }
  X.R = m3_mul(&X.R, &back);
  X.p = v3_sub(p, m3_mulv(&X.R, anchor));
  return X;
}

/* The frame of a joint's link before the joint. */
static pose find_before(const cr_step* step, int joint) {
  const cr_tree_model* model = &step->model->tree;
  int link = model->joint_link[joint];
  pose X = step->kinematics.link_pose[link];
  for (int j = model->link_joint_start[link + 1] - 1; j >= joint; j--)
    X = step_back(model, j, step->q_mid, X);
  return X;
}

static pose find_behind(const cr_step* step, int joint) {
  const cr_tree_model* model = &step->model->tree;
  bool is_last = joint + 1 == model->link_joint_start[model->joint_link[joint] + 1];
  return is_last ? step->kinematics.link_pose[model->joint_link[joint]]
                 : find_before(step, joint + 1);
}

static const carom_body_def* body_of(const carom_model* m, int body) {
  return &CR_AT(&m->description->bodies, cr_body_record, m->place.body_record[body])->def;
}

static const carom_joint_def* joint_of(const carom_model* m, int joint) {
  return &CR_AT(&m->description->joints, cr_joint_record, m->place.joint_record[joint])->def;
}

static v3 origin_of(const cr_step* step, int joint) {
  const cr_tree_model* model = &step->model->tree;
  return step->kinematics.origin[model->link_tree[model->joint_link[joint]]];
}

/* The rotation vector of a number of an axis, of which only the direction counts. */
static v3 turn_axis(const double* a, int element) {
  v3 axis = v3_load(a), unit = v3_set(v3_zero(), element, 1);
  return v3_scale(1 / v3_norm2(axis), v3_cross(axis, unit));
}

static sv shift(v3 way) { return (sv){v3_zero(), way}; }
static sv turn_about(v3 turn, v3 arm) { return (sv){turn, v3_cross(arm, turn)}; }

static int list_of_body(const cr_step* step, const cr_theta_column* theta, cr_tree_insertion* out) {
  const cr_body_model* bodies = &step->model->body;
  const cr_tree_model* model = &step->model->tree;
  int joint = model->link_joint_start[bodies->link[theta->index]];
  int parent = bodies->parent[theta->index];
  if (model->joint_type[joint] == CAROM_JOINT_FREE) return 0;
  if (theta->kind == CR_THETA_BODY_PLACE) {
    m3 R = m3_mul(&step->kinematics.link_pose[bodies->link[parent]].R, &bodies->local[parent].R);
    *out = (cr_tree_insertion){joint, false, shift(m3_column(&R, theta->element))};
    return 1;
  }
  pose X = find_before(step, joint);
  v3 turn = cr_quaternion_turn(body_of(step->model, theta->index)->quaternion, theta->element);
  v3 arm = v3_sub(X.p, origin_of(step, joint));
  *out = (cr_tree_insertion){joint, false, turn_about(m3_mulv(&X.R, turn), arm)};
  return 1;
}

static int list_of_joint(const cr_step* step, const cr_theta_column* theta,
                         cr_tree_insertion out[2]) {
  const cr_tree_model* model = &step->model->tree;
  int joint = theta->index, type = model->joint_type[joint];
  bool is_axis = theta->kind == CR_THETA_JOINT_AXIS;
  bool turns = type == CAROM_JOINT_HINGE || type == CAROM_JOINT_BALL;
  if (type == CAROM_JOINT_FREE || (is_axis && type == CAROM_JOINT_BALL)) return 0;
  if (!is_axis && !turns) return 0;
  const pose frames[2] = {find_before(step, joint), find_behind(step, joint)};
  v3 anchor = v3_load(model->joint_anchor + 3 * joint);
  v3 own = is_axis ? turn_axis(joint_of(step->model, joint)->axis, theta->element)
                   : v3_set(v3_zero(), theta->element, 1);
  for (int k = 0; k < 2; k++) {
    const pose* X = &frames[k];
    v3 moved = v3_scale(k ? -1 : 1, m3_mulv(&X->R, own));
    v3 arm = v3_sub(pose_point(X, anchor), origin_of(step, joint));
    out[k] = (cr_tree_insertion){joint, k == 1, is_axis ? turn_about(moved, arm) : shift(moved)};
  }
  return 2;
}

int cr_place_theta_list(const cr_step* step, const cr_theta_column* theta,
                        cr_tree_insertion out[2]) {
  bool is_body = theta->kind == CR_THETA_BODY_PLACE || theta->kind == CR_THETA_BODY_TURN;
  return is_body ? list_of_body(step, theta, out) : list_of_joint(step, theta, out);
}

sv cr_place_theta_find_drift(const cr_step* step, const cr_tree_insertion* in, const double* v) {
  const cr_tree_model* model = &step->model->tree;
  sv V = sv_zero();
  for (int k = cr_tree_find_insertion_dof(model, in); k >= 0; k = model->dof_parent[k])
    V = sv_axpy(V, v[k], step->kinematics.S[k]);
  return sv_cross_motion(V, in->S);
}

/* --- What has none ------------------------------------------------------------------------------
 */

static carom_status refuse(const cr_step_tangent* t, const cr_theta_column* theta,
                           const char* why) {
  bool is_body = theta->kind == CR_THETA_BODY_PLACE || theta->kind == CR_THETA_BODY_TURN;
  return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                      "derivatives: there are none yet with respect to the place of %s %d: %s",
                      is_body ? "body" : "joint", theta->index, why);
}

bool cr_place_parts(const cr_tree_model* model, const cr_tree_insertion* in, const int link[2]) {
  return cr_tree_carries(model, in, link[0]) != cr_tree_carries(model, in, link[1]);
}

bool cr_place_moves_line(const carom_model* m, const cr_tree_insertion* in, int line) {
  const cr_line_model* lines = &m->force.line;
  bool any = false;
  if (lines->kind[line] == CR_LINE_FIXED) return false;
  for (int i = lines->start[line]; i < lines->start[line + 1]; i++)
    any |= cr_tree_carries(&m->tree, in, lines->link[i]);
  return any;
}

/* Whether lengths of a coupling's tendons, which count from the reference configuration, do. */
static bool moves_coupling(const carom_model* m, const cr_tree_insertion* in, int equality) {
  const int* tendon = m->equality.tendon + 2 * equality;
  bool any = false;
  for (int k = 0; k < 2; k++) any |= tendon[k] >= 0 && cr_place_moves_line(m, in, tendon[k]);
  return any;
}

/* A controller's numbers go on by the length at the end. */
static bool has_controller(const carom_model* m, int line) {
  bool any = false;
  for (int a = 0; a < m->force.num_actuators; a++)
    any |= m->force.actuator_line[a] == line && m->force.actuator_law[a] >= 0;
  return any;
}

static carom_status check_neighbours(const cr_step_tangent* t, const cr_theta_column* theta,
                                     const cr_tree_insertion* in) {
  const carom_model* m = t->step->model;
  const cr_force_model* force = &m->force;
  for (int i = 0; i < force->line.num_lines; i++)
    if (cr_place_moves_line(m, in, i) && has_controller(m, i))
      return refuse(t, theta, "a string or wrench of a controller or motor moves with it");
  for (int i = 0; i < m->equality.num_equalities; i++)
    if (moves_coupling(m, in, i))
      return refuse(t, theta,
                    "tendons of an equality move with it, whose lengths count from the "
                    "reference configuration");
  return CAROM_OK;
}

carom_status cr_place_theta_check(const cr_step_tangent* t, const cr_theta_column* theta) {
  const carom_model* m = t->step->model;
  bool is_body = theta->kind == CR_THETA_BODY_PLACE || theta->kind == CR_THETA_BODY_TURN;
  int joint = theta->index;
  if (is_body) {
    int link = m->body.link[theta->index];
    joint = m->tree.link_joint_start[link];
    if (m->body.link_body[link] != theta->index || joint == m->tree.link_joint_start[link + 1])
      return refuse(t, theta, "it has no joints of its own");
  }
  int tree = m->tree.link_tree[m->tree.joint_link[joint]];
  if (m->force.num_bearers > 0) return refuse(t, theta, "actuators bear weight");
  if (cr_external_is_in_fluid(m, tree)) return refuse(t, theta, "it moves in the fluid");
  return check_neighbours(t, theta, &(cr_tree_insertion){.joint = joint});
}

/* --- Inverse dynamics ---------------------------------------------------------------------------
 */

/* Forces that keep their direction on what is displaced, as free_slopes.c has them for dofs. */
static void add_fixed_wrenches(const cr_step* step, const cr_tree_insertion* in, double* out) {
  const cr_tree_model* model = &step->model->tree;
  const cr_body_model* bodies = &step->model->body;
  for (int b = 1; b < bodies->num_bodies; b++) {
    int link = bodies->link[b];
    if (model->link_tree[link] < 0 || !cr_tree_carries(model, in, link)) continue;
    double weight = -bodies->gravity_compensation[b] * bodies->mass[b];
    v3 force = v3_axpy(step->sim->wrench[b].force, weight, v3_load(step->model->force.gravity));
    v3 df = v3_cross(in->S.ang, force), dt = v3_cross(in->S.ang, step->sim->wrench[b].torque);
    v3 place = pose_point(&step->kinematics.link_pose[link],
                          pose_point(&bodies->local[b], v3_load(bodies->com + 3 * b)));
    v3 arm = v3_sub(place, step->kinematics.origin[model->link_tree[link]]);
    for (int k = model->link_last_dof[link]; k >= 0; k = model->dof_parent[k]) {
      sv S = step->kinematics.S[k];
      out[k] += v3_dot(sv_point_velocity(S, arm), df) + v3_dot(S.ang, dt);
    }
  }
}

static bool is_of_tree(const cr_step* step, const cr_tree_insertion* in, int tree) {
  return step->model->tree.link_tree[step->model->tree.joint_link[in->joint]] == tree;
}

void cr_place_theta_add_balance(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                                double* dm) {
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  cr_tree_insertion in[2];
  int count = cr_place_theta_list(step, theta, in);
  if (count == 0 || !is_of_tree(step, in, tree)) return;
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++)
    step->work[i] = (step->v_star[i] - step->v0[i]) / step->dt;
  cr_tree_motion motion = {&step->kinematics, &step->velocities, step->v_f, step->work,
                           cr_balance_find_loads(step, tree)};
  cr_rnea_tangents rnea = t->rnea;
  cr_tree_differentiate_inverse_dynamics(model, tree, &motion, &rnea, &t->slope);
  for (int k = 0; k < count; k++) {
    in[k].S = sv_scale(step->dt, in[k].S);
    cr_tree_add_insertion(model, &motion, &rnea, &in[k], dm);
    add_fixed_wrenches(step, &in[k], dm);
  }
}

void cr_place_theta_add_matrix(const cr_step_tangent* t, const cr_theta_column* theta, int tree,
                               const cr_place_load* load, double* out) {
  cr_step* step = t->step;
  const cr_tree_model* model = &step->model->tree;
  cr_tree_insertion in[2];
  int count = cr_place_theta_list(step, theta, in), start = model->tree_v_start[tree];
  if (count == 0 || !is_of_tree(step, in, tree)) return;
  double* still = t->still;
  memset(still + start, 0, sizeof(double) * (size_t)(model->tree_v_start[tree + 1] - start));
  cr_tree_update_velocities(model, tree, &step->kinematics, still, &step->velocities);
  cr_tree_motion motion = {
      &step->kinematics, &step->velocities, still, load->x, {v3_zero(), load->impulse}};
  cr_rnea_tangents rnea = t->rnea;
  cr_tree_differentiate_inverse_dynamics(model, tree, &motion, &rnea, &t->slope);
  for (int k = 0; k < count; k++) cr_tree_add_insertion(model, &motion, &rnea, &in[k], out);
}
