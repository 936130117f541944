/* Orientations in MJCF's five forms, and angles. */
#include "import/mjcf/class.h"

#include <ctype.h>
#include <math.h>

#define RADIANS_PER_DEGREE (3.14159265358979323846 / 180)

double cr_mjcf_angle(const cr_mjcf* m, double angle) {
  return m->compiler.angle == 0 ? angle * RADIANS_PER_DEGREE : angle;
}

/* Turns one after another: about the turning axes for x, y, z, about the fixed ones for X, Y, Z. */
static quat from_euler(const cr_mjcf* m, const double* angles) {
  quat q = quat_identity();
  for (int i = 0; i < 3; i++) {
    char letter = m->compiler.eulerseq[i];
    int axis = tolower((unsigned char)letter) - 'x';
    quat turn = quat_from_axis_angle(v3_set(v3_zero(), axis, 1), cr_mjcf_angle(m, angles[i]));
    q = letter >= 'x' ? quat_mul(q, turn) : quat_mul(turn, q);
  }
  return quat_normalize(q);
}

/* A vector of unit length; large and small ones do not overflow. */
static v3 unit(v3 a) {
  double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
  if (!(largest > 0)) return v3_make(0, 0, 1);
  return v3_normalize_or(v3_scale(1 / largest, a), v3_make(0, 0, 1));
}

/* The frame of x and what is left of y beside it. */
static quat from_axes(v3 x, v3 y) {
  x = unit(x);
  y = unit(y);
  y = unit(v3_axpy(y, -v3_dot(x, y), x));
  m3 R = m3_from_columns(x, y, v3_cross(x, y));
  quat q = quat_from_m3(&R);
  bool is_far = R.m[0][0] + R.m[1][1] + R.m[2][2] > 0 && q.w < 0;
  return is_far ? (quat){-q.w, -q.x, -q.y, -q.z} : q; /* the nearer of the two */
}

quat cr_mjcf_quaternion(const cr_mjcf* m, const cr_orientation* orientation) {
  const double* x = orientation->x;
  if (!orientation->is_given) return quat_identity();
  switch (orientation->form) {
  case CR_ORIENTATION_QUAT:
    return cr_quat_unit(x);
  case CR_ORIENTATION_AXISANGLE:
    return quat_from_axis_angle(unit(v3_load(x)), cr_mjcf_angle(m, x[3]));
  case CR_ORIENTATION_EULER:
    return from_euler(m, x);
  case CR_ORIENTATION_XYAXES:
    return from_axes(v3_load(x), v3_load(x + 3));
  case CR_ORIENTATION_ZAXIS:
    return quat_turn_z(v3_load(x));
  }
  return quat_identity();
}
