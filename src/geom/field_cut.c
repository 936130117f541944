/* Cutting of convex polygons by half spaces (Sutherland and Hodgman 1974). */
#include "geom/field_cut.h"

#include <math.h>
#include <string.h>

bool cr_field_cutter_init(cr_field_cutter* cutter, int room, cr_arena* arena,
                          cr_field_surface* surface) {
  *cutter = (cr_field_cutter){.room = room, .arena = arena, .surface = surface};
  cutter->x = CR_SCRATCH(arena, v3, room);
  cutter->next = CR_SCRATCH(arena, v3, room);
  return !arena->failed;
}

void cr_field_cutter_start(cr_field_cutter* cutter, v3 n, double d, double size) {
  v3 u, v, middle = v3_scale(-d, n);
  v3_tangents(n, &u, &v);
  cutter->count = 4;
  for (int i = 0; i < 4; i++) {
    double a = i == 0 || i == 3 ? size : -size, b = i < 2 ? size : -size;
    cutter->x[i] = v3_axpy(v3_axpy(middle, a, u), b, v);
  }
}

void cr_field_cutter_take(cr_field_cutter* cutter, const v3* corner, int count) {
  cutter->count = count;
  for (int i = 0; i < count; i++) cutter->x[i] = corner[i];
}

/* Round-off may bend a polygon that is thin: there is an end to its corners. */
void cr_field_cutter_cut(cr_field_cutter* cutter, v3 n, double d) {
  const v3* x = cutter->x;
  v3* to = cutter->next;
  double least = 0;
  int count = cutter->count, kept = 0;
  for (int i = 0; i < count; i++) least = fmin(least, v3_dot(n, x[i]) + d);
  if (least >= 0) return;
  for (int i = 0; i < count && kept + 2 <= cutter->room; i++) {
    v3 p = x[i], q = x[i + 1 < count ? i + 1 : 0];
    double a = v3_dot(n, p) + d, b = v3_dot(n, q) + d;
    if (a >= 0) to[kept++] = p;
    if ((a < 0 && b > 0) || (a > 0 && b < 0)) to[kept++] = v3_axpy(p, a / (a - b), v3_sub(q, p));
  }
  cutter->next = cutter->x, cutter->x = to, cutter->count = kept;
}

void cr_field_cutter_cut_by_cell(cr_field_cutter* cutter, const cr_field_side* sides,
                                 const cr_field_cell* cell) {
  for (int k = 0; k < cell->count && cutter->count > 2; k++) {
    const cr_field_side* side = &sides[cell->first + k];
    cr_field_cutter_cut(cutter, side->n, side->d);
  }
}

static bool grow(cr_field_surface* surface, cr_arena* arena) {
  if (surface->count < surface->capacity) return true;
  int capacity = 2 * surface->capacity + 32;
  cr_field_triangle* triangle = CR_SCRATCH(arena, cr_field_triangle, capacity);
  if (arena->failed) return false;
  if (surface->count)
    memcpy(triangle, surface->triangle, sizeof *triangle * (size_t)surface->count);
  surface->triangle = triangle, surface->capacity = capacity;
  return true;
}

/* As a fan. */
bool cr_field_cutter_enter(cr_field_cutter* cutter, v3 normal, double slope,
                           const cr_field_linear* pressure) {
  for (int i = 1; i + 1 < cutter->count; i++) {
    if (!grow(cutter->surface, cutter->arena)) return false;
    cr_field_triangle* t = &cutter->surface->triangle[cutter->surface->count++];
    const v3 x[3] = {cutter->x[0], cutter->x[i], cutter->x[i + 1]};
    for (int k = 0; k < 3; k++) {
      t->x[k] = x[k];
      t->pressure[k] = fmax(v3_dot(pressure->gradient, x[k]) + pressure->value, 0);
    }
    double area = v3_norm(v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0]))) / 2;
    t->area = v3_scale(area, normal);
    t->slope = slope;
  }
  return true;
}
