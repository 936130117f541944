/* Conversion of rotation matrices to quaternions. */
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
