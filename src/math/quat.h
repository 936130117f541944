/* Unit quaternions (w, x, y, z) and poses. A quaternion q turns body vectors into parent vectors.
 */
#ifndef CR_MATH_QUAT_H
#define CR_MATH_QUAT_H

#include "base/shared.h"
#include "math/vec3.h"

typedef struct quat {
  double w, x, y, z;
} quat;

/* Position of a frame's origin and orientation of the frame, in its parent. */
typedef struct pose {
  v3 p;
  m3 R;
} pose;

static inline quat quat_identity(void) { return (quat){1, 0, 0, 0}; }
static inline quat quat_load(const double* p) { return (quat){p[0], p[1], p[2], p[3]}; }
static inline void quat_store(quat q, double* p) { p[0] = q.w, p[1] = q.x, p[2] = q.y, p[3] = q.z; }
static inline quat quat_conjugate(quat q) { return (quat){q.w, -q.x, -q.y, -q.z}; }
static inline double quat_norm2(quat q) { return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z; }

/* Unit length; the identity where q is zero. */
static inline quat quat_normalize(quat q) {
  double n = sqrt(quat_norm2(q));
  if (!(n > 0)) return quat_identity();
  double s = 1 / n;
  return (quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/* Hamilton product a ∘ b. */
static inline quat quat_mul(quat a, quat b) {
  return (quat){
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* Rotation by `angle` about a unit axis. */
static inline quat quat_from_axis_angle(v3 axis, double angle) {
  double s = sin(0.5 * angle);
  return (quat){cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
}

/* q turned by the body-frame vector `a` as normalise(q ∘ (1, a)): the Cayley map of 2a. */
static inline quat quat_cayley(quat q, v3 a) {
  return quat_normalize(quat_mul(q, (quat){1, a.x, a.y, a.z}));
}

static inline m3 quat_to_m3(quat q) {
  double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, ww = q.w * q.w;
  double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return (m3){{{ww + xx - yy - zz, 2 * (xy - wz), 2 * (xz + wy)},
               {2 * (xy + wz), ww - xx + yy - zz, 2 * (yz - wx)},
               {2 * (xz - wy), 2 * (yz + wx), ww - xx - yy + zz}}};
}

/* The rotation vector (axis times angle in [0, pi]) of a unit quaternion. */
static inline v3 quat_log(quat q) {
  if (q.w < 0) q = (quat){-q.w, -q.x, -q.y, -q.z};
  v3 s = {q.x, q.y, q.z};
  double n = v3_norm(s);
  double scale = n > 1e-12 ? 2 * atan2(n, q.w) / n : 2 / q.w;
  return v3_scale(scale, s);
}

/* The unit quaternion of a rotation vector. */
static inline quat quat_exp(v3 r) {
  double angle = v3_norm(r);
  double s = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5 - angle * angle / 48;
  return (quat){cos(0.5 * angle), s * r.x, s * r.y, s * r.z};
}

/* The quaternion of a rotation matrix (Shepperd's choice of the largest component). */
CR_SHARED quat quat_from_m3(const m3* R);

/* The shortest turn that takes z to a direction of any length; zero counts as z. */
CR_SHARED quat quat_turn_z(v3 direction);

static inline v3 quat_rotate(quat q, v3 a) {
  v3 u = {q.x, q.y, q.z};
  v3 t = v3_scale(2, v3_cross(u, a));
  return v3_add(v3_axpy(a, q.w, t), v3_cross(u, t));
}

static inline pose pose_identity(void) { return (pose){v3_zero(), m3_identity()}; }

/* A point of the frame, in the parent. */
static inline v3 pose_point(const pose* a, v3 x) { return v3_add(a->p, m3_mulv(&a->R, x)); }

/* A point of the parent, in the frame. */
static inline v3 pose_inverse_point(const pose* a, v3 x) {
  return m3_tmulv(&a->R, v3_sub(x, a->p));
}

/* The frame b, given in the frame a, in the parent of a. */
static inline pose pose_mul(const pose* a, const pose* b) {
  return (pose){pose_point(a, b->p), m3_mul(&a->R, &b->R)};
}

/* The frame b, given in the parent of a, in the frame a. */
static inline pose pose_relative(const pose* a, const pose* b) {
  m3 Rt = m3_transpose(&a->R);
  return (pose){pose_inverse_point(a, b->p), m3_mul(&Rt, &b->R)};
}

#endif
