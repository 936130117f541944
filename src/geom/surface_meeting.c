/* Triangles of surfaces at work: the prisms behind them, the names of points on them, and the
 * points that are gathered. A point is named by what keeps its place, so that it keeps its name
 * while a shape glides over the triangles; one that only the cut of a level surface makes is left
 * out. */
#include "geom/surface_meeting.h"

#include <math.h>

/* --- Prisms -------------------------------------------------------------------------------------
 */

static const int FACE_START[6] = {0, 3, 6, 10, 14, 18};
static const int FACE_VERTEX[18] = {0, 1, 2, 3, 5, 4, 1, 0, 3, 4, 2, 1, 4, 5, 0, 2, 5, 3};
static const int NEIGHBOR_START[7] = {0, 3, 6, 9, 12, 15, 18};
static const int NEIGHBOR[18] = {1, 3, 2, 2, 0, 4, 0, 1, 5, 5, 4, 0, 3, 1, 5, 4, 2, 3};
static const int VERTEX_FACE[18] = {0, 2, 4, 0, 2, 3, 0, 3, 4, 1, 2, 4, 1, 2, 3, 1, 3, 4};

static void set_plane(cr_prism* p, int face, v3 normal) {
  double most = -INFINITY;
  for (int i = FACE_START[face]; i < FACE_START[face + 1]; i++)
    most = cr_max(most, v3_dot(normal, v3_load(p->vertex + 3 * FACE_VERTEX[i])));
  v3_store(normal, p->plane + 4 * face);
  p->plane[4 * face + 3] = most;
}

/* The prism of a triangle about its first corner, `depth` thick. */
static void make_prism(const cr_facet* f, double depth, cr_prism* p) {
  v3 back = v3_scale(depth, f->inward);
  for (int i = 0; i < 3; i++) {
    v3 x = v3_sub(f->corner[i], f->corner[0]);
    v3_store(x, p->vertex + 3 * i);
    v3_store(v3_add(x, back), p->vertex + 9 + 3 * i);
  }
  set_plane(p, 0, f->normal);
  set_plane(p, 1, v3_neg(f->normal));
  for (int e = 0; e < 3; e++) {
    v3 along = v3_sub(f->corner[(e + 1) % 3], f->corner[e]);
    set_plane(p, 2 + e, v3_normalize_or(v3_cross(f->inward, along), f->normal));
  }
  p->hull = (cr_hull){.num_vertices = 6,
                      .num_faces = 5,
                      .num_corners = 18,
                      .radius = f->extent + depth,
                      .thickness = depth,
                      .vertex = p->vertex,
                      .plane = p->plane,
                      .face_start = FACE_START,
                      .face_vertex = FACE_VERTEX,
                      .neighbor_start = NEIGHBOR_START,
                      .neighbor = NEIGHBOR,
                      .vertex_face = VERTEX_FACE};
  p->shape = (cr_shape){.type = CAROM_GEOM_MESH, .hull = &p->hull};
}

/* True where the triangle beyond a side lies in the plane of this one. */
static bool is_level_side(const cr_party* p, int side) {
  const cr_facet* f = &p->facet;
  v3 beyond;
  return cr_trisurface_find_opposite(p->surface, p->triangle, side, &beyond) &&
         fabs(v3_dot(f->normal, v3_sub(beyond, f->corner[side]))) <= CR_LEVEL * f->extent;
}

void cr_party_take(cr_party* party, int triangle, double depth, double share) {
  party->triangle = triangle;
  cr_trisurface_get(party->surface, triangle, &party->facet);
  party->normal = m3_mulv(&party->X->R, party->facet.normal);
  party->cut = 0;
  for (int i = 0; i < 3; i++) party->cut |= (unsigned)is_level_side(party, i) << i;
  make_prism(&party->facet, cr_min(depth, share * party->facet.wall), &party->prism);
}

/* --- Pairs --------------------------------------------------------------------------------------
 */

/* Lengths against which differences are judged: those of the convex shape, or of the triangles. */
static void set_scales(cr_meeting* m) {
  cr_contact_pair* pair = &m->pair;
  double extent = m->b.facet.extent;
  double thin =
      m->a.surface ? cr_min(m->a.facet.extent, extent) : cr_shape_compute_thickness(m->a.shape);
  double large = cr_max(extent, m->a.surface ? m->a.facet.extent
                                             : cr_shape_compute_bounding_radius(m->a.shape));
  pair->thickness = thin;
  pair->size = large;
  bool is_round =
      m->a.shape->type == CAROM_GEOM_CYLINDER || m->a.shape->type == CAROM_GEOM_ELLIPSOID;
  pair->across = is_round ? CR_ROUND_ACROSS : CR_EXACT_ACROSS;
  pair->tolerance = 1e-12 * thin + 1e-14 * large;
}

void cr_meeting_place(cr_meeting* m) {
  v3 of_a = m->a.surface ? m->a.facet.corner[0] : v3_zero();
  v3 between = v3_sub(m->b.X->p, m->a.X->p);
  v3 center = v3_add(between, m3_mulv(&m->b.X->R, m->b.facet.corner[0]));
  m->pair = (cr_contact_pair){.a = {m->a.surface ? &m->a.prism.shape : m->a.shape, &m->a.X->R,
                                    m3_mulv(&m->a.X->R, of_a), NULL, m->a.surface ? m->a.cut : 0},
                              .b = {&m->b.prism.shape, &m->b.X->R, center, NULL, m->b.cut},
                              .margin = m->margin};
  set_scales(m);
  cr_difference_init(&m->pair, &m->difference);
}

double cr_meeting_ball(const cr_meeting* m) {
  const cr_shape* shape = m->a.shape;
  bool has_ball = shape->type == CAROM_GEOM_SPHERE || shape->type == CAROM_GEOM_CAPSULE;
  return has_ball ? shape->size[0] : 0;
}

/* --- Names --------------------------------------------------------------------------------------
 */

/* A name of a normal that noise does not change where it is along an axis. */
static uint32_t name_normal(v3 n) {
  uint32_t x = (uint32_t)(int)round(63 * n.x + 63), y = (uint32_t)(int)round(63 * n.y + 63);
  return 0x8000u | (n.z < -1e-9 ? 0x4000u : 0) | ((x << 7 | y) & 0x3fff);
}

/* A point of a triangle: its name by the vertex, the edge, or the face's normal; whether it is a
 * vertex; and whether it is owed to the cut alone: within a level part of the surface, on an edge
 * or at a vertex between triangles that lie in one plane. */
typedef struct place {
  uint32_t name;
  bool is_corner, is_inner;
} place;

static place find_place(const cr_party* p, v3 x, double width) {
  const cr_facet* f = &p->facet;
  v3 local = pose_inverse_point(p->X, x);
  for (int i = 0; i < 3; i++) {
    if (v3_norm2(v3_sub(local, f->corner[i])) > width * width) continue;
    bool is_inner = (p->cut >> i & 1) && (p->cut >> (i + 2) % 3 & 1);
    return (place){cr_meeting_mix((uint32_t)f->vertex[i], 0), true, is_inner};
  }
  for (int i = 0; i < 3; i++) {
    v3 a = f->corner[i], along = v3_sub(f->corner[(i + 1) % 3], a);
    if (v3_norm2(v3_cross(v3_sub(local, a), along)) > width * width * v3_norm2(along)) continue;
    uint32_t v = (uint32_t)f->vertex[i], w = (uint32_t)f->vertex[(i + 1) % 3];
    uint32_t name = 0x4000u | cr_meeting_mix(v < w ? v : w, 1 + (v < w ? w : v));
    return (place){name, false, p->cut >> i & 1};
  }
  return (place){name_normal(f->normal), false, false};
}

/* Whether a convex shape's part is one point of it, which carries its name along: ends and corners,
 * and points of a rim's pattern, but not where an edge of the other shape crosses the rim. */
static bool is_point(const cr_shape* shape, uint32_t name) {
  switch (shape->type) {
  case CAROM_GEOM_CAPSULE:
    return name != 1;
  case CAROM_GEOM_CYLINDER:
    return name < 8 ? name == 1 || name == 5 : name < 8 * CR_RIM_ENTRY;
  case CAROM_GEOM_BOX:
    return name / 9 != 1 && name / 3 % 3 != 1 && name % 3 != 1;
  case CAROM_GEOM_MESH:
    return name >= 1 && name <= (uint32_t)shape->hull->num_vertices;
  default:
    return true;
  }
}

/* Names a point. One that keeps to its place on one side is named by that, and by the other's face
 * where it glides over that: not by the edges that it crosses.
 * @return false for a point that the cut of a level surface makes, which says nothing */
static bool name_point(const cr_meeting* m, v3 normal, cr_manifold_point* point) {
  double width = CR_FEATURE_WIDTH * m->pair.thickness + m->pair.tolerance;
  place a = {.name = point->feature >> 16}, b = find_place(&m->b, point->b, width);
  if (m->a.surface)
    a = find_place(&m->a, point->a, width);
  else
    a.is_corner = is_point(m->a.shape, a.name);
  bool along_a = m->a.surface && cr_party_is_along(&m->a, normal, 1),
       along_b = cr_party_is_along(&m->b, normal, -1);
  if (along_b && b.is_inner && !a.is_corner) return false;
  if (along_a && a.is_inner && !b.is_corner) return false;
  if (along_b && a.is_corner)
    b.name = name_normal(m->b.facet.normal);
  else if (along_a && b.is_corner)
    a.name = name_normal(m->a.facet.normal);
  point->feature = a.name << 16 | b.name;
  return true;
}

/* --- Points -------------------------------------------------------------------------------------
 */

void cr_meeting_enter(const cr_meeting* m, const cr_manifold* manifold, double most) {
  for (int i = 0; i < manifold->count; i++) {
    cr_manifold_point point = manifold->points[i];
    if (-point.distance > most) {
      m->gather->is_sunk = true;
      continue;
    }
    point.a = v3_add(point.a, m->a.X->p);
    point.b = v3_add(point.b, m->a.X->p);
    if (name_point(m, manifold->normal, &point)) cr_gather_add(m->gather, manifold->normal, &point);
  }
}
