/* Support of convex polyhedra by hill climbing over the graph of their edges: a vertex that no
 * neighbour exceeds is the farthest of all. A table of start vertices by direction leaves one or
 * two steps to go. */
#include "mesh/hull.h"

/* Below it looking at all vertices is faster. */
#define FEW 20

/* The square of [-1, 1] in which x lies. */
static int find_cell(double x) {
  int cell = (int)((x + 1) * (0.5 * CR_HULL_CELLS));
  return cell < 0 ? 0 : cell < CR_HULL_CELLS ? cell : CR_HULL_CELLS - 1;
}

/* The cell of a direction: the side of the cube that it meets, and the square in it. */
static int find_start(v3 d) {
  double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
  int side;
  double u, v, along;
  if (x >= y && x >= z)
    side = d.x < 0, along = x, u = d.y, v = d.z;
  else if (y >= z)
    side = 2 + (d.y < 0), along = y, u = d.z, v = d.x;
  else
    side = 4 + (d.z < 0), along = z, u = d.x, v = d.y;
  if (!(along > 0)) return 0;
  return (side * CR_HULL_CELLS + find_cell(u / along)) * CR_HULL_CELLS + find_cell(v / along);
}

static double height_of(const cr_hull* hull, int i, v3 d) {
  const double* x = hull->vertex + 3 * i;
  return d.x * x[0] + d.y * x[1] + d.z * x[2];
}

static int scan(const cr_hull* hull, v3 d) {
  int best = 0;
  double most = -INFINITY;
  for (int i = 0; i < hull->num_vertices; i++) {
    double height = height_of(hull, i, d);
    if (!(height > most)) continue;
    most = height;
    best = i;
  }
  return best;
}

int cr_hull_find_support(const cr_hull* hull, v3 d) {
  if (hull->num_vertices < FEW) return scan(hull, d);
  int at = hull->start[find_start(d)];
  double most = height_of(hull, at, d);
  for (int before = -1; before != at;) {
    before = at;
    for (int i = hull->neighbor_start[before]; i < hull->neighbor_start[before + 1]; i++) {
      double height = height_of(hull, hull->neighbor[i], d);
      if (!(height > most)) continue;
      most = height;
      at = hull->neighbor[i];
    }
  }
  return at;
}

int cr_hull_find_face(const cr_hull* hull, v3 d) {
  int at = cr_hull_find_support(hull, d), best = 0;
  double most = -INFINITY;
  for (int i = hull->neighbor_start[at]; i < hull->neighbor_start[at + 1]; i++) {
    int face = hull->vertex_face[i];
    double along = v3_dot(d, cr_hull_normal(hull, face));
    if (!(along > most)) continue;
    most = along;
    best = face;
  }
  return best;
}
