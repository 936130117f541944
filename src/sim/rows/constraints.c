/* Rows of limits, equalities, dry friction and limited actuators. */
#include "sim/rows/constraints.h"

#include "sim/contact/impact.h"
#include "sim/rows/row_values.h"
#include "sim/sleep.h"
#include "sim/soft/soft_rows.h"
#include "sim/tree/lines.h"

#include <math.h>

/* --- Which rows are active ----------------------------------------------------------------------
 */

static int count_most(const cr_step* step) {
  const carom_model* m = step->model;
  return 2 * m->tree.num_joints + 3 * m->force.tendon.num_tendons + 6 * m->equality.num_equalities +
         m->tree.num_v + m->force.num_actuators + 3 * m->soft.num_ties;
}

/* Whether a row would act on what sleeps: it stays as it was. */
static bool sleeps(const cr_step* step, cr_row_rule rule, int index, int line) {
  if (step->sim->sleep.count == 0) return false;
  const cr_model_row row = {.rule = rule, .index = index, .line = line};
  for (int k = 0, link; (link = cr_model_row_get_link(step->model, &row, k)) >= 0; k++)
    if (cr_sleep_has_link(step->sim, link)) return true;
  return false;
}

/* Rate of a limit's distance at joint velocities. */
static double limit_rate(const cr_step* step, const cr_model_row* row, const double* v) {
  if (row->line >= 0) return row->sign * cr_step_line_rate(step, row->line, v);
  int dof = step->model->tree.joint_v_start[row->index];
  if (step->model->tree.joint_type[row->index] != CAROM_JOINT_BALL) return row->sign * v[dof];
  return row->sign * v3_dot(row->axis, v3_load(v + dof));
}

/* True when the limit is passed within the step at a rate, or is within its margin. */
static bool is_limit_passed(const cr_step* step, const cr_model_row* row, double rate) {
  double margin = row->line >= 0 ? step->model->force.tendon.limit_margin[row->line]
                                 : step->model->limit.joint_limit_margin[row->index];
  return row->distance < margin || row->start + step->dt * (rate - step->sim->ahead) < 0;
}

/* A coordinate that is limited: an angle, a displacement, the length of a tendon. */
typedef struct limited {
  int index, line; /* as in cr_model_row */
  v3 axis;
  double x;      /* at q_mid */
  double v0, v1; /* its rates at v0 and v_lin */
  double since;  /* how far it has moved from q0 to q_mid */
} limited;

static limited describe_limited(const cr_step* step, int link, double x, double v0, double v1) {
  cr_theta theta = step->theta[step->model->tree.link_tree[link]];
  double since = theta.q * step->dt * (theta.vq * v1 + (1 - theta.vq) * v0);
  return (limited){.line = -1, .x = x, .v0 = v0, .v1 = v1, .since = since};
}

static cr_model_row make_limit(int index, double sign, double distance, double start) {
  return (cr_model_row){.rule = CR_ROW_CONTACT,
                        .index = index,
                        .line = -1,
                        .row = sign > 0 ? 0 : 1,
                        .distance = distance,
                        .start = start,
                        .sign = sign,
                        .high = INFINITY,
                        .border = INFINITY};
}

static void add_limit(const cr_step* step, const limited* at, double distance, double sign,
                      cr_model_rows* rows) {
  const cr_contact_memory* memory = &step->sim->memory;
  const cr_contact_record* record = NULL;
  double v0 = sign * at->v0, v1 = sign * at->v1;
  cr_model_row* row = &rows->items[rows->count++];
  *row = make_limit(at->index, sign, distance, distance - sign * at->since);
  row->line = at->line, row->axis = at->axis;
  if (rows->place < memory->count)
    record = cr_contact_memory_follow(memory, cr_row_limit_key(row), &rows->place);
  /* One that was loaded in the last step most likely is again. */
  bool loaded = record && record->impulse[0] > 0;
  row->is_active = is_limit_passed(step, row, v1) || loaded;
  bool fast = cr_is_impact_speed(v0, fabs(v1 - v0));
  bool landing = record && record->is_hit && v0 < -CR_IMPACT_LEAST_SPEED;
  double open = (row->start + step->dt * v1) / step->dt;
  row->border = landing ? open : cr_find_impact_border(v0, fabs(v1 - v0), true, open);
  if (!row->is_active) return;
  row->is_impact = (fast || landing) && row->start + step->dt * v1 < 0;
  row->is_hit = row->is_impact && fast;
}

/* The angle of a ball joint from its reference, at most range[1]. */
static void find_ball_limit(const cr_step* step, int joint, cr_model_rows* rows) {
  const cr_tree_model* tree = &step->model->tree;
  int q = tree->joint_q_start[joint], dof = tree->joint_v_start[joint];
  v3 rotation = quat_log(quat_normalize(quat_load(step->q_mid + q)));
  v3 axis = v3_normalize_or(rotation, v3_make(0, 0, 1));
  limited at = describe_limited(step, tree->joint_link[joint], v3_norm(rotation),
                                v3_dot(axis, v3_load(step->v0 + dof)),
                                v3_dot(axis, v3_load(step->v_lin + dof)));
  at.index = joint, at.axis = axis;
  add_limit(step, &at, step->model->limit.joint_range[2 * joint + 1] - at.x, -1, rows);
}

/* A limit of a hinge or slide: idle, unless it is met within the step or has a record. */
static inline void find_limit(const cr_step* step, const limited* at, double distance, double sign,
                              bool is_recorded, cr_model_rows* rows) {
  double start = distance - sign * at->since;
  bool is_met = distance < step->model->limit.joint_limit_margin[at->index] ||
                start + step->dt * (sign * at->v1 - step->sim->ahead) < 0;
  if (is_met || is_recorded)
    add_limit(step, at, distance, sign, rows);
  else
    rows->idle[rows->num_idle++] = (cr_idle_limit){at->index, sign, distance, start};
}

/* Whether the records of the last step, from where those of limits begin, have one of the joint. */
static bool has_record(const cr_step* step, int joint, cr_model_rows* rows) {
  const cr_contact_memory* memory = &step->sim->memory;
  if (rows->place >= memory->count) return false;
  uint64_t pair = CR_KEY_LIMIT | (unsigned)joint;
  cr_contact_memory_follow(memory, (cr_contact_key){.pair = pair}, &rows->place);
  return rows->place < memory->count && memory->records[rows->place].key.pair == pair;
}

static void find_limits(const cr_step* step, cr_model_rows* rows) {
  const cr_tree_model* tree = &step->model->tree;
  const cr_limit_model* limit = &step->model->limit;
  for (int j = 0; j < tree->num_joints; j++) {
    if (!limit->joint_limited[j] || cr_sleep_has_link(step->sim, tree->joint_link[j])) continue;
    if (tree->joint_type[j] == CAROM_JOINT_BALL) find_ball_limit(step, j, rows);
    if (tree->joint_type[j] != CAROM_JOINT_HINGE && tree->joint_type[j] != CAROM_JOINT_SLIDE)
      continue;
    int dof = tree->joint_v_start[j];
    const double* range = limit->joint_range + 2 * j;
    limited at = describe_limited(step, tree->joint_link[j], step->q_mid[tree->joint_q_start[j]],
                                  step->v0[dof], step->v_lin[dof]);
    at.index = j;
    bool is_recorded = has_record(step, j, rows);
    find_limit(step, &at, at.x - range[0], 1, is_recorded, rows);
    find_limit(step, &at, range[1] - at.x, -1, is_recorded, rows);
  }
}

static void find_tendon_limits(const cr_step* step, cr_model_rows* rows) {
  const cr_tendon_model* n = &step->model->force.tendon;
  const cr_line_model* lines = &step->model->force.line;
  for (int i = 0; i < n->num_tendons; i++) {
    if (!n->limited[i] || cr_line_is_still(lines, i) || sleeps(step, CR_ROW_DRY, i, i)) continue;
    limited at = describe_limited(step, lines->link[lines->start[i]], step->lines.length[i],
                                  cr_step_line_rate(step, i, step->v0),
                                  cr_step_line_rate(step, i, step->v_lin));
    at.index = at.line = i;
    add_limit(step, &at, at.x - n->range[2 * i], 1, rows);
    add_limit(step, &at, n->range[2 * i + 1] - at.x, -1, rows);
  }
}

/* Makes rows of the idle limits that would be passed; returns how many. */
static int activate_idle(const cr_step* step, const double* v, cr_model_rows* rows) {
  const int* dof = step->model->tree.joint_v_start;
  int count = 0, kept = 0;
  for (int i = 0; i < rows->num_idle; i++) {
    cr_idle_limit at = rows->idle[i];
    if (at.start + step->dt * at.sign * v[dof[at.joint]] < 0) {
      cr_model_row* row = &rows->items[rows->count++];
      *row = make_limit(at.joint, at.sign, at.distance, at.start);
      row->is_active = true;
      count++;
    } else {
      rows->idle[kept++] = at;
    }
  }
  rows->num_idle = kept;
  return count;
}

int cr_model_rows_activate(const cr_step* step, const double* v, cr_model_rows* rows) {
  int count = activate_idle(step, v, rows);
  for (int i = 0; i < rows->count; i++) {
    cr_model_row* row = &rows->items[i];
    if (row->is_active || !is_limit_passed(step, row, limit_rate(step, row, v))) continue;
    row->is_active = true;
    count++;
  }
  return count;
}

/* Violations of an equality's rows at q_mid. */
static int compute_violations(const cr_step* step, int index, double out[6]) {
  const cr_equality_model* e = &step->model->equality;
  const pose* link = step->kinematics.link_pose;
  if (cr_equality_is_coupling(e, index)) {
    double x = cr_row_coupled_coordinate(step, index, 1);
    const double* c = e->polynomial + 5 * index;
    double wanted = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
    out[0] = cr_row_coupled_coordinate(step, index, 0) - wanted;
    return 1;
  }
  const pose *X1 = &link[e->link[2 * index]], *X2 = &link[e->link[2 * index + 1]];
  v3 x1 = pose_point(X1, v3_load(e->anchor + 6 * index));
  v3 x2 = pose_point(X2, v3_load(e->anchor + 6 * index + 3));
  if (e->type[index] == CAROM_EQUALITY_DISTANCE) {
    out[0] = v3_norm(v3_sub(x2, x1)) - e->distance[index];
    return 1;
  }
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
    if (!e->active[i] || sleeps(step, CR_ROW_EQUALITY, i, -1)) continue;
    int count = compute_violations(step, i, violation);
    for (int r = 0; r < count; r++)
      rows->items[rows->count++] = (cr_model_row){.rule = CR_ROW_EQUALITY,
                                                  .index = i,
                                                  .line = -1,
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
    if (most > 0 && !cr_sleep_has_link(step->sim, step->model->tree.dof_link[i]))
      rows->items[rows->count++] = (cr_model_row){.rule = CR_ROW_DRY,
                                                  .index = i,
                                                  .line = -1,
                                                  .low = -most,
                                                  .high = most,
                                                  .is_active = true};
  }
}

static void find_tendon_friction(const cr_step* step, cr_model_rows* rows) {
  const cr_tendon_model* n = &step->model->force.tendon;
  for (int i = 0; i < n->num_tendons; i++) {
    double most = step->dt * n->friction_loss[i];
    if (most > 0 && !cr_line_is_still(&step->model->force.line, i) &&
        !sleeps(step, CR_ROW_DRY, i, i))
      rows->items[rows->count++] = (cr_model_row){
          .rule = CR_ROW_DRY, .index = i, .line = i, .low = -most, .high = most, .is_active = true};
  }
}

static void find_actuators(const cr_step* step, cr_model_rows* rows) {
  for (int a = 0; a < step->model->force.num_actuators; a++) {
    const double* range = step->sim->plan.limited_range + 2 * a;
    if (step->is_law[a] && !sleeps(step, CR_ROW_ACTUATOR, a, step->model->force.actuator_line[a]))
      rows->items[rows->count++] = (cr_model_row){.rule = CR_ROW_ACTUATOR,
                                                  .index = a,
                                                  .line = step->model->force.actuator_line[a],
                                                  .low = step->dt * range[0],
                                                  .high = step->dt * range[1],
                                                  .is_active = true};
  }
}

bool cr_model_rows_find(cr_step* step, cr_model_rows* rows) {
  const cr_contact_memory* memory = &step->sim->memory;
  const cr_contact_record* first;
  cr_contact_memory_find_pair(memory, CR_KEY_LIMIT, &first);
  rows->place = (int)(first - memory->records);
  rows->count = rows->num_idle = 0;
  if (!rows->items) {
    rows->items = CR_PUSH(step->arena, cr_model_row, count_most(step));
    rows->idle = CR_PUSH(step->arena, cr_idle_limit, 2 * step->model->tree.num_joints);
  }
  if (step->arena->failed) return false;
  cr_step_lines_update(step);
  find_limits(step, rows);
  find_tendon_limits(step, rows);
  find_equalities(step, rows);
  cr_soft_find_ties(step, rows);
  find_dry_friction(step, rows);
  find_tendon_friction(step, rows);
  find_actuators(step, rows);
  return true;
}
