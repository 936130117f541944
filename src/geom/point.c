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
  }
  CR_ASSERT(false);
  return 0;
}
