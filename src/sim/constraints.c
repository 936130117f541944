/* Rows of joint limits, equalities (connect, weld, joint), dry friction and limited servos. */
#include "sim/constraints.h"

#include "force/elements.h"
#include "sim/blow.h"

#include <math.h>

/* --- Which rows are active ----------------------------------------------------------------------
 */

static int count_most(const cr_step* step) {
  const carom_model* m = step->model;
  return 2 * m->tree.num_joints + 6 * m->equality.num_equalities + m->tree.num_v +
         m->force.num_actuators;
}

/* Rate of a limit's distance at joint velocities. */
static double limit_rate(const cr_step* step, const cr_model_row* row, const double* v) {
  int dof = step->model->tree.joint_v_start[row->index];
  if (step->model->tree.joint_type[row->index] != CAROM_JOINT_BALL) return row->sign * v[dof];
  return row->sign * v3_dot(row->axis, v3_load(v + dof));
}

/* Distance of a limit at q0, carried back from q_mid. */
static double limit_start(const cr_step* step, const cr_model_row* row) {
  cr_theta theta =
      step->theta[step->model->tree.link_tree[step->model->tree.joint_link[row->index]]];
  double lin = limit_rate(step, row, step->v_lin), start = limit_rate(step, row, step->v0);
  return row->distance - theta.q * step->dt * (theta.vq * lin + (1 - theta.vq) * start);
}

/* True when the limit is passed within the step at joint velocities, or is within its margin. */
static bool is_limit_passed(const cr_step* step, const cr_model_row* row, const double* v) {
  double margin = step->model->limit.joint_limit_margin[row->index];
  double start = limit_start(step, row);
  return row->distance < margin || start + step->dt * limit_rate(step, row, v) < 0;
}

static cr_contact_key limit_key(const cr_model_row* row) {
  return (cr_contact_key){.pair = CR_KEY_LIMIT | (unsigned)row->index,
                          .feature = (unsigned)row->row};
}

static void add_limit(const cr_step* step, int joint, double distance, double sign, v3 axis,
                      cr_model_rows* rows) {
  cr_model_row row = {.rule = CR_ROW_CONTACT,
                      .index = joint,
                      .row = sign > 0 ? 0 : 1,
                      .distance = distance,
                      .sign = sign,
                      .axis = axis,
                      .high = INFINITY};
  double v0 = limit_rate(step, &row, step->v0), v1 = limit_rate(step, &row, step->v_lin);
  bool fast = cr_is_blow_speed(v0, fabs(v1 - v0));
  const cr_contact_record* record = cr_contact_memory_find(&step->sim->memory, limit_key(&row));
  /* One that pushed in the last step most likely does again. */
  bool pushed = record && record->impulse[0] > 0;
  bool landing = record && record->is_hit && v0 < -CR_BLOW_LEAST_SPEED;
  row.is_active = is_limit_passed(step, &row, step->v_lin) || pushed;
  row.is_struck = row.is_active && (fast || landing) && limit_start(step, &row) + step->dt * v1 < 0;
  row.is_hit = row.is_struck && fast;
  rows->items[rows->count++] = row;
}

/* The angle of a ball joint from its reference, at most range[1]. */
static void find_ball_limit(const cr_step* step, int joint, cr_model_rows* rows) {
  int q = step->model->tree.joint_q_start[joint];
  v3 rotation = quat_log(quat_normalize(quat_load(step->q_mid + q)));
  double distance = step->model->limit.joint_range[2 * joint + 1] - v3_norm(rotation);
  add_limit(step, joint, distance, -1, v3_normalize_or(rotation, v3_make(0, 0, 1)), rows);
}

static void find_limits(const cr_step* step, cr_model_rows* rows) {
  const cr_tree_model* tree = &step->model->tree;
  const cr_limit_model* limit = &step->model->limit;
  for (int j = 0; j < tree->num_joints; j++) {
    if (!limit->joint_limited[j]) continue;
    if (tree->joint_type[j] == CAROM_JOINT_BALL) find_ball_limit(step, j, rows);
    if (tree->joint_type[j] != CAROM_JOINT_HINGE && tree->joint_type[j] != CAROM_JOINT_SLIDE)
      continue;
    double q = step->q_mid[tree->joint_q_start[j]];
    add_limit(step, j, q - limit->joint_range[2 * j], 1, v3_zero(), rows);
    add_limit(step, j, limit->joint_range[2 * j + 1] - q, -1, v3_zero(), rows);
  }
}

int cr_model_rows_activate(const cr_step* step, const double* v, cr_model_rows* rows) {
  int count = 0;
  for (int i = 0; i < rows->count; i++) {
    cr_model_row* row = &rows->items[i];
    if (row->is_active || !is_limit_passed(step, row, v)) continue;
    row->is_active = true;
    count++;
  }
  return count;
}

/* Violations of an equality's rows at q_mid. */
static int compute_violations(const cr_step* step, int index, double out[6]) {
  const cr_equality_model* e = &step->model->equality;
  const pose* link = step->kinematics.link_pose;
  if (e->type[index] == CAROM_EQUALITY_JOINT) {
    const cr_tree_model* tree = &step->model->tree;
    int j1 = e->joint[2 * index], j2 = e->joint[2 * index + 1];
    double x = j2 < 0 ? 0 : step->q_mid[tree->joint_q_start[j2]] - tree->joint_reference[j2];
    const double* c = e->polynomial + 5 * index;
    double wanted = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
    out[0] = step->q_mid[tree->joint_q_start[j1]] - tree->joint_reference[j1] - wanted;
    return 1;
  }
  const pose *X1 = &link[e->link[2 * index]], *X2 = &link[e->link[2 * index + 1]];
  v3 x1 = pose_point(X1, v3_load(e->anchor + 6 * index));
  v3 x2 = pose_point(X2, v3_load(e->anchor + 6 * index + 3));
  v3_store(v3_sub(x2, x1), out);
  if (e->type[index] == CAROM_EQUALITY_CONNECT) return 3;
  m3 relative = quat_to_m3(quat_load(e->relative_quaternion + 4 * index));
  m3 wanted = m3_mul(&X1->R, &relative), transposed = m3_transpose(&wanted);
  m3 error = m3_mul(&transposed, &X2->R);
  v3_store(quat_log(quat_from_m3(&error)), out + 3);
  return 6;
}

static void find_equalities(const cr_step* step, cr_model_rows* rows) {
  const cr_equality_model* e = &step->model->equality;
  for (int i = 0; i < e->num_equalities; i++) {
    double violation[6];
    if (!e->active[i]) continue;
    int count = compute_violations(step, i, violation);
    for (int r = 0; r < count; r++)
      rows->items[rows->count++] = (cr_model_row){.rule = CR_ROW_EQUALITY,
                                                  .index = i,
                                                  .row = r,
                                                  .distance = violation[r],
                                                  .low = -INFINITY,
                                                  .high = INFINITY,
                                                  .is_active = true};
  }
}

static void find_dry_friction(const cr_step* step, cr_model_rows* rows) {
  for (int i = 0; i < step->model->tree.num_v; i++) {
    double most = step->dt * step->model->limit.dof_friction_loss[i];
    if (most > 0)
      rows->items[rows->count++] = (cr_model_row){
          .rule = CR_ROW_DRY, .index = i, .low = -most, .high = most, .is_active = true};
  }
}

static void find_servos(const cr_step* step, cr_model_rows* rows) {
  for (int a = 0; a < step->model->force.num_actuators; a++) {
    const double* range = step->model->force.actuator_force_range + 2 * a;
    if (step->sim->plan.is_servo[a])
      rows->items[rows->count++] = (cr_model_row){.rule = CR_ROW_SERVO,
                                                  .index = a,
                                                  .low = step->dt * range[0],
                                                  .high = step->dt * range[1],
                                                  .is_active = true};
  }
}

bool cr_model_rows_find(cr_step* step, cr_model_rows* rows) {
  *rows = (cr_model_rows){.items = CR_PUSH(step->arena, cr_model_row, count_most(step))};
  if (step->arena->failed) return false;
  find_limits(step, rows);
  find_equalities(step, rows);
  find_dry_friction(step, rows);
  find_servos(step, rows);
  return true;
}

/* --- Their Jacobians ----------------------------------------------------------------------------
 */

static bool is_joint_equality(const carom_model* model, const cr_model_row* row) {
  return model->equality.type[row->index] == CAROM_EQUALITY_JOINT;
}

void cr_model_row_get_links(const carom_model* model, const cr_model_row* row, int links[2]) {
  const cr_tree_model* tree = &model->tree;
  links[0] = links[1] = 0;
  switch (row->rule) {
  case CR_ROW_CONTACT:
    links[0] = tree->joint_link[row->index];
    break;
  case CR_ROW_DRY:
    links[0] = tree->dof_link[row->index];
    break;
  case CR_ROW_SERVO:
    links[0] = tree->dof_link[model->force.actuator_dof[row->index]];
    break;
  case CR_ROW_EQUALITY:
    for (int k = 0; k < 2; k++) {
      int joint = model->equality.joint[2 * row->index + k];
      if (!is_joint_equality(model, row))
        links[k] = model->equality.link[2 * row->index + k];
      else if (joint >= 0)
        links[k] = tree->joint_link[joint];
    }
  }
}

static void fill_limit(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                       const cr_model_row* row, double* J) {
  const cr_tree_model* tree = &step->model->tree;
  int dof = tree->joint_v_start[row->index];
  if (tree->joint_type[row->index] != CAROM_JOINT_BALL) {
    cr_path_add_dof(step, blocks, path, dof, row->sign, J);
    return;
  }
  for (int k = 0; k < 3; k++)
    cr_path_add_dof(step, blocks, path, dof + k, row->sign * v3_get(row->axis, k), J);
}

static void fill_joint_equality(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                                const cr_model_row* row, double* J) {
  const cr_tree_model* tree = &step->model->tree;
  const cr_equality_model* e = &step->model->equality;
  int j1 = e->joint[2 * row->index], j2 = e->joint[2 * row->index + 1];
  cr_path_add_dof(step, blocks, path, tree->joint_v_start[j1], 1, J);
  if (j2 < 0) return;
  double x = step->q_mid[tree->joint_q_start[j2]] - tree->joint_reference[j2];
  const double* c = e->polynomial + 5 * row->index;
  double slope = c[1] + x * (2 * c[2] + x * (3 * c[3] + x * 4 * c[4]));
  cr_path_add_dof(step, blocks, path, tree->joint_v_start[j2], -slope, J);
}

/* Rows 0 to 2: position in world axes; 3 to 5: rotation in the axes of link 2. */
static void fill_link_equality(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                               const cr_model_row* row, double* J, int stride) {
  const cr_equality_model* e = &step->model->equality;
  const pose* pose_of = step->kinematics.link_pose;
  for (int k = 0; k < 2; k++) {
    int link = e->link[2 * row->index + k];
    double sign = k ? 1 : -1;
    if (row->row < 3) {
      v3 x = pose_point(&pose_of[link], v3_load(e->anchor + 6 * row->index + 3 * k));
      v3 direction = v3_set(v3_zero(), row->row, 1);
      cr_path_add_point_rows(step, blocks, path, link, x, sign, &direction, 1, J, stride);
    } else {
      v3 axis = m3_column(&pose_of[e->link[2 * row->index + 1]].R, row->row - 3);
      cr_path_add_angular_rows(step, blocks, path, link, sign, &axis, 1, J, stride);
    }
  }
}

/* A limited feedback actuator, f = f0 - kappa l' with bounds: R = 1 / (dt kappa), v_hat = f0 /
 * kappa at the scheme's weights. */
static void fill_servo(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                       const cr_model_row* row, cr_assembly_rows* out) {
  const cr_force_model* force = &step->model->force;
  int a = row->index, dof = force->actuator_dof[a];
  cr_theta theta = step->theta[step->model->tree.link_tree[step->model->tree.dof_link[dof]]];
  double gear = force->actuator_gear[a], h = theta.q * theta.vq * step->dt;
  const double* bias = force->actuator_bias + 3 * a;
  double kappa = -(bias[1] * h + bias[2] * theta.v);
  double l = gear * (step->q_mid[force->actuator_q[a]] - h * step->v_lin[dof]);
  double l_dot = gear * (1 - theta.v) * step->v0[dof];
  double f0 = cr_force_compute_actuator(force, a, step->sim->ctrl[a], l, l_dot);
  cr_path_add_dof(step, blocks, path, dof, gear, out->J);
  out->R[0] = 1 / (step->dt * kappa);
  out->v_hat[0] = f0 / kappa;
}

static void describe(const cr_step* step, const cr_model_row* row, cr_constraint* c) {
  const cr_limit_model* limit = &step->model->limit;
  const cr_equality_model* e = &step->model->equality;
  if (row->rule == CR_ROW_CONTACT) {
    c->stiffness = limit->joint_limit_stiffness[row->index];
    c->dissipation = limit->joint_limit_dissipation[row->index];
    c->key = limit_key(row);
    return;
  }
  if (row->rule == CR_ROW_EQUALITY) {
    c->stiffness = e->stiffness[row->index];
    c->dissipation = e->dissipation[row->index];
    c->key.pair = CR_KEY_EQUALITY | (unsigned)row->index;
  } else {
    unsigned kind = row->rule == CR_ROW_DRY ? 0 : 1;
    c->key.pair = CR_KEY_DOF | (uint64_t)kind << 32 | (unsigned)row->index;
  }
  c->key.feature = (unsigned)row->row;
}

void cr_model_row_add(const cr_step* step, const cr_blocks* blocks, const cr_path* path,
                      const cr_model_row* row, cr_assembly* assembly, cr_constraint* constraint) {
  cr_assembly_rows out =
      cr_assembly_add(assembly, CR_LAW_BOUNDS, path->block, path->count, row->low, row->high);
  int links[2];
  cr_model_row_get_links(step->model, row, links);
  int tree = step->model->tree.link_tree[links[0] ? links[0] : links[1]];
  *constraint = (cr_constraint){.rule = row->rule,
                                .touch = -1,
                                .distance = row->distance,
                                .theta = step->theta[tree],
                                .is_hit = row->is_hit};
  describe(step, row, constraint);
  switch (row->rule) {
  case CR_ROW_CONTACT:
    fill_limit(step, blocks, path, row, out.J);
    break;
  case CR_ROW_DRY:
    cr_path_add_dof(step, blocks, path, row->index, 1, out.J);
    break;
  case CR_ROW_SERVO:
    fill_servo(step, blocks, path, row, &out);
    break;
  case CR_ROW_EQUALITY:
    if (is_joint_equality(step->model, row))
      fill_joint_equality(step, blocks, path, row, out.J);
    else
      fill_link_equality(step, blocks, path, row, out.J, out.stride);
  }
}
