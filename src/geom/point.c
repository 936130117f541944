/* Signed distance of a point to a shape, in closed form.
 *
 * Outside, the vector from the nearest point of the shape; inside, the nearest of its faces. Where
 * only one face is in question its normal is exact, not the quotient of a short vector. */
#include "geom/point.h"

#include "base/assert.h"

static double capsule_distance(const double* size, v3 x, v3* gradient) {
  double length;
  x.z -= fmax(-size[1], fmin(size[1], x.z));
  *gradient = cr_point_direction(x, v3_make(1, 0, 0), &length);
  return length - size[0];
}

static double cylinder_distance(const double* size, v3 x, v3* gradient) {
  double across, sign = copysign(1, x.z);
  v3 radial = cr_point_direction(v3_make(x.x, x.y, 0), v3_make(1, 0, 0), &across);
  double side = across - size[0], end = fabs(x.z) - size[1];
  if (side > 0 && end > 0) {
    double length = sqrt(side * side + end * end);
    *gradient = v3_scale(side / length, radial);
    gradient->z = sign * (end / length);
    return length;
  }
  if (side > end) {
    *gradient = radial;
    return side;
  }
  *gradient = v3_make(0, 0, sign);
  return end;
}

static double box_distance(const double* size, v3 x, v3* gradient) {
  const double at[3] = {x.x, x.y, x.z};
  double excess[3];
  int outside = 0, nearest = 0;
  for (int i = 0; i < 3; i++) {
    excess[i] = fabs(at[i]) - size[i];
    outside += excess[i] > 0;
    if (excess[i] > excess[nearest]) nearest = i;
  }
  if (outside < 2) {
    *gradient = v3_set(v3_zero(), nearest, copysign(1, at[nearest]));
    return excess[nearest];
  }
  double length;
  v3 away = v3_make(copysign(fmax(excess[0], 0), x.x), copysign(fmax(excess[1], 0), x.y),
                    copysign(fmax(excess[2], 0), x.z));
  *gradient = cr_point_direction(away, v3_make(0, 0, 1), &length);
  return length;
}

/* Newton's steps climb to the root from the left, quadratically. */
#define MAX_STEPS 100

/* Sum of squares of the terms axis_i y_i / (t + axis_i²), less one, and its derivative by t. It
 * falls and is convex right of minus the least axis squared. */
static double ellipsoid_excess(const double* axis, const double* y, double t, double* slope) {
  double sum = -1;
  *slope = 0;
  for (int i = 0; i < 3; i++) {
    double span = t + axis[i] * axis[i];
    if (!(y[i] > 0) || !(span > 0)) continue;
    double term = axis[i] * y[i] / span;
    sum += term * term;
    *slope -= 2 * term * term / span;
  }
  return sum;
}

/* The nearest point of an ellipsoid to y, whose coordinates are not negative (Eberly 2013): x_i =
 * axis_i² y_i / (t + axis_i²) at the root t. Where y is so far inside that there is none, x leaves
 * the plane of the longer axes. */
static void ellipsoid_nearest(const double* axis, const double* y, double* x) {
  int least = axis[1] < axis[0] ? 1 : 0;
  if (axis[2] < axis[least]) least = 2;
  double low = -axis[least] * axis[least], t = low + axis[least] * y[least], slope, rest = 1;
  double excess = ellipsoid_excess(axis, y, t, &slope);
  for (int step = 0; step < MAX_STEPS && excess > 0 && slope < 0; step++) {
    double next = t - excess / slope;
    if (!(next > t)) break;
    t = next;
    excess = ellipsoid_excess(axis, y, t, &slope);
  }
  for (int i = 0; i < 3; i++) {
    double span = t + axis[i] * axis[i];
    x[i] = span > 0 && y[i] > 0 ? axis[i] * axis[i] * y[i] / span : 0;
    rest -= i == least ? 0 : x[i] * x[i] / (axis[i] * axis[i]);
  }
  if (!(y[least] > 0)) x[least] = axis[least] * sqrt(fmax(rest, 0));
}

static double ellipsoid_distance(const double* size, v3 p, v3* gradient) {
  const double y[3] = {fabs(p.x), fabs(p.y), fabs(p.z)};
  double x[3], largest = fmax(size[0], fmax(size[1], size[2]));
  ellipsoid_nearest(size, y, x);
  v3 normal = v3_zero(), axes = v3_scale(1 / largest, v3_load(size));
  for (int i = 0; i < 3; i++)
    normal = v3_set(normal, i, x[i] / (v3_get(axes, i) * v3_get(axes, i)));
  normal = v3_normalize_or(normal, v3_make(0, 0, 1));
  *gradient = v3_make(copysign(normal.x, p.x), copysign(normal.y, p.y), copysign(normal.z, p.z));
  return v3_dot(normal, v3_sub(v3_load(y), v3_load(x)));
}

double cr_point_distance(const cr_shape* shape, v3 x, v3* gradient) {
  switch (shape->type) {
  case CAROM_GEOM_PLANE:
    break;
  case CAROM_GEOM_SPHERE: {
    double length;
    *gradient = cr_point_direction(x, v3_make(0, 0, 1), &length);
    return length - shape->size[0];
  }
  case CAROM_GEOM_CAPSULE:
    return capsule_distance(shape->size, x, gradient);
  case CAROM_GEOM_CYLINDER:
    return cylinder_distance(shape->size, x, gradient);
  case CAROM_GEOM_BOX:
    return box_distance(shape->size, x, gradient);
  case CAROM_GEOM_ELLIPSOID:
    return ellipsoid_distance(shape->size, x, gradient);
  case CAROM_GEOM_MESH:
  case CAROM_GEOM_HEIGHT_FIELD:
    break;
  }
  CR_ASSERT(false);
  return 0;
}
