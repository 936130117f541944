/* Signed distance of a point to a shape. */
#ifndef CR_GEOM_POINT_H
#define CR_GEOM_POINT_H

#include "geom/shape.h"

/* Signed distance, negative inside, and its unit gradient, both in the shape's frame. Where the
 * nearest surface point is not unique one is chosen. Not for planes and meshes. */
double cr_point_distance(const cr_shape* shape, v3 x, v3* gradient);

/* Direction and length of x; `fallback` and zero where x is too short to have one. */
static inline v3 cr_point_direction(v3 x, v3 fallback, double* length) {
  *length = v3_norm(x);
  if (*length > 1e-150) return v3_scale(1 / *length, x);
  *length = 0;
  return fallback;
}

#endif
