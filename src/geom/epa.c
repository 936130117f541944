/* Expanding polytope (van den Bergen 2001): the facet of A - B that is nearest to the origin.
 *
 * A polytope of support points grows from inside. The plane of its nearest facet bounds the
 * penetration from below, the support point along the facet's normal from above; the point is added
 * and the facets that it sees are replaced, until the bounds meet. Distances of planes are signed,
 * so the origin need not lie inside. Every normal ever tried counts as a candidate: should the
 * polytope degenerate, the best of them is still a valid upper bound. */
#include "geom/epa.h"

#include "geom/gjk.h"

#include <stdint.h>

#define MAX_VERTICES 128
#define MAX_FACETS   (2 * MAX_VERTICES)

/* Between the bounds, as part of the pair's thickness. */
#define BOUND_GAP 1e-6

/* Sine between two sides of a triangle that has no plane. */
#define SLIVER 1e-12

typedef struct cr_epa_facet {
  v3 normal; /* unit; zero for a sliver */
  int16_t vertex[3];
  int16_t neighbor[3]; /* across the edge from vertex i to vertex i + 1 */
  bool is_seen;
} cr_epa_facet;

typedef struct cr_polytope {
  double seen_above; /* m: a point sees a plane that it is above by more */
  int num_vertices, num_facets;
  v3 vertex[MAX_VERTICES];
  double distance[MAX_FACETS]; /* of a facet's plane from the origin; inf for a sliver */
  cr_epa_facet facet[MAX_FACETS];
} cr_polytope;

/* The facets that a point sees, and the edges around them: of the facet beyond, and its edge. */
typedef struct cr_horizon {
  int num_seen, num_edges;
  int16_t seen[MAX_FACETS];
  int16_t facet[MAX_FACETS], edge[MAX_FACETS];
} cr_horizon;

static int add_vertex(cr_polytope* polytope, v3 p) {
  polytope->vertex[polytope->num_vertices] = p;
  return polytope->num_vertices++;
}

static void set_facet(cr_polytope* polytope, int f, int i, int j, int k) {
  const v3* vertex = polytope->vertex;
  v3 side = v3_sub(vertex[j], vertex[i]), other = v3_sub(vertex[k], vertex[i]);
  v3 normal = v3_cross(side, other);
  double area2 = v3_norm2(normal), side2 = v3_norm2(side), other2 = v3_norm2(other);
  cr_epa_facet* facet = &polytope->facet[f];
  *facet = (cr_epa_facet){.vertex = {(int16_t)i, (int16_t)j, (int16_t)k}};
  polytope->distance[f] = INFINITY;
  if (!(area2 > SLIVER * SLIVER * side2 * other2)) return;
  facet->normal = v3_scale(1 / sqrt(area2), normal);
  polytope->distance[f] = v3_dot(facet->normal, vertex[i]);
}

/* Of two support points along n and -n, the one for which |n.(p - origin)| is larger. */
static v3 farther_support(const cr_contact_pair* pair, v3 n, v3 origin) {
  v3 p = cr_gjk_compute_support(pair, n), q = cr_gjk_compute_support(pair, v3_neg(n));
  return v3_dot(n, v3_sub(p, origin)) >= v3_dot(n, v3_sub(origin, q)) ? p : q;
}

/* A tetrahedron of support points, as fat as few directions allow. */
static bool init_polytope(const cr_contact_pair* pair, v3 n, cr_polytope* polytope) {
  polytope->seen_above = pair->tolerance;
  polytope->num_vertices = 0;
  v3 p = cr_gjk_compute_support(pair, n), q = cr_gjk_compute_support(pair, v3_neg(n));
  v3 first, second, edge = v3_sub(q, p);
  v3_tangents(v3_normalize_or(edge, n), &first, &second);
  v3 r = farther_support(pair, first, p), s = farther_support(pair, second, p);
  if (v3_norm2(v3_cross(edge, v3_sub(s, p))) > v3_norm2(v3_cross(edge, v3_sub(r, p)))) r = s;
  v3 normal = v3_normalize_or(v3_cross(edge, v3_sub(r, p)), first);
  s = farther_support(pair, normal, p);
  double height = v3_dot(normal, v3_sub(s, p));
  if (!(fabs(height) > polytope->seen_above)) return false;
  add_vertex(polytope, p);
  add_vertex(polytope, height > 0 ? r : q);
  add_vertex(polytope, height > 0 ? q : r);
  add_vertex(polytope, s);
  static const int vertex[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int16_t neighbor[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int f = 0; f < 4; f++) {
    set_facet(polytope, f, vertex[f][0], vertex[f][1], vertex[f][2]);
    for (int e = 0; e < 3; e++) polytope->facet[f].neighbor[e] = neighbor[f][e];
  }
  polytope->num_facets = 4;
  return true;
}

static int find_nearest(const cr_polytope* polytope) {
  int nearest = -1;
  double least = INFINITY;
  for (int f = 0; f < polytope->num_facets; f++) {
    if (!(polytope->distance[f] < least)) continue;
    least = polytope->distance[f];
    nearest = f;
  }
  return nearest;
}

static bool is_above(const cr_polytope* polytope, int f, v3 p) {
  return v3_dot(polytope->facet[f].normal, p) > polytope->distance[f] + polytope->seen_above;
}

static int edge_towards(const cr_epa_facet* facet, int neighbor) {
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
    const cr_epa_facet* facet = &polytope->facet[horizon->seen[i]];
    for (int e = 0; e < 3; e++) {
      int16_t beyond = facet->neighbor[e];
      if (polytope->facet[beyond].is_seen || !is_above(polytope, beyond, p)) continue;
      polytope->facet[beyond].is_seen = true;
      horizon->seen[horizon->num_seen++] = beyond;
    }
  }
  for (int i = 0; i < horizon->num_seen; i++) {
    const cr_epa_facet* facet = &polytope->facet[horizon->seen[i]];
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
static bool replace_seen(cr_polytope* polytope, v3 p, const cr_horizon* horizon) {
  int16_t named[MAX_VERTICES], new_facet[MAX_FACETS];
  int apex = add_vertex(polytope, p), count = horizon->num_edges;
  if (count != horizon->num_seen + 2 || polytope->num_facets + 2 > MAX_FACETS) return false;
  for (int v = 0; v < polytope->num_vertices; v++) named[v] = -1;
  for (int i = 0; i < count; i++) {
    int f = i < horizon->num_seen ? horizon->seen[i] : polytope->num_facets++;
    int e = horizon->edge[i];
    cr_epa_facet* beyond = &polytope->facet[horizon->facet[i]];
    int start = beyond->vertex[(e + 1) % 3], end = beyond->vertex[e];
    if (named[start] >= 0) return false;
    named[start] = new_facet[i] = (int16_t)f;
    set_facet(polytope, f, start, end, apex);
    polytope->facet[f].neighbor[0] = horizon->facet[i];
    beyond->neighbor[e] = (int16_t)f;
  }
  for (int i = 0; i < count; i++) {
    cr_epa_facet* facet = &polytope->facet[new_facet[i]];
    int16_t next = named[facet->vertex[1]];
    if (next < 0) return false;
    facet->neighbor[1] = next;
    polytope->facet[next].neighbor[2] = new_facet[i];
  }
  return true;
}

bool cr_epa_find_within(const cr_contact_pair* pair, double gap, double* overlap, v3* n) {
  cr_polytope polytope;
  cr_horizon horizon;
  if (!init_polytope(pair, *n, &polytope)) return false;
  while (polytope.num_vertices < MAX_VERTICES) {
    int nearest = find_nearest(&polytope);
    if (nearest < 0) return false;
    if (polytope.distance[nearest] >= *overlap - gap * pair->thickness) return true;
    v3 normal = polytope.facet[nearest].normal, p = cr_gjk_compute_support(pair, normal);
    double reach = v3_dot(normal, p);
    if (reach < *overlap) {
      *overlap = reach;
      *n = normal;
    }
    if (*overlap < 0) return true;
    if (!is_above(&polytope, nearest, p)) return false;
    find_horizon(&polytope, p, nearest, &horizon);
    if (!replace_seen(&polytope, p, &horizon)) return false;
  }
  return false;
}

bool cr_epa_find_penetration(const cr_contact_pair* pair, double* overlap, v3* n) {
  return cr_epa_find_within(pair, BOUND_GAP, overlap, n);
}
