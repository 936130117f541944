/* Normals of shapes: of round ones the gradient of what is constant on them, of others that of the
 * face whose plane or triangle is nearest. */
#include "geom/normal.h"

#include "geom/surface.h"
#include "geom/triangle.h"

#include <math.h>

static const v3 UP = {0, 0, 1};

/* Of the axis-aligned face that is nearest. */
static v3 box(const double* half, v3 x) {
  int nearest = 0;
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    double inside = fabs(half[i] - fabs(v3_get(x, i)));
    if (inside < least) least = inside, nearest = i;
  }
  return v3_set(v3_zero(), nearest, copysign(1, v3_get(x, nearest)));
}

static v3 cylinder(double radius, double half, v3 x) {
  bool is_cap = fabs(half - fabs(x.z)) < fabs(radius - hypot(x.x, x.y));
  return is_cap ? v3_make(0, 0, copysign(1, x.z)) : v3_normalize_or(v3_make(x.x, x.y, 0), UP);
}

static v3 capsule(double half, v3 x) {
  return v3_normalize_or(v3_make(x.x, x.y, x.z - fmax(-half, fmin(half, x.z))), UP);
}

static v3 ellipsoid(const double* half, v3 x) {
  v3 gradient =
      v3_make(x.x / (half[0] * half[0]), x.y / (half[1] * half[1]), x.z / (half[2] * half[2]));
  return v3_normalize_or(gradient, UP);
}

static v3 polyhedron(const cr_hull* hull, v3 x) {
  v3 found = UP;
  double highest = -INFINITY;
  for (int f = 0; f < hull->num_faces; f++) {
    v3 n = cr_hull_normal(hull, f);
    double height = v3_dot(n, x) - hull->plane[4 * f + 3];
    if (height > highest) highest = height, found = n;
  }
  return found;
}

static v3 surface(const cr_trisurface* s, v3 x) {
  double width = 1e-9 * (s->radius + v3_norm(x)), least = INFINITY;
  v3 around = v3_make(width, width, width), found = UP;
  cr_aabb near = {v3_sub(x, around), v3_add(x, around)};
  cr_trisurface_walk walk = cr_trisurface_begin(s, &near);
  for (int i; (i = cr_trisurface_next(&walk)) >= 0;) {
    cr_facet facet;
    double weight[3];
    cr_trisurface_get(s, i, &facet);
    double distance = v3_norm(v3_sub(cr_triangle_find_nearest(facet.corner, x, weight), x));
    if (distance < least) least = distance, found = facet.normal;
  }
  return found;
}

v3 cr_shape_find_normal(const cr_shape* shape, v3 x) {
  const double* size = shape->size;
  if (shape->surface) return surface(shape->surface, x);
  switch (shape->type) {
  case CAROM_GEOM_SPHERE:
    return v3_normalize_or(x, UP);
  case CAROM_GEOM_CAPSULE:
    return capsule(size[1], x);
  case CAROM_GEOM_CYLINDER:
    return cylinder(size[0], size[1], x);
  case CAROM_GEOM_BOX:
    return box(size, x);
  case CAROM_GEOM_ELLIPSOID:
    return ellipsoid(size, x);
  case CAROM_GEOM_MESH:
    return polyhedron(shape->hull, x);
  case CAROM_GEOM_PLANE:
  case CAROM_GEOM_HEIGHT_FIELD:
    break;
  }
  return UP;
}
