/* Shapes in their own frame: bounds, mass properties, support points. */
#ifndef CR_GEOM_SHAPE_H
#define CR_GEOM_SHAPE_H

#include "base/shared.h"
#include "math/quat.h"
#include "mesh/hull.h"

#include "carom/types.h"

/* A shape about its frame's origin; `size` as in carom_geom_type. A mesh is the polyhedron `hull`,
 * or, where it has one, the `surface`, of which that is the hull; a height field is a surface. Both
 * belong to the model. What follows is of the hull, where there is one, and not for meshes that are
 * only drawn. */
typedef struct cr_shape {
  carom_geom_type type;
  int family; /* two surfaces of one family meet as their hulls; 0: none */
  double size[3];
  const cr_hull* hull; /* null but for meshes, and for those that are only drawn */
  const struct cr_trisurface*
      surface; /* null but for height fields and meshes that are not convex */
} cr_shape;

/* Whether a pair meets as the hulls of both, though both are surfaces. */
static inline bool cr_shapes_meet_as_hulls(const cr_shape* a, const cr_shape* b) {
  return a->family != 0 && a->family == b->family && a->surface && b->surface;
}

/* An axis-aligned box. */
typedef struct cr_aabb {
  v3 low, high;
} cr_aabb;

/* Volume, m³; infinite for a plane. Not for meshes. */
double cr_shape_compute_volume(const cr_shape* shape);

/* Moments of inertia about the centre, per unit mass, about x, y, z (the shape's own axes are
 * principal), m². Zero for a plane. Not for meshes. */
v3 cr_shape_compute_unit_inertia(const cr_shape* shape);

/* Bounds in the world of the shape at a pose; a plane's are infinite below its surface, as tight as
 * an axis-aligned normal allows. */
CR_SHARED cr_aabb cr_shape_compute_aabb(const cr_shape* shape, const pose* X);

/* Radius of the smallest sphere about the frame's origin that holds the shape; inf for a plane. */
double cr_shape_compute_bounding_radius(const cr_shape* shape);

/* Smallest width of the shape, m (a quarter of it bounds how far a pair may move between two
 * looks at the geometry); inf for a plane or height field. */
double cr_shape_compute_thickness(const cr_shape* shape);

/* The point of the shape that lies farthest along a direction, both in the shape's frame. Not for
 * planes and height fields. */
CR_SHARED v3 cr_shape_compute_support(const cr_shape* shape, v3 direction);

#endif
