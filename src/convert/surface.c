/* Surfaces of geometries: round shapes turn a profile about z, boxes and planes are rectangles,
 * meshes come with the recording. */
#include "convert/surface.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

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
    double angle = 2 * M_PI * k / SECTORS, c = cos(angle), d = sin(angle);
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
    double angle = M_PI * ((double)i / CR_SURFACE_BANDS - 0.5);
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

/* A triangle with points of its own. */
static void add_flat(cr_surface* s, const double* a, const double* b, const double* c) {
  v3 side = v3_sub(v3_load(b), v3_load(a)), other = v3_sub(v3_load(c), v3_load(a));
  v3 n = v3_normalize_or(v3_cross(side, other), v3_make(0, 0, 1));
  const double* const corners[3] = {a, b, c};
  for (int i = 0; i < 3; i++)
    add_point(s, corners[i][0], corners[i][1], corners[i][2], n.x, n.y, n.z);
  add_triangle(s, s->num_points - 3, s->num_points - 2, s->num_points - 1);
}

/* The middle of the bounds may lie outside, the mean of the vertices does not. */
static void make_mesh(cr_surface* s, const carom_mesh_info* mesh) {
  const double* v = mesh->vertices;
  for (int i = 0; i < mesh->num_triangles; i++) {
    const int* t = mesh->triangles + 3 * (size_t)i;
    add_flat(s, v + 3 * (size_t)t[0], v + 3 * (size_t)t[1], v + 3 * (size_t)t[2]);
  }
  for (int i = 0; i < 3 * mesh->num_vertices; i++) s->middle[i % 3] += v[i] / mesh->num_vertices;
}

/* --- All shapes ---------------------------------------------------------------------------------
 */

bool cr_surface_init(cr_surface* s, const carom_recording* recording, cr_arena* arena) {
  int points = CR_SURFACE_POINTS, triangles = CR_SURFACE_TRIANGLES;
  int num_meshes = recording ? carom_recording_get_info(recording).num_meshes : 0;
  for (int i = 0; i < num_meshes; i++) {
    int count = carom_recording_get_mesh(recording, i).num_triangles;
    if (count > triangles) triangles = count;
    if (3 * count > points) points = 3 * count;
  }
  *s = (cr_surface){.recording = recording};
  s->points = cr_arena_push(arena, sizeof *s->points * (size_t)points);
  s->normals = cr_arena_push(arena, sizeof *s->normals * (size_t)points);
  s->triangles = cr_arena_push(arena, sizeof *s->triangles * (size_t)triangles);
  return !arena->failed;
}

/* A mesh; where its surface was not recorded its bounds. */
static void make_recorded(cr_surface* surface, const carom_geom_info* geom) {
  if (geom->mesh < 0) {
    make_box(surface, geom->size);
  } else {
    carom_mesh_info mesh = carom_recording_get_mesh(surface->recording, geom->mesh);
    make_mesh(surface, &mesh);
  }
}

void cr_surface_make(const carom_geom_info* geom, double reach, cr_surface* surface) {
  surface->num_points = surface->num_triangles = 0;
  memset(surface->middle, 0, sizeof surface->middle);
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
  case CAROM_GEOM_MESH:
  case CAROM_GEOM_HEIGHT_FIELD:
    make_recorded(surface, geom);
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
  case CAROM_GEOM_HEIGHT_FIELD:
    return hypot(hypot(size[0], size[1]), size[2]);
  case CAROM_GEOM_ELLIPSOID:
    return fmax(size[0], fmax(size[1], size[2]));
  }
  return 0;
}
