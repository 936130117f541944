/* Cutting of convex polygons by half spaces (Sutherland and Hodgman 1974). */
#include "geom/field_cut.h"

#include <math.h>
#include <string.h>

bool cr_field_cutter_init(cr_field_cutter* cutter, int room, cr_arena* arena,
                          cr_field_surface* surface) {
  *cutter = (cr_field_cutter){.room = room, .arena = arena, .surface = surface};
  cutter->x = CR_SCRATCH(arena, v3, room);
  cutter->next = CR_SCRATCH(arena, v3, room);
  if (surface->moves) {
    cutter->dx = CR_SCRATCH(arena, v3, room);
    cutter->dnext = CR_SCRATCH(arena, v3, room);
  }
  return !arena->failed;
}

/* n.x + d, and how it changes at a corner that moves. */
static double reach(const cr_field_plane* plane, v3 x) {
  return v3_dot(plane->at.n, x) + plane->at.d;
}

static double reach_change(const cr_field_plane* plane, v3 x, v3 dx) {
  return v3_dot(plane->d.n, x) + v3_dot(plane->at.n, dx) + plane->d.d;
}

/* Nothing is left of the corners of the square: that they stay in the plane will do. */
void cr_field_cutter_start(cr_field_cutter* cutter, const cr_field_plane* plane, double size) {
  v3 u, v, n = plane->at.n, middle = v3_scale(-plane->at.d, n);
  v3_tangents(n, &u, &v);
  cutter->count = 4;
  for (int i = 0; i < 4; i++) {
    double a = i == 0 || i == 3 ? size : -size, b = i < 2 ? size : -size;
    cutter->x[i] = v3_axpy(v3_axpy(middle, a, u), b, v);
    if (cutter->dx) cutter->dx[i] = v3_scale(-reach_change(plane, cutter->x[i], v3_zero()), n);
  }
}

void cr_field_cutter_take(cr_field_cutter* cutter, const v3* corner, const v3* change, int count) {
  cutter->count = count;
  for (int i = 0; i < count; i++) cutter->x[i] = corner[i];
  for (int i = 0; i < count && cutter->dx; i++) cutter->dx[i] = change[i];
}

/* How x = p + s (q - p) changes, s = a / (a - b), where the plane meets a side. */
static v3 meet_change(const cr_field_cutter* cutter, const cr_field_plane* plane, int i, int k) {
  v3 p = cutter->x[i], q = cutter->x[k], dp = cutter->dx[i], dq = cutter->dx[k];
  double a = reach(plane, p), b = reach(plane, q);
  double da = reach_change(plane, p, dp), db = reach_change(plane, q, dq);
  double s = a / (a - b), ds = (a * db - b * da) / ((a - b) * (a - b));
  return v3_axpy(v3_axpy(dp, s, v3_sub(dq, dp)), ds, v3_sub(q, p));
}

/* Round-off may bend a polygon that is thin: there is an end to its corners. */
void cr_field_cutter_cut(cr_field_cutter* cutter, const cr_field_plane* plane) {
  v3 *x = cutter->x, *to = cutter->next, *dto = cutter->dnext, n = plane->at.n;
  double least = 0, d = plane->at.d;
  int count = cutter->count, kept = 0;
  for (int i = 0; i < count; i++) least = fmin(least, v3_dot(n, x[i]) + d);
  if (least >= 0) return;
  for (int i = 0; i < count && kept + 2 <= cutter->room; i++) {
    int k = i + 1 < count ? i + 1 : 0;
    v3 p = x[i], q = x[k];
    double a = v3_dot(n, p) + d, b = v3_dot(n, q) + d;
    if (a >= 0) {
      if (dto) dto[kept] = cutter->dx[i];
      to[kept++] = p;
    }
    if ((a < 0 && b > 0) || (a > 0 && b < 0)) {
      if (dto) dto[kept] = meet_change(cutter, plane, i, k);
      to[kept++] = v3_axpy(p, a / (a - b), v3_sub(q, p));
    }
  }
  cutter->next = x, cutter->x = to, cutter->count = kept;
  cutter->dnext = cutter->dx, cutter->dx = dto;
}

static cr_field_triangle* copy(const cr_field_triangle* from, int count, int capacity,
                               cr_arena* arena) {
  cr_field_triangle* to = CR_SCRATCH(arena, cr_field_triangle, capacity);
  if (to && count) memcpy(to, from, sizeof *to * (size_t)count);
  return to;
}

static bool grow(cr_field_surface* surface, cr_arena* arena) {
  if (surface->count < surface->capacity) return true;
  int capacity = 2 * surface->capacity + 32;
  surface->triangle = copy(surface->triangle, surface->count, capacity, arena);
  if (surface->moves) surface->change = copy(surface->change, surface->count, capacity, arena);
  surface->capacity = capacity;
  return !arena->failed;
}

/* How the triangle of three corners does; where round-off has turned it over its area shrinks as it
 * would grow. */
static void enter_change(const cr_field_cutter* cutter, const int* corner,
                         const cr_field_face* face, const cr_field_face* change) {
  const cr_field_surface* surface = cutter->surface;
  const cr_field_triangle* t = &surface->triangle[surface->count - 1];
  cr_field_triangle* d = &surface->change[surface->count - 1];
  for (int k = 0; k < 3; k++) {
    v3 dx = d->x[k] = cutter->dx[corner[k]];
    d->pressure[k] = v3_dot(change->pressure.gradient, t->x[k]) +
                     v3_dot(face->pressure.gradient, dx) + change->pressure.value;
  }
  v3 p = v3_sub(t->x[1], t->x[0]), q = v3_sub(t->x[2], t->x[0]);
  v3 dp = v3_sub(d->x[1], d->x[0]), dq = v3_sub(d->x[2], d->x[0]);
  double sign = copysign(0.5, v3_dot(v3_cross(p, q), face->normal));
  double area = sign * v3_dot(v3_add(v3_cross(dp, q), v3_cross(p, dq)), face->normal);
  d->area = v3_axpy(v3_scale(area, face->normal), v3_norm(t->area), change->normal);
  d->slope = change->slope;
}

/* As a fan. */
bool cr_field_cutter_enter(cr_field_cutter* cutter, const cr_field_face* face,
                           const cr_field_face* change) {
  for (int i = 1; i + 1 < cutter->count; i++) {
    if (!grow(cutter->surface, cutter->arena)) return false;
    cr_field_triangle* t = &cutter->surface->triangle[cutter->surface->count++];
    const int corner[3] = {0, i, i + 1};
    for (int k = 0; k < 3; k++) {
      t->x[k] = cutter->x[corner[k]];
      t->pressure[k] = fmax(v3_dot(face->pressure.gradient, t->x[k]) + face->pressure.value, 0);
    }
    double area = v3_norm(v3_cross(v3_sub(t->x[1], t->x[0]), v3_sub(t->x[2], t->x[0]))) / 2;
    t->area = v3_scale(area, face->normal);
    t->slope = face->slope;
    if (cutter->dx) enter_change(cutter, corner, face, change);
  }
  return true;
}
