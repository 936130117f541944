/* Points between soft bodies and geometries: nodes of a surface against shapes, and the deepest
 * points of shapes against triangles.
 *
 * A node is a ball of the body's radius to every shape (geom/collide.h). What is finer than the
 * triangles is found from its own side: corners of boxes and hulls, points on the rims of
 * cylinders, and of round shapes the point that lies deepest below each triangle. A body does not
 * touch the link that it is tied to. */
#include "geom/collide.h"
#include "sim/soft/soft_surface.h"

#include <math.h>

#define MOST_CORNERS 64 /* of a hull; larger ones show their deepest points */

static bool holds(const cr_aabb* box, v3 x, double reach) {
  return cr_aabb_distance2(box, x) <= reach * reach;
}

static bool may_touch(uint32_t type1, uint32_t affinity1, uint32_t type2, uint32_t affinity2) {
  return (type1 & affinity2) || (type2 & affinity1);
}

/* A body does not touch the link that it is tied to. */
static bool is_tied(const carom_model* m, int part, int link) {
  for (int i = 0; i < m->soft.num_ties; i++)
    if (m->soft.tie_part[i] == part && m->soft.tie_link[i] == link) return true;
  return false;
}

/* --- Nodes against a geometry -------------------------------------------------------------------
 */

static bool add_node(cr_scan* s, const cr_scan_surface* k, int at, int geom, double reach) {
  const carom_model* m = s->step->model;
  const cr_soft_surface* surface = &k->part->surface;
  int node = surface->node[at];
  v3 x = v3_load(k->x[node]);
  if (m->soft.held[k->part->first_node + node] == 1) return true;
  cr_shape ball = {.type = CAROM_GEOM_SPHERE, .size = {k->part->radius, 0, 0}};
  pose X = {x, m3_identity()};
  cr_manifold manifold;
  if (cr_geom_collide(&m->geom.shape[geom], &s->poses[geom], &ball, &X, reach, &manifold) < 1)
    return true;
  cr_contact_point point = cr_scan_surface_contact_point(s, geom, NULL, k, (uint32_t)node);
  point.normal = manifold.normal;
  cr_contact_side mine = cr_scan_surface_own_side(
                      k, cr_scan_surface_facing_area(k, node, point.normal)),
                  other = cr_contact_rule_side(&m->geom, &m->contact, geom);
  point.barycentric[1] = cr_scan_surface_barycentric(s, k, &node, &(double){1}, 1);
  point.position = v3_axpy(x, -k->part->radius, point.normal);
  point.distance = manifold.points[0].distance;
  return cr_scan_surface_add(s, &other, &mine, &point);
}

static bool add_nodes(cr_scan* s, const cr_scan_surface* k, int geom, const cr_aabb* bounds,
                      double reach) {
  const cr_soft_surface* surface = &k->part->surface;
  for (int i = 0; i < surface->num_nodes; i++)
    if (holds(bounds, v3_load(k->x[surface->node[i]]), k->part->radius) &&
        !add_node(s, k, i, geom, reach))
      return false;
  return true;
}

/* --- Points of a geometry against triangles -----------------------------------------------------
 */

/* A point x of a geometry against a triangle. */
static bool add_corner(cr_scan* s, const cr_scan_surface* k, const cr_scan_facet* f, int geom, v3 x,
                       int number, double reach) {
  const carom_model* m = s->step->model;
  double weight[3], distance = v3_dot(v3_sub(x, f->corner[0]), f->normal);
  double deepest = fmin(CR_SOFT_DEEPEST * cr_shape_compute_thickness(&m->geom.shape[geom]),
                        CR_SOFT_DEEPEST * sqrt(f->area));
  if (distance > reach + k->part->radius || distance < -deepest - k->part->radius) return true;
  if (!cr_scan_surface_project(f, x, weight)) return true;
  uint32_t feature = CR_SOFT_OTHER_SIDE |
                     ((uint32_t)f->index * MOST_CORNERS + (uint32_t)number) % CR_SOFT_OTHER_SIDE;
  cr_contact_point point = cr_scan_surface_contact_point(s, geom, NULL, k, feature);
  cr_contact_side mine = cr_scan_surface_own_side(k, f->area),
                  other = cr_contact_rule_side(&m->geom, &m->contact, geom);
  point.barycentric[1] =
      cr_scan_surface_barycentric(s, k, k->part->surface.triangle + 3 * f->index, weight, 3);
  point.normal = v3_scale(-1, f->normal);
  point.position = x;
  point.distance = distance - k->part->radius;
  return cr_scan_surface_add(s, &other, &mine, &point);
}

/* Points of a shape that may be the first to meet a facet: its corners; eight on each rim of a
 * cylinder, and the ends of a capsule along `down`; of what is round or has many corners the one
 * that lies farthest down. All in the shape's frame. */
static int list_points(const cr_shape* shape, v3 down, v3 point[MOST_CORNERS]) {
  const double* size = shape->size;
  switch (shape->type) {
  case CAROM_GEOM_BOX:
    for (int i = 0; i < 8; i++)
      point[i] = v3_make(i & 1 ? size[0] : -size[0], i & 2 ? size[1] : -size[1],
                         i & 4 ? size[2] : -size[2]);
    return 8;
  case CAROM_GEOM_CYLINDER:
    for (int i = 0; i < 8; i++)
      for (int k = 0; k < 2; k++)
        point[2 * i + k] =
            v3_make(size[0] * cos(i * M_PI_4), size[0] * sin(i * M_PI_4), k ? size[1] : -size[1]);
    return 16;
  case CAROM_GEOM_CAPSULE:
    for (int i = 0; i < 2; i++)
      point[i] = v3_axpy(v3_make(0, 0, i ? size[1] : -size[1]), size[0], down);
    return 2;
  default:
    break;
  }
  if (!shape->hull || shape->hull->num_vertices > MOST_CORNERS) {
    point[0] = cr_shape_compute_support(shape, down);
    return 1;
  }
  for (int i = 0; i < shape->hull->num_vertices; i++) point[i] = cr_hull_vertex(shape->hull, i);
  return shape->hull->num_vertices;
}

static bool add_corners(cr_scan* s, const cr_scan_surface* k, const cr_scan_facet* f, int geom,
                        double reach) {
  const cr_shape* shape = &s->step->model->geom.shape[geom];
  const pose* X = &s->poses[geom];
  v3 point[MOST_CORNERS];
  int count = list_points(shape, m3_tmulv(&X->R, v3_scale(-1, f->normal)), point);
  for (int i = 0; i < count; i++)
    if (!add_corner(s, k, f, geom, pose_point(X, point[i]), i, reach)) return false;
  return true;
}

static bool add_facets(cr_scan* s, const cr_scan_surface* k, int geom, const cr_aabb* bounds,
                       double reach) {
  const cr_box_tree* tree = &k->facets;
  for (int i = 0; i < tree->num_nodes;) {
    const cr_box_node* node = &tree->nodes[i];
    bool meets = cr_aabb_meets(&node->box, bounds, k->part->radius);
    i = meets ? i + 1 : node->next;
    if (!meets || node->geom < 0) continue;
    cr_scan_facet f = cr_scan_surface_get_facet(k, node->geom);
    if (!add_corners(s, k, &f, geom, reach)) return false;
  }
  return true;
}

static bool add_geom(cr_scan* s, const cr_scan_surface* k, int geom) {
  const carom_model* m = s->step->model;
  const cr_shape* shape = &m->geom.shape[geom];
  if (!may_touch(m->geom.contype[geom], m->geom.conaffinity[geom], k->part->contype,
                 k->part->conaffinity) ||
      is_tied(m, k->index, m->geom.link[geom]))
    return true;
  double reach = k->reach - k->part->radius + s->reach[geom] + m->geom.margin[geom];
  cr_aabb bounds = cr_aabb_enlarge(cr_shape_compute_aabb(shape, &s->poses[geom]), reach);
  if (!cr_aabb_meets(&bounds, &k->bounds, 0)) return true;
  if (!add_nodes(s, k, geom, &bounds, reach)) return false;
  bool has_corners = shape->type != CAROM_GEOM_PLANE && !shape->surface;
  return !has_corners ||
         (add_facets(s, k, geom, &bounds, reach) && cr_scan_soft_edges(s, k, geom, &bounds, reach));
}

static bool add_soft_pair(cr_scan* s, cr_scan_surface* a, cr_scan_surface* b) {
  const cr_soft_part *p = a->part, *q = b->part;
  if (!may_touch(p->contype, p->conaffinity, q->contype, q->conaffinity)) return true;
  return !cr_aabb_meets(&a->bounds, &b->bounds, 0) || cr_scan_soft_pair(s, a, b);
}

bool cr_scan_soft(cr_scan* s) {
  const carom_model* m = s->step->model;
  cr_scan_surface* surfaces = CR_SCRATCH(s->step->arena, cr_scan_surface, m->soft.num_parts);
  if (s->step->arena->failed) return false;
  for (int k = 0; k < m->soft.num_parts; k++) {
    if (!cr_scan_surface_init(s, k, &surfaces[k])) return false;
    for (int g = 0; g < m->geom.num_geoms; g++)
      if (!add_geom(s, &surfaces[k], g)) return false;
    for (int j = 0; j < k; j++)
      if (!add_soft_pair(s, &surfaces[j], &surfaces[k])) return false;
    if (m->soft.part[k].touches_itself && !cr_scan_soft_self(s, &surfaces[k])) return false;
  }
  return true;
}
