/* Support of convex polyhedra by hill climbing over the graph of their edges: a vertex that no
 * neighbour exceeds is the farthest of all. A table by direction has the answer for many and for
 * the others a start that leaves hardly a step to go. */
#include "mesh/hull.h"

/* The square of [-1, 1] in which x lies; the first one for what is no number. */
static int find_cell(double x) {
  double cell = (x + 1) * (0.5 * CR_HULL_CELLS);
  if (!(cell > 0)) return 0;
  return cell < CR_HULL_CELLS ? (int)cell : CR_HULL_CELLS - 1;
}

/* The cell of a direction, without a branch: the octahedron unfolded into a square, its lower half
 * around the upper one (Meyer et al. 2010). */
static int find_start(v3 d) {
  double sum = fabs(d.x) + fabs(d.y) + fabs(d.z), inverse = 1 / (sum > 0 ? sum : 1);
  double x = d.x * inverse, y = d.y * inverse;
  double u = d.z < 0 ? copysign(1 - fabs(y), x) : x, v = d.z < 0 ? copysign(1 - fabs(x), y) : y;
  return find_cell(u) * CR_HULL_CELLS + find_cell(v);
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
  if (hull->num_vertices < CR_HULL_FEW) return scan(hull, d);
  int at = hull->start[find_start(d)];
  if (at < 0) return ~at;
  double most = height_of(hull, at, d);
  for (int before = -1; before != at;) {
    before = at;
    for (int i = hull->neighbor_start[before]; i < hull->neighbor_start[before + 1]; i++) {
      double height = height_of(hull, hull->neighbor[i], d);
      at = height > most ? hull->neighbor[i] : at;
      most = height > most ? height : most;
    }
  }
  return at;
}

int cr_hull_find_flattest(const cr_hull* hull, int vertex, v3 d) {
  int flattest = hull->vertex_face[hull->neighbor_start[vertex]];
  double most = -INFINITY;
  for (int i = hull->neighbor_start[vertex]; i < hull->neighbor_start[vertex + 1]; i++) {
    double along = v3_dot(d, cr_hull_normal(hull, hull->vertex_face[i]));
    if (!(along > most)) continue;
    most = along;
    flattest = hull->vertex_face[i];
  }
  return flattest;
}

cr_hull_view cr_hull_look(const cr_hull* hull, v3 d) {
  int vertex = cr_hull_find_support(hull, d);
  return (cr_hull_view){vertex, cr_hull_find_flattest(hull, vertex, d)};
}
