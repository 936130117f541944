#include "derive/model_rows.h"

#include "base/error.h"
#include "derive/joint_forces.h"
#include "derive/law_way.h"
#include "derive/rotation_slope.h"
#include "force/actuator.h"
#include "sim/rows/row_values.h"
#include "sim/tree/damping.h"
#include "sim/tree/lines.h"

/* Joint, equality, dof or actuator of a constraint, see contact/memory.h. */
static int index_of(const cr_constraint* c) { return (int)(c->key.pair & 0xffffffff); }

int cr_model_row_find_tie(const cr_step* step, const cr_constraint* c) {
  int tie = index_of(c) - step->model->equality.num_equalities;
  return c->rule == CR_ROW_EQUALITY && c->point < 0 && tie >= 0 ? tie : -1;
}

/* Whether a constraint is about a tendon. */
static bool is_of_line(const cr_step* step, const cr_constraint* c) {
  int index = index_of(c), which = (int)(c->key.pair >> 32 & 3);
  const cr_equality_model* e = &step->model->equality;
  if (c->rule == CR_ROW_EQUALITY) return e->type[index] == CAROM_EQUALITY_TENDON;
  if (c->rule == CR_ROW_ACTUATOR) return step->model->force.actuator_line[index] >= 0;
  return c->rule == CR_ROW_CONTACT ? which == 1 : which == 2;
}

/* Room for some dofs; false when memory ran out. */
static bool push_dofs(const cr_step_tangent* t, int n, cr_row_shape* row) {
  *row = (cr_row_shape){.kind = CR_ROW_OF_DOFS};
  row->dof = CR_PUSH(t->arena, int, n);
  row->coefficient = CR_PUSH(t->arena, double, n);
  row->moved = CR_PUSH(t->arena, double, n);
  return !t->arena->failed;
}

static void put_dof(cr_row_shape* row, int dof, double coefficient) {
  row->dof[row->num_dofs] = dof;
  row->coefficient[row->num_dofs++] = coefficient;
}

/* Line k of a row, whose dofs stand behind those that are there. */
static bool put_line(const cr_step_tangent* t, int k, int line, double scale, cr_row_shape* row) {
  cr_line_place place = cr_step_line_place(t->step);
  cr_line_tangent* found = CR_PUSH(t->arena, cr_line_tangent, 1);
  if (t->arena->failed) return false;
  cr_line_update(&place, line, &t->step->lines);
  if (!cr_line_tangent_find(&place, &t->step->lines, line, t->arena, found)) return false;
  for (int i = 0; i < found->n; i++) put_dof(row, found->dof[i], scale * found->J[i]);
  row->line[k] = found;
  return true;
}

static int count_terms(const cr_step* step, int line) {
  const int* start = step->model->force.line.start;
  return line < 0 ? 1 : start[line + 1] - start[line];
}

static bool describe_line(const cr_step_tangent* t, int line, double scale, cr_row_shape* row) {
  return push_dofs(t, count_terms(t->step, line), row) && put_line(t, 0, line, scale, row);
}

static double displace(const cr_step* step, const cr_line_tangent* line,
                       const cr_line_displacement* by) {
  cr_line_place place = cr_step_line_place(step);
  return cr_line_tangent_displace(&place, line, by);
}

/* moved += scale dJ of a line; returns how its length changes. */
static double bend_row(const cr_step* step, const cr_line_tangent* line,
                       const cr_model_row_way* way, double scale, double* moved) {
  double length = cr_line_tangent_length(line, way->dq);
  for (int k = 0; k < line->n; k++)
    for (int j = 0; j < line->n; j++)
      moved[k] += scale * line->H[k * line->n + j] * way->dq[line->dof[j]];
  if (!way->displaced) return length;
  length += displace(step, line, way->displaced);
  for (int k = 0; k < line->n; k++) moved[k] += scale * line->moved[k];
  return length;
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

static bool describe_limit(const cr_step_tangent* t, const cr_constraint* c, cr_row_shape* row) {
  const cr_step* step = t->step;
  double sign = sign_of_limit(c);
  if (is_of_line(step, c)) return describe_line(t, index_of(c), sign, row);
  int dof = step->model->tree.joint_v_start[index_of(c)];
  if (!push_dofs(t, 3, row)) return false;
  if (!is_ball(step, c)) {
    put_dof(row, dof, sign);
    return true;
  }
  v3 axis = v3_normalize_or(find_rotation(step, c), v3_make(0, 0, 1));
  for (int k = 0; k < 3; k++) put_dof(row, dof + k, sign * v3_get(axis, k));
  return true;
}

static double differentiate_limit(const cr_step* step, const cr_constraint* c,
                                  const cr_row_shape* row, const cr_model_row_way* by) {
  double sign = sign_of_limit(c);
  const double* dq = by->dq;
  if (row->line[0]) return sign * bend_row(step, row->line[0], by, sign, row->moved);
  if (!is_ball(step, c)) return sign * dq[row->dof[0]];
  v3 rotation = find_rotation(step, c);
  v3 axis = v3_normalize_or(rotation, v3_make(0, 0, 1));
  m3 slope = cr_rotation_vector_slope(rotation);
  v3 way = m3_mulv(&slope, v3_load(dq + row->dof[0]));
  double along = v3_dot(axis, way), size = v3_norm(rotation);
  v3 turn = v3_axpy(way, -along, axis);
  for (int k = 0; k < 3 && size > 0; k++) row->moved[k] = sign * v3_get(turn, k) / size;
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

v3 cr_model_row_find_rotation(const cr_step* step, const cr_constraint* c) {
  int index = index_of(c);
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

/* The first joint or tendon less a polynomial of the second. */
static bool describe_coupling(const cr_step_tangent* t, const cr_constraint* c, cr_row_shape* row) {
  const cr_step* step = t->step;
  const cr_equality_model* e = &step->model->equality;
  int index = index_of(c);
  double slope[2];
  find_coupling(step, index, slope);
  if (!push_dofs(
          t, count_terms(step, e->tendon[2 * index]) + count_terms(step, e->tendon[2 * index + 1]),
          row))
    return false;
  for (int k = 0; k < 2; k++) {
    int joint = e->joint[2 * index + k], tendon = e->tendon[2 * index + k];
    double scale = k ? -slope[0] : 1;
    if (joint >= 0) put_dof(row, step->model->tree.joint_v_start[joint], scale);
    if (tendon >= 0 && !put_line(t, k, tendon, scale, row)) return false;
  }
  return true;
}

/* How the second's slope and both rows move; returns what the distance does. */
static double differentiate_coupling(const cr_step* step, int index, const cr_row_shape* row,
                                     const cr_model_row_way* by) {
  const cr_equality_model* e = &step->model->equality;
  double slope[2], way[2] = {0, 0};
  int at = 0;
  find_coupling(step, index, slope);
  for (int k = 0; k < 2; k++) {
    const cr_line_tangent* line = row->line[k];
    int joint = e->joint[2 * index + k], n = line ? line->n : joint >= 0;
    if (line) way[k] = bend_row(step, line, by, k ? -slope[0] : 1, row->moved + at);
    if (joint >= 0) way[k] = by->dq[step->model->tree.joint_v_start[joint]];
    for (int i = 0; i < n && k; i++)
      row->moved[at + i] -= slope[1] * way[1] * (line ? line->J[i] : 1);
    at += n;
  }
  return way[0] - slope[0] * way[1];
}

static bool describe_equality(const cr_step_tangent* t, const cr_constraint* c, cr_row_shape* row) {
  const cr_step* step = t->step;
  const cr_equality_model* e = &step->model->equality;
  int index = index_of(c), r = (int)c->key.feature;
  if (cr_equality_is_coupling(e, index)) return describe_coupling(t, c, row);
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
  return true;
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
  m3 slope = cr_rotation_vector_slope(cr_model_row_find_rotation(step, c));
  const m3* R = &step->kinematics.link_pose[row->link[1]].R;
  v3 way = m3_mulv(&slope, m3_tmulv(R, v3_sub(second, first)));
  change->axis = v3_cross(second, row->axis);
  return v3_get(way, (int)c->key.feature - 3);
}

static double differentiate_equality(const cr_step* step, const cr_constraint* c,
                                     const cr_row_shape* row, const cr_model_row_way* by,
                                     cr_row_change* change) {
  int index = index_of(c);
  const sv* twist = by->twist;
  if (row->kind == CR_ROW_OF_DOFS) return differentiate_coupling(step, index, row, by);
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

/* --- Ties ---------------------------------------------------------------------------------------
 */

/* A coordinate of a node less that of its place on a link. */
static bool describe_tie(const cr_step_tangent* t, const cr_constraint* c, int tie,
                         cr_row_shape* row) {
  const cr_step* step = t->step;
  const cr_soft_model* m = &step->model->soft;
  int axis = (int)c->key.feature, link = m->tie_link[tie];
  if (!push_dofs(t, 1, row)) return false;
  row->kind = CR_ROW_OF_POINT;
  row->link[0] = link, row->axis = v3_set(v3_zero(), axis, 1);
  row->place[0] = row->place[1] =
      pose_point(&step->kinematics.link_pose[link], v3_load(m->tie_point + 3 * (size_t)tie));
  put_dof(row, step->model->tree.num_v + 3 * m->tie_barycentric[tie].node[0] + axis, 1);
  return true;
}

static double differentiate_tie(const cr_step* step, const cr_row_shape* row, const double* dq,
                                const sv* twist, cr_row_change* change) {
  change->place[0] = change->place[1] = point_way(step, twist, row->link[0], row->place[0]);
  return dq[row->dof[0]] - v3_dot(row->axis, change->place[0]);
}

/* --- All ----------------------------------------------------------------------------------------
 */

/* Dry friction of a dof or a tendon, limited actuators. */
static bool describe_effort(const cr_step_tangent* t, const cr_constraint* c, cr_row_shape* row) {
  const cr_force_model* force = &t->step->model->force;
  int index = index_of(c);
  bool is_actuator = c->rule == CR_ROW_ACTUATOR;
  double scale = is_actuator ? force->actuator_gear[index] : 1;
  if (is_of_line(t->step, c))
    return describe_line(t, is_actuator ? force->actuator_line[index] : index, scale, row);
  if (!push_dofs(t, 1, row)) return false;
  put_dof(row, is_actuator ? force->actuator_dof[index] : index, scale);
  return true;
}

carom_status cr_model_row_describe(const cr_step_tangent* t, const cr_constraint* c,
                                   cr_row_shape* row) {
  int tie = cr_model_row_find_tie(t->step, c);
  if (tie >= 0) return describe_tie(t, c, tie, row) ? CAROM_OK : cr_error_memory(t->error);
  bool done = c->rule == CR_ROW_CONTACT    ? describe_limit(t, c, row)
              : c->rule == CR_ROW_EQUALITY ? describe_equality(t, c, row)
                                           : describe_effort(t, c, row);
  return done ? CAROM_OK : cr_error_memory(t->error);
}

double cr_model_row_differentiate(const cr_step* step, const cr_constraint* c,
                                  const cr_row_shape* row, const cr_model_row_way* way,
                                  cr_row_change* change) {
  *change = (cr_row_change){.coefficient = row->moved};
  for (int k = 0; k < row->num_dofs; k++) row->moved[k] = 0;
  if (cr_model_row_find_tie(step, c) >= 0)
    return differentiate_tie(step, row, way->dq, way->twist, change);
  if (c->rule == CR_ROW_CONTACT) return differentiate_limit(step, c, row, way);
  if (c->rule == CR_ROW_EQUALITY) return differentiate_equality(step, c, row, way, change);
  if (row->line[0])
    bend_row(step, row->line[0], way,
             c->rule == CR_ROW_ACTUATOR ? step->model->force.actuator_gear[index_of(c)] : 1,
             row->moved);
  return 0;
}

/* --- Limited actuators: v_hat = f0 / kappa of row_values.c --------------------------------------
 */

static double find_kappa(const cr_step* step, int actuator) {
  cr_model_row row = {.rule = CR_ROW_ACTUATOR,
                      .index = actuator,
                      .line = step->model->force.actuator_line[actuator]};
  return cr_row_find_law(step, &row).kappa;
}

double cr_model_row_differentiate_actuator(const cr_step* step, const cr_constraint* c,
                                           const cr_row_shape* row,
                                           const cr_row_force_direction* by,
                                           const cr_line_displacement* displaced) {
  const cr_force_model* force = &step->model->force;
  int a = index_of(c);
  cr_theta theta =
      step->theta[step->model->tree.link_tree[step->model->tree.dof_link[row->dof[0]]]];
  cr_weight w = row->line[0] ? cr_damping_of_line(step, force->actuator_line[a])
                             : cr_damping_of_dof(step, row->dof[0]);
  double h = theta.q * theta.vq * step->dt, length = 0, rate = 0;
  if (row->line[0])
    length = force->actuator_gear[a] * cr_line_tangent_length(row->line[0], by->q_mid);
  if (row->line[0] && displaced)
    length += force->actuator_gear[a] * displace(step, row->line[0], displaced);
  for (int k = 0; k < row->num_dofs; k++) {
    int dof = row->dof[k];
    double of_v0 = row->coefficient[k] * by->v0[dof] + row->moved[k] * step->v0[dof];
    double of_v = row->coefficient[k] * by->v_star[dof] + row->moved[k] * step->v_lin[dof];
    if (!row->line[0]) length += row->coefficient[k] * by->q_mid[dof];
    length += step->dt * w.start * of_v0 - h * of_v;
    rate += (1 - theta.v - w.rate) * of_v0;
  }
  const double* bias = force->actuator_bias + 3 * a;
  return (bias[1] * length + bias[2] * rate) / find_kappa(step, a);
}

double cr_model_row_differentiate_input(const cr_step_tangent* t, const cr_constraint* c,
                                        int column) {
  int a = index_of(c);
  const cr_force_model* force = &t->step->model->force;
  cr_input_way way = cr_input_way_find(t, a);
  double by = cr_input_way_in(&way, column);
  by += cr_law_move_start(t, a, cr_column(t, t->q0, column));
  return by == 0 ? 0 : force->actuator_gain[3 * a] * by / find_kappa(t->step, a);
}

void cr_model_row_pull_input(const cr_step_tangent* t, const cr_constraint* c, double cotangent,
                             double* inputs, double* q0) {
  int a = index_of(c);
  const cr_force_model* force = &t->step->model->force;
  cr_input_way way = cr_input_way_find(t, a);
  double by = cotangent * force->actuator_gain[3 * a] / find_kappa(t->step, a);
  cr_input_way_pull(&way, by, 0, inputs);
  cr_law_pull_start(t, a, by, q0);
}
