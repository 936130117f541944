/* A ray and a convex shape: the stretch of the line that is within, from slabs, quadrics and half
 * spaces, each of which the line enters and leaves once. */
#include "geom/ray.h"

#include "geom/normal.h"
#include "geom/surface.h"

#include <math.h>
#include <stdbool.h>

static const cr_ray_span NOWHERE = {INFINITY, -INFINITY};

static cr_ray_span intersect(cr_ray_span a, cr_ray_span b) {
  return (cr_ray_span){fmax(a.in, b.in), fmin(a.out, b.out)};
}

/* Of two stretches of one convex shape: what lies between counts. */
static cr_ray_span unite(cr_ray_span a, cr_ray_span b) {
  if (a.in > a.out) return b;
  if (b.in > b.out) return a;
  return (cr_ray_span){fmin(a.in, b.in), fmax(a.out, b.out)};
}

/* n.x <= d along x = o + t v */
static cr_ray_span half_space(double n_o, double n_v, double d) {
  if (n_v == 0) return n_o <= d ? (cr_ray_span){-INFINITY, INFINITY} : NOWHERE;
  double t = (d - n_o) / n_v;
  return n_v > 0 ? (cr_ray_span){-INFINITY, t} : (cr_ray_span){t, INFINITY};
}

/* |x| <= h */
static cr_ray_span slab(double o, double v, double h) {
  return intersect(half_space(o, v, h), half_space(-o, -v, h));
}

/* a t² + 2 b t + c <= 0 with a >= 0 */
static cr_ray_span quadric(double a, double b, double c) {
  if (a == 0) return c <= 0 ? (cr_ray_span){-INFINITY, INFINITY} : NOWHERE;
  double discriminant = b * b - a * c;
  if (!(discriminant >= 0)) return NOWHERE;
  double root = sqrt(discriminant), far = b > 0 ? -b - root : root - b;
  double first = far / a, second = far != 0 ? c / far : 0;
  return (cr_ray_span){fmin(first, second), fmax(first, second)};
}

static cr_ray_span ball(v3 o, v3 v, double radius) {
  return quadric(v3_norm2(v), v3_dot(o, v), v3_norm2(o) - radius * radius);
}

static cr_ray_span cylinder(v3 o, v3 v, double radius, double half) {
  cr_ray_span round = quadric(v.x * v.x + v.y * v.y, o.x * v.x + o.y * v.y,
                              o.x * o.x + o.y * o.y - radius * radius);
  return intersect(round, slab(o.z, v.z, half));
}

static cr_ray_span capsule(v3 o, v3 v, double radius, double half) {
  v3 up = v3_make(0, 0, half);
  cr_ray_span ends = unite(ball(v3_sub(o, up), v, radius), ball(v3_add(o, up), v, radius));
  return unite(cylinder(o, v, radius, half), ends);
}

static cr_ray_span box(v3 o, v3 v, const double* half) {
  return intersect(slab(o.x, v.x, half[0]),
                   intersect(slab(o.y, v.y, half[1]), slab(o.z, v.z, half[2])));
}

static cr_ray_span ellipsoid(v3 o, v3 v, const double* half) {
  v3 scale = v3_make(1 / half[0], 1 / half[1], 1 / half[2]);
  return ball(v3_mul(o, scale), v3_mul(v, scale), 1);
}

static cr_ray_span polyhedron(const cr_hull* hull, v3 o, v3 v) {
  cr_ray_span span = {-INFINITY, INFINITY};
  for (int f = 0; f < hull->num_faces && span.in <= span.out; f++) {
    v3 n = cr_hull_normal(hull, f);
    span = intersect(span, half_space(v3_dot(n, o), v3_dot(n, v), hull->plane[4 * f + 3]));
  }
  return span;
}

cr_ray_span cr_ray_find_span(const cr_shape* shape, v3 o, v3 v) {
  const double* size = shape->size;
  switch (shape->type) {
  case CAROM_GEOM_PLANE:
    return half_space(o.z, v.z, 0);
  case CAROM_GEOM_SPHERE:
    return ball(o, v, size[0]);
  case CAROM_GEOM_CAPSULE:
    return capsule(o, v, size[0], size[1]);
  case CAROM_GEOM_CYLINDER:
    return cylinder(o, v, size[0], size[1]);
  case CAROM_GEOM_BOX:
    return box(o, v, size);
  case CAROM_GEOM_ELLIPSOID:
    return ellipsoid(o, v, size);
  case CAROM_GEOM_MESH:
    return polyhedron(shape->hull, o, v);
  case CAROM_GEOM_HEIGHT_FIELD:
    break;
  }
  return NOWHERE;
}

/* Planes are seen where they are drawn. */
static bool is_on_plane(const cr_shape* plane, v3 x) {
  const double* size = plane->size;
  return !(size[0] > 0 && fabs(x.x) > size[0]) && !(size[1] > 0 && fabs(x.y) > size[1]);
}

double cr_ray_cast(const cr_shape* shape, v3 origin, v3 direction) {
  if (shape->type == CAROM_GEOM_MESH && !shape->hull) return INFINITY;
  if (shape->surface)
    return cr_trisurface_cast_ray(shape->surface, origin, direction, INFINITY, -1);
  cr_ray_span span = cr_ray_find_span(shape, origin, direction);
  if (span.in > span.out || span.out < 0) return INFINITY;
  bool is_plane = shape->type == CAROM_GEOM_PLANE;
  if (is_plane && !is_on_plane(shape, v3_axpy(origin, span.in, direction))) return INFINITY;
  if (span.in >= 0) return span.in;
  return is_plane ? INFINITY : span.out;
}

/* --- Normals ------------------------------------------------------------------------------------
 */

static v3 find_surface_normal(const cr_trisurface* surface, v3 origin, v3 direction) {
  cr_facet facet;
  int triangle = cr_trisurface_find_hit(surface, origin, direction);
  if (triangle < 0) return v3_neg(direction);
  cr_trisurface_get(surface, triangle, &facet);
  return facet.normal;
}

v3 cr_ray_find_normal(const cr_shape* shape, v3 origin, v3 direction) {
  if (shape->surface) return find_surface_normal(shape->surface, origin, direction);
  double distance = cr_ray_cast(shape, origin, direction);
  return cr_shape_find_normal(shape, v3_axpy(origin, distance, direction));
}
