/* The areas over which contacts press, as triangles between the points of a patch: those that
 * follow each other in a list, of one pair and one normal. Points that stand for an area hold the
 * corners of their patch; where they do not (those of a pressure field), they are moved away from
 * the middle until what they span is as large as what they stand for. From left to right each point
 * sees sides of what is before it; diagonals are turned until none of the circles through three
 * corners holds another point (Lawson 1977). */
#include "math/quat.h"

#include "carom/sim.h"

#include <math.h>

enum { MOST_POINTS = 32, MOST_TRIANGLES = 2 * MOST_POINTS, ROUNDS = 20 };

#define SAME_NORMAL  (1 - 1e-9) /* cosine */
#define MOST_STRETCH 2
#define THINNEST     1e-6 /* of the square of a length: the area of what is a line */

typedef struct mesh {
  int count;
  double x[MOST_POINTS][2]; /* m, in the plane, from the middle */
  int order[MOST_POINTS];
  int hull[MOST_POINTS], num_hull; /* counterclockwise */
  int corner[MOST_TRIANGLES][3], num_triangles;
} mesh;

static double turn(const mesh* m, int a, int b, int c) {
  const double(*x)[2] = m->x;
  return (x[b][0] - x[a][0]) * (x[c][1] - x[a][1]) - (x[b][1] - x[a][1]) * (x[c][0] - x[a][0]);
}

/* Whether d is within the circle through the corners of a triangle. */
static bool is_within(const mesh* m, const int* t, int d) {
  double p[3][3], size = 1;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++) p[i][k] = m->x[t[i]][k] - m->x[d][k];
    size *= p[i][2] = p[i][0] * p[i][0] + p[i][1] * p[i][1];
  }
  double found = p[0][0] * (p[1][1] * p[2][2] - p[2][1] * p[1][2]) -
                 p[0][1] * (p[1][0] * p[2][2] - p[2][0] * p[1][2]) +
                 p[0][2] * (p[1][0] * p[2][1] - p[2][0] * p[1][1]);
  return found > 1e-9 * sqrt(size);
}

/* A corner of one triangle that is none of the other; -1 where there are more or none. */
static int find_alone(const int* t, const int* other) {
  int alone = -1, count = 0;
  for (int i = 0; i < 3; i++) {
    if (t[i] == other[0] || t[i] == other[1] || t[i] == other[2]) continue;
    alone = i, count++;
  }
  return count == 1 ? alone : -1;
}

/* Turns the diagonal of two triangles where a circle holds a corner. */
static bool flip(mesh* m, int* t, int* u) {
  int k = find_alone(t, u), l = find_alone(u, t);
  if (k < 0 || l < 0 || !is_within(m, t, u[l])) return false;
  int a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3], d = u[l];
  if (!(turn(m, a, b, d) > 0 && turn(m, a, d, c) > 0)) return false;
  t[0] = a, t[1] = b, t[2] = d;
  u[0] = a, u[1] = d, u[2] = c;
  return true;
}

static void flip_all(mesh* m) {
  bool is_done = false;
  for (int round = 0; round < ROUNDS && !is_done; round++) {
    is_done = true;
    for (int i = 0; i < m->num_triangles; i++)
      for (int k = i + 1; k < m->num_triangles; k++)
        if (flip(m, m->corner[i], m->corner[k])) is_done = false;
  }
}

static void sort(mesh* m) {
  for (int i = 0; i < m->count; i++) {
    int at = i;
    const double* x = m->x[i];
    for (; at > 0; at--) {
      const double* y = m->x[m->order[at - 1]];
      if (y[0] < x[0] || (y[0] == x[0] && y[1] <= x[1])) break;
      m->order[at] = m->order[at - 1];
    }
    m->order[at] = i;
  }
}

/* A point beyond the hull takes the place of the sides that it sees. */
static void add_point(mesh* m, int p) {
  bool seen[MOST_POINTS];
  int n = m->num_hull, first = -1, kept[MOST_POINTS], count = 0;
  for (int i = 0; i < n; i++) {
    int a = m->hull[i], b = m->hull[(i + 1) % n];
    seen[i] = turn(m, a, b, p) < 0;
    if (!seen[i] || m->num_triangles == MOST_TRIANGLES) continue;
    int* corner = m->corner[m->num_triangles++];
    corner[0] = b, corner[1] = a, corner[2] = p;
  }
  for (int i = 0; i < n; i++)
    if (seen[i] && !seen[(i + n - 1) % n]) first = i;
  if (first < 0) { /* in line with what is there */
    if (n < 3) m->hull[n < 2 ? n : 1] = p, m->num_hull = n < 2 ? n + 1 : 2;
    return;
  }
  kept[count++] = p;
  for (int i = 1; i <= n; i++) {
    int at = (first + i) % n;
    if (!seen[(at + n - 1) % n] || !seen[at]) kept[count++] = m->hull[at];
  }
  for (int i = 0; i < count; i++) m->hull[i] = kept[i];
  m->num_hull = count;
}

static double find_area(const mesh* m) {
  double sum = 0;
  for (int i = 0; i < m->num_triangles; i++)
    sum += turn(m, m->corner[i][0], m->corner[i][1], m->corner[i][2]) / 2;
  return sum;
}

/* How far a patch goes: the number of its points. */
static int count_patch(const carom_contact* c, int count) {
  int end = 1;
  while (end < count && end < MOST_POINTS && c->area > 0 && c[end].area > 0 &&
         c[end].geom1 == c->geom1 && c[end].geom2 == c->geom2 &&
         v3_dot(v3_load(c[end].normal), v3_load(c->normal)) > SAME_NORMAL)
    end++;
  return end;
}

/* The patch in its plane about its middle, and by how much it is stretched; 0: it is none. */
static double lay(const carom_contact* c, mesh* m, v3* middle) {
  double whole = 0, length = 0;
  v3 u, v;
  v3_tangents(v3_load(c->normal), &u, &v);
  *middle = v3_zero();
  for (int i = 0; i < m->count; i++) {
    *middle = v3_axpy(*middle, c[i].area, v3_load(c[i].position));
    whole += c[i].area;
  }
  *middle = v3_scale(1 / whole, *middle);
  for (int i = 0; i < m->count; i++) {
    v3 at = v3_sub(v3_load(c[i].position), *middle);
    m->x[i][0] = v3_dot(u, at), m->x[i][1] = v3_dot(v, at);
    length = fmax(length, hypot(m->x[i][0], m->x[i][1]));
  }
  sort(m);
  m->hull[0] = m->order[0], m->num_hull = 1;
  for (int i = 1; i < m->count; i++) add_point(m, m->order[i]);
  flip_all(m);
  double spanned = find_area(m);
  if (!(spanned > THINNEST * length * length)) return 0;
  return fmin(fmax(sqrt(whole / spanned), 1), MOST_STRETCH);
}

static double find_pressure(const carom_contact* c, double dt) {
  return v3_dot(v3_load(c->impulse), v3_load(c->normal)) / dt / c->area;
}

int carom_contacts_list_pressure(const carom_contact* contacts, int count, double dt,
                                 carom_pressure_triangle* triangles) {
  int found = 0;
  for (int first = 0, next; first < count; first = next) {
    const carom_contact* c = contacts + first;
    mesh m = {.count = count_patch(c, count - first)};
    v3 middle;
    next = first + m.count;
    double stretch = m.count > 2 ? lay(c, &m, &middle) : 0;
    for (int i = 0; stretch > 0 && i < m.num_triangles; i++) {
      carom_pressure_triangle* t = &triangles[found++];
      for (int k = 0; k < 3; k++) {
        t->contact[k] = first + m.corner[i][k];
        const carom_contact* corner = &contacts[t->contact[k]];
        v3 at = v3_sub(v3_load(corner->position), middle);
        v3_store(v3_axpy(middle, stretch, at), t->position[k]);
        t->pressure[k] = find_pressure(corner, dt);
      }
    }
  }
  return found;
}
