/* Readings of joints, tendons and actuators, cutoffs, and where the others are read. */
#include "sim/sense/sensing.h"

#include "base/copy.h"
#include "force/actuator.h"
#include "force/tendon.h"
#include "model/sensor_kind.h"
#include "sim/soft/soft_sums.h"
#include "sim/tree/external.h"

#include <math.h>
#include <string.h>

bool cr_sensing_push(cr_arena* arena, const carom_model* m, cr_sensing* s) {
  s->link_A = CR_PUSH(arena, sv, m->tree.num_links);
  s->body_force = CR_PUSH(arena, sv, m->body.num_bodies);
  s->external = CR_PUSH(arena, sv, m->tree.num_links);
  s->actuation = CR_PUSH(arena, double, m->tree.num_v);
  s->input = CR_PUSH(arena, double, m->force.num_inputs);
  s->scratch = CR_PUSH(arena, double, m->tree.num_v);
  s->line_force = CR_PUSH(arena, double, m->force.line.num_lines);
  return cr_lines_push(arena, &m->force.line, &s->lines) && !arena->failed;
}

/* --- What sensors share -------------------------------------------------------------------------
 */

/* A_i = A_parent + bias_i + sum S u_dot, A_ground = -gravity (as in tree/rnea.c). */
void cr_sensing_update_accelerations(cr_sensing* s, const double* u_dot) {
  const cr_tree_model* t = &s->model->tree;
  s->u_dot = u_dot;
  s->link_A[0] = (sv){v3_zero(), v3_neg(v3_load(s->model->force.gravity))};
  for (int i = 1; i < t->num_links; i++) {
    sv A = sv_add(s->link_A[t->link_parent[i]], s->velocities->link_bias[i]);
    for (int k = t->link_v_start[i]; k < t->link_v_start[i + 1]; k++)
      A = sv_axpy(A, u_dot[k], s->kinematics->S[k]);
    s->link_A[i] = A;
  }
}

/* Length and rate of an actuator, times its gear. */
static double find_length(const cr_sensing* s, int a) {
  const cr_force_model* f = &s->model->force;
  return f->actuator_gear[a] * cr_actuator_find_coordinate(f, a, &s->lines, s->q);
}

static double find_rate(const cr_sensing* s, int a) {
  const cr_force_model* f = &s->model->force;
  return f->actuator_gear[a] * cr_actuator_find_rate(f, a, &s->lines, s->u);
}

/* Force of an actuator within its range, before its gear. */
double cr_sensing_find_actuator_force(const cr_sensing* s, int a) {
  const cr_force_model* f = &s->model->force;
  return cr_actuator_compute_held_force(f, a, s->input,
                                        cr_actuator_find_coordinate(f, a, &s->lines, s->q),
                                        cr_actuator_find_rate(f, a, &s->lines, s->u));
}

static void update_inputs(cr_sensing* s) {
  const cr_force_model* f = &s->model->force;
  for (int a = 0; a < f->num_actuators; a++) {
    cr_actuator_state state = {s->ctrl, s->act, find_length(s, a), find_rate(s, a),
                               s->model->timestep};
    cr_actuator_compute_inputs(f, a, &state, 0, s->input);
  }
}

static void update_actuation(cr_sensing* s) {
  const cr_force_model* f = &s->model->force;
  memset(s->actuation, 0, sizeof(double) * (size_t)s->model->tree.num_v);
  for (int a = 0; a < f->num_actuators; a++)
    cr_actuator_add_force(f, a, &s->lines,
                          f->actuator_gear[a] * cr_sensing_find_actuator_force(s, a), s->actuation);
  for (int t = 0; t < s->model->tree.num_trees; t++)
    cr_external_add_borne(s->model, t, s->kinematics, 1, s->actuation);
  cr_actuator_clamp_drives(f, 0, s->model->tree.num_v, s->actuation, NULL);
}

void cr_sensing_update_lines(cr_sensing* s) {
  cr_line_place place = {&s->model->force.line, &s->model->tree, s->kinematics, s->q};
  cr_lines_update(&place, &s->lines);
  update_inputs(s);
}

void cr_sensing_update(cr_sensing* s, const double* u_dot) {
  int needs = s->model->sensor.needs;
  cr_sensing_update_lines(s);
  if (needs & CR_NEEDS_ACCELERATION) cr_sensing_update_accelerations(s, u_dot);
  if (needs & CR_NEEDS_FORCE) cr_sensing_update_body_forces(s);
  if (needs & CR_NEEDS_ACTUATION) update_actuation(s);
}

static const cr_contact_record* find_record(const cr_sensing* s, uint64_t pair, int row) {
  if (!s->memory || !s->memory->count) return NULL;
  cr_contact_key key = {.pair = pair, .feature = (uint32_t)row};
  return cr_contact_memory_find(s->memory, key);
}

double cr_sensing_find_force(const cr_sensing* s, uint64_t pair, int row) {
  const cr_contact_record* record = find_record(s, pair, row);
  return record ? record->impulse[0] / s->memory->dt : 0;
}

int cr_sensing_find_shared(const cr_sensing* s, uint64_t pair, int row) {
  const cr_contact_record* record = find_record(s, pair, row);
  return record ? (int)record->shared : 0;
}

/* --- Limits -------------------------------------------------------------------------------------
 */

/* A limited length: its distance to the nearer of its limits that counts, and that distance's rate.
 */
typedef struct limited {
  double distance, rate, margin;
} limited;

static limited nearer(double x, double rate, const double* range, double margin) {
  if (x - range[0] < margin) return (limited){x - range[0], rate, margin};
  return (limited){range[1] - x, -rate, margin};
}

static limited find_joint_limit(const cr_sensing* s, int j) {
  const cr_tree_model* t = &s->model->tree;
  const double *q = s->q + t->joint_q_start[j], *v = s->v + t->joint_v_start[j];
  const double* range = s->model->limit.joint_range + 2 * j;
  double margin = s->model->limit.joint_limit_margin[j];
  if (!s->model->limit.joint_limited[j]) return (limited){INFINITY, 0, 0};
  if (t->joint_type[j] != CAROM_JOINT_BALL) return nearer(q[0], v[0], range, margin);
  v3 turn = quat_log(quat_normalize(quat_load(q)));
  double rate = v3_dot(v3_normalize_or(turn, v3_make(0, 0, 1)), v3_load(v));
  return (limited){range[1] - v3_norm(turn), -rate, margin};
}

static limited find_tendon_limit(const cr_sensing* s, int i) {
  const cr_tendon_model* n = &s->model->force.tendon;
  if (!n->limited[i]) return (limited){INFINITY, 0, 0};
  double rate = cr_line_compute_rate(&s->model->force.line, &s->lines, i, s->u);
  return nearer(s->lines.length[i], rate, n->range + 2 * i, n->limit_margin[i]);
}

/* Both sides of a limit; `kind` as in cr_row_limit_key. */
static double find_limit_force(const cr_sensing* s, int kind, int index) {
  uint64_t pair = CR_KEY_LIMIT | (uint64_t)kind << 32 | (unsigned)index;
  return cr_sensing_find_force(s, pair, 0) + cr_sensing_find_force(s, pair, 1);
}

/* --- Sensors ------------------------------------------------------------------------------------
 */

static double read_limit(const cr_sensing* s, carom_sensor_type type, int i) {
  bool is_joint = type <= CAROM_SENSOR_JOINT_LIMIT_FORCE;
  if (type == CAROM_SENSOR_JOINT_LIMIT_FORCE || type == CAROM_SENSOR_TENDON_LIMIT_FORCE)
    return find_limit_force(s, is_joint ? 0 : 1, i);
  limited limit = is_joint ? find_joint_limit(s, i) : find_tendon_limit(s, i);
  bool is_position =
      type == CAROM_SENSOR_JOINT_LIMIT_POSITION || type == CAROM_SENSOR_TENDON_LIMIT_POSITION;
  if (!(limit.distance < limit.margin)) return 0;
  return is_position ? limit.distance - limit.margin : limit.rate;
}

static double sum_tendon_actuators(const cr_sensing* s, int tendon) {
  const cr_force_model* f = &s->model->force;
  double sum = 0;
  for (int a = 0; a < f->num_actuators; a++)
    if (f->actuator_line[a] == tendon) sum += cr_sensing_find_actuator_force(s, a);
  return sum;
}

/* One number of a joint, tendon or actuator. */
static double read_scalar(const cr_sensing* s, carom_sensor_type type, int i) {
  const cr_tree_model* t = &s->model->tree;
  const cr_force_model* f = &s->model->force;
  switch (type) {
  case CAROM_SENSOR_JOINT_POSITION:
    return s->q[t->joint_q_start[i]];
  case CAROM_SENSOR_JOINT_VELOCITY:
    return s->v[t->joint_v_start[i]];
  case CAROM_SENSOR_JOINT_ACTUATOR_FORCE:
    return s->actuation[t->joint_v_start[i]];
  case CAROM_SENSOR_TENDON_POSITION:
    return s->lines.length[i];
  case CAROM_SENSOR_TENDON_VELOCITY:
    return cr_line_compute_rate(&f->line, &s->lines, i, s->u);
  case CAROM_SENSOR_TENDON_ACTUATOR_FORCE:
    return sum_tendon_actuators(s, i);
  case CAROM_SENSOR_ACTUATOR_POSITION:
    return find_length(s, i);
  case CAROM_SENSOR_ACTUATOR_VELOCITY:
    return find_rate(s, i);
  case CAROM_SENSOR_ACTUATOR_FORCE:
    return cr_sensing_find_actuator_force(s, i);
  default:
    return read_limit(s, type, i);
  }
}

static void read_ball(const cr_sensing* s, carom_sensor_type type, int joint, double* out) {
  const cr_tree_model* t = &s->model->tree;
  if (type == CAROM_SENSOR_BALL_VELOCITY)
    CR_COPY(out, s->v + t->joint_v_start[joint], 3);
  else
    quat_store(quat_normalize(quat_load(s->q + t->joint_q_start[joint])), out);
}

static double read_global(const cr_sensing* s, carom_sensor_type type) {
  if (type == CAROM_SENSOR_CLOCK) return s->time;
  carom_energy e =
      cr_sim_sum_energy(s->model, s->q, s->u, s->kinematics, s->velocities, &s->lines, s->scratch);
  carom_energy soft = cr_soft_sum_energy(s->model, s->q, s->v);
  if (type == CAROM_SENSOR_KINETIC_ENERGY) return e.kinetic + soft.kinetic;
  return e.potential + e.elastic + soft.potential + soft.elastic;
}

static void read_sensor(const cr_sensing* s, int i, double* out) {
  const cr_sensor_model* sensors = &s->model->sensor;
  carom_sensor_type type = (carom_sensor_type)sensors->type[i];
  switch (cr_sensor_kinds[type].object) {
  case CR_SENSOR_ON_NOTHING:
    out[0] = read_global(s, type);
    break;
  case CR_SENSOR_ON_BALL_JOINT:
    read_ball(s, type, sensors->object[i], out);
    break;
  case CR_SENSOR_ON_SCALAR_JOINT:
  case CR_SENSOR_ON_LIMITED_JOINT:
  case CR_SENSOR_ON_TENDON:
  case CR_SENSOR_ON_ACTUATOR:
    out[0] = read_scalar(s, type, sensors->object[i]);
    break;
  case CR_SENSOR_ON_FRAME:
    cr_sensing_read_frame(s, i, out);
    break;
  case CR_SENSOR_ON_SUBTREE:
    cr_sensing_read_subtree(s, i, out);
    break;
  case CR_SENSOR_ON_SITE:
    cr_sensing_read_site(s, i, out);
    break;
  case CR_SENSOR_ON_CONTACTS:
    cr_sensing_read_contacts(s, i, out);
    break;
  }
}

/* NaN stays. */
static double cut(double x, double cutoff, cr_sensor_range range) {
  if (range == CR_SENSOR_UNIT) return x;
  if (x > cutoff) return cutoff;
  return range == CR_SENSOR_REAL && x < -cutoff ? -cutoff : x;
}

void cr_sensing_read(const cr_sensing* s, double* readings) {
  const cr_sensor_model* sensors = &s->model->sensor;
  for (int i = 0; i < sensors->num_sensors; i++) {
    cr_sensor_range range = cr_sensor_kinds[sensors->type[i]].range;
    read_sensor(s, i, readings + sensors->address[i]);
    for (int k = sensors->address[i]; k < sensors->address[i + 1]; k++)
      readings[k] = cut(readings[k], sensors->cutoff[i], range);
  }
}
