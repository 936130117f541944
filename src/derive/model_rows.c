#include "derive/model_rows.h"

#include "base/error.h"
#include "derive/joint_forces.h"
#include "force/actuator.h"
#include "sim/rows/row_values.h"
#include "sim/tree/damping.h"

/* Joint, equality, dof or actuator of a constraint, see contact/memory.h. */
static int index_of(const cr_constraint* c) { return (int)(c->key.pair & 0xffffffff); }

static cr_row_shape row_of_dofs(void) {
  return (cr_row_shape){.kind = CR_ROW_OF_DOFS, .dof = {-1, -1, -1}};
}

/* --- Limits -------------------------------------------------------------------------------------
 */

/* A limit of a hinge or slide, or of the angle of a ball. */
static bool is_ball(const cr_step* step, const cr_constraint* c) {
  return step->model->tree.joint_type[index_of(c)] == CAROM_JOINT_BALL;
}

static double sign_of_limit(const cr_constraint* c) { return c->key.feature == 0 ? 1 : -1; }

static v3 find_rotation(const cr_step* step, const cr_constraint* c) {
  int q = step->model->tree.joint_q_start[index_of(c)];
  return quat_log(quat_normalize(quat_load(step->q_mid + q)));
}

static void describe_limit(const cr_step* step, const cr_constraint* c, cr_row_shape* row) {
  int dof = step->model->tree.joint_v_start[index_of(c)];
  double sign = sign_of_limit(c);
  *row = row_of_dofs();
  row->dof[0] = dof, row->coefficient[0] = sign;
  if (!is_ball(step, c)) return;
  v3 axis = v3_normalize_or(find_rotation(step, c), v3_make(0, 0, 1));
  for (int k = 0; k < 3; k++) row->dof[k] = dof + k, row->coefficient[k] = sign * v3_get(axis, k);
}

static double differentiate_limit(const cr_step* step, const cr_constraint* c,
                                  const cr_row_shape* row, const double* dq,
                                  cr_row_change* change) {
  double sign = sign_of_limit(c);
  if (!is_ball(step, c)) return sign * dq[row->dof[0]];
  v3 rotation = find_rotation(step, c);
  v3 axis = v3_normalize_or(rotation, v3_make(0, 0, 1));
  m3 slope = cr_rotation_vector_slope(rotation);
  v3 way = m3_mulv(&slope, v3_load(dq + row->dof[0]));
  double along = v3_dot(axis, way), size = v3_norm(rotation);
  v3 turn = v3_axpy(way, -along, axis);
  for (int k = 0; k < 3 && size > 0; k++) change->coefficient[k] = sign * v3_get(turn, k) / size;
  return sign * along;
}

/* --- Equalities ---------------------------------------------------------------------------------
 */

static bool is_distance(const cr_step* step, const cr_constraint* c) {
  return step->model->equality.type[index_of(c)] == CAROM_EQUALITY_DISTANCE;
}

static v3 place_of(const cr_step* step, int index, int k) {
  const cr_equality_model* e = &step->model->equality;
  return pose_point(&step->kinematics.link_pose[e->link[2 * index + k]],
                    v3_load(e->anchor + 6 * index + 3 * k));
}

static v3 rotation_error(const cr_step* step, int index) {
  const cr_equality_model* e = &step->model->equality;
  const pose* pose_of = step->kinematics.link_pose;
  m3 relative = quat_to_m3(quat_load(e->relative_quaternion + 4 * index));
  m3 wanted = m3_mul(&pose_of[e->link[2 * index]].R, &relative), turned = m3_transpose(&wanted);
  m3 error = m3_mul(&turned, &pose_of[e->link[2 * index + 1]].R);
  return quat_log(quat_from_m3(&error));
}

/* The slope of a coupling's polynomial, and how that grows. */
static void find_coupling(const cr_step* step, int index, double slope[2]) {
  const double* c = step->model->equality.polynomial + 5 * index;
  double x = cr_row_coupled_coordinate(step, index, 1);
  slope[0] = c[1] + x * (2 * c[2] + x * (3 * c[3] + x * 4 * c[4]));
  slope[1] = 2 * c[2] + x * (6 * c[3] + x * 12 * c[4]);
}

static void describe_coupling(const cr_step* step, const cr_constraint* c, cr_row_shape* row) {
  int index = index_of(c);
  double slope[2];
  find_coupling(step, index, slope);
  *row = row_of_dofs();
  for (int k = 0; k < 2; k++) {
    int joint = step->model->equality.joint[2 * index + k];
    row->dof[k] = joint < 0 ? -1 : step->model->tree.joint_v_start[joint];
    row->coefficient[k] = k ? -slope[0] : 1;
  }
}

static void describe_equality(const cr_step* step, const cr_constraint* c, cr_row_shape* row) {
  const cr_equality_model* e = &step->model->equality;
  int index = index_of(c), r = (int)c->key.feature;
  if (cr_equality_is_coupling(e, index)) {
    describe_coupling(step, c, row);
    return;
  }
  *row = (cr_row_shape){.kind = r < 3 ? CR_ROW_OF_POINT : CR_ROW_OF_MOMENT, .length = 1};
  for (int k = 0; k < 2; k++) {
    row->link[k] = e->link[2 * index + k];
    row->place[k] = place_of(step, index, k);
  }
  if (r >= 3)
    row->axis = m3_column(&step->kinematics.link_pose[row->link[1]].R, r - 3);
  else if (is_distance(step, c))
    row->axis = cr_equality_direction(e, index, step->kinematics.link_pose);
  else
    row->axis = v3_set(v3_zero(), r, 1);
}

/* Velocity of a link's point in a field of twists; of the ground none. */
static v3 point_way(const cr_step* step, const sv* twist, int link, v3 place) {
  int tree = step->model->tree.link_tree[link];
  if (tree < 0) return v3_zero();
  return sv_point_velocity(twist[link], v3_sub(place, step->kinematics.origin[tree]));
}

static v3 turn_of(const cr_step* step, const sv* twist, int link) {
  return step->model->tree.link_tree[link] < 0 ? v3_zero() : twist[link].ang;
}

static double differentiate_rotation(const cr_step* step, const cr_constraint* c,
                                     const cr_row_shape* row, const sv* twist,
                                     cr_row_change* change) {
  v3 first = turn_of(step, twist, row->link[0]), second = turn_of(step, twist, row->link[1]);
  m3 slope = cr_rotation_vector_slope(rotation_error(step, index_of(c)));
  const m3* R = &step->kinematics.link_pose[row->link[1]].R;
  v3 way = m3_mulv(&slope, m3_tmulv(R, v3_sub(second, first)));
  change->axis = v3_cross(second, row->axis);
  return v3_get(way, (int)c->key.feature - 3);
}

static double differentiate_equality(const cr_step* step, const cr_constraint* c,
                                     const cr_row_shape* row, const double* dq, const sv* twist,
                                     cr_row_change* change) {
  int index = index_of(c);
  if (row->kind == CR_ROW_OF_DOFS) {
    double slope[2], way[2];
    find_coupling(step, index, slope);
    for (int k = 0; k < 2; k++) way[k] = row->dof[k] < 0 ? 0 : dq[row->dof[k]];
    change->coefficient[1] = -slope[1] * way[1];
    return way[0] - slope[0] * way[1];
  }
  if (row->kind == CR_ROW_OF_MOMENT) return differentiate_rotation(step, c, row, twist, change);
  for (int k = 0; k < 2; k++)
    change->place[k] = point_way(step, twist, row->link[k], row->place[k]);
  v3 apart = v3_sub(change->place[1], change->place[0]);
  double along = v3_dot(row->axis, apart);
  double length = v3_norm(v3_sub(row->place[1], row->place[0]));
  if (is_distance(step, c) && length > 0)
    change->axis = v3_scale(1 / length, v3_axpy(apart, -along, row->axis));
  return along;
}

/* --- All ----------------------------------------------------------------------------------------
 */

/* Whether a constraint is about a tendon. */
static bool is_of_line(const cr_step* step, const cr_constraint* c) {
  int index = index_of(c), which = (int)(c->key.pair >> 32 & 3);
  const cr_equality_model* e = &step->model->equality;
  if (c->rule == CR_ROW_EQUALITY) return e->type[index] == CAROM_EQUALITY_TENDON;
  if (c->rule == CR_ROW_ACTUATOR) return step->model->force.actuator_line[index] >= 0;
  return c->rule == CR_ROW_CONTACT ? which == 1 : which == 2;
}

carom_status cr_model_row_describe(const cr_step_tangent* t, const cr_constraint* c,
                                   cr_row_shape* row) {
  const cr_step* step = t->step;
  int index = index_of(c);
  if (is_of_line(step, c))
    return cr_error_set(t->error, CAROM_ERROR_UNSUPPORTED,
                        "derivatives: there are none yet of constraints on tendons");
  if (c->rule == CR_ROW_CONTACT) {
    describe_limit(step, c, row);
  } else if (c->rule == CR_ROW_EQUALITY) {
    describe_equality(step, c, row);
  } else {
    bool is_actuator = c->rule == CR_ROW_ACTUATOR;
    *row = row_of_dofs();
    row->dof[0] = is_actuator ? step->model->force.actuator_dof[index] : index;
    row->coefficient[0] = is_actuator ? step->model->force.actuator_gear[index] : 1;
  }
  return CAROM_OK;
}

double cr_model_row_differentiate(const cr_step* step, const cr_constraint* c,
                                  const cr_row_shape* row, const double* dq, const sv* twist,
                                  cr_row_change* change) {
  *change = (cr_row_change){.axis = v3_zero()};
  if (c->rule == CR_ROW_CONTACT) return differentiate_limit(step, c, row, dq, change);
  if (c->rule == CR_ROW_EQUALITY) return differentiate_equality(step, c, row, dq, twist, change);
  return 0;
}

/* --- Limited actuators: v_hat = f0 / kappa of row_values.c --------------------------------------
 */

static double find_kappa(const cr_step* step, int actuator) {
  cr_model_row row = {.rule = CR_ROW_ACTUATOR, .index = actuator, .line = -1};
  return cr_row_find_law(step, &row).kappa;
}

double cr_model_row_differentiate_actuator(const cr_step* step, const cr_constraint* c,
                                           const double* dq, const double* dv_star,
                                           const double* dv0) {
  const cr_force_model* force = &step->model->force;
  int a = index_of(c), dof = force->actuator_dof[a];
  cr_theta theta = step->theta[step->model->tree.link_tree[step->model->tree.dof_link[dof]]];
  cr_weight w = cr_damping_of_dof(step, dof);
  double h = theta.q * theta.vq * step->dt;
  double dx = dq[dof] - h * dv_star[dof] + step->dt * w.start * dv0[dof];
  double rate = (1 - theta.v - w.rate) * dv0[dof];
  const double* bias = force->actuator_bias + 3 * a;
  return force->actuator_gear[a] * (bias[1] * dx + bias[2] * rate) / find_kappa(step, a);
}

double cr_model_row_differentiate_input(const cr_step_tangent* t, const cr_constraint* c,
                                        int column) {
  int a = index_of(c);
  cr_input_slope slope = cr_input_slope_find(t, a);
  double by = cr_input_slope_in(&slope, column);
  return by == 0 ? 0 : t->step->model->force.actuator_gain[3 * a] * by / find_kappa(t->step, a);
}

void cr_model_row_pull_input(const cr_step_tangent* t, const cr_constraint* c, double cotangent,
                             double* inputs) {
  int a = index_of(c);
  cr_input_slope slope = cr_input_slope_find(t, a);
  double by = cotangent * t->step->model->force.actuator_gain[3 * a] / find_kappa(t->step, a);
  inputs[slope.control] += slope.by_control * by;
  if (slope.activation >= 0) inputs[slope.activation] += slope.by_activation * by;
}
