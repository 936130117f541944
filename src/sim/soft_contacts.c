/* Points between soft bodies and geometries, and between soft bodies: nodes of a surface against
 * shapes and triangles, and the deepest points of shapes against triangles.
 *
 * A node is a ball of the body's radius to every shape (geom/collide.h). What is finer than the
 * triangles is found from its own side: corners of boxes and hulls, points on the rims of
 * cylinders, and of round shapes the point that lies deepest below each triangle. Edges that cross
 * edges are not looked for. A body does not touch itself, nor the link that it is tied to. */
#include "geom/collide.h"
#include "model/contact_rule.h"
#include "sim/contacts.h"

#include <math.h>
#include <string.h>

#define LEAST_FACING 0.05 /* of a node's area, however it is turned */
#define DEEPEST      0.5  /* of a triangle's size: what lies deeper is on the other side */
#define MOST_CORNERS 64   /* of a hull; larger ones show their deepest points */
#define EIGHTH       0.78539816339744831 /* of a turn, rad */
#define OTHER_SIDE                                                              \
  (UINT32_C(1) << 30) /* feature bit: a point of B's partner against a triangle \
                       */

/* A soft body in a scan. */
typedef struct skin {
  const cr_soft_part* part;
  int index;
  const double (*x)[3]; /* [num_nodes] at q_mid */
  cr_aabb bounds;       /* of the surface, with its reach */
  double reach;         /* m, radius included */
  double (*area)[3]; /* [num_nodes] m², outward vector area of nodes; null: contacts are rigid */
} skin;

static bool overlaps(const cr_aabb* a, const cr_aabb* b) {
  return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
         b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static bool holds(const cr_aabb* box, v3 x, double reach) {
  return x.x >= box->low.x - reach && x.x <= box->high.x + reach && x.y >= box->low.y - reach &&
         x.y <= box->high.y + reach && x.z >= box->low.z - reach && x.z <= box->high.z + reach;
}

static cr_aabb enlarge(cr_aabb box, double reach) {
  v3 d = v3_make(reach, reach, reach);
  return (cr_aabb){v3_sub(box.low, d), v3_add(box.high, d)};
}

static cr_aabb no_box(void) {
  return (cr_aabb){v3_make(INFINITY, INFINITY, INFINITY), v3_make(-INFINITY, -INFINITY, -INFINITY)};
}

static void cover(cr_aabb* box, v3 x) {
  box->low = v3_make(fmin(box->low.x, x.x), fmin(box->low.y, x.y), fmin(box->low.z, x.z));
  box->high = v3_make(fmax(box->high.x, x.x), fmax(box->high.y, x.y), fmax(box->high.z, x.z));
}

/* A third of the triangles at each node, as vectors: of the faces that meet at an edge, a contact
 * presses on what faces it. */
static bool find_areas(const cr_scan* s, skin* k) {
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

/* What of a node's area presses along the normal, which points into the body. */
static double facing_area(const skin* k, int node, v3 normal) {
  if (!k->area) return 1;
  v3 area = v3_load(k->area[node]);
  return fmax(-v3_dot(area, normal), LEAST_FACING * v3_norm(area));
}

static skin make_skin(const cr_scan* s, int index) {
  const carom_model* m = s->step->model;
  const cr_soft_part* part = &m->soft.part[index];
  skin k = {.part = part, .index = index, .bounds = no_box()};
  k.x = (const double(*)[3])(s->step->q_mid + m->tree.num_q + 3 * part->first_node);
  const double* v = s->lin->v + m->tree.num_v + 3 * (size_t)part->first_node;
  double fastest = 0;
  for (int i = 0; i < part->surface.num_nodes; i++) {
    int node = part->surface.node[i];
    cover(&k.bounds, v3_load(k.x[node]));
    fastest = fmax(fastest, v3_norm2(v3_load(v + 3 * (size_t)node)));
  }
  double travel = s->soft_reach >= 0 ? s->soft_reach : s->step->dt * (sqrt(fastest) + s->g_dt);
  k.reach = travel + part->radius + part->margin;
  k.bounds = enlarge(k.bounds, k.reach);
  return k;
}

/* --- Values -------------------------------------------------------------------------------------
 */

/* What one side brings to a pair. */
typedef struct side {
  int condim, priority;
  double friction, margin, stiffness, dissipation;
} side;

static side geom_side(const carom_model* m, int geom) {
  const cr_contact_model* c = &m->contact;
  return (side){c->condim[geom],      c->priority[geom],  c->friction[geom],
                m->geom.margin[geom], c->stiffness[geom], c->dissipation[geom]};
}

/* A part of the surface of the given area. */
static side skin_side(const skin* k, double area) {
  const cr_soft_part* p = k->part;
  return (side){p->condim, p->priority,         p->friction,
                p->margin, p->stiffness * area, p->dissipation};
}

static double mix_friction(const carom_model* m, double a, double b) {
  if (m->contact.friction_rule == CAROM_FRICTION_RULE_LARGER) return fmax(a, b);
  return a + b > 0 ? 2 * a * (b / (a + b)) : 0;
}

/* The rules of contact_rule.h. */
static void set_values(const carom_model* m, const side* a, const side* b, cr_touch* t) {
  const side* lead = a->priority > b->priority ? a : b;
  bool is_equal = a->priority == b->priority;
  t->friction = is_equal ? mix_friction(m, a->friction, b->friction) : lead->friction;
  t->condim = is_equal ? (a->condim > b->condim ? a->condim : b->condim) : lead->condim;
  t->condim = t->friction > 0 && t->condim >= 3 ? 3 : 1; /* a node has no moments */
  double k1 = a->stiffness, k2 = b->stiffness;
  if (isinf(k1) || isinf(k2)) {
    t->stiffness = fmin(k1, k2);
    t->dissipation = isinf(k1) && isinf(k2) ? NAN : isinf(k1) ? b->dissipation : a->dissipation;
  } else {
    t->stiffness = k1 * (k2 / (k1 + k2));
    t->dissipation = (k2 * a->dissipation + k1 * b->dissipation) / (k1 + k2);
  }
  t->margin = isinf(t->stiffness) ? a->margin + b->margin : 0;
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

/* --- Touches ------------------------------------------------------------------------------------
 */

static cr_soft_spot* push_spot(const cr_scan* s, int count) {
  cr_soft_spot* spot = CR_PUSH(s->step->arena, cr_soft_spot, 1);
  if (spot) *spot = (cr_soft_spot){.count = count};
  return spot;
}

static const cr_soft_spot* node_spot(const cr_scan* s, const skin* k, int node) {
  cr_soft_spot* spot = push_spot(s, 1);
  if (!spot) return NULL;
  spot->node[0] = k->part->first_node + node;
  spot->weight[0] = 1;
  return spot;
}

static const cr_soft_spot* triangle_spot(const cr_scan* s, const skin* k, int triangle,
                                         const double weight[3]) {
  cr_soft_spot* spot = push_spot(s, 3);
  for (int i = 0; spot && i < 3; i++) {
    spot->node[i] = k->part->first_node + k->part->surface.triangle[3 * triangle + i];
    spot->weight[i] = weight[i];
  }
  return spot;
}

/* The touch of geometry (or skin) A and skin B; keys count soft bodies behind the geometries. */
static cr_touch make_touch(const cr_scan* s, int geom, const skin* a, const skin* b,
                           uint32_t feature) {
  const carom_model* m = s->step->model;
  cr_touch t = {.geom = {a ? -1 - a->index : geom, -1 - b->index},
                .link = {a ? m->tree.num_links + a->index : m->geom.link[geom],
                         m->tree.num_links + b->index}};
  unsigned first = (unsigned)(a ? m->geom.num_geoms + a->index : geom);
  t.key.pair = (uint64_t)first << 32 | (unsigned)(m->geom.num_geoms + b->index);
  t.key.feature = feature;
  return t;
}

static bool add_touch(cr_scan* s, cr_touch* t) {
  if (!t->spot[1]) return false;
  v3_tangents(t->normal, &t->tangent[0], &t->tangent[1]);
  return cr_scan_add(s, t, 1);
}

/* --- Nodes against a geometry -------------------------------------------------------------------
 */

static bool add_node(cr_scan* s, const skin* k, int at, int geom, double reach) {
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
  cr_touch t = make_touch(s, geom, NULL, k, (uint32_t)node);
  t.normal = manifold.normal;
  side mine = skin_side(k, facing_area(k, node, t.normal)), other = geom_side(m, geom);
  set_values(m, &other, &mine, &t);
  t.spot[1] = node_spot(s, k, node);
  t.position = v3_axpy(x, -k->part->radius, t.normal);
  t.distance = manifold.points[0].distance;
  return add_touch(s, &t);
}

static bool add_nodes(cr_scan* s, const skin* k, int geom, const cr_aabb* bounds, double reach) {
  const cr_soft_surface* surface = &k->part->surface;
  for (int i = 0; i < surface->num_nodes; i++)
    if (holds(bounds, v3_load(k->x[surface->node[i]]), k->part->radius) &&
        !add_node(s, k, i, geom, reach))
      return false;
  return true;
}

/* --- Points of a geometry against triangles -----------------------------------------------------
 */

/* A triangle of a skin. */
typedef struct facet {
  int index;
  v3 corner[3], normal; /* outward, unit */
  double area;
} facet;

static facet make_facet(const skin* k, int index) {
  facet f = {.index = index};
  for (int i = 0; i < 3; i++) f.corner[i] = v3_load(k->x[k->part->surface.triangle[3 * index + i]]);
  v3 n = v3_cross(v3_sub(f.corner[1], f.corner[0]), v3_sub(f.corner[2], f.corner[0]));
  f.area = 0.5 * v3_norm(n);
  f.normal = v3_normalize_or(n, v3_make(0, 0, 1));
  return f;
}

/* Barycentric coordinates of the projection on the triangle's plane; true where it is inside. */
static bool project(const facet* f, v3 x, double weight[3]) {
  if (!(f->area > 0)) return false;
  for (int i = 0; i < 3; i++) {
    v3 a = f->corner[(i + 1) % 3], b = f->corner[(i + 2) % 3];
    v3 n = v3_cross(v3_sub(b, a), v3_sub(x, a));
    weight[i] = v3_dot(n, f->normal) / (2 * f->area);
    if (!(weight[i] >= 0)) return false;
  }
  return true;
}

/* A point x of a geometry against a triangle. */
static bool add_corner(cr_scan* s, const skin* k, const facet* f, int geom, v3 x, int number,
                       double reach) {
  const carom_model* m = s->step->model;
  double weight[3], distance = v3_dot(v3_sub(x, f->corner[0]), f->normal);
  double deepest =
      fmin(DEEPEST * cr_shape_compute_thickness(&m->geom.shape[geom]), DEEPEST * sqrt(f->area));
  if (distance > reach + k->part->radius || distance < -deepest - k->part->radius) return true;
  if (!project(f, x, weight)) return true;
  uint32_t feature =
      OTHER_SIDE | ((uint32_t)f->index * MOST_CORNERS + (uint32_t)number) % OTHER_SIDE;
  cr_touch t = make_touch(s, geom, NULL, k, feature);
  side mine = skin_side(k, f->area), other = geom_side(m, geom);
  set_values(m, &other, &mine, &t);
  t.spot[1] = triangle_spot(s, k, f->index, weight);
  t.normal = v3_scale(-1, f->normal);
  t.position = x;
  t.distance = distance - k->part->radius;
  return add_touch(s, &t);
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
            v3_make(size[0] * cos(i * EIGHTH), size[0] * sin(i * EIGHTH), k ? size[1] : -size[1]);
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

static bool add_corners(cr_scan* s, const skin* k, const facet* f, int geom, double reach) {
  const cr_shape* shape = &s->step->model->geom.shape[geom];
  const pose* X = &s->poses[geom];
  v3 point[MOST_CORNERS];
  int count = list_points(shape, m3_tmulv(&X->R, v3_scale(-1, f->normal)), point);
  for (int i = 0; i < count; i++)
    if (!add_corner(s, k, f, geom, pose_point(X, point[i]), i, reach)) return false;
  return true;
}

static bool add_facets(cr_scan* s, const skin* k, int geom, const cr_aabb* bounds, double reach) {
  for (int i = 0; i < k->part->surface.num_triangles; i++) {
    facet f = make_facet(k, i);
    cr_aabb box = no_box();
    for (int c = 0; c < 3; c++) cover(&box, f.corner[c]);
    box = enlarge(box, k->part->radius);
    if (overlaps(&box, bounds) && !add_corners(s, k, &f, geom, reach)) return false;
  }
  return true;
}

static bool add_geom(cr_scan* s, const skin* k, int geom) {
  const carom_model* m = s->step->model;
  const cr_shape* shape = &m->geom.shape[geom];
  if (!may_touch(m->geom.contype[geom], m->geom.conaffinity[geom], k->part->contype,
                 k->part->conaffinity) ||
      is_tied(m, k->index, m->geom.link[geom]))
    return true;
  double reach = k->reach - k->part->radius + s->reach[geom] + m->geom.margin[geom];
  cr_aabb bounds = enlarge(cr_shape_compute_aabb(shape, &s->poses[geom]), reach);
  if (!overlaps(&bounds, &k->bounds)) return true;
  if (!add_nodes(s, k, geom, &bounds, reach)) return false;
  bool has_corners = shape->type != CAROM_GEOM_PLANE && !shape->surface;
  return !has_corners || add_facets(s, k, geom, &bounds, reach);
}

/* --- Two soft bodies ----------------------------------------------------------------------------
 */

/* The triangle whose plane a node is nearest to, above or below it; false where there is none. */
static bool find_facet(const skin* b, v3 x, double reach, facet* best, double weight[3],
                       double* distance) {
  bool any = false;
  for (int i = 0; i < b->part->surface.num_triangles; i++) {
    double w[3];
    cr_aabb box = no_box();
    for (int c = 0; c < 3; c++) cover(&box, v3_load(b->x[b->part->surface.triangle[3 * i + c]]));
    if (!holds(&box, x, reach)) continue;
    facet f = make_facet(b, i);
    double d = v3_dot(v3_sub(x, f.corner[0]), f.normal);
    if (d > reach || d < -fmin(reach, DEEPEST * sqrt(f.area)) || !project(&f, x, w)) continue;
    if (any && fabs(d) >= fabs(*distance)) continue;
    *best = f, *distance = d, any = true;
    for (int c = 0; c < 3; c++) weight[c] = w[c];
  }
  return any;
}

/* Nodes of `a` against triangles of `b`. A, whose normal counts, is the lower-numbered body. */
static bool add_pair_nodes(cr_scan* s, const skin* a, const skin* b) {
  const carom_model* m = s->step->model;
  double radius = a->part->radius + b->part->radius, reach = a->reach + b->reach;
  bool is_first = a->index < b->index;
  for (int i = 0; i < a->part->surface.num_nodes; i++) {
    int node = a->part->surface.node[i];
    v3 x = v3_load(a->x[node]);
    facet f = {0};
    double weight[3] = {0}, distance = 0;
    if (!holds(&b->bounds, x, a->reach) || !find_facet(b, x, reach, &f, weight, &distance))
      continue;
    uint32_t feature = (is_first ? 0 : OTHER_SIDE) | (uint32_t)node;
    cr_touch t = make_touch(s, -1, is_first ? a : b, is_first ? b : a, feature);
    double area = facing_area(a, node, f.normal);
    side mine = skin_side(a, area), other = skin_side(b, area);
    set_values(m, &mine, &other, &t);
    t.spot[is_first ? 0 : 1] = node_spot(s, a, node);
    t.spot[is_first ? 1 : 0] = triangle_spot(s, b, f.index, weight);
    t.normal = v3_scale(is_first ? -1 : 1, f.normal);
    t.position = x;
    t.distance = distance - radius;
    if (!t.spot[0] || !add_touch(s, &t)) return false;
  }
  return true;
}

static bool add_soft_pair(cr_scan* s, const skin* a, const skin* b) {
  const cr_soft_part *p = a->part, *q = b->part;
  if (!may_touch(p->contype, p->conaffinity, q->contype, q->conaffinity)) return true;
  if (!overlaps(&a->bounds, &b->bounds)) return true;
  return add_pair_nodes(s, a, b) && add_pair_nodes(s, b, a);
}

bool cr_scan_soft(cr_scan* s) {
  const carom_model* m = s->step->model;
  skin* skins = CR_SCRATCH(s->step->arena, skin, m->soft.num_parts);
  if (s->step->arena->failed) return false;
  for (int k = 0; k < m->soft.num_parts; k++) {
    skins[k] = make_skin(s, k);
    if (isfinite(m->soft.part[k].stiffness) && !find_areas(s, &skins[k])) return false;
    for (int g = 0; g < m->geom.num_geoms; g++)
      if (!add_geom(s, &skins[k], g)) return false;
    for (int j = 0; j < k; j++)
      if (!add_soft_pair(s, &skins[j], &skins[k])) return false;
  }
  return true;
}
