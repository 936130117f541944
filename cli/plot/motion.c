/* Velocities go from parents to children; in a body's frame the joints that it hangs on are undone
 * one by one, the last one first, because each acts in the frame that those before it leave:
 *
 *     w = w_parent + sum_k a_k dq_k,   v = v_parent + w_parent x (x - x_parent) + sum_k ...
 */
#include "motion.h"

#include "../state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct plot_motion {
  int num_bodies, num_joints;
  carom_body_info* bodies;
  carom_joint_info* joints;
  int* last_joint;   /* [num_bodies] of the body, -1: none */
  int* joint_before; /* [num_joints] on the same body, -1: none */
  double* reference; /* [num_q] */
  bool* moves;       /* [num_bodies] hangs on a joint, directly or not */
  plot_twist* twists;
  double momentum[9];
};

/* --- Vectors ------------------------------------------------------------------------------------
 */

static void cross(const double a[3], const double b[3], double c[3]) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
  c[0] = x, c[1] = y;
}

static void add_scaled(double a[3], double s, const double b[3]) {
  for (int k = 0; k < 3; k++) a[k] += s * b[k];
}

/* v turned by a unit quaternion w x y z: v + 2 w (u x v) + 2 u x (u x v). */
static void rotate(const double q[4], const double v[3], double out[3]) {
  double t[3], u[3];
  cross(q + 1, v, t);
  for (int k = 0; k < 3; k++) t[k] *= 2;
  cross(q + 1, t, u);
  for (int k = 0; k < 3; k++) out[k] = v[k] + q[0] * t[k] + u[k];
}

/* a b, of quaternions. */
static void multiply(const double a[4], const double b[4], double out[4]) {
  double u[3], w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  cross(a + 1, b + 1, u);
  for (int k = 0; k < 3; k++) u[k] += a[0] * b[1 + k] + b[0] * a[1 + k];
  out[0] = w;
  memcpy(out + 1, u, sizeof u);
}

/* --- Velocities ---------------------------------------------------------------------------------
 */

/* Adds the velocity of a turn about a point to that of a place. */
static void add_turn(plot_twist* twist, const double angular[3], const double anchor[3],
                     const double place[3]) {
  double arm[3], v[3];
  for (int k = 0; k < 3; k++) arm[k] = place[k] - anchor[k];
  cross(angular, arm, v);
  add_scaled(twist->angular, 1, angular);
  add_scaled(twist->linear, 1, v);
}

/* Turns a frame back about an anchor, by a rotation given in the frame itself. */
static void undo_turn(double frame[7], const double rotation[4], const double local_anchor[3],
                      const double anchor[3]) {
  double back[4] = {rotation[0], -rotation[1], -rotation[2], -rotation[3]}, arm[3];
  multiply(frame + 3, back, frame + 3);
  rotate(frame + 3, local_anchor, arm);
  for (int k = 0; k < 3; k++) frame[k] = anchor[k] - arm[k];
}

/* Adds what a joint gives to the body's velocity, and takes it out of the frame.
 * @param frame of the body, without the joints after this one
 * @param place of the body's origin */
static void add_joint(const plot_motion* m, const carom_joint_info* joint, const carom_frame* f,
                      const double place[3], double frame[7], plot_twist* twist) {
  const double *v = f->v + joint->v_address, *q = f->q + joint->q_address;
  double axis[3], anchor[3], angular[3] = {0, 0, 0};
  rotate(frame + 3, joint->axis, axis);
  rotate(frame + 3, joint->anchor, anchor);
  add_scaled(anchor, 1, frame);
  double moved = q[0] - m->reference[joint->q_address], half = moved / 2;
  switch (joint->type) {
  case CAROM_JOINT_FREE:
    rotate(frame + 3, v + 3, angular);
    memcpy(twist->angular, angular, sizeof angular);
    memcpy(twist->linear, v, sizeof twist->linear);
    return;
  case CAROM_JOINT_SLIDE:
    add_scaled(twist->linear, v[0], axis);
    add_scaled(frame, -moved, axis);
    return;
  case CAROM_JOINT_HINGE:
    add_scaled(angular, v[0], axis);
    add_turn(twist, angular, anchor, place);
    double turn[4] = {cos(half), sin(half) * joint->axis[0], sin(half) * joint->axis[1],
                      sin(half) * joint->axis[2]};
    undo_turn(frame, turn, joint->anchor, anchor);
    return;
  case CAROM_JOINT_BALL:
    rotate(frame + 3, v, angular);
    add_turn(twist, angular, anchor, place);
    undo_turn(frame, q, joint->anchor, anchor);
    return;
  }
}

static void compute_twist(plot_motion* m, const carom_frame* f, int body) {
  int parent = m->bodies[body].parent;
  const double* place = f->poses + 7 * body;
  double frame[7];
  plot_twist* twist = &m->twists[body];
  *twist = (plot_twist){0};
  memcpy(frame, place, sizeof frame);
  if (parent >= 0) {
    add_turn(twist, m->twists[parent].angular, f->poses + 7 * parent, place);
    add_scaled(twist->linear, 1, m->twists[parent].linear);
  }
  for (int j = m->last_joint[body]; j >= 0; j = m->joint_before[j])
    add_joint(m, &m->joints[j], f, place, frame, twist);
}

/* --- Momentum -----------------------------------------------------------------------------------
 */

/* The angular momentum of a body about its centre of mass, world frame. */
static void compute_spin(const double I[6], const double quaternion[4], const double angular[3],
                         double spin[3]) {
  double back[4] = {quaternion[0], -quaternion[1], -quaternion[2], -quaternion[3]}, w[3];
  rotate(back, angular, w);
  double local[3] = {I[0] * w[0] + I[3] * w[1] + I[4] * w[2],
                     I[3] * w[0] + I[1] * w[1] + I[5] * w[2],
                     I[4] * w[0] + I[5] * w[1] + I[2] * w[2]};
  rotate(quaternion, local, spin);
}

static void compute_momentum(plot_motion* m, const carom_frame* f) {
  double mass = 0, centre[3] = {0, 0, 0}, *linear = m->momentum, *about_centre = m->momentum + 3;
  double* about_origin = m->momentum + 6;
  memset(m->momentum, 0, sizeof m->momentum);
  for (int b = 1; b < m->num_bodies; b++) {
    if (!m->moves[b]) continue;
    const carom_body_info* body = &m->bodies[b];
    const double* pose = f->poses + 7 * b;
    double arm[3], place[3], p[3], spin[3];
    rotate(pose + 3, body->com, arm);
    cross(m->twists[b].angular, arm, p);
    for (int k = 0; k < 3; k++) {
      place[k] = pose[k] + arm[k];
      p[k] = body->mass * (p[k] + m->twists[b].linear[k]);
    }
    mass += body->mass;
    add_scaled(centre, body->mass, place);
    add_scaled(linear, 1, p);
    cross(place, p, arm);
    add_scaled(about_origin, 1, arm);
    compute_spin(body->inertia, pose + 3, m->twists[b].angular, spin);
    add_scaled(about_origin, 1, spin);
  }
  double orbit[3];
  cross(centre, linear, orbit);
  memcpy(about_centre, about_origin, 3 * sizeof(double));
  if (mass > 0) add_scaled(about_centre, -1 / mass, orbit);
}

void plot_motion_update(plot_motion* motion, const carom_frame* frame) {
  for (int b = 1; b < motion->num_bodies; b++) compute_twist(motion, frame, b);
  compute_momentum(motion, frame);
}

const plot_twist* plot_motion_twist(const plot_motion* motion, int body) {
  return &motion->twists[body];
}

const double* plot_motion_momentum(const plot_motion* motion) { return motion->momentum; }

/* --- Creation -----------------------------------------------------------------------------------
 */

static bool reserve(plot_motion* m, const carom_recording_info* info) {
  size_t bodies = (size_t)info->num_bodies + 1, joints = (size_t)info->num_joints + 1;
  m->bodies = calloc(bodies, sizeof *m->bodies);
  m->joints = calloc(joints, sizeof *m->joints);
  m->last_joint = calloc(bodies, sizeof *m->last_joint);
  m->joint_before = calloc(joints, sizeof *m->joint_before);
  m->reference = calloc((size_t)info->num_q + 1, sizeof *m->reference);
  m->moves = calloc(bodies, sizeof *m->moves);
  m->twists = calloc(bodies, sizeof *m->twists);
  return m->bodies && m->joints && m->last_joint && m->joint_before && m->reference && m->moves &&
         m->twists;
}

static carom_status copy_parts(plot_motion* m, carom_recording* recording, const char* path,
                               carom_error* error) {
  for (int b = 0; b < m->num_bodies; b++) {
    m->bodies[b] = carom_recording_get_body(recording, b);
    m->last_joint[b] = -1;
    if (m->bodies[b].parent < b) continue;
    return cli_error(error, CAROM_ERROR_BAD_INPUT,
                     "%.300s: the recording is damaged: body %d stands before its parent", path, b);
  }
  for (int j = 0; j < m->num_joints; j++) {
    m->joints[j] = carom_recording_get_joint(recording, j);
    int body = m->joints[j].body;
    m->joint_before[j] = m->last_joint[body];
    m->last_joint[body] = j;
    m->moves[body] = true;
  }
  for (int b = 1; b < m->num_bodies; b++)
    if (m->bodies[b].parent >= 0 && m->moves[m->bodies[b].parent]) m->moves[b] = true;
  return CAROM_OK;
}

carom_status plot_motion_create(carom_recording* recording, const char* path,
                                const double* reference, plot_motion** motion, carom_error* error) {
  carom_recording_info info = carom_recording_get_info(recording);
  if (!info.has_parts)
    return cli_error(error, CAROM_ERROR_BAD_INPUT,
                     "%.300s: the recording is of an early version and does not say what its "
                     "bodies and joints are, which velocities and momentum follow from",
                     path);
  plot_motion* m = calloc(1, sizeof *m);
  *motion = m;
  if (!m) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  m->num_bodies = info.num_bodies, m->num_joints = info.num_joints;
  if (!reserve(m, &info)) return cli_error(error, CAROM_ERROR_OUT_OF_MEMORY, "out of memory");
  if (reference) memcpy(m->reference, reference, sizeof(double) * (size_t)info.num_q);
  return copy_parts(m, recording, path, error);
}

void plot_motion_destroy(plot_motion* motion) {
  if (!motion) return;
  free(motion->bodies);
  free(motion->joints);
  free(motion->last_joint);
  free(motion->joint_before);
  free(motion->reference);
  free(motion->moves);
  free(motion->twists);
  free(motion);
}
