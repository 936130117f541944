/* The kinematic map and its discrete forms.
 *
 * With b = (dt/2) w and a = theta b, the step q = q0 + dt N(q^theta) w has the mid configuration
 * q^theta = q0 ∘ (1 - a)^-1 = q0 ∘ (1 + a)/(1 + |a|²), and after multiplication by 1 + |a|²
 *
 *   q ~ q0 ∘ (1 - theta (1 - theta) |b|², b)
 *
 * so every update here turns q0 about w by normalise(q0 ∘ (1 - stretch |b|², b)): the Cayley map
 * has stretch 0, the published update theta (1 - theta), which at 1/2 is the square of the Cayley
 * map of half the step. Going back with -w undoes any of them.
 *
 * The position of a free joint's frame is carried along by its anchor, p = anchor - R c, because
 * the velocity belongs to the anchor. */
#include "tree/coordinates.h"

#include <string.h>

#define UNIT_ERROR 1e-15 /* of the square of a length that round-off leaves */

/* A step of the given length along a constant velocity. */
typedef struct stride {
  const double* q0;
  const double* v;
  double length;  /* s */
  double stretch; /* of rotations; see above */
} stride;

static int count_q(int type) {
  return type == CAROM_JOINT_FREE ? 7 : type == CAROM_JOINT_BALL ? 4 : 1;
}

/* A free joint's anchor relative to its frame, world axes; most are where the frame is. */
static v3 anchor_offset(const cr_tree_model* model, int joint, quat rotation) {
  v3 anchor = v3_load(model->joint_anchor + 3 * joint);
  if (anchor.x == 0 && anchor.y == 0 && anchor.z == 0) return anchor;
  return quat_rotate(quat_normalize(rotation), anchor);
}

static quat turn(const stride* step, quat q0, const double* w) {
  v3 b = v3_scale(0.5 * step->length, v3_load(w));
  quat factor = {1 - step->stretch * v3_norm2(b), b.x, b.y, b.z};
  return quat_normalize(quat_mul(q0, factor));
}

static void move_free(const cr_tree_model* model, int joint, const stride* step, double* q) {
  const double* q0 = step->q0 + model->joint_q_start[joint];
  const double* v = step->v + model->joint_v_start[joint];
  quat r0 = quat_load(q0 + 3), r1 = turn(step, r0, v + 3);
  v3 anchor = v3_add(v3_load(q0), anchor_offset(model, joint, r0));
  anchor = v3_axpy(anchor, step->length, v3_load(v));
  v3_store(v3_sub(anchor, anchor_offset(model, joint, r1)), q);
  quat_store(r1, q + 3);
}

static void move_tree(const cr_tree_model* model, int tree, const stride* step, double* q) {
  for (int j = cr_tree_first_joint(model, tree); j < cr_tree_end_joint(model, tree); j++) {
    int at = model->joint_q_start[j];
    const double* v = step->v + model->joint_v_start[j];
    switch ((carom_joint_type)model->joint_type[j]) {
    case CAROM_JOINT_FREE:
      move_free(model, j, step, q + at);
      break;
    case CAROM_JOINT_BALL:
      quat_store(turn(step, quat_load(step->q0 + at), v), q + at);
      break;
    case CAROM_JOINT_SLIDE:
    case CAROM_JOINT_HINGE:
      q[at] = step->q0[at] + step->length * v[0];
      break;
    }
  }
}

/* The tree's part of an array over q or v. */
static void copy_q(const cr_tree_model* model, int tree, const double* from, double* to) {
  for (int j = cr_tree_first_joint(model, tree); j < cr_tree_end_joint(model, tree); j++) {
    int at = model->joint_q_start[j];
    memmove(to + at, from + at, sizeof(double) * (size_t)count_q(model->joint_type[j]));
  }
}

static void copy_v(const cr_tree_model* model, int tree, const double* from, double* to) {
  int start = model->tree_v_start[tree], count = model->tree_v_start[tree + 1] - start;
  memmove(to + start, from + start, sizeof(double) * (size_t)count);
}

void cr_tree_compute_mid_configuration(const cr_tree_model* model, int tree, const double* q0,
                                       const double* v, double dt, double theta, double* q) {
  stride step = {q0, v, theta * dt, 0};
  if (theta == 0)
    copy_q(model, tree, q0, q);
  else
    move_tree(model, tree, &step, q);
}

double cr_tree_find_stretch(double theta, cr_rotation_update update) {
  return update == CR_ROTATION_CAYLEY && theta == 0.5 ? 0 : theta * (1 - theta);
}

void cr_tree_advance(const cr_tree_model* model, int tree, const double* q0, const double* v,
                     double dt, double theta, cr_rotation_update update, double* q) {
  stride step = {q0, v, dt, cr_tree_find_stretch(theta, update)};
  move_tree(model, tree, &step, q);
}

/* q' = q ∘ (0, w) / 2 */
static void store_quat_rate(const double* q, const double* w, double* q_dot) {
  quat half = {0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
  quat_store(quat_mul(quat_load(q), half), q_dot);
}

void cr_tree_compute_rates(const cr_tree_model* model, int tree, const double* q, const double* v,
                           double* q_dot) {
  for (int j = cr_tree_first_joint(model, tree); j < cr_tree_end_joint(model, tree); j++) {
    int at = model->joint_q_start[j];
    const double* vj = v + model->joint_v_start[j];
    switch ((carom_joint_type)model->joint_type[j]) {
    case CAROM_JOINT_FREE:
      v3_store(v3_load(vj), q_dot + at);
      store_quat_rate(q + at + 3, vj + 3, q_dot + at + 3);
      break;
    case CAROM_JOINT_BALL:
      store_quat_rate(q + at, vj, q_dot + at);
      break;
    case CAROM_JOINT_SLIDE:
    case CAROM_JOINT_HINGE:
      q_dot[at] = vj[0];
      break;
    }
  }
}

/* The rotation vector from q0 to q1, in the body frame (the same in both). */
static v3 rotation_between(const double* q0, const double* q1) {
  return quat_log(quat_normalize(quat_mul(quat_conjugate(quat_load(q0)), quat_load(q1))));
}

void cr_tree_compute_difference(const cr_tree_model* model, int tree, const double* q0,
                                const double* q1, double* v) {
  for (int j = cr_tree_first_joint(model, tree); j < cr_tree_end_joint(model, tree); j++) {
    const double *a = q0 + model->joint_q_start[j], *b = q1 + model->joint_q_start[j];
    double* vj = v + model->joint_v_start[j];
    switch ((carom_joint_type)model->joint_type[j]) {
    case CAROM_JOINT_FREE: {
      v3 offset = v3_sub(anchor_offset(model, j, quat_load(b + 3)),
                         anchor_offset(model, j, quat_load(a + 3)));
      v3_store(v3_add(v3_sub(v3_load(b), v3_load(a)), offset), vj);
      v3_store(rotation_between(a + 3, b + 3), vj + 3);
      break;
    }
    case CAROM_JOINT_BALL:
      v3_store(rotation_between(a, b), vj);
      break;
    case CAROM_JOINT_SLIDE:
    case CAROM_JOINT_HINGE:
      vj[0] = b[0] - a[0];
      break;
    }
  }
}

/* The tree's free joint when its anchor is off the frame's origin, so that interface and internal
 * velocities differ; else -1. It can only be the first joint. */
static int find_offset_joint(const cr_tree_model* model, int tree) {
  int joint = cr_tree_first_joint(model, tree);
  if (model->joint_type[joint] != CAROM_JOINT_FREE) return -1;
  return v3_norm2(v3_load(model->joint_anchor + 3 * joint)) > 0 ? joint : -1;
}

/* out = in, but for the linear part of the offset joint, which moves by
 * sign * R (w × c): from the origin's velocity to the anchor's with sign = 1. */
static void shift_velocity(const cr_tree_model* model, int tree, const double* q, double sign,
                           const double* in, double* out) {
  copy_v(model, tree, in, out);
  int joint = find_offset_joint(model, tree);
  if (joint < 0) return;
  quat R = quat_normalize(quat_load(q + model->joint_q_start[joint] + 3));
  v3 c = v3_load(model->joint_anchor + 3 * joint);
  double* lin = out + model->joint_v_start[joint];
  v3 across = quat_rotate(R, v3_cross(v3_load(lin + 3), c));
  v3_store(v3_axpy(v3_load(lin), sign, across), lin);
}

/* out = in, but for the moment of the offset joint, which changes by sign * c × Rᵀ f: from the
 * moment about the anchor to that about the origin with sign = 1. */
static void shift_force(const cr_tree_model* model, int tree, const double* q, double sign,
                        const double* in, double* out) {
  copy_v(model, tree, in, out);
  int joint = find_offset_joint(model, tree);
  if (joint < 0) return;
  quat R = quat_normalize(quat_load(q + model->joint_q_start[joint] + 3));
  v3 c = v3_load(model->joint_anchor + 3 * joint);
  double* f = out + model->joint_v_start[joint];
  v3 moment = v3_cross(c, quat_rotate(quat_conjugate(R), v3_load(f)));
  v3_store(v3_axpy(v3_load(f + 3), sign, moment), f + 3);
}

void cr_tree_to_internal(const cr_tree_model* model, int tree, const double* q, const double* v,
                         double* u) {
  shift_velocity(model, tree, q, 1, v, u);
}

void cr_tree_to_interface(const cr_tree_model* model, int tree, const double* q, const double* u,
                          double* v) {
  shift_velocity(model, tree, q, -1, u, v);
}

void cr_tree_force_to_internal(const cr_tree_model* model, int tree, const double* q,
                               const double* interface_force, double* internal_force) {
  shift_force(model, tree, q, -1, interface_force, internal_force);
}

void cr_tree_force_to_interface(const cr_tree_model* model, int tree, const double* q,
                                const double* internal_force, double* interface_force) {
  shift_force(model, tree, q, 1, internal_force, interface_force);
}

void cr_tree_acceleration_to_interface(const cr_tree_model* model, int tree, const double* q,
                                       const double* velocity, const double* u_dot, double* v_dot) {
  shift_velocity(model, tree, q, -1, u_dot, v_dot);
  int joint = find_offset_joint(model, tree);
  if (joint < 0) return;

  // The anchor circles about the origin: v_lin = u_lin - R (w × c), R' = R [w]×.
  quat R = quat_normalize(quat_load(q + model->joint_q_start[joint] + 3));
  v3 c = v3_load(model->joint_anchor + 3 * joint);
  v3 w = v3_load(velocity + model->joint_v_start[joint] + 3);
  double* lin = v_dot + model->joint_v_start[joint];
  v3_store(v3_sub(v3_load(lin), quat_rotate(R, v3_cross(w, v3_cross(w, c)))), lin);
}

/* One that is a unit to round-off stays as it is, to the bit. */
static void normalize(double* at) {
  if (!(fabs(quat_norm2(quat_load(at)) - 1) <= UNIT_ERROR))
    quat_store(quat_normalize(quat_load(at)), at);
}

void cr_tree_normalize(const cr_tree_model* model, int tree, double* q) {
  for (int j = cr_tree_first_joint(model, tree); j < cr_tree_end_joint(model, tree); j++) {
    int type = model->joint_type[j];
    if (type == CAROM_JOINT_FREE || type == CAROM_JOINT_BALL)
      normalize(q + model->joint_q_start[j] + (type == CAROM_JOINT_FREE ? 3 : 0));
  }
}

void cr_tree_normalize_mocaps(const cr_tree_model* model, double* q) {
  for (int i = 0; i < model->num_mocaps; i++) normalize(q + model->mocap_q + 7 * (size_t)i + 3);
}
