/* Points where edges of soft surfaces meet edges: of shapes, of other soft bodies, of their own.
 *
 * An edge is a capsule of the body's radius to a shape; of what touches it the points between its
 * ends count, since the ends are nodes. Two soft edges meet where their lines come nearest, along
 * the common perpendicular. A point counts where its normal is one of the edge: no triangle at the
 * edge may reach beyond it. Edges as flat as the surface around them matter to sharp edges alone.
 */
#include "geom/collide.h"
#include "geom/segment.h"
#include "sim/soft/soft_surface.h"

#include <math.h>

#define LEAN     0.2  /* sine by which a triangle may reach beyond the contact's plane */
#define SHARP    0.25 /* sine between the triangles of an edge that sticks out */
#define PARALLEL 0.05 /* sine below which two edges have no common perpendicular */

/* An edge of a surface: side i of a triangle runs from its corner i to the next. */
typedef struct edge {
  int name, node[2];
  v3 a, b;      /* its ends */
  v3 out;       /* sum of the normals at it */
  v3 inward[2]; /* unit, across it into the two triangles */
  double area;  /* half of its third of both triangles, as nodes of a pair count half, m² */
  bool is_sharp;
} edge;

static v3 find_inward(const cr_scan_facet* f, v3 along) {
  return v3_normalize_or(v3_cross(f->normal, along), v3_zero());
}

/* False where the edge is the other triangle's to list, or has none beyond it. */
static bool get_edge(const cr_scan_surface* k, int facet, int side, edge* e) {
  const int* node = k->part->surface.triangle + 3 * (size_t)facet;
  int first = node[side], second = node[(side + 1) % 3];
  int beyond = k->part->rest->neighbor[3 * (size_t)facet + (size_t)side];
  if (first > second || beyond < 0) return false;
  cr_scan_facet f = cr_scan_surface_get_facet(k, facet), g = cr_scan_surface_get_facet(k, beyond);
  *e = (edge){.name = 3 * facet + side, .node = {first, second}};
  e->a = v3_load(k->x[first]), e->b = v3_load(k->x[second]);
  v3 along = v3_sub(e->b, e->a);
  e->out = v3_add(f.normal, g.normal);
  e->inward[0] = find_inward(&f, along), e->inward[1] = find_inward(&g, v3_neg(along));
  e->area = (f.area + g.area) / 6;
  e->is_sharp = -v3_dot(e->inward[1], f.normal) > SHARP;
  return true;
}

/* True when a plane with this normal, outward, may rest on the edge. */
static bool allows(const edge* e, v3 normal) {
  return v3_dot(e->inward[0], normal) <= LEAN && v3_dot(e->inward[1], normal) <= LEAN;
}

static cr_line_segment get_segment(v3 a, v3 b) {
  return (cr_line_segment){v3_scale(0.5, v3_add(a, b)), v3_scale(0.5, v3_sub(b, a))};
}

/* The point of an edge at t in [-1, 1]. */
static const cr_barycentric_point* edge_point(const cr_scan* s, const cr_scan_surface* k,
                                              const edge* e, double t) {
  const double weight[2] = {0.5 * (1 - t), 0.5 * (1 + t)};
  return cr_scan_surface_barycentric(s, k, e->node, weight, 2);
}

/* --- Against a geometry -------------------------------------------------------------------------
 */

static bool add_point(cr_scan* s, const cr_scan_surface* k, const edge* e, int geom,
                      const cr_manifold* m, int index, const cr_line_segment* line) {
  v3 normal = m->normal, x = m->points[index].b;
  double t = v3_dot(v3_sub(x, line->center), line->half) / v3_norm2(line->half);
  if (!(fabs(t) < 1 - CR_SOFT_EDGE_END)) return true;
  uint32_t feature = CR_SOFT_EDGES | CR_SOFT_OTHER_SIDE |
                     ((uint32_t)e->name * CR_MANIFOLD_MAX + (uint32_t)index) % CR_SOFT_EDGES;
  cr_contact_point point = cr_scan_surface_contact_point(s, geom, NULL, k, feature);
  const carom_model* model = s->step->model;
  cr_contact_side mine = cr_scan_surface_own_side(k, e->area);
  cr_contact_side other = cr_contact_rule_side(&model->geom, &model->contact, geom);
  point.barycentric[1] = edge_point(s, k, e, t);
  point.normal = normal;
  point.position = x;
  point.distance = m->points[index].distance;
  return cr_scan_surface_add(s, &other, &mine, &point);
}

static bool add_against_geom(cr_scan* s, const cr_scan_surface* k, const edge* e, int geom,
                             double reach) {
  const cr_shape* shape = &s->step->model->geom.shape[geom];
  cr_line_segment line = get_segment(e->a, e->b);
  double half = v3_norm(line.half);
  v3 axis = v3_scale(1 / half, line.half), t1, t2;
  v3_tangents(axis, &t1, &t2);
  cr_shape capsule = {.type = CAROM_GEOM_CAPSULE, .size = {k->part->radius, half, 0}};
  pose X = {line.center, m3_from_columns(t1, t2, axis)};
  cr_manifold manifold;
  int count =
      half > 0 ? cr_geom_collide(shape, &s->poses[geom], &capsule, &X, reach, &manifold) : 0;
  if (count < 1 || !allows(e, v3_neg(manifold.normal))) return true;
  for (int i = 0; i < count; i++)
    if (!add_point(s, k, e, geom, &manifold, i, &line)) return false;
  return true;
}

bool cr_scan_soft_edges(cr_scan* s, const cr_scan_surface* k, int geom, const cr_aabb* bounds,
                        double reach) {
  carom_geom_type type = s->step->model->geom.shape[geom].type;
  bool has_edges = type == CAROM_GEOM_BOX || type == CAROM_GEOM_CYLINDER || type == CAROM_GEOM_MESH;
  const cr_box_tree* tree = &k->facets;
  for (int i = 0; i < tree->num_nodes;) {
    const cr_box_node* node = &tree->nodes[i];
    bool meets = cr_aabb_meets(&node->box, bounds, k->part->radius);
    i = meets ? i + 1 : node->next;
    for (int side = 0; side < 3 && meets && node->geom >= 0; side++) {
      edge e;
      if (!get_edge(k, node->geom, side, &e) || !(has_edges || e.is_sharp)) continue;
      if (!add_against_geom(s, k, &e, geom, reach)) return false;
    }
  }
  return true;
}

/* The point of an edge of `b` at u; or, where x (on an edge of `a`) lies within b, its point there,
 * so that both sides' forces act at one place. */
static const cr_barycentric_point* meet_point(const cr_scan* s, const cr_scan_surface* a,
                                              const edge* e, v3 x, const cr_scan_surface* b,
                                              const edge* f, double u) {
  int node[4];
  double weight[4];
  bool is_within = cr_scan_surface_find_tet(b, x, a == b ? e->node : NULL, node, weight);
  return is_within ? cr_scan_surface_barycentric(s, b, node, weight, 4) : edge_point(s, b, f, u);
}

/* --- Two soft edges -----------------------------------------------------------------------------
 */

static bool adjoin(const cr_scan_surface* k, const edge* e, const edge* f) {
  for (int i = 0; i < 4; i++)
    if (e->node[i % 2] == f->node[i / 2] ||
        cr_bsm_find_block(&k->part->body.pattern, e->node[i % 2], f->node[i / 2]) >= 0)
      return true;
  return false;
}

/* The gap that the surfaces' thickness leaves, as in soft_pairs.c. */
static double find_thickness(const cr_scan_surface* a, const cr_scan_surface* b, const edge* e,
                             const edge* f) {
  double thickness = a->part->radius + b->part->radius, t, u;
  if (a != b || !(thickness > 0)) return thickness;
  const double(*X)[3] = (const double(*)[3])a->part->mesh.node;
  cr_line_segment p = get_segment(v3_load(X[e->node[0]]), v3_load(X[e->node[1]]));
  cr_line_segment q = get_segment(v3_load(X[f->node[0]]), v3_load(X[f->node[1]]));
  cr_segment_find_closest(&p, &q, &t, &u);
  return fmin(thickness, v3_norm(v3_sub(cr_segment_point(&p, t), cr_segment_point(&q, u))));
}

static bool add_crossing(cr_scan* s, const cr_scan_surface* a, const edge* e,
                         const cr_scan_surface* b, const edge* f, double reach) {
  cr_line_segment p = get_segment(e->a, e->b), q = get_segment(f->a, f->b);
  double t, u, lengths = v3_norm(p.half) * v3_norm(q.half);
  v3 normal = v3_cross(p.half, q.half);
  if (!(v3_norm(normal) > PARALLEL * lengths)) return true;
  normal = v3_normalize_or(v3_scale(v3_dot(normal, v3_sub(f->out, e->out)), normal), v3_zero());
  cr_segment_find_closest(&p, &q, &t, &u);
  if (!(fabs(t) < 1 - CR_SOFT_EDGE_END && fabs(u) < 1 - CR_SOFT_EDGE_END)) return true;
  if (!allows(e, v3_neg(normal)) || !allows(f, normal)) return true;
  v3 x = cr_segment_point(&p, t);
  double distance = v3_dot(normal, v3_sub(x, cr_segment_point(&q, u)));
  if (distance > reach || distance < -CR_SOFT_DEEPEST * sqrt(fmin(e->area, f->area))) return true;
  bool is_first = a->index < b->index;
  uint32_t name = cr_soft_name_crossing((uint32_t)e->name, (uint32_t)f->name);
  cr_contact_point point =
      cr_scan_surface_contact_point(s, -1, is_first ? a : b, is_first ? b : a, name);
  double area = fmin(e->area, f->area);
  cr_contact_side mine = cr_scan_surface_own_side(a, area),
                  other = cr_scan_surface_own_side(b, area);
  point.barycentric[is_first ? 0 : 1] = edge_point(s, a, e, t);
  point.barycentric[is_first ? 1 : 0] = meet_point(s, a, e, x, b, f, u);
  point.normal = v3_scale(is_first ? -1 : 1, normal);
  point.position = x;
  point.distance = distance - find_thickness(a, b, e, f);
  return cr_scan_surface_add(s, &mine, &other, &point);
}

/* An edge of `a` against those of `b`; of one body each pair once. */
static bool add_edge(cr_scan* s, const cr_scan_surface* a, const edge* e, const cr_scan_surface* b,
                     double reach) {
  const cr_box_tree* tree = &b->facets;
  cr_aabb box = cr_aabb_empty();
  cr_aabb_cover(&box, e->a);
  cr_aabb_cover(&box, e->b);
  for (int i = 0; i < tree->num_nodes;) {
    const cr_box_node* node = &tree->nodes[i];
    bool meets = cr_aabb_meets(&box, &node->box, reach);
    i = meets ? i + 1 : node->next;
    for (int side = 0; side < 3 && meets && node->geom >= 0; side++) {
      edge f;
      if (!get_edge(b, node->geom, side, &f) || !(e->is_sharp || f.is_sharp)) continue;
      if (a == b && (f.name <= e->name || adjoin(a, e, &f))) continue;
      if (!add_crossing(s, a, e, b, &f, reach)) return false;
    }
  }
  return true;
}

bool cr_scan_soft_crossings(cr_scan* s, const cr_scan_surface* a, const cr_scan_surface* b,
                            double reach) {
  for (int facet = 0; facet < a->part->surface.num_triangles; facet++)
    for (int side = 0; side < 3; side++) {
      edge e;
      if (get_edge(a, facet, side, &e) && !add_edge(s, a, &e, b, reach)) return false;
    }
  return true;
}
