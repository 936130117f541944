/* Where the surface of a mesh runs through itself: an edge that pierces a triangle which has no
 * corner of it. */
#include "geom/surface.h"

#include <math.h>

/* Part of a triangle's extent, and of its barycentric coordinates, within which an edge touches it
 * and does not pierce it. */
#define TOUCH 1e-7

/* Whether the way from a to b goes through the inner part of a triangle. */
static bool pierces(v3 a, v3 b, const cr_facet* f) {
  double tolerance = TOUCH * f->extent;
  double from = v3_dot(f->normal, v3_sub(a, f->corner[0]));
  double to = v3_dot(f->normal, v3_sub(b, f->corner[0]));
  if (from * to >= 0 || fabs(from) < tolerance || fabs(to) < tolerance) return false;
  v3 x = v3_axpy(a, from / (from - to), v3_sub(b, a));
  for (int i = 0; i < 3; i++) {
    v3 start = f->corner[i], side = v3_sub(f->corner[(i + 1) % 3], start);
    double width = v3_dot(f->normal, v3_cross(side, v3_sub(x, start)));
    if (!(width > TOUCH * f->extent * f->extent)) return false;
  }
  return true;
}

static bool has_corner(const cr_facet* f, int vertex) {
  return f->vertex[0] == vertex || f->vertex[1] == vertex || f->vertex[2] == vertex;
}

/* Whether a side of a triangle pierces another one. */
static bool side_pierces(const cr_trisurface* s, const cr_facet* own, int side) {
  int next = (side + 1) % 3, at;
  v3 a = own->corner[side], b = own->corner[next];
  cr_aabb box = {v3_make(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)),
                 v3_make(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z))};
  cr_trisurface_walk walk = cr_trisurface_begin(s, &box);
  while ((at = cr_trisurface_next(&walk)) >= 0) {
    cr_facet other;
    cr_trisurface_get(s, at, &other);
    if (has_corner(&other, own->vertex[side]) || has_corner(&other, own->vertex[next])) continue;
    if (pierces(a, b, &other)) return true;
  }
  return false;
}

int cr_trisurface_find_crossing(const cr_trisurface* surface) {
  for (int t = 0; t < surface->num_triangles; t++) {
    cr_facet facet;
    cr_trisurface_get(surface, t, &facet);
    for (int e = 0; e < 3; e++) {
      int beyond = surface->neighbor[3 * (size_t)t + (size_t)e];
      bool is_first = beyond < 0 || beyond > t; /* an edge has two sides */
      if (is_first && side_pierces(surface, &facet, e)) return t;
    }
  }
  return -1;
}
