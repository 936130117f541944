/* Readings of frames and sites: poses, velocities and accelerations of points of links.
 *
 * The velocity of a point at offset r is V.lin + V.ang × r; its acceleration is that of the spatial
 * acceleration A, A.lin + A.ang × r, and V.ang × the point's velocity (Featherstone 2008, 2.11). */
#include "sim/sense/sensing.h"

#include <math.h>

pose cr_sensing_find_pose(const cr_sensing* s, int sensor, int which) {
  const cr_sensor_model* m = &s->model->sensor;
  int link = m->link[2 * sensor + which];
  if (link < 0) return pose_identity();
  return pose_mul(&s->kinematics->link_pose[link], &m->local[2 * sensor + which]);
}

/* Motion of a point of a link, world axes. */
typedef struct motion {
  v3 linear, angular;
} motion;

static motion find_velocity(const cr_sensing* s, int link, v3 point) {
  if (link < 0) return (motion){v3_zero(), v3_zero()};
  sv V = s->velocities->link_V[link];
  v3 r = v3_sub(point, cr_sensing_origin(s, link));
  return (motion){sv_point_velocity(V, r), V.ang};
}

/* Less gravity: what an accelerometer feels. */
static motion find_acceleration(const cr_sensing* s, int link, v3 point) {
  sv A = s->link_A[link];
  v3 r = v3_sub(point, cr_sensing_origin(s, link));
  motion velocity = find_velocity(s, link, point);
  v3 turning = v3_cross(velocity.angular, velocity.linear);
  return (motion){v3_add(sv_point_velocity(A, r), turning), A.ang};
}

/* Relative to the reference frame, which may itself move and turn. */
static v3 read_velocity(const cr_sensing* s, int sensor, const pose* X, const pose* R) {
  const cr_sensor_model* m = &s->model->sensor;
  motion own = find_velocity(s, m->link[2 * sensor], X->p);
  motion reference = find_velocity(s, m->link[2 * sensor + 1], R->p);
  if (m->type[sensor] == CAROM_SENSOR_FRAME_ANGULAR_VELOCITY)
    return m3_tmulv(&R->R, v3_sub(own.angular, reference.angular));
  v3 carried = v3_cross(reference.angular, v3_sub(X->p, R->p));
  return m3_tmulv(&R->R, v3_sub(v3_sub(own.linear, reference.linear), carried));
}

static v3 read_vector(const cr_sensing* s, int sensor, const pose* X, const pose* R) {
  carom_sensor_type type = (carom_sensor_type)s->model->sensor.type[sensor];
  int link = s->model->sensor.link[2 * sensor];
  switch (type) {
  case CAROM_SENSOR_FRAME_POSITION:
    return pose_inverse_point(R, X->p);
  case CAROM_SENSOR_FRAME_X_AXIS:
  case CAROM_SENSOR_FRAME_Y_AXIS:
  case CAROM_SENSOR_FRAME_Z_AXIS:
    return m3_tmulv(&R->R, m3_column(&X->R, (int)(type - CAROM_SENSOR_FRAME_X_AXIS)));
  case CAROM_SENSOR_FRAME_LINEAR_ACCELERATION:
    return find_acceleration(s, link, X->p).linear;
  case CAROM_SENSOR_FRAME_ANGULAR_ACCELERATION:
    return find_acceleration(s, link, X->p).angular;
  default:
    return read_velocity(s, sensor, X, R);
  }
}

void cr_sensing_read_frame(const cr_sensing* s, int sensor, double* out) {
  pose X = cr_sensing_find_pose(s, sensor, 0), R = cr_sensing_find_pose(s, sensor, 1);
  if (s->model->sensor.type[sensor] != CAROM_SENSOR_FRAME_QUATERNION) {
    v3_store(read_vector(s, sensor, &X, &R), out);
    return;
  }
  pose relative = pose_relative(&R, &X);
  quat_store(quat_from_m3(&relative.R), out);
}

/* Force or torque of its parent on the site's body, about the site; the other way round where that
 * is wanted. */
static v3 read_wrench(const cr_sensing* s, int sensor, const pose* X) {
  const cr_sensor_model* m = &s->model->sensor;
  sv F = s->body_force[s->model->site.body[m->object[sensor]]];
  bool is_force = m->type[sensor] == CAROM_SENSOR_FORCE;
  return v3_scale(m->sign[sensor], is_force ? F.lin : v3_sub(F.ang, v3_cross(X->p, F.lin)));
}

void cr_sensing_read_site(const cr_sensing* s, int sensor, double* out) {
  const cr_sensor_model* m = &s->model->sensor;
  pose X = cr_sensing_find_pose(s, sensor, 0);
  int link = m->link[2 * sensor];
  v3 world;
  switch ((carom_sensor_type)m->type[sensor]) {
  case CAROM_SENSOR_TOUCH:
    out[0] = cr_sensing_read_touch(s, sensor);
    return;
  case CAROM_SENSOR_RANGEFINDER:
    out[0] = cr_sensing_read_range(s, sensor);
    return;
  case CAROM_SENSOR_VELOCIMETER:
    world = find_velocity(s, link, X.p).linear;
    break;
  case CAROM_SENSOR_GYRO:
    world = find_velocity(s, link, X.p).angular;
    break;
  case CAROM_SENSOR_ACCELEROMETER:
    world = find_acceleration(s, link, X.p).linear;
    break;
  case CAROM_SENSOR_MAGNETOMETER:
    world = v3_load(m->magnetic);
    break;
  default:
    world = read_wrench(s, sensor, &X);
    break;
  }
  v3_store(m3_tmulv(&X.R, world), out);
}
