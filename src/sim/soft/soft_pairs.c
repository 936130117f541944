/* Points between soft bodies, and of one with itself: nodes against the surface.
 *
 * A node outside meets the triangle above which it stands, the nearest one. A node inside lies in a
 * tetrahedron of the other body, or of its own but among those that do not adjoin it; carried back
 * to rest with that tetrahedron it has a nearest point on the surface at rest, whose triangle tells
 * the way out and the depth: so a node that went through thin walls knows on which side it came
 * (McAdams et al., Efficient elasticity for character skinning with contact and collisions, 2011).
 * Outside the force acts on the triangle's nodes, inside on those of the tetrahedron around the
 * node, with weights that meet it where it is: that keeps angular momentum, friction included.
 *
 * Nodes of either side press on the other, each with half its area. */
#include "geom/triangle.h"
#include "sim/soft/soft_surface.h"

#include <math.h>

#define LEVEL 1e-10 /* of a triangle's size, and of barycentric coordinates: round-off */

/* A node against a surface. */
typedef struct query {
  const cr_scan_surface* surface;
  v3 x;
  int own;      /* the node, if it is the surface's own; -1 */
  double reach; /* m, of points outside */
} query;

/* Where it meets it. */
typedef struct meeting {
  int facet;
  v3 normal;       /* outward */
  double distance; /* m, without radii */
  double rest;     /* m, at rest to that triangle; inf: of two bodies */
  double depth;    /* m, at rest; 0: outside */
  int count, node[4];
  double weight[4];
} meeting;

/* --- What adjoins at rest -----------------------------------------------------------------------
 */

static bool is_corner(int own, const int* corner, int count) {
  for (int i = 0; i < count; i++)
    if (corner[i] == own) return true;
  return false;
}

/* True when the node is among the corners, or shares an element with one. */
static bool adjoins(const query* q, const int corner[4]) {
  if (q->own < 0) return false;
  if (is_corner(q->own, corner, 4)) return true;
  for (int i = 0; i < 4; i++)
    if (cr_bsm_find_block(&q->surface->part->body.pattern, q->own, corner[i]) >= 0) return true;
  return false;
}

static void load_rest(const cr_soft_part* part, int facet, v3 corner[3]) {
  const int* node = part->surface.triangle + 3 * (size_t)facet;
  for (int i = 0; i < 3; i++) corner[i] = v3_load(part->mesh.node[node[i]]);
}

/* Distance at rest of a node to a triangle of the same body. */
static double find_rest_distance(const query* q, int facet) {
  v3 corner[3];
  double weight[3];
  if (q->own < 0) return INFINITY;
  load_rest(q->surface->part, facet, corner);
  v3 x = v3_load(q->surface->part->mesh.node[q->own]);
  return v3_norm(v3_sub(x, cr_triangle_find_nearest(corner, x, weight)));
}

/* --- Inside -------------------------------------------------------------------------------------
 */

int cr_soft_find_nearest_at_rest(const cr_soft_part* part, v3 X, double weight[3], double* depth) {
  const cr_box_tree* tree = &part->rest->tree;
  double least2 = INFINITY;
  int nearest = -1;
  for (int i = 0; i < tree->num_nodes;) {
    const cr_box_node* node = &tree->nodes[i];
    bool is_near = cr_aabb_distance2(&node->box, X) < least2;
    i = is_near ? i + 1 : node->next;
    if (!is_near || node->geom < 0) continue;
    v3 corner[3];
    double own[3];
    load_rest(part, node->geom, corner);
    double distance2 = v3_norm2(v3_sub(X, cr_triangle_find_nearest(corner, X, own)));
    if (!(distance2 < least2)) continue;
    least2 = distance2, nearest = node->geom;
    for (int k = 0; k < 3; k++) weight[k] = own[k];
  }
  *depth = sqrt(least2);
  return nearest;
}

/* Barycentric coordinates in a tetrahedron that is not turned inside out; true where none is
 * negative. */
static bool is_within(const cr_scan_surface* k, const int corner[4], v3 x, double weight[4]) {
  v3 x0 = v3_load(k->x[corner[0]]), side[3];
  for (int i = 0; i < 3; i++) side[i] = v3_sub(v3_load(k->x[corner[i + 1]]), x0);
  m3 F = m3_from_columns(side[0], side[1], side[2]);
  if (!(m3_determinant(&F) > 0)) return false;
  v3 w = m3_solve(&F, v3_sub(x, x0));
  weight[0] = 1 - w.x - w.y - w.z;
  for (int i = 0; i < 3; i++) weight[i + 1] = v3_get(w, i);
  for (int i = 0; i < 4; i++)
    if (!(weight[i] >= -LEVEL)) return false;
  return true;
}

static v3 blend(const double (*x)[3], const int* node, const double* weight, int count) {
  v3 sum = v3_zero();
  for (int i = 0; i < count; i++) sum = v3_axpy(sum, weight[i], v3_load(x[node[i]]));
  return sum;
}

/* The way out of a tetrahedron around the node; of several the shortest is taken. */
static void leave_tet(const query* q, const int corner[4], const double weight[4], meeting* best) {
  const cr_scan_surface* k = q->surface;
  double on_facet[3] = {0}, depth;
  v3 X = blend((const double(*)[3])k->part->mesh.node, corner, weight, 4);
  int facet = cr_soft_find_nearest_at_rest(k->part, X, on_facet, &depth);
  const int* node = k->part->surface.triangle + 3 * (size_t)facet;
  if (is_corner(q->own, node, 3) || (best->facet >= 0 && !(depth < best->depth))) return;
  *best = (meeting){.facet = facet, .depth = depth, .count = 4};
  best->normal = cr_scan_surface_get_facet(k, facet).normal;
  v3 out = v3_sub(q->x, blend(k->x, node, on_facet, 3));
  best->distance = fmin(v3_dot(best->normal, out), 0);
  for (int i = 0; i < 4; i++) best->node[i] = corner[i], best->weight[i] = weight[i];
}

static bool find_inside(const query* q, meeting* best) {
  const cr_box_tree* tree = &q->surface->solids;
  const cr_aabb point = {q->x, q->x};
  best->facet = -1;
  for (int i = 0; i < tree->num_nodes;) {
    const cr_box_node* node = &tree->nodes[i];
    bool meets = cr_aabb_meets(&point, &node->box, 0);
    i = meets ? i + 1 : node->next;
    if (!meets || node->geom < 0) continue;
    int corner[4];
    double weight[4];
    cr_soft_mesh_get_tet(&q->surface->part->mesh, node->geom, corner);
    if (is_corner(q->own, corner, 4) || !is_within(q->surface, corner, q->x, weight)) continue;
    if (!adjoins(q, corner)) leave_tet(q, corner, weight, best);
  }
  return best->facet >= 0;
}

bool cr_scan_surface_find_tet(const cr_scan_surface* k, v3 x, const int* own, int corner[4],
                              double weight[4]) {
  const cr_box_tree* tree = &k->solids;
  const cr_aabb point = {x, x};
  for (int i = 0; i < tree->num_nodes;) {
    const cr_box_node* node = &tree->nodes[i];
    bool meets = cr_aabb_meets(&point, &node->box, 0);
    i = meets ? i + 1 : node->next;
    if (!meets || node->geom < 0) continue;
    cr_soft_mesh_get_tet(&k->part->mesh, node->geom, corner);
    const query first = {.surface = k, .own = own ? own[0] : -1};
    const query second = {.surface = k, .own = own ? own[1] : -1};
    if (is_within(k, corner, x, weight) && !adjoins(&first, corner) && !adjoins(&second, corner))
      return true;
  }
  return false;
}

/* --- Outside ------------------------------------------------------------------------------------
 */

static void try_facet(const query* q, int index, meeting* best) {
  const int* node = q->surface->part->surface.triangle + 3 * (size_t)index;
  double weight[3];
  if (is_corner(q->own, node, 3)) return;
  cr_scan_facet f = cr_scan_surface_get_facet(q->surface, index);
  double distance = v3_dot(v3_sub(q->x, f.corner[0]), f.normal);
  if (distance > q->reach || distance < -LEVEL * sqrt(f.area)) return;
  if (best->facet >= 0 && !(distance < best->distance)) return;
  if (!cr_scan_surface_project(&f, q->x, weight)) return;
  *best = (meeting){.facet = index, .normal = f.normal, .distance = distance, .count = 3};
  for (int i = 0; i < 3; i++) best->node[i] = node[i], best->weight[i] = weight[i];
}

static bool find_outside(const query* q, meeting* best) {
  const cr_box_tree* tree = &q->surface->facets;
  const cr_aabb point = {q->x, q->x};
  best->facet = -1;
  for (int i = 0; i < tree->num_nodes;) {
    const cr_box_node* node = &tree->nodes[i];
    bool meets = cr_aabb_meets(&point, &node->box, q->reach);
    i = meets ? i + 1 : node->next;
    if (meets && node->geom >= 0) try_facet(q, node->geom, best);
  }
  return best->facet >= 0;
}

/* --- Contact points -----------------------------------------------------------------------------
 */

/* The gap that the surfaces' thickness leaves: points of one body that are nearer than that at rest
 * stay as they are. */
static double find_thickness(const cr_scan_surface* a, const query* q, const meeting* at) {
  return fmin(a->part->radius + q->surface->part->radius, find_rest_distance(q, at->facet));
}

/* A node of `a` against the surface of the query. A, whose normal counts, is the body with the
 * lower number; of one body it is the triangle. */
static bool add_meeting(cr_scan* s, const cr_scan_surface* a, int node, const query* q,
                        const meeting* at) {
  const cr_scan_surface* b = q->surface;
  bool is_first = a->index < b->index;
  uint32_t feature = (is_first ? 0 : CR_SOFT_OTHER_SIDE) | (uint32_t)node;
  cr_contact_point point =
      cr_scan_surface_contact_point(s, -1, is_first ? a : b, is_first ? b : a, feature);
  double area = 0.5 * cr_scan_surface_facing_area(a, node, at->normal);
  cr_contact_side mine = cr_scan_surface_own_side(a, area),
                  other = cr_scan_surface_own_side(b, area);
  point.barycentric[is_first ? 0 : 1] = cr_scan_surface_barycentric(s, a, &node, &(double){1}, 1);
  point.barycentric[is_first ? 1 : 0] =
      cr_scan_surface_barycentric(s, b, at->node, at->weight, at->count);
  point.normal = v3_scale(is_first ? -1 : 1, at->normal);
  point.position = q->x;
  point.distance = at->distance - find_thickness(a, q, at);
  return cr_scan_surface_add(s, &mine, &other, &point);
}

static bool add_nodes(cr_scan* s, const cr_scan_surface* a, const cr_scan_surface* b,
                      double reach) {
  for (int i = 0; i < a->part->surface.num_nodes; i++) {
    int node = a->part->surface.node[i];
    query q = {.surface = b, .x = v3_load(a->x[node]), .own = a == b ? node : -1, .reach = reach};
    meeting at;
    if (cr_aabb_distance2(&b->bounds, q.x) > reach * reach) continue;
    if ((find_inside(&q, &at) || find_outside(&q, &at)) && !add_meeting(s, a, node, &q, &at))
      return false;
  }
  return true;
}

bool cr_scan_soft_pair(cr_scan* s, cr_scan_surface* a, cr_scan_surface* b) {
  double reach = a->reach + b->reach;
  if (!cr_scan_surface_place_solids(s, a) || !cr_scan_surface_place_solids(s, b)) return false;
  return add_nodes(s, a, b, reach) && add_nodes(s, b, a, reach) &&
         cr_scan_soft_crossings(s, a, b, reach);
}

bool cr_scan_soft_self(cr_scan* s, cr_scan_surface* surface) {
  return cr_scan_surface_place_solids(s, surface) &&
         add_nodes(s, surface, surface, surface->own_reach) &&
         cr_scan_soft_crossings(s, surface, surface, surface->own_reach);
}
