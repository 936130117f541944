/* Extruded polygons: order of corners, whether edges cross, and triangles by cutting off ears
 * (Meisters, "Polygons have ears", 1975), in time of the square of the corners and more where many
 * are turned inwards. Holes are not known here. */
#include "import/sdf/polygon.h"

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

/* ---- Ears */

/* What is left of the polygon. */
typedef struct outline {
  const cr_polygon* p;
  int count, index[CR_POLYGON_MOST_CORNERS];
} outline;

static const double* at(const outline* r, int i) { return r->p->corner[r->index[i % r->count]]; }

/* Does nothing else of the outline stand in the triangle of a corner and its neighbours? */
static bool is_ear(const outline* r, int i) {
  const double *a = at(r, i + r->count - 1), *b = at(r, i), *c = at(r, i + 1);
  if (area(a, b, c) <= 0) return false;
  for (int k = i + 2; k < i + r->count - 1; k++) {
    const double* x = at(r, k);
    if (area(a, b, x) >= 0 && area(b, c, x) >= 0 && area(c, a, x) >= 0) return false;
  }
  return true;
}

static int find_ear(const outline* r) {
  for (int i = 0; i < r->count; i++)
    if (is_ear(r, i)) return i;
  return -1;
}

/* A triangle of the polygon is one below, looking down, and one above. */
static bool add_pair(int a, int b, int c, int n, cr_mesh* mesh) {
  return cr_mesh_add_triangle(mesh, a, c, b) && cr_mesh_add_triangle(mesh, n + a, n + b, n + c);
}

static bool add_ends(const cr_polygon* p, cr_mesh* mesh, bool* is_cut) {
  outline r = {.p = p, .count = p->num_corners};
  for (int i = 0; i < r.count; i++) r.index[i] = i;
  *is_cut = false;
  while (r.count >= 3) {
    int i = find_ear(&r);
    if (i < 0) return true;
    if (!add_pair(r.index[(i + r.count - 1) % r.count], r.index[i], r.index[(i + 1) % r.count],
                  p->num_corners, mesh))
      return false;
    memmove(r.index + i, r.index + i + 1, sizeof r.index[0] * (size_t)(r.count - 1 - i));
    r.count--;
  }
  *is_cut = true;
  return true;
}

bool cr_polygon_extrude(const cr_polygon* p, double height, cr_mesh* mesh, bool* is_cut) {
  int n = p->num_corners;
  for (int i = 0; i < 2 * n; i++) {
    const double x[3] = {p->corner[i % n][0], p->corner[i % n][1], i < n ? 0 : height};
    if (!cr_mesh_add_vertex(mesh, x)) return false;
  }
  for (int i = 0; i < n; i++) {
    int next = (i + 1) % n;
    if (!cr_mesh_add_triangle(mesh, i, next, n + next) ||
        !cr_mesh_add_triangle(mesh, i, n + next, n + i))
      return false;
  }
  return add_ends(p, mesh, is_cut);
}
