/* The nearest point of a triangle: the projection where it falls inside, else the nearest point of
 * the three sides. */
#include "geom/triangle.h"

#include <stdbool.h>

/* Barycentric coordinates of the projection on the plane; false where it is outside, or there is no
 * plane. */
static bool project(const v3 corner[3], v3 x, double weight[3]) {
  v3 n = v3_cross(v3_sub(corner[1], corner[0]), v3_sub(corner[2], corner[0]));
  double square = v3_norm2(n);
  for (int i = 0; i < 3; i++) {
    v3 a = corner[(i + 1) % 3], b = corner[(i + 2) % 3];
    weight[i] = v3_dot(v3_cross(v3_sub(b, a), v3_sub(x, a)), n) / square;
    if (!(weight[i] >= 0)) return false;
  }
  return true;
}

static v3 point_at(const v3 corner[3], const double weight[3]) {
  v3 sum = v3_scale(weight[0], corner[0]);
  return v3_axpy(v3_axpy(sum, weight[1], corner[1]), weight[2], corner[2]);
}

/* Parameter in [0, 1] of the point of a side that is nearest to x; 0 where the side has no length.
 */
static double find_on_side(v3 a, v3 b, v3 x) {
  v3 along = v3_sub(b, a);
  double t = v3_dot(v3_sub(x, a), along) / v3_norm2(along);
  return t > 0 ? (t < 1 ? t : 1) : 0;
}

v3 cr_triangle_find_nearest(const v3 corner[3], v3 x, double weight[3]) {
  v3 best = v3_zero();
  double least = -1;
  if (project(corner, x, weight)) return point_at(corner, weight);
  for (int i = 0; i < 3; i++) {
    double own[3] = {0}, t = find_on_side(corner[i], corner[(i + 1) % 3], x);
    own[i] = 1 - t, own[(i + 1) % 3] = t;
    v3 p = point_at(corner, own);
    double distance = v3_norm2(v3_sub(x, p));
    if (least >= 0 && !(distance < least)) continue;
    least = distance, best = p;
    for (int k = 0; k < 3; k++) weight[k] = own[k];
  }
  return best;
}
