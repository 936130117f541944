/* Soft bodies in a search for contacts: bounds, trees of boxes that follow the nodes, and the
 * values of their contacts.
 *
 * How far two points of one body come nearer to each other is found from the nodes' velocities
 * without the motion of the whole, v - v_mean - omega x r with the omega that the body's angular
 * momentum gives it as if it were rigid. */
#include "sim/soft/soft_surface.h"

#include "base/copy.h"
#include "sim/contact/contact_patches.h"
#include "sim/contact/contact_surface.h"

#include <math.h>
#include <string.h>

/* --- Motion -------------------------------------------------------------------------------------
 */

/* Sums over the nodes of a body. */
typedef struct whole {
  double mass;
  v3 center, velocity, spin;
} whole;

static const double* node_velocity(const cr_scan* s, const cr_soft_part* part, int node) {
  return s->lin->v + s->step->model->tree.num_v + 3 * (size_t)(part->first_node + node);
}

static whole sum_motion(const cr_scan* s, const cr_scan_surface* k) {
  const cr_soft_part* part = k->part;
  whole w = {0};
  for (int n = 0; n < part->mesh.num_nodes; n++) {
    double mass = part->body.mass[n];
    w.mass += mass;
    w.center = v3_axpy(w.center, mass, v3_load(k->x[n]));
    w.velocity = v3_axpy(w.velocity, mass, v3_load(node_velocity(s, part, n)));
  }
  w.center = v3_scale(1 / w.mass, w.center), w.velocity = v3_scale(1 / w.mass, w.velocity);
  m3 inertia = m3_zero();
  v3 momentum = v3_zero();
  for (int n = 0; n < part->mesh.num_nodes; n++) {
    double mass = part->body.mass[n];
    v3 r = v3_sub(v3_load(k->x[n]), w.center);
    v3 v = v3_sub(v3_load(node_velocity(s, part, n)), w.velocity);
    momentum = v3_axpy(momentum, mass, v3_cross(r, v));
    m3 skew = m3_skew(r), square = m3_mul(&skew, &skew);
    square = m3_scale(-mass, &square);
    inertia = m3_add(&inertia, &square);
  }
  w.spin = m3_solve(&inertia, momentum);
  return w;
}

/* Largest speed of the surface beside the motion of the whole. */
static double find_own_speed(const cr_scan* s, const cr_scan_surface* k) {
  whole w = sum_motion(s, k);
  double fastest = 0;
  for (int i = 0; i < k->part->surface.num_nodes; i++) {
    int node = k->part->surface.node[i];
    v3 own = v3_sub(v3_load(node_velocity(s, k->part, node)), w.velocity);
    own = v3_sub(own, v3_cross(w.spin, v3_sub(v3_load(k->x[node]), w.center)));
    fastest = fmax(fastest, v3_norm2(own));
  }
  return sqrt(fastest);
}

static double find_speed(const cr_scan* s, const cr_scan_surface* k) {
  double fastest = 0;
  for (int i = 0; i < k->part->surface.num_nodes; i++)
    fastest = fmax(fastest, v3_norm2(v3_load(node_velocity(s, k->part, k->part->surface.node[i]))));
  return sqrt(fastest);
}

static void set_reach(const cr_scan* s, cr_scan_surface* k) {
  const cr_soft_part* part = k->part;
  double thickness = part->radius + part->margin;
  bool is_given = s->soft_reach >= 0;
  k->reach = thickness + (is_given ? s->soft_reach : s->step->dt * (find_speed(s, k) + s->g_dt));
  if (!part->touches_itself) return;
  double travel = is_given ? s->soft_reach : s->step->dt * (find_own_speed(s, k) + s->g_dt);
  k->own_reach = 2 * (thickness + travel);
}

/* --- Trees --------------------------------------------------------------------------------------
 */

static cr_aabb box_nodes(const cr_scan_surface* k, const int* node, int count) {
  cr_aabb box = cr_aabb_empty();
  for (int i = 0; i < count; i++) cr_aabb_cover(&box, v3_load(k->x[node[i]]));
  return box;
}

/* The tree of the shape at rest about other boxes; its leaves are to be filled. */
static bool copy_tree(const cr_scan* s, const cr_box_tree* rest, cr_box_tree* tree) {
  cr_box_node* nodes = CR_SCRATCH(s->step->arena, cr_box_node, rest->num_nodes);
  if (s->step->arena->failed) return false;
  CR_COPY(nodes, rest->nodes, rest->num_nodes);
  *tree = (cr_box_tree){.num_nodes = rest->num_nodes, .nodes = nodes};
  return true;
}

static bool place_facets(const cr_scan* s, cr_scan_surface* k) {
  if (!copy_tree(s, &k->part->rest->tree, &k->facets)) return false;
  for (int i = 0; i < k->facets.num_nodes; i++) {
    cr_box_node* node = &k->facets.nodes[i];
    if (node->geom >= 0) node->box = box_nodes(k, k->part->surface.triangle + 3 * node->geom, 3);
  }
  cr_box_tree_refit(&k->facets);
  return true;
}

bool cr_scan_surface_place_solids(const cr_scan* s, cr_scan_surface* k) {
  if (k->solids.num_nodes > 0) return true;
  if (!copy_tree(s, &k->part->solids, &k->solids)) return false;
  for (int i = 0; i < k->solids.num_nodes; i++) {
    cr_box_node* node = &k->solids.nodes[i];
    int corner[4];
    if (node->geom < 0) continue;
    cr_soft_mesh_get_tet(&k->part->mesh, node->geom, corner);
    node->box = box_nodes(k, corner, 4);
  }
  cr_box_tree_refit(&k->solids);
  return true;
}

/* --- Areas --------------------------------------------------------------------------------------
 */

/* A third of the triangles at each node, as vectors: of the faces that meet at an edge, a contact
 * presses on what faces it. */
static bool find_areas(const cr_scan* s, cr_scan_surface* k) {
  size_t count = 3 * (size_t)k->part->mesh.num_nodes;
  double* area = CR_SCRATCH(s->step->arena, double, count);
  if (s->step->arena->failed) return false;
  memset(area, 0, sizeof *area * count);
  k->area = (double(*)[3])area;
  for (int i = 0; i < k->part->surface.num_triangles; i++) {
    const int* corner = k->part->surface.triangle + 3 * i;
    v3 x0 = v3_load(k->x[corner[0]]);
    v3 n = v3_cross(v3_sub(v3_load(k->x[corner[1]]), x0), v3_sub(v3_load(k->x[corner[2]]), x0));
    for (int c = 0; c < 3; c++)
      v3_store(v3_axpy(v3_load(k->area[corner[c]]), 1.0 / 6, n), k->area[corner[c]]);
  }
  return true;
}

double cr_scan_surface_facing_area(const cr_scan_surface* surface, int node, v3 normal) {
  v3 area = v3_load(surface->area[node]);
  return fmax(-v3_dot(area, normal), CR_SOFT_LEAST_FACING * v3_norm(area));
}

bool cr_scan_surface_init(const cr_scan* s, int index, cr_scan_surface* surface) {
  const carom_model* m = s->step->model;
  const cr_soft_part* part = &m->soft.part[index];
  *surface = (cr_scan_surface){.part = part, .index = index};
  surface->x = (const double(*)[3])(s->step->q_mid + m->tree.num_q + 3 * (size_t)part->first_node);
  set_reach(s, surface);
  if (!place_facets(s, surface)) return false;
  surface->bounds = cr_aabb_enlarge(surface->facets.nodes[0].box, surface->reach);
  return find_areas(s, surface);
}

/* --- Triangles ----------------------------------------------------------------------------------
 */

cr_scan_facet cr_scan_surface_get_facet(const cr_scan_surface* surface, int index) {
  cr_scan_facet f = {.index = index};
  const int* corner = surface->part->surface.triangle + 3 * (size_t)index;
  for (int i = 0; i < 3; i++) f.corner[i] = v3_load(surface->x[corner[i]]);
  v3 n = v3_cross(v3_sub(f.corner[1], f.corner[0]), v3_sub(f.corner[2], f.corner[0]));
  f.area = 0.5 * v3_norm(n);
  f.normal = v3_normalize_or(n, v3_make(0, 0, 1));
  return f;
}

bool cr_scan_surface_project(const cr_scan_facet* f, v3 x, double weight[3]) {
  if (!(f->area > 0)) return false;
  for (int i = 0; i < 3; i++) {
    v3 a = f->corner[(i + 1) % 3], b = f->corner[(i + 2) % 3];
    v3 n = v3_cross(v3_sub(b, a), v3_sub(x, a));
    weight[i] = v3_dot(n, f->normal) / (2 * f->area);
    if (!(weight[i] >= 0)) return false;
  }
  return true;
}

/* --- Values -------------------------------------------------------------------------------------
 */

cr_contact_side cr_scan_surface_own_side(const cr_scan_surface* surface, double area) {
  const cr_soft_part* p = surface->part;
  return (cr_contact_side){.condim = p->condim,
                           .priority = p->priority,
                           .friction = p->friction,
                           .margin = p->margin,
                           .stiffness = p->stiffness * area,
                           .dissipation = p->dissipation,
                           .surface = &p->contact_surface};
}

/* The values of a contact point; a node has no moments. False when memory ran out. */
static bool set_values(const cr_scan* s, const cr_contact_side* a, const cr_contact_side* b,
                       cr_contact_point* point) {
  const cr_contact_model* contact = &s->step->model->contact;
  cr_contact_values values = cr_contact_rule_mix_sides(contact, a, b);
  values.condim = values.friction > 0 && values.condim >= 3 ? 3 : 1;
  point->condim = values.condim, point->friction = values.friction;
  point->stiffness = values.stiffness, point->dissipation = values.dissipation;
  point->margin = isinf(values.stiffness) ? values.margin : 0;
  if (contact->is_plain && !s->step->sim->num_driven) return true;
  carom_surface surface = cr_contact_rule_mix_surfaces(contact, a, b);
  surface.restitution = 0; /* what is soft rebounds by its elasticity */
  return cr_scan_set_surface(s, &values, &surface, point);
}

/* --- Contact points -----------------------------------------------------------------------------
 */

const cr_barycentric_point* cr_scan_surface_barycentric(const cr_scan* s,
                                                        const cr_scan_surface* surface,
                                                        const int* node, const double* weight,
                                                        int count) {
  cr_barycentric_point* barycentric = CR_PUSH(s->step->arena, cr_barycentric_point, 1);
  if (!barycentric) return NULL;
  *barycentric = (cr_barycentric_point){.count = count};
  for (int i = 0; i < count; i++)
    barycentric->node[i] = surface->part->first_node + node[i], barycentric->weight[i] = weight[i];
  return barycentric;
}

cr_contact_point cr_scan_surface_contact_point(const cr_scan* s, int geom, const cr_scan_surface* a,
                                               const cr_scan_surface* b, uint32_t feature) {
  const carom_model* m = s->step->model;
  cr_contact_point point = {.passing = INFINITY,
                            .geom = {a ? -1 - a->index : geom, -1 - b->index},
                            .link = {a ? m->tree.num_links + a->index : m->geom.link[geom],
                                     m->tree.num_links + b->index}};
  unsigned first = (unsigned)(a ? m->geom.num_geoms + a->index : geom);
  point.key.pair = (uint64_t)first << 32 | (unsigned)(m->geom.num_geoms + b->index);
  point.key.feature = feature;
  return point;
}

bool cr_scan_surface_add(cr_scan* s, const cr_contact_side* a, const cr_contact_side* b,
                         cr_contact_point* point) {
  if (!point->barycentric[1] || (point->geom[0] < 0 && !point->barycentric[0])) return false;
  v3_tangents(point->normal, &point->tangent[0], &point->tangent[1]);
  return set_values(s, a, b, point) && cr_scan_add(s, point, 1);
}
