/* Rays against surfaces: over the tree of a mesh, or row by row over the cells of a grid that lie
 * under the ray. */
#include "geom/surface.h"

#include <math.h>

/* A ray, the triangle that it may not meet, and how far it gets. */
typedef struct ray {
  const cr_trisurface* surface;
  v3 x, d;
  int except;
  const int* corner; /* null: of a triangle, those that have one of them are not met either */
  double end;
  int hit; /* the triangle that it ends on; -1: none */
} ray;

/* True when the ray meets a box before `end`. */
static bool ray_meets_box(const ray* r, const cr_aabb* box) {
  double first = 0, last = r->end;
  for (int i = 0; i < 3; i++) {
    double at = v3_get(r->x, i), along = v3_get(r->d, i), low = v3_get(box->low, i);
    double high = v3_get(box->high, i);
    if (along == 0) {
      if (at < low || at > high) return false;
      continue;
    }
    double near = (low - at) / along, far = (high - at) / along;
    first = fmax(first, fmin(near, far));
    last = fmin(last, fmax(near, far));
  }
  return first <= last;
}

/* Where the ray meets a triangle; inf where it does not (Moeller, Trumbore 1997). */
static double ray_meets_triangle(const ray* r, const cr_facet* f) {
  v3 p = v3_sub(f->corner[1], f->corner[0]), q = v3_sub(f->corner[2], f->corner[0]);
  v3 across = v3_cross(r->d, q), from = v3_sub(r->x, f->corner[0]);
  double volume = v3_dot(p, across);
  if (volume == 0) return INFINITY;
  v3 turn = v3_cross(from, p);
  double u = v3_dot(from, across) / volume, v = v3_dot(r->d, turn) / volume;
  if (!(u >= 0 && v >= 0 && u + v <= 1)) return INFINITY;
  return v3_dot(q, turn) / volume;
}

static bool is_beside(const ray* r, const cr_facet* facet) {
  for (int i = 0; r->corner && i < 9; i++)
    if (r->corner[i / 3] == facet->vertex[i % 3]) return true;
  return false;
}

static void try_triangle(ray* r, int triangle) {
  cr_facet facet;
  if (triangle == r->except) return;
  cr_trisurface_get(r->surface, triangle, &facet);
  if (is_beside(r, &facet)) return;
  double at = ray_meets_triangle(r, &facet);
  if (at >= 0 && at < r->end) r->end = at, r->hit = triangle;
}

static void cross_tree(ray* r) {
  const cr_box_tree* tree = &r->surface->tree;
  for (int i = 0; i < tree->num_nodes;) {
    const cr_box_node* node = &tree->nodes[i];
    bool meets = ray_meets_box(r, &node->box);
    i = meets ? i + 1 : node->next;
    if (meets && node->geom >= 0) try_triangle(r, node->geom);
  }
}

/* The part of [*first, *last] in which x + t d is in [low, high]. */
static bool cut(double x, double d, double low, double high, double* first, double* last) {
  if (d == 0) return x >= low && x <= high;
  double a = (low - x) / d, b = (high - x) / d;
  *first = fmax(*first, fmin(a, b));
  *last = fmin(*last, fmax(a, b));
  return *first <= *last;
}

static int find_column(const cr_trisurface* s, double x) {
  double column = floor((x - s->low.x) / s->step[0]);
  return (int)fmax(0, fmin(column, s->num_columns - 2));
}

/* In each row the columns that the ray crosses there, and one more to either side for rounding. */
static void cross_grid(ray* r) {
  const cr_trisurface* s = r->surface;
  for (int row = 0; row + 1 < s->num_rows; row++) {
    double first = 0, last = r->end, low = s->low.y + row * s->step[1];
    if (!cut(r->x.y, r->d.y, low, low + s->step[1], &first, &last)) continue;
    if (!cut(r->x.x, r->d.x, s->low.x, s->high.x, &first, &last)) continue;
    if (isinf(last)) last = first; /* straight up or down */
    int a = find_column(s, r->x.x + first * r->d.x), b = find_column(s, r->x.x + last * r->d.x);
    int from = (a < b ? a : b) - 1, to = (a < b ? b : a) + 1;
    for (int c = from < 0 ? 0 : from; c <= to && c < s->num_columns - 1; c++)
      for (int k = 0; k < 2; k++) try_triangle(r, 2 * (row * (s->num_columns - 1) + c) + k);
  }
}

static void cross(ray* r) {
  if (r->surface->num_columns > 0)
    cross_grid(r);
  else
    cross_tree(r);
}

double cr_trisurface_cast_ray(const cr_trisurface* surface, v3 x, v3 d, double end, int except) {
  ray r = {surface, x, d, except, NULL, end, -1};
  cross(&r);
  return r.end;
}

int cr_trisurface_find_hit(const cr_trisurface* surface, v3 x, v3 d) {
  ray r = {surface, x, d, -1, NULL, INFINITY, -1};
  cross(&r);
  return r.hit;
}

double cr_trisurface_cast_across(const cr_trisurface* surface, v3 x, v3 d, int triangle) {
  ray r = {surface, x, d, triangle, surface->triangle + 3 * (size_t)triangle, 2 * surface->radius,
           -1};
  cross_tree(&r);
  return r.end;
}
