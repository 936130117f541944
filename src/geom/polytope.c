/* Growth of a polytope of support points; see polytope.h. */
#include "geom/polytope.h"

/* Sine between two sides of a triangle that has no plane. */
#define SLIVER 1e-12

/* The facets that a point sees, and the edges around them: of the facet beyond, and its edge. */
typedef struct cr_horizon {
  int num_seen, num_edges;
  int16_t seen[CR_POLYTOPE_FACETS];
  int16_t facet[CR_POLYTOPE_FACETS], edge[CR_POLYTOPE_FACETS];
} cr_horizon;

static int add_vertex(cr_polytope* polytope, const cr_difference_point* p) {
  polytope->vertex[polytope->num_vertices] = *p;
  return polytope->num_vertices++;
}

void cr_polytope_set_facet(cr_polytope* polytope, int f, int i, int j, int k) {
  const cr_difference_point* vertex = polytope->vertex;
  v3 side = v3_sub(vertex[j].x, vertex[i].x), other = v3_sub(vertex[k].x, vertex[i].x);
  v3 normal = v3_cross(side, other);
  double area2 = v3_norm2(normal), side2 = v3_norm2(side), other2 = v3_norm2(other);
  cr_facet_triangle* facet = &polytope->facet[f];
  *facet = (cr_facet_triangle){.vertex = {(int16_t)i, (int16_t)j, (int16_t)k}};
  polytope->distance[f] = INFINITY;
  if (!(area2 > SLIVER * SLIVER * side2 * other2)) return;
  facet->normal = v3_scale(1 / sqrt(area2), normal);
  polytope->distance[f] = v3_dot(facet->normal, vertex[i].x);
}

/* Of two support points along n and -n, the one for which |n.(p - origin)| is larger. */
static cr_difference_point farther_support(const cr_difference* difference, v3 n, v3 origin) {
  cr_difference_point p = cr_difference_find_support(difference, n);
  cr_difference_point q = cr_difference_find_support(difference, v3_neg(n));
  return v3_dot(n, v3_sub(p.x, origin)) >= v3_dot(n, v3_sub(origin, q.x)) ? p : q;
}

/* Four vertices as a tetrahedron that looks outwards. */
static void set_tetrahedron(cr_polytope* polytope) {
  static const int vertex[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int16_t neighbor[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int f = 0; f < 4; f++) {
    cr_polytope_set_facet(polytope, f, vertex[f][0], vertex[f][1], vertex[f][2]);
    for (int e = 0; e < 3; e++) polytope->facet[f].neighbor[e] = neighbor[f][e];
  }
  polytope->num_facets = 4;
}

bool cr_polytope_init(const cr_difference* difference, v3 n, cr_polytope* polytope) {
  polytope->seen_above = difference->tolerance;
  polytope->num_vertices = 0;
  cr_difference_point p = cr_difference_find_support(difference, n);
  cr_difference_point q = cr_difference_find_support(difference, v3_neg(n));
  v3 first, second, edge = v3_sub(q.x, p.x);
  v3_tangents(v3_normalize_or(edge, n), &first, &second);
  cr_difference_point r = farther_support(difference, first, p.x);
  cr_difference_point s = farther_support(difference, second, p.x);
  v3 of_r = v3_cross(edge, v3_sub(r.x, p.x)), of_s = v3_cross(edge, v3_sub(s.x, p.x));
  if (v3_norm2(of_s) > v3_norm2(of_r)) r = s;
  v3 normal = v3_normalize_or(v3_cross(edge, v3_sub(r.x, p.x)), first);
  s = farther_support(difference, normal, p.x);
  double height = v3_dot(normal, v3_sub(s.x, p.x));
  if (!(fabs(height) > polytope->seen_above)) return false;
  add_vertex(polytope, &p);
  add_vertex(polytope, height > 0 ? &r : &q);
  add_vertex(polytope, height > 0 ? &q : &r);
  add_vertex(polytope, &s);
  set_tetrahedron(polytope);
  return true;
}

int cr_polytope_find_nearest(const cr_polytope* polytope) {
  int nearest = -1;
  double least = INFINITY;
  for (int f = 0; f < polytope->num_facets; f++) {
    if (!(polytope->distance[f] < least)) continue;
    least = polytope->distance[f];
    nearest = f;
  }
  return nearest;
}

bool cr_polytope_is_above(const cr_polytope* polytope, int f, v3 p) {
  return v3_dot(polytope->facet[f].normal, p) > polytope->distance[f] + polytope->seen_above;
}

static int edge_towards(const cr_facet_triangle* facet, int neighbor) {
  for (int e = 0; e < 2; e++)
    if (facet->neighbor[e] == neighbor) return e;
  return 2;
}

/* Gathers the facets that p sees, starting at one that it does see, and the edges around them. */
static void find_horizon(cr_polytope* polytope, v3 p, int start, cr_horizon* horizon) {
  horizon->num_seen = horizon->num_edges = 0;
  polytope->facet[start].is_seen = true;
  horizon->seen[horizon->num_seen++] = (int16_t)start;
  for (int i = 0; i < horizon->num_seen; i++) {
    const cr_facet_triangle* facet = &polytope->facet[horizon->seen[i]];
    for (int e = 0; e < 3; e++) {
      int16_t beyond = facet->neighbor[e];
      if (polytope->facet[beyond].is_seen || !cr_polytope_is_above(polytope, beyond, p)) continue;
      polytope->facet[beyond].is_seen = true;
      horizon->seen[horizon->num_seen++] = beyond;
    }
  }
  for (int i = 0; i < horizon->num_seen; i++) {
    const cr_facet_triangle* facet = &polytope->facet[horizon->seen[i]];
    for (int e = 0; e < 3; e++) {
      int16_t beyond = facet->neighbor[e];
      if (polytope->facet[beyond].is_seen) continue;
      horizon->facet[horizon->num_edges] = beyond;
      horizon->edge[horizon->num_edges++] =
          (int16_t)edge_towards(&polytope->facet[beyond], horizon->seen[i]);
    }
  }
}

/* Joins the horizon to the new vertex p; the new facets take the places of the seen ones and two
 * more. Each is named by the vertex where its edge of the horizon starts; its neighbour is the one
 * named by the edge's end. False when the horizon is no simple loop. */
static bool replace_seen(cr_polytope* polytope, const cr_difference_point* p,
                         const cr_horizon* horizon) {
  int16_t named[CR_POLYTOPE_VERTICES], new_facet[CR_POLYTOPE_FACETS];
  int apex = add_vertex(polytope, p), count = horizon->num_edges;
  if (count != horizon->num_seen + 2 || polytope->num_facets + 2 > CR_POLYTOPE_FACETS) return false;
  for (int v = 0; v < polytope->num_vertices; v++) named[v] = -1;
  for (int i = 0; i < count; i++) {
    int f = i < horizon->num_seen ? horizon->seen[i] : polytope->num_facets++;
    int e = horizon->edge[i];
    cr_facet_triangle* beyond = &polytope->facet[horizon->facet[i]];
    int start = beyond->vertex[(e + 1) % 3], end = beyond->vertex[e];
    if (named[start] >= 0) return false;
    named[start] = new_facet[i] = (int16_t)f;
    cr_polytope_set_facet(polytope, f, start, end, apex);
    polytope->facet[f].neighbor[0] = horizon->facet[i];
    beyond->neighbor[e] = (int16_t)f;
  }
  for (int i = 0; i < count; i++) {
    cr_facet_triangle* facet = &polytope->facet[new_facet[i]];
    int16_t next = named[facet->vertex[1]];
    if (next < 0) return false;
    facet->neighbor[1] = next;
    polytope->facet[next].neighbor[2] = new_facet[i];
  }
  return true;
}

bool cr_polytope_grow(cr_polytope* polytope, const cr_difference_point* p, int f) {
  cr_horizon horizon;
  find_horizon(polytope, p->x, f, &horizon);
  return replace_seen(polytope, p, &horizon);
}
