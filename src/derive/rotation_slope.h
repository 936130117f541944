/* The derivative of a rotation vector over a turn in the body's frame. */
#ifndef CR_DERIVE_ROTATION_SLOPE_H
#define CR_DERIVE_ROTATION_SLOPE_H

#include "math/vec3.h"

#include <math.h>

/* The inverse of the exponential's right Jacobian: I + [r]×/2 + c [r]×², c = (1 - (a/2) cot(a/2)) /
 * a², a = |r|. */
static inline m3 cr_rotation_vector_slope(v3 r) {
  double a = v3_norm(r), half = 0.5 * a;
  double c = a > 1e-3 ? (1 - half / tan(half)) / (a * a) : 1.0 / 12 + a * a / 720;
  m3 x = m3_skew(r), xx = m3_mul(&x, &x), J = m3_identity();
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) J.m[i][k] += 0.5 * x.m[i][k] + c * xx.m[i][k];
  return J;
}

/* The rotation vector of a number of a quaternion, of which only the direction counts, in its own
 * frame. */
static inline v3 cr_quaternion_turn(const double* q, int element) {
  double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), x[4];
  for (int i = 0; i < 4; i++) x[i] = ((i == element) - q[i] / size * q[element] / size) / size;
  quat turn = quat_mul(quat_conjugate(quat_load(q)), quat_load(x));
  return v3_scale(2 / size, v3_make(turn.x, turn.y, turn.z));
}

#endif
