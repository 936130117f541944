/* Readings of sensors, each as sim/sense has it. */
#include "base/error.h"
#include "derive/geom_parameters.h"
#include "derive/law_way.h"
#include "derive/readings.h"
#include "derive/rotation_slope.h"
#include "force/actuator.h"
#include "model/record.h"
#include "model/sensor_kind.h"

#include <math.h>
#include <string.h>

/* --- What has none ------------------------------------------------------------------------------
 */

static carom_status refuse(const cr_readings* r, int sensor, const char* why) {
  return cr_error_set(r->t.error, CAROM_ERROR_UNSUPPORTED,
                      "readings: there is no derivative of sensor \"%s\" (%d): %s",
                      carom_model_get_sensor(r->step.model, sensor).name, sensor, why);
}

static const char* find_obstacle(const cr_readings* r, carom_sensor_type type) {
  int needs = cr_sensor_kinds[type].needs;
  if (r->forces) return NULL;
  if (needs & CR_NEEDS_ACCELERATION)
    return "an acceleration is a step's, ask for the reading after the step";
  if (needs & CR_NEEDS_STEP)
    return "forces of contacts, limits and parents are a step's, ask for the reading after the "
           "step";
  return NULL;
}

static const char* find_obstacle_of_actuator(const cr_readings* r, int a) {
  const cr_force_model* f = &r->step.model->force;
  if (f->actuator_law[a] >= 0 && cr_actuator_is_bounded(f, f->actuator_line[a]))
    return "its actuator has states of its own, and its tendon bounds it";
  return f->actuator_body[a] >= 0 ? "its actuator holds by adhesion" : NULL;
}

static bool asks_for_actuators(carom_sensor_type type) {
  return type == CAROM_SENSOR_ACTUATOR_FORCE || type == CAROM_SENSOR_TENDON_ACTUATOR_FORCE ||
         type == CAROM_SENSOR_JOINT_ACTUATOR_FORCE;
}

static carom_status check_actuators(const cr_readings* r, int sensor) {
  const carom_model* m = r->step.model;
  carom_sensor_type type = (carom_sensor_type)m->sensor.type[sensor];
  if (!asks_for_actuators(type)) return CAROM_OK;
  for (int a = 0; a < m->force.num_actuators; a++) {
    if (type == CAROM_SENSOR_ACTUATOR_FORCE && m->sensor.object[sensor] != a) continue;
    const char* why = find_obstacle_of_actuator(r, a);
    if (why) return refuse(r, sensor, why);
  }
  return CAROM_OK;
}

/* A geometry that one turns. */
static bool is_on_turned(const cr_readings* r, int sensor, const cr_theta_column* theta) {
  const carom_model* m = r->step.model;
  const carom_sensor_def* def = &CR_AT(&m->description->sensors, cr_sensor_record, sensor)->def;
  const carom_frame_of* const frames[] = {&def->frame, &def->reference};
  bool any = false;
  for (int k = 0; k < 2; k++)
    any |= frames[k]->type == CAROM_FRAME_GEOM && theta->kind == CR_THETA_TURN &&
           m->place.geom_index[frames[k]->id - 1] == theta->index;
  return any;
}

/* Principal axes that a parameter turns. */
static bool is_turned_by(const cr_readings* r, int sensor, const cr_theta_column* theta) {
  const carom_model* m = r->step.model;
  const carom_sensor_def* def = &CR_AT(&m->description->sensors, cr_sensor_record, sensor)->def;
  bool of_axes =
      def->type >= CAROM_SENSOR_FRAME_QUATERNION && def->type <= CAROM_SENSOR_FRAME_Z_AXIS;
  int body = theta->kind == CR_THETA_MASS || theta->kind == CR_THETA_COM
                 ? -1
                 : cr_theta_find_body(m, theta);
  const carom_frame_of *own = &def->frame, *by = &def->reference;
  if (body < 0) return false;
  return (of_axes && own->type == CAROM_FRAME_INERTIA && m->place.body_index[own->id] == body) ||
         (by->type == CAROM_FRAME_INERTIA && m->place.body_index[by->id] == body);
}

/* Anchors of equalities that a body's parent bears. */
static bool is_anchor(const cr_theta_column* theta) {
  return theta->kind == CR_THETA_EQUALITY_ANCHOR1 || theta->kind == CR_THETA_EQUALITY_ANCHOR2;
}

static bool is_of_actuator(carom_sensor_type type) {
  return asks_for_actuators(type) || type == CAROM_SENSOR_ACTUATOR_POSITION ||
         type == CAROM_SENSOR_ACTUATOR_VELOCITY;
}

static const char* find_obstacle_of_parameter(const cr_readings* r, int sensor,
                                              const cr_theta_column* theta) {
  const cr_sensor_kind* kind = &cr_sensor_kinds[r->step.model->sensor.type[sensor]];
  if (kind->object == CR_SENSOR_ON_FRAME && is_turned_by(r, sensor, theta))
    return "its principal axes turn with the parameter";
  if (kind->object == CR_SENSOR_ON_FRAME && is_on_turned(r, sensor, theta))
    return "its geometry turns with the parameter";
  if ((kind->needs & CR_NEEDS_FORCE) && is_anchor(theta))
    return "where an equality takes hold moves with the parameter";
  if ((kind->needs & CR_NEEDS_FORCE) && theta->kind >= CR_THETA_SPRING_STIFFNESS &&
      theta->kind <= CR_THETA_SPRING_POINT2)
    return "a spring's force on the body moves with the parameter";
  if (kind->object != CR_SENSOR_ON_FRAME && theta->kind == CR_THETA_WRENCH &&
      is_of_actuator((carom_sensor_type)r->step.model->sensor.type[sensor]))
    return "its actuator's line moves with the wrench";
  return NULL;
}

carom_status cr_readings_check(const cr_readings* r, int sensor, const cr_theta_column* thetas,
                               int num_thetas) {
  carom_sensor_type type = (carom_sensor_type)r->step.model->sensor.type[sensor];
  const char* why = find_obstacle(r, type);
  if (why) return refuse(r, sensor, why);
  for (int i = 0; i < num_thetas; i++) {
    why = find_obstacle_of_parameter(r, sensor, &thetas[i]);
    if (why) return refuse(r, sensor, why);
  }
  return check_actuators(r, sensor);
}

/* --- Actuators ----------------------------------------------------------------------------------
 */

static double input_change(const cr_readings* r, const cr_reading_direction* d, int a) {
  cr_input_way w = cr_input_way_of_state(&r->t, a);
  double sum = 0;
  for (int i = 0; i < w.count; i++) {
    int column = w.column[i], first = r->t.first_control;
    sum += w.by[i] * (column < first ? d->dx[column] : d->du[column - first]);
  }
  return sum;
}

static double line_rate_change(const cr_readings* r, const cr_reading_direction* d, int line) {
  const cr_line_tangent* t = &r->lines[line];
  return cr_line_tangent_rate(t, d->v) + cr_line_tangent_bend(t, d->q, r->s.u);
}

/* Of what an actuator works on, before its gear. */
static double length_change(const cr_readings* r, const cr_reading_direction* d, int a) {
  const cr_force_model* f = &r->step.model->force;
  int line = f->actuator_line[a];
  return line < 0 ? d->q[f->actuator_dof[a]] : cr_line_tangent_length(&r->lines[line], d->q);
}

static double rate_change(const cr_readings* r, const cr_reading_direction* d, int a) {
  const cr_force_model* f = &r->step.model->force;
  int line = f->actuator_line[a];
  return line < 0 ? d->v[f->actuator_dof[a]] : line_rate_change(r, d, line);
}

static bool is_of_gear(const cr_theta_column* theta, int a) {
  return theta && theta->kind == CR_THETA_GEAR && theta->index == a;
}

/* What a number of its own does to a force that no range holds. */
static double gain_change(const cr_readings* r, const cr_theta_column* theta, int a) {
  const cr_force_model* f = &r->step.model->force;
  bool is_its =
      theta && theta->index == a && theta->kind >= CR_THETA_GAIN && theta->kind <= CR_THETA_GEAR;
  if (!is_its) return 0;
  double gear = f->actuator_gear[a], u = r->s.input[f->actuator_input[a]];
  const double by[3] = {1, gear * cr_actuator_find_coordinate(f, a, &r->s.lines, r->s.q),
                        gear * cr_actuator_find_rate(f, a, &r->s.lines, r->s.u)};
  const double *gain = f->actuator_gain + 3 * a, *bias = f->actuator_bias + 3 * a;
  if (theta->kind == CR_THETA_GAIN) return u;
  if (theta->kind == CR_THETA_GEAR)
    return (gain[1] * u + bias[1]) * cr_actuator_find_coordinate(f, a, &r->s.lines, r->s.q) +
           (gain[2] * u + bias[2]) * cr_actuator_find_rate(f, a, &r->s.lines, r->s.u);
  return theta->kind == CR_THETA_BIAS ? by[theta->element] : u * by[theta->element + 1];
}

/* Of an actuator's force where nothing holds it; and what that is. */
static double free_change(const cr_readings* r, const cr_reading_direction* d, int a,
                          double* force) {
  const cr_force_model* f = &r->step.model->force;
  double x = cr_actuator_find_coordinate(f, a, &r->s.lines, r->s.q);
  double x_dot = cr_actuator_find_rate(f, a, &r->s.lines, r->s.u), gear = f->actuator_gear[a];
  cr_actuator_tangent t = cr_actuator_tangent_find_free(f, a, r->s.input, x, x_dot);
  *force = cr_actuator_compute_force(f, a, r->s.input, gear * x, gear * x_dot);
  double by = t.own_input * input_change(r, d, a) + gain_change(r, d->theta, a);
  if (gear == 0) return by;
  return by - (t.stiffness * length_change(r, d, a) + t.damping * rate_change(r, d, a)) / gear;
}

/* A tendon that bounds what its actuators do together, f, at F has each at the share F / f. */
static double shared_change(const cr_readings* r, const cr_reading_direction* d, int a,
                            double* force) {
  const cr_force_model* f = &r->step.model->force;
  double own = free_change(r, d, a, force), sum = 0, change = 0, other;
  int line = f->actuator_line[a];
  if (!cr_actuator_is_bounded(f, line)) return own;
  double share = cr_actuator_find_share(f, line, r->s.input, r->s.lines.length[line],
                                        cr_line_compute_rate(&f->line, &r->s.lines, line, r->s.u));
  if (share == 1) return own;
  for (int i = 0; i < f->num_actuators; i++) {
    if (f->actuator_line[i] != line) continue;
    change += free_change(r, d, i, &other);
    sum += other;
  }
  own = share * (own - *force * change / sum);
  *force *= share;
  return own;
}

/* Of a controller or motor with states of its own, within its range. */
static double law_change(const cr_readings* r, const cr_reading_direction* d, int a) {
  const cr_force_model* f = &r->step.model->force;
  double gear = f->actuator_gear[a], sum = 0;
  const double at[2] = {gear * cr_actuator_find_coordinate(f, a, &r->s.lines, r->s.q),
                        gear * cr_actuator_find_rate(f, a, &r->s.lines, r->s.u)};
  const cr_actuator_state state = {r->s.ctrl, r->s.act, at[0], at[1], r->step.model->timestep};
  cr_moving force = cr_law_find_drive(f, a, &state, 0, at).force;
  for (int k = 0; k < CR_BY_START; k++) {
    int column = cr_law_find_column(&r->t, a, k), first = r->t.first_control;
    if (column >= 0) sum += force.by[k] * (column < first ? d->dx[column] : d->du[column - first]);
  }
  sum += (force.by[CR_BY_START] + force.by[CR_BY_LENGTH]) * gear * length_change(r, d, a);
  return sum + force.by[CR_BY_RATE] * gear * rate_change(r, d, a);
}

static double force_change(const cr_readings* r, const cr_reading_direction* d, int a) {
  if (r->step.model->force.actuator_law[a] >= 0) return law_change(r, d, a);
  const double* range = r->step.model->force.actuator_force_range + 2 * (size_t)a;
  double force, by = shared_change(r, d, a, &force);
  if (force > range[0] && force < range[1]) return by;
  const cr_theta_column* theta = d->theta;
  bool is_range = theta && theta->kind == CR_THETA_FORCE_RANGE && theta->index == a;
  return is_range && theta->element == (force >= range[1]) ? 1 : 0;
}

/* Of the weight that a dof bears, its axis times the lift of all that it carries. */
static double borne_change(const cr_readings* r, const cr_reading_direction* d, int dof) {
  const carom_model* m = r->step.model;
  const cr_tree_model* tree = &m->tree;
  double sum = 0;
  if (m->force.num_bearers == 0 || !m->force.dof_bears_weight[dof]) return 0;
  sv S = r->place.kinematics.S[dof];
  sv dS = sv_cross_motion(cr_reading_find_axis_twist(r, d, dof), S);
  for (int b = 1; b < m->body.num_bodies; b++) {
    int k = tree->link_last_dof[m->body.link[b]];
    while (k > dof) k = tree->dof_parent[k];
    if (k != dof) continue;
    v3 dcom, com = cr_reading_move_com(r, d, b, &dcom);
    v3 dlift, lift = cr_reading_find_lift(r, d, b, &dlift);
    v3 arm = v3_sub(com, cr_sensing_origin(&r->s, m->body.link[b]));
    sum += v3_dot(v3_add(sv_point_velocity(dS, arm), v3_cross(S.ang, dcom)), lift);
    sum += v3_dot(sv_point_velocity(S, arm), dlift);
  }
  return sum;
}

/* All that actuators do to a dof; 0 where the joint bounds it. */
static double actuation_change(const cr_readings* r, const cr_reading_direction* d, int dof) {
  const cr_force_model* f = &r->step.model->force;
  const double* range = f->dof_drive_range + 2 * (size_t)dof;
  double sum = borne_change(r, d, dof), tau = r->s.actuation[dof];
  if (f->num_drive_ranges && !(tau > range[0] && tau < range[1])) return 0;
  for (int a = 0; a < f->num_actuators; a++) {
    int line = f->actuator_line[a];
    double gear = f->actuator_gear[a], change = gear * force_change(r, d, a);
    if (is_of_gear(d->theta, a)) change += cr_sensing_find_actuator_force(&r->s, a);
    if (line < 0) sum += f->actuator_dof[a] == dof ? change : 0;
    const cr_line_tangent* t = line < 0 ? NULL : &r->lines[line];
    for (int i = 0; t && i < t->n; i++) {
      if (t->dof[i] != dof) continue;
      double bend = 0, force = gear * cr_sensing_find_actuator_force(&r->s, a);
      for (int k = 0; k < t->n; k++) bend += t->H[i * t->n + k] * d->q[t->dof[k]];
      sum += t->J[i] * change + force * bend;
    }
  }
  return sum;
}

static double tendon_actuators_change(const cr_readings* r, const cr_reading_direction* d, int i) {
  const cr_force_model* f = &r->step.model->force;
  double sum = 0;
  for (int a = 0; a < f->num_actuators; a++)
    if (f->actuator_line[a] == i) sum += force_change(r, d, a);
  return sum;
}

/* --- Limits -------------------------------------------------------------------------------------
 */

/* A length or its rate, with the sign of the nearer limit; 0 where none is near. */
static double by_side(double x, const double* range, double margin, double change) {
  if (x - range[0] < margin) return change;
  return range[1] - x < margin ? -change : 0;
}

static double ball_limit_change(const cr_readings* r, const cr_reading_direction* d, int j,
                                bool is_position) {
  const carom_model* m = r->step.model;
  int dof = m->tree.joint_v_start[j];
  const double* range = m->limit.joint_range + 2 * (size_t)j;
  v3 turn = quat_log(quat_normalize(quat_load(r->s.q + m->tree.joint_q_start[j])));
  double angle = v3_norm(turn);
  if (!(range[1] - angle < m->limit.joint_limit_margin[j]) || angle == 0) return 0;
  m3 slope = cr_rotation_vector_slope(turn);
  v3 n = v3_scale(1 / angle, turn), moved = m3_mulv(&slope, v3_load(d->dx + dof));
  if (is_position) return -v3_dot(n, moved);
  v3 dn = v3_scale(1 / angle, v3_axpy(moved, -v3_dot(n, moved), n));
  return -v3_dot(dn, v3_load(r->s.v + dof)) - v3_dot(n, v3_load(d->dx + r->t.num_v + dof));
}

static double limit_change(const cr_readings* r, const cr_reading_direction* d,
                           carom_sensor_type type, int i) {
  const carom_model* m = r->step.model;
  if (type == CAROM_SENSOR_JOINT_LIMIT_FORCE) return cr_limit_force_differentiate(r, d, 0, i);
  if (type == CAROM_SENSOR_TENDON_LIMIT_FORCE) return cr_limit_force_differentiate(r, d, 1, i);
  bool is_position =
      type == CAROM_SENSOR_JOINT_LIMIT_POSITION || type == CAROM_SENSOR_TENDON_LIMIT_POSITION;
  if (type > CAROM_SENSOR_JOINT_LIMIT_FORCE) {
    const cr_tendon_model* n = &m->force.tendon;
    double change =
        is_position ? cr_line_tangent_length(&r->lines[i], d->q) : line_rate_change(r, d, i);
    if (!n->limited[i]) return 0;
    return by_side(r->s.lines.length[i], n->range + 2 * (size_t)i, n->limit_margin[i], change);
  }
  if (!m->limit.joint_limited[i]) return 0;
  if (m->tree.joint_type[i] == CAROM_JOINT_BALL) return ball_limit_change(r, d, i, is_position);
  int dof = m->tree.joint_v_start[i];
  return by_side(r->s.q[m->tree.joint_q_start[i]], m->limit.joint_range + 2 * (size_t)i,
                 m->limit.joint_limit_margin[i], d->dx[is_position ? dof : r->t.num_v + dof]);
}

/* --- Joints, tendons, actuators -----------------------------------------------------------------
 */

static double scalar_change(const cr_readings* r, const cr_reading_direction* d,
                            carom_sensor_type type, int i) {
  const carom_model* m = r->step.model;
  int dof = type <= CAROM_SENSOR_JOINT_ACTUATOR_FORCE ? m->tree.joint_v_start[i] : -1;
  switch (type) {
  case CAROM_SENSOR_JOINT_POSITION:
    return d->dx[dof];
  case CAROM_SENSOR_JOINT_VELOCITY:
    return d->dx[r->t.num_v + dof];
  case CAROM_SENSOR_JOINT_ACTUATOR_FORCE:
    return actuation_change(r, d, dof);
  case CAROM_SENSOR_TENDON_POSITION:
    return cr_line_tangent_length(&r->lines[i], d->q);
  case CAROM_SENSOR_TENDON_VELOCITY:
    return line_rate_change(r, d, i);
  case CAROM_SENSOR_TENDON_ACTUATOR_FORCE:
    return tendon_actuators_change(r, d, i);
  case CAROM_SENSOR_ACTUATOR_POSITION:
    return m->force.actuator_gear[i] * length_change(r, d, i) +
           (is_of_gear(d->theta, i) ? cr_actuator_find_coordinate(&m->force, i, &r->s.lines, r->s.q)
                                    : 0);
  case CAROM_SENSOR_ACTUATOR_VELOCITY:
    return m->force.actuator_gear[i] * rate_change(r, d, i) +
           (is_of_gear(d->theta, i) ? cr_actuator_find_rate(&m->force, i, &r->s.lines, r->s.u) : 0);
  case CAROM_SENSOR_ACTUATOR_FORCE:
    return force_change(r, d, i);
  default:
    return limit_change(r, d, type, i);
  }
}

/* q' = q (0, w) / 2 of a turn w in the frame's own axes. */
static void store_turn(quat q, v3 w, double* out) {
  quat_store(quat_mul(q, (quat){0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z}), out);
}

static void ball_change(const cr_readings* r, const cr_reading_direction* d, carom_sensor_type type,
                        int joint, double* out) {
  const cr_tree_model* tree = &r->step.model->tree;
  int dof = tree->joint_v_start[joint];
  if (type == CAROM_SENSOR_BALL_VELOCITY)
    memcpy(out, d->dx + r->t.num_v + dof, 3 * sizeof *out);
  else
    store_turn(quat_normalize(quat_load(r->s.q + tree->joint_q_start[joint])), v3_load(d->dx + dof),
               out);
}

/* --- Frames and sites ---------------------------------------------------------------------------
 */

/* A frame with its velocity, and how both move; of the world's all that is 0. */
typedef struct frame {
  pose X;
  v3 linear, angular, place, turn, dlinear, dangular;
} frame;

/* What a parameter moves a geometry's or centre of mass's frame by on its body. */
static v3 find_shift(const cr_readings* r, const cr_reading_direction* d, int sensor, int which) {
  const carom_model* m = r->step.model;
  const carom_sensor_def* def = &CR_AT(&m->description->sensors, cr_sensor_record, sensor)->def;
  const carom_frame_of* of = which ? &def->reference : &def->frame;
  v3 moved, carried;
  if (!d->theta || cr_sensor_kinds[def->type].object != CR_SENSOR_ON_FRAME) return v3_zero();
  if (of->type == CAROM_FRAME_GEOM && d->theta->kind == CR_THETA_PLACE &&
      m->place.geom_index[of->id - 1] == d->theta->index)
    return cr_geom_theta_move_frame(&r->step, d->theta).way;
  if (of->type != CAROM_FRAME_INERTIA) return v3_zero();
  int body = m->place.body_index[of->id];
  v3 com = cr_reading_move_com(r, d, body, &moved);
  carried = cr_reading_move_point(r, d, m->body.link[body], com);
  return v3_sub(moved, carried);
}

static frame find_frame(const cr_readings* r, const cr_reading_direction* d, int sensor,
                        int which) {
  int link = r->step.model->sensor.link[2 * sensor + which];
  frame f = {.X = cr_sensing_find_pose(&r->s, sensor, which)};
  if (link < 0) return f;
  sv V = r->place.velocities.link_V[link], T = d->twist[link];
  sv dV = sv_add(sv_cross_motion(T, V), d->own_V[link]);
  v3 arm = v3_sub(f.X.p, cr_sensing_origin(&r->s, link));
  f.linear = sv_point_velocity(V, arm), f.angular = V.ang;
  f.place = v3_add(sv_point_velocity(T, arm), find_shift(r, d, sensor, which)), f.turn = T.ang;
  f.dlinear = v3_add(sv_point_velocity(dV, arm), v3_cross(V.ang, f.place));
  f.dangular = dV.ang;
  return f;
}

/* Less gravity, as sensing_frame.c has it; and what the acceleration itself is. */
static v3 acceleration_change(const cr_readings* r, const cr_reading_direction* d, int sensor,
                              const frame* f, v3* acceleration) {
  int link = r->step.model->sensor.link[2 * sensor];
  sv A = r->s.link_A[link];
  sv dA = sv_add(sv_cross_motion(d->twist[link], A), d->own_A[link]);
  v3 arm = v3_sub(f->X.p, cr_sensing_origin(&r->s, link));
  *acceleration = v3_add(sv_point_velocity(A, arm), v3_cross(f->angular, f->linear));
  v3 turning = v3_add(v3_cross(f->dangular, f->linear), v3_cross(f->angular, f->dlinear));
  return v3_add(v3_add(sv_point_velocity(dA, arm), v3_cross(A.ang, f->place)), turning);
}

/* d(Rᵀ x) of a frame that turns. */
static v3 in_frame(const frame* f, v3 x, v3 dx) {
  return m3_tmulv(&f->X.R, v3_sub(dx, v3_cross(f->turn, x)));
}

static v3 velocity_change(const frame* own, const frame* by) {
  v3 apart = v3_sub(own->X.p, by->X.p), dapart = v3_sub(own->place, by->place);
  v3 x = v3_sub(v3_sub(own->linear, by->linear), v3_cross(by->angular, apart));
  v3 carried = v3_add(v3_cross(by->dangular, apart), v3_cross(by->angular, dapart));
  return in_frame(by, x, v3_sub(v3_sub(own->dlinear, by->dlinear), carried));
}

static v3 vector_change(const cr_readings* r, const cr_reading_direction* d, int sensor,
                        const frame* own, const frame* by) {
  carom_sensor_type type = (carom_sensor_type)r->step.model->sensor.type[sensor];
  int link = r->step.model->sensor.link[2 * sensor];
  v3 axis, acceleration;
  switch (type) {
  case CAROM_SENSOR_FRAME_POSITION:
    return in_frame(by, v3_sub(own->X.p, by->X.p), v3_sub(own->place, by->place));
  case CAROM_SENSOR_FRAME_X_AXIS:
  case CAROM_SENSOR_FRAME_Y_AXIS:
  case CAROM_SENSOR_FRAME_Z_AXIS:
    axis = m3_column(&own->X.R, (int)(type - CAROM_SENSOR_FRAME_X_AXIS));
    return in_frame(by, axis, v3_cross(own->turn, axis));
  case CAROM_SENSOR_FRAME_LINEAR_ACCELERATION:
    return acceleration_change(r, d, sensor, own, &acceleration);
  case CAROM_SENSOR_FRAME_ANGULAR_ACCELERATION:
    return sv_add(sv_cross_motion(d->twist[link], r->s.link_A[link]), d->own_A[link]).ang;
  case CAROM_SENSOR_FRAME_ANGULAR_VELOCITY:
    return in_frame(by, v3_sub(own->angular, by->angular), v3_sub(own->dangular, by->dangular));
  default:
    return velocity_change(own, by);
  }
}

static void frame_change(const cr_readings* r, const cr_reading_direction* d, int sensor,
                         double* out) {
  frame own = find_frame(r, d, sensor, 0), by = find_frame(r, d, sensor, 1);
  if (r->step.model->sensor.type[sensor] != CAROM_SENSOR_FRAME_QUATERNION) {
    v3_store(vector_change(r, d, sensor, &own, &by), out);
    return;
  }
  pose relative = pose_relative(&by.X, &own.X);
  store_turn(quat_from_m3(&relative.R), m3_tmulv(&own.X.R, v3_sub(own.turn, by.turn)), out);
}

/* Of a parent's force or torque about the site; and what that is. */
static v3 wrench_change(const cr_readings* r, const cr_reading_direction* d, int sensor,
                        const frame* f, v3* x) {
  const carom_model* m = r->step.model;
  int body = m->site.body[m->sensor.object[sensor]];
  double sign = m->sensor.sign[sensor];
  sv F = sv_scale(sign, r->s.body_force[body]);
  sv dF = sv_scale(sign, cr_wrench_differentiate(r, d, body));
  if (m->sensor.type[sensor] == CAROM_SENSOR_FORCE) {
    *x = F.lin;
    return dF.lin;
  }
  *x = v3_sub(F.ang, v3_cross(f->X.p, F.lin));
  return v3_sub(dF.ang, v3_add(v3_cross(f->place, F.lin), v3_cross(f->X.p, dF.lin)));
}

static void site_change(const cr_readings* r, const cr_reading_direction* d, int sensor,
                        double* out) {
  frame own = find_frame(r, d, sensor, 0);
  v3 x = own.linear, dx = own.dlinear;
  switch ((carom_sensor_type)r->step.model->sensor.type[sensor]) {
  case CAROM_SENSOR_TOUCH:
    out[0] = cr_touch_differentiate(r, d, sensor);
    return;
  case CAROM_SENSOR_RANGEFINDER:
    out[0] = cr_range_differentiate(r, d, sensor);
    return;
  case CAROM_SENSOR_FORCE:
  case CAROM_SENSOR_TORQUE:
    dx = wrench_change(r, d, sensor, &own, &x);
    break;
  case CAROM_SENSOR_GYRO:
    x = own.angular, dx = own.dangular;
    break;
  case CAROM_SENSOR_MAGNETOMETER:
    x = v3_load(r->step.model->sensor.magnetic), dx = v3_zero();
    break;
  case CAROM_SENSOR_ACCELEROMETER:
    dx = acceleration_change(r, d, sensor, &own, &x);
    break;
  default:
    break;
  }
  v3_store(in_frame(&own, x, dx), out);
}

/* --- All ----------------------------------------------------------------------------------------
 */

static double global_change(const cr_readings* r, const cr_reading_direction* d,
                            carom_sensor_type type) {
  if (type == CAROM_SENSOR_CLOCK) return 0;
  return type == CAROM_SENSOR_KINETIC_ENERGY ? cr_kinetic_differentiate(r, d)
                                             : cr_potential_differentiate(r, d);
}

/* A reading that its cutoff holds does not move. */
static void cut(const cr_readings* r, int sensor, double* out) {
  const cr_sensor_model* m = &r->step.model->sensor;
  int first = m->address[sensor];
  if (cr_sensor_kinds[m->type[sensor]].range == CR_SENSOR_UNIT) return;
  for (int k = first; k < m->address[sensor + 1]; k++)
    if (fabs(r->readings[k]) >= m->cutoff[sensor]) out[k - first] = 0;
}

void cr_reading_differentiate(const cr_readings* r, const cr_reading_direction* d, int sensor,
                              double* out) {
  const cr_sensor_model* m = &r->step.model->sensor;
  carom_sensor_type type = (carom_sensor_type)m->type[sensor];
  switch (cr_sensor_kinds[type].object) {
  case CR_SENSOR_ON_NOTHING:
    out[0] = global_change(r, d, type);
    break;
  case CR_SENSOR_ON_BALL_JOINT:
    ball_change(r, d, type, m->object[sensor], out);
    break;
  case CR_SENSOR_ON_SCALAR_JOINT:
  case CR_SENSOR_ON_LIMITED_JOINT:
  case CR_SENSOR_ON_TENDON:
  case CR_SENSOR_ON_ACTUATOR:
    out[0] = scalar_change(r, d, type, m->object[sensor]);
    break;
  case CR_SENSOR_ON_FRAME:
    frame_change(r, d, sensor, out);
    break;
  case CR_SENSOR_ON_SUBTREE:
    cr_subtree_differentiate(r, d, sensor, out);
    break;
  case CR_SENSOR_ON_SITE:
    site_change(r, d, sensor, out);
    break;
  case CR_SENSOR_ON_CONTACTS:
    cr_contacts_differentiate(r, d, sensor, out);
    break;
  }
  cut(r, sensor, out);
}
