/* Quaternions of rotation matrices and of directions. */
#include "math/quat.h"

quat quat_from_m3(const m3* R) {
  const double(*m)[3] = R->m;
  double trace = m[0][0] + m[1][1] + m[2][2];
  quat q;
  if (trace >= m[0][0] && trace >= m[1][1] && trace >= m[2][2])
    q = (quat){1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
  else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2])
    q = (quat){m[2][1] - m[1][2], 1 + 2 * m[0][0] - trace, m[0][1] + m[1][0], m[0][2] + m[2][0]};
  else if (m[1][1] >= m[2][2])
    q = (quat){m[0][2] - m[2][0], m[0][1] + m[1][0], 1 + 2 * m[1][1] - trace, m[1][2] + m[2][1]};
  else
    q = (quat){m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], 1 + 2 * m[2][2] - trace};
  return quat_normalize(q);
}

quat quat_turn_z(v3 direction) {
  double largest = fmax(fabs(direction.x), fmax(fabs(direction.y), fabs(direction.z)));
  v3 z = v3_make(0, 0, 1);
  v3 d = largest > 0 ? v3_normalize_or(v3_scale(1 / largest, direction), z) : z;
  v3 axis = v3_make(-d.y, d.x, 0);
  double sine = hypot(d.x, d.y);
  axis = sine > 1e-10 ? v3_scale(1 / sine, axis) : v3_make(1, 0, 0);
  return quat_from_axis_angle(axis, atan2(sine, d.z));
}
