/* Readings of sensors, each as sim/sense has it. */
#include "base/error.h"
#include "derive/geom_parameters.h"
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
        is_position ? cr_line_length_differentiate(r, d, i) : cr_line_rate_differentiate(r, d, i);
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
    return cr_actuation_differentiate(r, d, dof);
  case CAROM_SENSOR_TENDON_POSITION:
    return cr_line_length_differentiate(r, d, i);
  case CAROM_SENSOR_TENDON_VELOCITY:
    return cr_line_rate_differentiate(r, d, i);
  case CAROM_SENSOR_TENDON_ACTUATOR_FORCE:
    return cr_tendon_actuators_differentiate(r, d, i);
  case CAROM_SENSOR_ACTUATOR_POSITION:
    return m->force.actuator_gear[i] * cr_actuator_length_differentiate(r, d, i) +
           (cr_theta_is_of_gear(d->theta, i)
                ? cr_actuator_find_coordinate(&m->force, i, &r->s.lines, r->s.q)
                : 0);
  case CAROM_SENSOR_ACTUATOR_VELOCITY:
    return m->force.actuator_gear[i] * cr_actuator_rate_differentiate(r, d, i) +
           (cr_theta_is_of_gear(d->theta, i)
                ? cr_actuator_find_rate(&m->force, i, &r->s.lines, r->s.u)
                : 0);
  case CAROM_SENSOR_ACTUATOR_FORCE:
    return cr_actuator_force_differentiate(r, d, i);
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
