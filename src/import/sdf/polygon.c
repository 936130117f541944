/* Extruded polygons: order of corners, whether edges cross, and triangles by cutting off ears
 * (Meisters, "Polygons have ears", 1975), in time of the square of the corners and more where many
 * are turned inwards. A hole is joined to the outline around it by a cut, there and back, from its
 * corner furthest along x to the nearest one that it sees. */
#include "import/sdf/polygon.h"

#include <math.h>
#include <string.h>

/* Twice the area of a triangle, m²; positive counterclockwise. */
static double area(const double a[2], const double b[2], const double c[2]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static void drop(cr_polygon* p, int i) {
  memmove(p->corner[i], p->corner[i + 1], sizeof p->corner[0] * (size_t)(p->num_corners - 1 - i));
  p->num_corners--;
}

/* Corners where the outline does not turn say nothing. */
static void drop_idle(cr_polygon* p) {
  int unchanged = 0;
  for (int i = 0; p->num_corners >= 3 && unchanged < p->num_corners;) {
    int n = p->num_corners;
    const double *before = p->corner[(i + n - 1) % n], *after = p->corner[(i + 1) % n];
    if (area(before, p->corner[i], after) == 0) {
      drop(p, i);
      unchanged = 0;
      i = i % p->num_corners;
    } else {
      unchanged++;
      i = (i + 1) % n;
    }
  }
}

static double whole_area(const cr_polygon* p) {
  double sum = 0;
  for (int i = 1; i + 1 < p->num_corners; i++)
    sum += area(p->corner[0], p->corner[i], p->corner[i + 1]);
  return sum;
}

static void turn_over(cr_polygon* p) {
  for (int i = 0, k = p->num_corners - 1; i < k; i++, k--) {
    double kept[2];
    memcpy(kept, p->corner[i], sizeof kept);
    memcpy(p->corner[i], p->corner[k], sizeof kept);
    memcpy(p->corner[k], kept, sizeof kept);
  }
}

/* Is a point of the line through a and b between them? */
static bool is_between(const double a[2], const double b[2], const double x[2]) {
  for (int k = 0; k < 2; k++)
    if ((x[k] < a[k] && x[k] < b[k]) || (x[k] > a[k] && x[k] > b[k])) return false;
  return true;
}

static int sign(double x) { return (x > 0) - (x < 0); }

/* Do two closed segments have a point in common? */
static bool touch(const double a[2], const double b[2], const double c[2], const double d[2]) {
  int ac = sign(area(a, b, c)), ad = sign(area(a, b, d));
  int ca = sign(area(c, d, a)), cb = sign(area(c, d, b));
  if (ac * ad < 0 && ca * cb < 0) return true;
  return (ac == 0 && is_between(a, b, c)) || (ad == 0 && is_between(a, b, d)) ||
         (ca == 0 && is_between(c, d, a)) || (cb == 0 && is_between(c, d, b));
}

/* Edges that are not neighbours must not meet. */
static bool crosses_itself(const cr_polygon* p) {
  int n = p->num_corners;
  for (int i = 0; i < n; i++)
    for (int k = i + 2; k < n; k++) {
      if ((k + 1) % n == i) continue;
      if (touch(p->corner[i], p->corner[i + 1], p->corner[k], p->corner[(k + 1) % n])) return true;
    }
  return false;
}

static bool turns_left(const cr_polygon* p) {
  int n = p->num_corners;
  for (int i = 0; i < n; i++)
    if (area(p->corner[i], p->corner[(i + 1) % n], p->corner[(i + 2) % n]) < 0) return false;
  return true;
}

const char* cr_polygon_prepare(cr_polygon* p) {
  drop_idle(p);
  if (p->num_corners < 3)
    return "its points enclose no area: three that are not in line are needed";
  if (crosses_itself(p)) return "its edges cross or touch each other";
  if (whole_area(p) < 0) turn_over(p);
  p->is_convex = turns_left(p);
  return NULL;
}

/* ---- Outlines in outlines */

/* Whether a point is within a polygon: a ray along x crosses its edges an odd number of times. */
static bool holds(const cr_polygon* p, const double x[2]) {
  bool inside = false;
  for (int i = 0; i < p->num_corners; i++) {
    const double *a = p->corner[i], *b = p->corner[(i + 1) % p->num_corners];
    if ((a[1] > x[1]) == (b[1] > x[1])) continue;
    inside ^= (area(a, b, x) > 0) == (b[1] > a[1]);
  }
  return inside;
}

static bool cross(const cr_polygon* p, const cr_polygon* o) {
  for (int i = 0; i < p->num_corners; i++)
    for (int k = 0; k < o->num_corners; k++)
      if (touch(p->corner[i], p->corner[(i + 1) % p->num_corners], o->corner[k],
                o->corner[(k + 1) % o->num_corners]))
        return true;
  return false;
}

const char* cr_polygon_nest(cr_polygon* p, int count) {
  for (int i = 0; i < count; i++) {
    p[i].first = i == 0 ? 0 : p[i - 1].first + p[i - 1].num_corners;
    p[i].depth = 0;
    for (int k = 0; k < count; k++) {
      if (k < i && cross(p + k, p + i)) return "the edges of its outlines cross or touch";
      p[i].depth += k != i && holds(p + k, p[i].corner[0]);
    }
  }
  for (int i = 0; i < count; i++)
    if (p[i].depth % 2) turn_over(p + i);
  return NULL;
}

/* ---- Ears */

/* What is left of an outline, by the vertices of the mesh, which lie in the plane. */
typedef struct outline {
  const cr_mesh* mesh;
  int count, index[2 * CR_POLYGON_MOST_CORNERS];
} outline;

static const double* vertex(const outline* r, int i) { return r->mesh->vertex + 3 * (size_t)i; }

static const double* at(const outline* r, int i) { return vertex(r, r->index[i % r->count]); }

/* Does nothing else of the outline stand in the triangle of a corner and its neighbours? The ends
 * of cuts, which stand in it twice, are in their own way. */
static bool is_ear(const outline* r, int i) {
  const double *a = at(r, i + r->count - 1), *b = at(r, i), *c = at(r, i + 1);
  if (area(a, b, c) <= 0) return false;
  for (int k = i + 2; k < i + r->count - 1; k++) {
    const double* x = at(r, k);
    bool is_corner = x == a || x == b || x == c;
    if (!is_corner && area(a, b, x) >= 0 && area(b, c, x) >= 0 && area(c, a, x) >= 0) return false;
  }
  return true;
}

static int find_ear(const outline* r) {
  for (int i = 0; i < r->count; i++)
    if (is_ear(r, i)) return i;
  return -1;
}

/* ---- Cuts */

/* Whether a point lies in the angle of a corner that is within the outline. */
static bool is_in_angle(const outline* r, int i, const double x[2]) {
  const double *a = at(r, i + r->count - 1), *b = at(r, i), *c = at(r, i + 1);
  bool left_of_first = area(a, b, x) > 0, left_of_second = area(b, c, x) > 0;
  return area(a, b, c) > 0 ? left_of_first && left_of_second : left_of_first || left_of_second;
}

/* Whether an edge is in the way from one point to another; edges at these points are not. */
static bool bars(const double* a, const double* b, const double* from, const double* to) {
  bool is_at_end = a == from || a == to || b == from || b == to;
  return !is_at_end && touch(a, b, from, to);
}

/* Whether no edge of the outline, nor of any polygon that may not be part of it yet, is between. */
static bool sees(const outline* r, const cr_polygon* p, int count, const double* from,
                 const double* to) {
  for (int i = 0; i < r->count; i++)
    if (bars(at(r, i), at(r, i + 1), from, to)) return false;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < p[k].num_corners; i++)
      if (bars(vertex(r, p[k].first + i), vertex(r, p[k].first + (i + 1) % p[k].num_corners), from,
               to))
        return false;
  return true;
}

/* The corner nearest to a point that it can be joined with, or -1. */
static int find_partner(const outline* r, const cr_polygon* p, int count, const double* from) {
  int nearest = -1;
  double least = INFINITY;
  for (int i = 0; i < r->count; i++) {
    const double* x = at(r, i);
    double way = hypot(x[0] - from[0], x[1] - from[1]);
    if (way < least && is_in_angle(r, i, from) && sees(r, p, count, from, x))
      least = way, nearest = i;
  }
  return nearest;
}

/* Where a polygon reaches furthest along x. */
static int find_tip(const cr_polygon* p) {
  int tip = 0;
  for (int i = 1; i < p->num_corners; i++)
    if (p->corner[i][0] > p->corner[tip][0]) tip = i;
  return tip;
}

/* Makes a hole part of the outline: corner, cut, round the hole, cut, and on. */
static bool join(outline* r, const cr_polygon* p, int count, const cr_polygon* hole) {
  int tip = find_tip(hole), n = hole->num_corners;
  int i = find_partner(r, p, count, vertex(r, hole->first + tip));
  if (i < 0) return false;
  int* index = r->index + i;
  memmove(index + n + 2, index, sizeof *index * (size_t)(r->count - i));
  for (int k = 0; k <= n; k++) index[k + 1] = hole->first + (tip + k) % n;
  r->count += n + 2;
  return true;
}

/* The hole of an outline that reaches furthest of those that reach less far than the last one. */
static const cr_polygon* find_hole(const cr_polygon* p, int count, const cr_polygon* outer,
                                   const cr_polygon* last) {
  const cr_polygon* best = NULL;
  for (const cr_polygon* h = p; h < p + count; h++) {
    if (h->depth != outer->depth + 1 || !holds(outer, h->corner[0])) continue;
    double x = h->corner[find_tip(h)][0];
    double most = last ? last->corner[find_tip(last)][0] : INFINITY;
    bool is_left = x < most || (x == most && h > last);
    if (is_left && (!best || x > best->corner[find_tip(best)][0])) best = h;
  }
  return best;
}

/* A triangle of the polygon is one below, looking down, and one above. */
static bool add_pair(int a, int b, int c, int n, cr_mesh* mesh) {
  return cr_mesh_add_triangle(mesh, a, c, b) && cr_mesh_add_triangle(mesh, n + a, n + b, n + c);
}

static bool cut_ears(outline* r, int n, cr_mesh* mesh, bool* is_cut) {
  while (r->count >= 3) {
    int i = find_ear(r);
    *is_cut = i >= 0;
    if (i < 0) return true;
    if (!add_pair(r->index[(i + r->count - 1) % r->count], r->index[i],
                  r->index[(i + 1) % r->count], n, mesh))
      return false;
    memmove(r->index + i, r->index + i + 1, sizeof r->index[0] * (size_t)(r->count - 1 - i));
    r->count--;
  }
  return true;
}

static bool add_ends(const cr_polygon* p, int count, int n, cr_mesh* mesh, bool* is_cut) {
  *is_cut = true;
  for (const cr_polygon* outer = p; outer < p + count && *is_cut; outer++) {
    outline r = {.mesh = mesh, .count = outer->num_corners};
    if (outer->depth % 2) continue;
    for (int i = 0; i < r.count; i++) r.index[i] = outer->first + i;
    const cr_polygon* hole = NULL;
    while (*is_cut && (hole = find_hole(p, count, outer, hole))) *is_cut = join(&r, p, count, hole);
    if (*is_cut && !cut_ears(&r, n, mesh, is_cut)) return false;
  }
  return true;
}

/* The two layers of vertices, of all polygons, and the walls between them. */
static bool add_walls(const cr_polygon* p, int count, int n, double height, cr_mesh* mesh) {
  for (int layer = 0; layer < 2; layer++)
    for (int k = 0; k < count; k++)
      for (int i = 0; i < p[k].num_corners; i++) {
        const double x[3] = {p[k].corner[i][0], p[k].corner[i][1], layer * height};
        if (!cr_mesh_add_vertex(mesh, x)) return false;
      }
  for (int k = 0; k < count; k++)
    for (int i = 0; i < p[k].num_corners; i++) {
      int a = p[k].first + i, b = p[k].first + (i + 1) % p[k].num_corners;
      if (!cr_mesh_add_triangle(mesh, a, b, n + b) || !cr_mesh_add_triangle(mesh, a, n + b, n + a))
        return false;
    }
  return true;
}

bool cr_polygon_extrude(const cr_polygon* p, int count, double height, cr_mesh* mesh,
                        bool* is_cut) {
  int n = p[count - 1].first + p[count - 1].num_corners;
  return add_walls(p, count, n, height, mesh) && add_ends(p, count, n, mesh, is_cut);
}
