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

typedef struct cr_epa_facet {
  v3 normal;
  double distance; /* of its plane from the origin; inf for a sliver */
  int16_t vertex[3];
  int16_t neighbor[3]; /* across the edge from vertex i to vertex i + 1 */
  bool is_live, is_seen;
} cr_epa_facet;

typedef struct cr_polytope {
  const cr_contact_pair* pair;
  double seen_above; /* m: a point sees a plane that it is above by more */
  int num_vertices, num_facets;
  v3 vertex[MAX_VERTICES];
  cr_epa_facet facet[MAX_FACETS];
} cr_polytope;

/* The border of the seen region: facets behind it, and their edges. */
typedef struct cr_horizon {
  int count;
  int16_t facet[MAX_FACETS], edge[MAX_FACETS];
} cr_horizon;

static int add_vertex(cr_polytope* polytope, v3 p) {
  polytope->vertex[polytope->num_vertices] = p;
  return polytope->num_vertices++;
}

static void set_facet(cr_polytope* polytope, int f, int i, int j, int k) {
  const v3* vertex = polytope->vertex;
  v3 normal = v3_cross(v3_sub(vertex[j], vertex[i]), v3_sub(vertex[k], vertex[i]));
  double area = v3_norm(normal), side2 = v3_norm2(v3_sub(vertex[j], vertex[i]));
  cr_epa_facet* facet = &polytope->facet[f];
  *facet = (cr_epa_facet){.distance = INFINITY, .vertex = {(int16_t)i, (int16_t)j, (int16_t)k}};
  facet->is_live = true;
  if (!(area > 1e-12 * side2)) return;
  facet->normal = v3_scale(1 / area, normal);
  facet->distance = v3_dot(facet->normal, vertex[i]);
}

/* Of two support points along n and -n, the one for which |n.(p - origin)| is larger. */
static v3 farther_support(const cr_contact_pair* pair, v3 n, v3 origin) {
  v3 p = cr_gjk_compute_support(pair, n), q = cr_gjk_compute_support(pair, v3_neg(n));
  return v3_dot(n, v3_sub(p, origin)) >= v3_dot(n, v3_sub(origin, q)) ? p : q;
}

/* A tetrahedron of support points, as fat as few directions allow. */
static bool init_polytope(const cr_contact_pair* pair, v3 n, cr_polytope* polytope) {
  polytope->pair = pair;
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
    if (!polytope->facet[f].is_live || !(polytope->facet[f].distance < least)) continue;
    least = polytope->facet[f].distance;
    nearest = f;
  }
  return nearest;
}

static bool is_above(const cr_polytope* polytope, const cr_epa_facet* facet, v3 p) {
  return v3_dot(facet->normal, p) > facet->distance + polytope->seen_above;
}

/* Marks the facets that p sees, starting at one that it does see, and lists the edges behind. */
static void find_horizon(cr_polytope* polytope, v3 p, int start, cr_horizon* horizon) {
  int16_t stack[MAX_FACETS];
  int depth = 0;
  horizon->count = 0;
  polytope->facet[start].is_seen = true;
  stack[depth++] = (int16_t)start;
  while (depth > 0) {
    const cr_epa_facet* facet = &polytope->facet[stack[--depth]];
    for (int e = 0; e < 3; e++) {
      cr_epa_facet* beyond = &polytope->facet[facet->neighbor[e]];
      if (beyond->is_seen || !is_above(polytope, beyond, p)) continue;
      beyond->is_seen = true;
      stack[depth++] = facet->neighbor[e];
    }
  }
  for (int f = 0; f < polytope->num_facets; f++) {
    if (!polytope->facet[f].is_seen) continue;
    for (int e = 0; e < 3; e++) {
      if (polytope->facet[polytope->facet[f].neighbor[e]].is_seen) continue;
      horizon->facet[horizon->count] = (int16_t)f;
      horizon->edge[horizon->count++] = (int16_t)e;
    }
  }
}

static int edge_towards(const cr_epa_facet* facet, int neighbor) {
  for (int e = 0; e < 3; e++)
    if (facet->neighbor[e] == neighbor) return e;
  return -1;
}

static int take_facet(cr_polytope* polytope, int* cursor) {
  for (; *cursor < polytope->num_facets; ++*cursor)
    if (!polytope->facet[*cursor].is_live) return (*cursor)++;
  return polytope->num_facets < MAX_FACETS ? (*cursor)++, polytope->num_facets++ : -1;
}

/* Joins the horizon to the new vertex p. The new facet at an edge is named by the vertex where the
 * edge starts; its neighbour is the one named by the edge's end. */
static bool replace_seen(cr_polytope* polytope, v3 p, const cr_horizon* horizon) {
  int16_t start[MAX_FACETS], end[MAX_FACETS], outer[MAX_FACETS], outer_edge[MAX_FACETS];
  int16_t named[MAX_VERTICES];
  int apex = add_vertex(polytope, p), cursor = 0;
  for (int i = 0; i < horizon->count; i++) {
    const cr_epa_facet* facet = &polytope->facet[horizon->facet[i]];
    int e = horizon->edge[i];
    start[i] = facet->vertex[e];
    end[i] = facet->vertex[(e + 1) % 3];
    outer[i] = facet->neighbor[e];
    outer_edge[i] = (int16_t)edge_towards(&polytope->facet[outer[i]], horizon->facet[i]);
    named[start[i]] = named[end[i]] = -1;
  }
  for (int f = 0; f < polytope->num_facets; f++)
    if (polytope->facet[f].is_seen) polytope->facet[f].is_live = polytope->facet[f].is_seen = false;
  for (int i = 0; i < horizon->count; i++) {
    int f = take_facet(polytope, &cursor);
    if (f < 0 || outer_edge[i] < 0 || named[start[i]] >= 0) return false;
    named[start[i]] = (int16_t)f;
    set_facet(polytope, f, start[i], end[i], apex);
    polytope->facet[f].neighbor[0] = outer[i];
    polytope->facet[outer[i]].neighbor[outer_edge[i]] = (int16_t)f;
  }
  for (int i = 0; i < horizon->count; i++) {
    int next = named[end[i]];
    if (next < 0) return false;
    polytope->facet[named[start[i]]].neighbor[1] = (int16_t)next;
    polytope->facet[next].neighbor[2] = named[start[i]];
  }
  return true;
}

double cr_epa_find_penetration(const cr_contact_pair* pair, double overlap, v3* n) {
  cr_polytope polytope;
  cr_horizon horizon;
  if (!init_polytope(pair, *n, &polytope)) return overlap;
  while (polytope.num_vertices < MAX_VERTICES) {
    int nearest = find_nearest(&polytope);
    if (nearest < 0) break;
    const cr_epa_facet* facet = &polytope.facet[nearest];
    if (facet->distance >= overlap - BOUND_GAP * pair->thickness) break;
    v3 p = cr_gjk_compute_support(pair, facet->normal);
    double reach = v3_dot(facet->normal, p);
    if (reach < overlap) {
      overlap = reach;
      *n = facet->normal;
    }
    if (overlap < 0 || !is_above(&polytope, facet, p)) break;
    find_horizon(&polytope, p, nearest, &horizon);
    if (!replace_seen(&polytope, p, &horizon)) break;
  }
  return overlap;
}
