/* Shapes in their own frame: volume, inertia, bounds, thickness, support points.
 *
 * Inertia of the capsule: cylinder plus two hemispheres by the parallel axis theorem. Support
 * points are extreme points of the shape even where a whole face or edge is extreme, so that hulls
 * of support points never degenerate for the lack of a corner. */
#include "geom/shape.h"

#include "base/assert.h"
#include "geom/surface.h"

static double capsule_cylinder_volume(const double* size) {
  return M_PI * size[0] * size[0] * 2 * size[1];
}

static double ball_volume(double radius) { return 4.0 / 3.0 * M_PI * radius * radius * radius; }

double cr_shape_compute_volume(const cr_shape* shape) {
  const double* size = shape->size;
  switch (shape->type) {
  case CAROM_GEOM_PLANE:
    return INFINITY;
  case CAROM_GEOM_SPHERE:
    return ball_volume(size[0]);
  case CAROM_GEOM_CAPSULE:
    return capsule_cylinder_volume(size) + ball_volume(size[0]);
  case CAROM_GEOM_CYLINDER:
    return M_PI * size[0] * size[0] * 2 * size[1];
  case CAROM_GEOM_BOX:
    return 8 * size[0] * size[1] * size[2];
  case CAROM_GEOM_ELLIPSOID:
    return 4.0 / 3.0 * M_PI * size[0] * size[1] * size[2];
  case CAROM_GEOM_HEIGHT_FIELD:
    return 0; /* it is no body */
  case CAROM_GEOM_MESH:
    break;
  }
  CR_ASSERT(false);
  return 0;
}

static v3 cylinder_unit_inertia(double radius, double half) {
  double r2 = radius * radius, across = r2 / 4 + half * half / 3;
  return v3_make(across, across, r2 / 2);
}

static v3 capsule_unit_inertia(double radius, double half) {
  const double size[2] = {radius, half};
  double body = capsule_cylinder_volume(size), ends = ball_volume(radius);
  double r2 = radius * radius;
  v3 of_body = cylinder_unit_inertia(radius, half);
  double across = 0.4 * r2 + half * half + 0.75 * half * radius;
  v3 of_ends = v3_make(across, across, 0.4 * r2);
  v3 sum = v3_axpy(v3_scale(body, of_body), ends, of_ends);
  return v3_scale(1 / (body + ends), sum);
}

v3 cr_shape_compute_unit_inertia(const cr_shape* shape) {
  const double* size = shape->size;
  switch (shape->type) {
  case CAROM_GEOM_PLANE:
  case CAROM_GEOM_HEIGHT_FIELD:
    return v3_zero();
  case CAROM_GEOM_SPHERE: {
    double inertia = 0.4 * size[0] * size[0];
    return v3_make(inertia, inertia, inertia);
  }
  case CAROM_GEOM_CAPSULE:
    return capsule_unit_inertia(size[0], size[1]);
  case CAROM_GEOM_CYLINDER:
    return cylinder_unit_inertia(size[0], size[1]);
  case CAROM_GEOM_BOX: {
    double x2 = size[0] * size[0], y2 = size[1] * size[1], z2 = size[2] * size[2];
    return v3_make((y2 + z2) / 3, (x2 + z2) / 3, (x2 + y2) / 3);
  }
  case CAROM_GEOM_ELLIPSOID: {
    double x2 = size[0] * size[0], y2 = size[1] * size[1], z2 = size[2] * size[2];
    return v3_make((y2 + z2) / 5, (x2 + z2) / 5, (x2 + y2) / 5);
  }
  case CAROM_GEOM_MESH:
    break;
  }
  CR_ASSERT(false);
  return v3_zero();
}

/* A half space fills a slab of the world only where its normal is an axis. */
static cr_aabb plane_aabb(const pose* X) {
  v3 normal = m3_column(&X->R, 2);
  cr_aabb box = {v3_make(-INFINITY, -INFINITY, -INFINITY), v3_make(INFINITY, INFINITY, INFINITY)};
  for (int i = 0; i < 3; i++) {
    if (v3_get(normal, (i + 1) % 3) != 0 || v3_get(normal, (i + 2) % 3) != 0) continue;
    if (v3_get(normal, i) > 0)
      box.high = v3_set(box.high, i, v3_get(X->p, i));
    else
      box.low = v3_set(box.low, i, v3_get(X->p, i));
  }
  return box;
}

/* Half extent along world axis i of a disc of unit radius that is normal to the frame's z. */
static double disc_extent(const m3* R, int i) {
  return sqrt(R->m[i][0] * R->m[i][0] + R->m[i][1] * R->m[i][1]);
}

/* Bounds of the box that bounds a shape in its own frame. */
static cr_aabb turned_aabb(v3 low, v3 high, const pose* X) {
  v3 half = v3_scale(0.5, v3_sub(high, low));
  cr_shape box = {.type = CAROM_GEOM_BOX, .size = {half.x, half.y, half.z}};
  pose middle = {v3_add(X->p, m3_mulv(&X->R, v3_add(low, half))), X->R};
  return cr_shape_compute_aabb(&box, &middle);
}

cr_aabb cr_shape_compute_aabb(const cr_shape* shape, const pose* X) {
  const double* size = shape->size;
  double half[3] = {0};
  for (int i = 0; i < 3; i++) {
    const double* row = X->R.m[i];
    switch (shape->type) {
    case CAROM_GEOM_PLANE:
      return plane_aabb(X);
    case CAROM_GEOM_SPHERE:
      half[i] = size[0];
      break;
    case CAROM_GEOM_CAPSULE:
      half[i] = size[0] + size[1] * fabs(row[2]);
      break;
    case CAROM_GEOM_CYLINDER:
      half[i] = size[0] * disc_extent(&X->R, i) + size[1] * fabs(row[2]);
      break;
    case CAROM_GEOM_BOX:
      half[i] = size[0] * fabs(row[0]) + size[1] * fabs(row[1]) + size[2] * fabs(row[2]);
      break;
    case CAROM_GEOM_ELLIPSOID:
      half[i] = v3_norm(v3_mul(v3_load(size), v3_load(row)));
      break;
    case CAROM_GEOM_MESH:
      return turned_aabb(shape->hull->low, shape->hull->high, X);
    case CAROM_GEOM_HEIGHT_FIELD:
      return turned_aabb(shape->surface->low, shape->surface->high, X);
    }
  }
  v3 extent = v3_load(half);
  return (cr_aabb){v3_sub(X->p, extent), v3_add(X->p, extent)};
}

double cr_shape_compute_bounding_radius(const cr_shape* shape) {
  const double* size = shape->size;
  switch (shape->type) {
  case CAROM_GEOM_PLANE:
    return INFINITY;
  case CAROM_GEOM_SPHERE:
    return size[0];
  case CAROM_GEOM_CAPSULE:
    return size[0] + size[1];
  case CAROM_GEOM_CYLINDER:
    return sqrt(size[0] * size[0] + size[1] * size[1]);
  case CAROM_GEOM_BOX:
    return v3_norm(v3_load(size));
  case CAROM_GEOM_ELLIPSOID:
    return fmax(size[0], fmax(size[1], size[2]));
  case CAROM_GEOM_MESH:
    return shape->hull->radius;
  case CAROM_GEOM_HEIGHT_FIELD:
    return shape->surface->radius;
  }
  CR_ASSERT(false);
  return 0;
}

double cr_shape_compute_thickness(const cr_shape* shape) {
  const double* size = shape->size;
  switch (shape->type) {
  case CAROM_GEOM_PLANE:
  case CAROM_GEOM_HEIGHT_FIELD:
    return INFINITY;
  case CAROM_GEOM_SPHERE:
  case CAROM_GEOM_CAPSULE:
    return 2 * size[0];
  case CAROM_GEOM_CYLINDER:
    return 2 * fmin(size[0], size[1]);
  case CAROM_GEOM_BOX:
  case CAROM_GEOM_ELLIPSOID:
    return 2 * fmin(size[0], fmin(size[1], size[2]));
  case CAROM_GEOM_MESH:
    return shape->hull->thickness;
  }
  CR_ASSERT(false);
  return 0;
}

/* The point of the rim of a disc of this radius, at height zero, that lies farthest along d. */
static v3 rim_support(double radius, v3 d) {
  double across = sqrt(d.x * d.x + d.y * d.y);
  if (!(across > 0)) return v3_make(radius, 0, 0);
  return v3_make(radius * (d.x / across), radius * (d.y / across), 0);
}

v3 cr_shape_compute_support(const cr_shape* shape, v3 d) {
  const double* size = shape->size;
  switch (shape->type) {
  case CAROM_GEOM_PLANE:
  case CAROM_GEOM_HEIGHT_FIELD:
    break;
  case CAROM_GEOM_SPHERE:
    return v3_scale(size[0], v3_normalize_or(d, v3_make(0, 0, 1)));
  case CAROM_GEOM_CAPSULE: {
    v3 ball = v3_scale(size[0], v3_normalize_or(d, v3_make(0, 0, 1)));
    ball.z += copysign(size[1], d.z);
    return ball;
  }
  case CAROM_GEOM_CYLINDER: {
    v3 rim = rim_support(size[0], d);
    rim.z = copysign(size[1], d.z);
    return rim;
  }
  case CAROM_GEOM_BOX:
    return v3_make(copysign(size[0], d.x), copysign(size[1], d.y), copysign(size[2], d.z));
  case CAROM_GEOM_ELLIPSOID: {
    v3 axes = v3_load(size);
    return v3_mul(axes, v3_normalize_or(v3_mul(axes, d), v3_make(0, 0, 1)));
  }
  case CAROM_GEOM_MESH:
    return cr_hull_vertex(shape->hull, cr_hull_find_support(shape->hull, d));
  }
  CR_ASSERT(false);
  return v3_zero();
}
