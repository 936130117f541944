/* Surfaces of geometries: round shapes turn a profile about z, boxes and planes are rectangles. */
#include "convert/surface.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { SECTORS = CR_SURFACE_SECTORS, MOST_RINGS = CR_SURFACE_BANDS + 2 };

static int add_point(cr_surface* s, double x, double y, double z, double nx, double ny, double nz) {
  const double point[3] = {x, y, z}, normal[3] = {nx, ny, nz};
  memcpy(s->points[s->num_points], point, sizeof point);
  memcpy(s->normals[s->num_points], normal, sizeof normal);
  return s->num_points++;
}

static void add_triangle(cr_surface* s, int a, int b, int c) {
  const int triangle[3] = {a, b, c};
  memcpy(s->triangles[s->num_triangles++], triangle, sizeof triangle);
}

/* --- Round shapes -------------------------------------------------------------------------------
 */

/* A circle about z, or a point of the axis, and the normal's two parts. */
typedef struct ring {
  double radius, z, out, up;
} ring;

/* Adds the points of a ring; returns the first. */
static int add_ring(cr_surface* s, const ring* r) {
  int first = s->num_points;
  for (int k = 0; k < (r->radius > 0 ? SECTORS : 1); k++) {
    double angle = 2 * PI * k / SECTORS, c = cos(angle), d = sin(angle);
    add_point(s, r->radius * c, r->radius * d, r->z, r->out * c, r->out * d, r->up);
  }
  return first;
}

/* The band between two rings; where one is a point, a fan. */
static void add_band(cr_surface* s, int low, bool low_is_ring, int high, bool high_is_ring) {
  for (int k = 0; k < SECTORS; k++) {
    int next = (k + 1) % SECTORS;
    int a = low + (low_is_ring ? k : 0), b = low + (low_is_ring ? next : 0);
    int c = high + (high_is_ring ? next : 0), d = high + (high_is_ring ? k : 0);
    if (low_is_ring) add_triangle(s, a, b, c);
    if (high_is_ring) add_triangle(s, a, c, d);
  }
}

/* Rings from the lowest to the highest; two at one place make an edge. */
static void turn_profile(cr_surface* s, const ring* rings, int count) {
  int before = add_ring(s, &rings[0]);
  for (int i = 1; i < count; i++) {
    const ring *low = &rings[i - 1], *high = &rings[i];
    int first = add_ring(s, high);
    bool is_edge = low->radius == high->radius && low->z == high->z;
    if (!is_edge) add_band(s, before, low->radius > 0, first, high->radius > 0);
    before = first;
  }
}

/* A sphere whose halves are `half` above and below the origin; 0: one sphere. */
static void make_capsule(cr_surface* s, double radius, double half) {
  ring rings[MOST_RINGS];
  int count = 0;
  for (int i = 0; i <= CR_SURFACE_BANDS; i++) {
    double angle = PI * ((double)i / CR_SURFACE_BANDS - 0.5);
    bool is_pole = i == 0 || i == CR_SURFACE_BANDS;
    double out = is_pole ? 0 : cos(angle), up = sin(angle);
    bool is_equator = 2 * i == CR_SURFACE_BANDS, is_low = 2 * i <= CR_SURFACE_BANDS;
    rings[count++] = (ring){radius * out, radius * up - (is_low ? half : -half), out, up};
    if (is_equator && half > 0) rings[count++] = (ring){radius, half, 1, 0};
  }
  turn_profile(s, rings, count);
}

/* A unit sphere, stretched; normals are those of the stretched surface. */
static void make_ellipsoid(cr_surface* s, const double size[3]) {
  make_capsule(s, 1, 0);
  for (int i = 0; i < s->num_points; i++) {
    double* normal = s->normals[i];
    for (int k = 0; k < 3; k++) {
      s->points[i][k] *= size[k];
      normal[k] /= size[k];
    }
    double length = hypot(hypot(normal[0], normal[1]), normal[2]);
    for (int k = 0; k < 3; k++) normal[k] /= length;
  }
}

static void make_cylinder(cr_surface* s, double radius, double half) {
  const ring rings[] = {{0, -half, 0, -1},    {radius, -half, 0, -1}, {radius, -half, 1, 0},
                        {radius, half, 1, 0}, {radius, half, 0, 1},   {0, half, 0, 1}};
  turn_profile(s, rings, sizeof rings / sizeof rings[0]);
}

/* --- Flat shapes --------------------------------------------------------------------------------
 */

/* A rectangle across an axis, at `sign` times the half size along it. */
static void add_side(cr_surface* s, const double half[3], int axis, int sign) {
  int u = (axis + 1) % 3, v = (axis + 2) % 3, first = s->num_points;
  double normal[3] = {0};
  normal[axis] = sign;
  for (int k = 0; k < 4; k++) {
    double point[3];
    point[axis] = sign * half[axis];
    point[u] = (k == 0 || k == 3) ? -half[u] : half[u];
    point[v] = (k < 2 ? -1 : 1) * sign * half[v];
    add_point(s, point[0], point[1], point[2], normal[0], normal[1], normal[2]);
  }
  add_triangle(s, first, first + 1, first + 2);
  add_triangle(s, first, first + 2, first + 3);
}

static void make_box(cr_surface* s, const double half[3]) {
  for (int axis = 0; axis < 3; axis++)
    for (int sign = -1; sign <= 1; sign += 2) add_side(s, half, axis, sign);
}

static void make_plane(cr_surface* s, const double size[3], double reach) {
  const double half[3] = {size[0] > 0 ? size[0] : reach, size[1] > 0 ? size[1] : reach, 0};
  add_side(s, half, 2, 1);
}

/* --- All shapes ---------------------------------------------------------------------------------
 */

void cr_surface_make(const carom_geom_info* geom, double reach, cr_surface* surface) {
  surface->num_points = surface->num_triangles = 0;
  switch (geom->type) {
  case CAROM_GEOM_PLANE:
    make_plane(surface, geom->size, reach);
    break;
  case CAROM_GEOM_SPHERE:
    make_capsule(surface, geom->size[0], 0);
    break;
  case CAROM_GEOM_CAPSULE:
    make_capsule(surface, geom->size[0], geom->size[1]);
    break;
  case CAROM_GEOM_CYLINDER:
    make_cylinder(surface, geom->size[0], geom->size[1]);
    break;
  case CAROM_GEOM_BOX:
    make_box(surface, geom->size);
    break;
  case CAROM_GEOM_ELLIPSOID:
    make_ellipsoid(surface, geom->size);
    break;
  case CAROM_GEOM_MESH: /* its bounds */
    make_box(surface, geom->size);
    break;
  }
}

double cr_geom_compute_radius(const carom_geom_info* geom) {
  const double* size = geom->size;
  switch (geom->type) {
  case CAROM_GEOM_PLANE:
    break;
  case CAROM_GEOM_SPHERE:
    return size[0];
  case CAROM_GEOM_CAPSULE:
    return size[0] + size[1];
  case CAROM_GEOM_CYLINDER:
    return hypot(size[0], size[1]);
  case CAROM_GEOM_BOX:
  case CAROM_GEOM_MESH:
    return hypot(hypot(size[0], size[1]), size[2]);
  case CAROM_GEOM_ELLIPSOID:
    return fmax(size[0], fmax(size[1], size[2]));
  }
  return 0;
}
