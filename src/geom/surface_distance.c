/* Signed distance of a point to a closed mesh: the nearest point over the tree of triangles by
 * branch and bound, the sign by the angle-weighted pseudonormal there (Baerentzen, Aanaes 2005):
 * all triangles that share the nearest point count with the angle that they fill around it. */
#include "geom/surface.h"

#include <math.h>

/* Points nearer to each other (squared) than this part of a triangle's (squared) are one. */
#define TIE 1e-12

/* The search so far. */
typedef struct search {
  v3 x, nearest, pseudonormal;
  double least2; /* m² */
} search;

static double angle_between(v3 a, v3 b) { return atan2(v3_norm(v3_cross(a, b)), v3_dot(a, b)); }

/* The nearest point of the side from corner i; `angle` as below. */
static v3 nearest_on_side(const cr_facet* f, int i, v3 x, double* angle) {
  v3 a = f->corner[i], b = f->corner[(i + 1) % 3], c = f->corner[(i + 2) % 3];
  v3 along = v3_sub(b, a);
  double t = v3_dot(v3_sub(x, a), along) / v3_norm2(along);
  *angle = M_PI;
  if (t > 0 && t < 1) return v3_axpy(a, t, along);
  *angle = t > 0 ? angle_between(v3_sub(a, b), v3_sub(c, b)) : angle_between(along, v3_sub(c, a));
  return t > 0 ? b : a;
}

/* The nearest point of a triangle, and the angle that the triangle fills around it. */
static v3 nearest_on_triangle(const cr_facet* f, v3 x, double* angle) {
  v3 nearest = v3_axpy(x, -v3_dot(f->normal, v3_sub(x, f->corner[0])), f->normal);
  double least2 = INFINITY;
  bool is_inside = true;
  *angle = 2 * M_PI;
  for (int i = 0; i < 3; i++) {
    v3 a = f->corner[i], along = v3_sub(f->corner[(i + 1) % 3], a);
    if (v3_dot(v3_cross(f->normal, along), v3_sub(x, a)) < 0) is_inside = false;
  }
  for (int i = 0; i < 3 && !is_inside; i++) {
    double own;
    v3 p = nearest_on_side(f, i, x, &own);
    double distance2 = v3_norm2(v3_sub(x, p));
    if (!(distance2 < least2)) continue;
    least2 = distance2;
    nearest = p;
    *angle = own;
  }
  return nearest;
}

static void find_nearer(const cr_trisurface* surface, int triangle, search* s) {
  cr_facet facet;
  double angle;
  cr_trisurface_get(surface, triangle, &facet);
  v3 p = nearest_on_triangle(&facet, s->x, &angle);
  double distance2 = v3_norm2(v3_sub(s->x, p));
  if (!(distance2 < s->least2)) return;
  s->least2 = distance2;
  s->nearest = p;
}

/* Counts a triangle in whose nearest point is that of all. */
static void add_normal(const cr_trisurface* surface, int triangle, search* s) {
  cr_facet facet;
  double angle;
  cr_trisurface_get(surface, triangle, &facet);
  v3 p = nearest_on_triangle(&facet, s->x, &angle);
  if (v3_norm2(v3_sub(p, s->nearest)) <= TIE * facet.extent * facet.extent)
    s->pseudonormal = v3_axpy(s->pseudonormal, angle, facet.normal);
}

double cr_trisurface_compute_distance(const cr_trisurface* surface, v3 x, v3* nearest) {
  search s = {.x = x, .least2 = INFINITY};
  const cr_box_tree* tree = &surface->tree;
  for (int i = 0; i < tree->num_nodes;) {
    const cr_box_node* node = &tree->nodes[i];
    bool is_near = cr_aabb_distance2(&node->box, x) < s.least2;
    i = is_near ? i + 1 : node->next;
    if (is_near && node->geom >= 0) find_nearer(surface, node->geom, &s);
  }
  double slack = TIE * 4 * surface->radius * surface->radius;
  for (int i = 0; i < tree->num_nodes;) {
    const cr_box_node* node = &tree->nodes[i];
    bool is_there = cr_aabb_distance2(&node->box, s.nearest) <= slack;
    i = is_there ? i + 1 : node->next;
    if (is_there && node->geom >= 0) add_normal(surface, node->geom, &s);
  }
  *nearest = s.nearest;
  return copysign(sqrt(s.least2), v3_dot(s.pseudonormal, v3_sub(x, s.nearest)));
}
