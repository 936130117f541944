/* Shapes against surfaces of triangles that need not be convex.
 *
 * Every triangle near the other shape stands for the prism behind it, which is convex. The
 * direction of least overlap with it is a contact normal only if the surface, as seen along it, is
 * nowhere higher around the part of the triangle that touches (the normal cone of a vertex or an
 * edge): what an inner edge of flat ground would push sideways is none. Then the triangle's own
 * normal counts, with the points that lie over it, so that flat ground acts like a plane wherever
 * its edges are. A side of the prism is never a normal. Two surfaces meet prism by prism, with
 * normals that both allow. */
#include "geom/epa.h"
#include "geom/gjk.h"
#include "geom/patch.h"
#include "geom/patches.h"
#include "geom/surface.h"

/* Parts of the square of the distance, and of the thickness, that may be left to gain. */
#define APART_GAP   1e-14
#define OVERLAP_GAP 1e-9
#define ROUND_GAP   1e-10

/* Part of a triangle's extent within which its corners count as level. */
#define LEVEL 1e-7

/* Sines of the angles by which the directions may miss. */
#define EXACT_ACROSS 1e-6
#define ROUND_ACROSS 1e-4

/* The prism behind a triangle as a polyhedron: corners 0 to 2 of the triangle, 3 to 5 behind them.
 */
typedef struct prism {
  cr_hull hull;
  cr_shape shape;
  double vertex[18], plane[20];
} prism;

static const int FACE_START[6] = {0, 3, 6, 10, 14, 18};
static const int FACE_VERTEX[18] = {0, 1, 2, 3, 5, 4, 1, 0, 3, 4, 2, 1, 4, 5, 0, 2, 5, 3};
static const int NEIGHBOR_START[7] = {0, 3, 6, 9, 12, 15, 18};
static const int NEIGHBOR[18] = {1, 3, 2, 2, 0, 4, 0, 1, 5, 5, 4, 0, 3, 1, 5, 4, 2, 3};
static const int VERTEX_FACE[18] = {0, 2, 4, 0, 2, 3, 0, 3, 4, 1, 2, 4, 1, 2, 3, 1, 3, 4};

/* A side of the pair: a convex shape, or a triangle of a surface at a pose. */
typedef struct party {
  const cr_shape* shape;
  const cr_trisurface* surface; /* null: convex */
  const pose* X;
  int triangle;
  cr_facet facet;
  v3 normal; /* of the facet, world */
  prism prism;
} party;

/* One of a pair's triangles, or two, at work. */
typedef struct meeting {
  party a, b; /* b is a surface's */
  double margin;
  cr_contact_pair pair;
  cr_difference difference; /* of the pair */
  cr_gather* gather;
} meeting;

/* --- Prisms -------------------------------------------------------------------------------------
 */

static void set_plane(prism* p, int face, v3 normal) {
  double most = -INFINITY;
  for (int i = FACE_START[face]; i < FACE_START[face + 1]; i++)
    most = cr_max(most, v3_dot(normal, v3_load(p->vertex + 3 * FACE_VERTEX[i])));
  v3_store(normal, p->plane + 4 * face);
  p->plane[4 * face + 3] = most;
}

/* The prism of a triangle about its first corner, `depth` thick. */
static void make_prism(const cr_facet* f, double depth, prism* p) {
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

/* --- Normals ------------------------------------------------------------------------------------
 */

/* Whether a party may be touched along `out` (unit, world), which leads away from it. Along its own
 * normal to round-off `out` becomes just that. */
static bool allows(const party* p, v3* out) {
  if (!p->surface) return true;
  const cr_facet* f = &p->facet;
  v3 up = m3_tmulv(&p->X->R, *out);
  double height[3], most = -INFINITY, tolerance = LEVEL * f->extent;
  if (!(v3_dot(up, f->normal) > 0)) return false;
  for (int i = 0; i < 3; i++) most = cr_max(most, height[i] = v3_dot(up, f->corner[i]));
  int first = -1, level = 0;
  bool is_level[3];
  for (int i = 0; i < 3; i++) {
    is_level[i] = height[i] >= most - tolerance;
    level += is_level[i];
    if (is_level[i] && first < 0) first = i;
  }
  if (level == 3) *out = p->normal;
  if (level == 3) return true;
  if (level == 1) return cr_trisurface_is_peak(p->surface, f->vertex[first], up, tolerance);
  int side = is_level[0] ? (is_level[1] ? 0 : 2) : 1;
  v3 beyond;
  return !cr_trisurface_find_opposite(p->surface, p->triangle, side, &beyond) ||
         v3_dot(up, beyond) <= most + tolerance;
}

/* By how much the cores overlap along n. */
static double overlap_along(const meeting* m, v3 n) {
  return cr_difference_compute_overlap(&m->difference, m3_tmulv(m->pair.a.R, n));
}

/* True when a triangle beyond a convex edge is overlapped by less: the contact is its own. */
static bool is_outdone(const meeting* m, const party* p, double sign, double overlap) {
  const cr_facet* f = &p->facet;
  for (int e = 0; e < 3; e++) {
    v3 beyond, a = f->corner[e], b = f->corner[(e + 1) % 3];
    if (!cr_trisurface_find_opposite(p->surface, p->triangle, e, &beyond)) continue;
    if (v3_dot(f->normal, v3_sub(beyond, a)) > -LEVEL * f->extent) continue;
    v3 normal = v3_normalize_or(v3_cross(v3_sub(beyond, a), v3_sub(b, a)), f->normal);
    v3 n = v3_scale(sign, m3_mulv(&p->X->R, normal));
    if (overlap_along(m, n) < overlap - m->pair.tolerance) return true;
  }
  return false;
}

/* --- Names --------------------------------------------------------------------------------------
 */

/* A name of a normal that noise does not change where it is along an axis. */
static uint32_t name_normal(v3 n) {
  uint32_t x = (uint32_t)(int)round(63 * n.x + 63), y = (uint32_t)(int)round(63 * n.y + 63);
  return 0x8000u | (n.z < -1e-9 ? 0x4000u : 0) | ((x << 7 | y) & 0x3fff);
}

static uint32_t mix_names(uint32_t a, uint32_t b) {
  uint32_t hash = (a + 0x9e3779b9u) * 0x85ebca6bu ^ (b + 1) * 0xc2b2ae35u;
  return (hash ^ hash >> 15) & 0x3fff;
}

/* The part of the triangle on which a point lies: a vertex, an edge, or the face by its normal. */
static uint32_t name_part(const party* p, v3 x, double width, bool* is_corner) {
  const cr_facet* f = &p->facet;
  *is_corner = false;
  v3 local = pose_inverse_point(p->X, x);
  for (int i = 0; i < 3; i++) {
    if (v3_norm2(v3_sub(local, f->corner[i])) > width * width) continue;
    *is_corner = true;
    return mix_names((uint32_t)f->vertex[i], 0);
  }
  for (int i = 0; i < 3; i++) {
    v3 a = f->corner[i], along = v3_sub(f->corner[(i + 1) % 3], a);
    if (v3_norm2(v3_cross(v3_sub(local, a), along)) > width * width * v3_norm2(along)) continue;
    uint32_t v = (uint32_t)f->vertex[i], w = (uint32_t)f->vertex[(i + 1) % 3];
    return 0x4000u | mix_names(v < w ? v : w, 1 + (v < w ? w : v));
  }
  return name_normal(f->normal);
}

/* Whether a convex shape's part is one point of it, which carries its name along. */
static bool is_point(const cr_shape* shape, uint32_t name) {
  switch (shape->type) {
  case CAROM_GEOM_CAPSULE:
    return name != 1;
  case CAROM_GEOM_CYLINDER:
    return name >= 8;
  case CAROM_GEOM_BOX:
    return name / 9 != 1 && name / 3 % 3 != 1 && name % 3 != 1;
  case CAROM_GEOM_MESH:
    return name >= 1 && name <= (uint32_t)shape->hull->num_vertices;
  default:
    return true;
  }
}

/* A point that keeps to its place on one side is named by that, and by the other's face where it
 * glides over that: not by the edges that it crosses. */
static uint32_t name_point(const meeting* m, const cr_manifold_point* point, v3 normal) {
  double width = CR_FEATURE_WIDTH * m->pair.thickness + m->pair.tolerance;
  bool a_is_point, b_is_point;
  uint32_t a = point->feature >> 16;
  if (m->a.surface)
    a = name_part(&m->a, point->a, width, &a_is_point);
  else
    a_is_point = is_point(m->a.shape, a);
  uint32_t b = name_part(&m->b, point->b, width, &b_is_point);
  if (a_is_point && v3_norm2(v3_add(m->b.normal, normal)) < LEVEL)
    b = name_normal(m->b.facet.normal);
  else if (m->a.surface && b_is_point && v3_norm2(v3_sub(m->a.normal, normal)) < LEVEL)
    a = name_normal(m->a.facet.normal);
  return a << 16 | b;
}

/* --- One meeting --------------------------------------------------------------------------------
 */

/* Enters a patch's points, but those deeper than the solid is thick behind the triangles. */
static void enter(const meeting* m, const cr_manifold* manifold) {
  double most = m->b.facet.depth;
  if (m->a.surface) most = cr_min(most, m->a.facet.depth);
  for (int i = 0; i < manifold->count; i++) {
    cr_manifold_point point = manifold->points[i];
    if (-point.distance > most) continue;
    point.a = v3_add(point.a, m->a.X->p);
    point.b = v3_add(point.b, m->a.X->p);
    point.feature = name_point(m, &point, manifold->normal);
    cr_gather_add(m->gather, manifold->normal, &point);
  }
}

/* The points over a triangle along its own normal, where that of the pair is none: of a face or
 * line that lies across it, or the deepest of all. */
static bool try_face(const meeting* m, const party* p, double sign, double ball) {
  v3 n = v3_scale(sign, p->normal), out = n, back = v3_neg(n);
  const party* other = p == &m->b ? &m->a : &m->b;
  if (!allows(other, other == &m->a ? &out : &back)) return false;
  double overlap = overlap_along(m, n);
  if (is_outdone(m, p, sign, overlap)) return false;
  cr_manifold manifold;
  if (!cr_patch_try(&m->pair, n, -overlap - ball, &manifold)) cr_patch_flat(&m->pair, n, &manifold);
  enter(m, &manifold);
  return manifold.count > 0;
}

/* True when the parties are apart along a face's normal by more than the margin. */
static bool is_apart(const meeting* m, double ball) {
  v3 n = v3_neg(m->b.normal);
  if (-overlap_along(m, n) >= m->margin + ball) return true;
  return m->a.surface && -overlap_along(m, m->a.normal) >= m->margin + ball;
}

/* True where the overlap has no kink at its least. */
static bool is_round(const cr_shape* shape) {
  return shape->type == CAROM_GEOM_CYLINDER || shape->type == CAROM_GEOM_ELLIPSOID;
}

/* The direction of least overlap of the cores, which may be any where they are beyond reach. */
static v3 find_direction(const meeting* m, double reach) {
  const cr_difference* difference = &m->difference;
  v3 n = m3_tmulv(m->pair.a.R, v3_neg(m->b.normal));
  if (!cr_gjk_find_closest(difference, APART_GAP, reach, &n)) {
    double overlap = cr_difference_compute_overlap(difference, n);
    cr_epa_find_within(difference, is_round(m->a.shape) ? ROUND_GAP : OVERLAP_GAP, &overlap, &n);
  }
  return m3_mulv(m->pair.a.R, n);
}

static void meet(const meeting* m) {
  const cr_shape* shape = m->pair.a.shape;
  bool has_ball = shape->type == CAROM_GEOM_SPHERE || shape->type == CAROM_GEOM_CAPSULE;
  double ball = has_ball ? shape->size[0] : 0;
  if (is_apart(m, ball)) return;
  v3 n = find_direction(m, m->margin + ball);
  v3 back = v3_neg(n), out = n;
  if (allows(&m->b, &back) && allows(&m->a, &out)) {
    n = v3_norm2(v3_add(back, n)) > 0 ? v3_neg(back) : out;
    double overlap = overlap_along(m, n) + ball;
    if (-overlap >= m->margin) return;
    cr_manifold manifold = {.count = 0};
    cr_patch_build(&m->pair, n, -overlap, &manifold);
    enter(m, &manifold);
  } else if (!try_face(m, &m->b, -1, ball) && m->a.surface) {
    try_face(m, &m->a, 1, ball);
  }
}

/* --- Pairs --------------------------------------------------------------------------------------
 */

/* Lengths against which differences are judged: those of the convex shape, or of the triangles. */
static void set_scales(meeting* m) {
  cr_contact_pair* pair = &m->pair;
  double extent = m->b.facet.extent;
  double thin =
      m->a.surface ? cr_min(m->a.facet.extent, extent) : cr_shape_compute_thickness(m->a.shape);
  double large = cr_max(extent, m->a.surface ? m->a.facet.extent
                                             : cr_shape_compute_bounding_radius(m->a.shape));
  pair->thickness = thin;
  pair->size = large;
  pair->across = is_round(m->a.shape) ? ROUND_ACROSS : EXACT_ACROSS;
  pair->tolerance = 1e-12 * thin + 1e-14 * large;
}

static void set_triangle(party* p, int triangle, double depth) {
  p->triangle = triangle;
  cr_trisurface_get(p->surface, triangle, &p->facet);
  p->normal = m3_mulv(&p->X->R, p->facet.normal);
  make_prism(&p->facet, cr_min(depth, p->facet.depth), &p->prism);
}

/* Meets one triangle of b; a is convex or has its own triangle set. */
static void meet_triangle(meeting* m, int triangle, double depth) {
  set_triangle(&m->b, triangle, depth);
  v3 of_a = m->a.surface ? m->a.facet.corner[0] : v3_zero();
  v3 between = v3_sub(m->b.X->p, m->a.X->p);
  v3 center = v3_add(between, m3_mulv(&m->b.X->R, m->b.facet.corner[0]));
  m->pair = (cr_contact_pair){.a = {m->a.surface ? &m->a.prism.shape : m->a.shape, &m->a.X->R,
                                    m3_mulv(&m->a.X->R, of_a), NULL},
                              .b = {&m->b.prism.shape, &m->b.X->R, center, NULL},
                              .margin = m->margin};
  set_scales(m);
  cr_difference_init(&m->pair, &m->difference);
  meet(m);
}

/* A box in the frame of b's surface, enlarged by the margin. */
static cr_aabb box_in(const meeting* m, const cr_aabb* box) {
  v3 more = {m->margin, m->margin, m->margin};
  return (cr_aabb){v3_sub(box->low, more), v3_add(box->high, more)};
}

static void meet_convex(meeting* m) {
  pose relative = pose_relative(m->b.X, m->a.X);
  cr_aabb box = cr_shape_compute_aabb(m->a.shape, &relative), large = box_in(m, &box);
  double depth = 2 * cr_shape_compute_bounding_radius(m->a.shape) + m->margin;
  cr_trisurface_walk walk = cr_trisurface_begin(m->b.surface, &large);
  for (int t = cr_trisurface_next(&walk); t >= 0; t = cr_trisurface_next(&walk))
    meet_triangle(m, t, isfinite(depth) ? depth : 2 * m->b.surface->radius);
}

/* A sphere whose centre lies in the solid of a mesh: towards the nearest point of the surface.
 * False for one whose centre is outside, and for grids. */
static bool meet_inside(meeting* m) {
  const cr_trisurface* surface = m->b.surface;
  v3 nearest, x = pose_inverse_point(m->b.X, m->a.X->p);
  if (m->a.shape->type != CAROM_GEOM_SPHERE || surface->num_columns > 0) return false;
  double distance = cr_trisurface_compute_distance(surface, x, &nearest);
  if (!(distance < 0)) return false;
  v3 n = m3_mulv(&m->b.X->R, v3_scale(-1 / distance, v3_sub(x, nearest)));
  double radius = m->a.shape->size[0];
  cr_manifold_point point = {v3_axpy(m->a.X->p, radius, n), pose_point(m->b.X, nearest),
                             distance - radius, 0};
  cr_gather_add(m->gather, n, &point);
  return true;
}

/* Bounds of a triangle of a in b's frame. */
static cr_aabb box_of_triangle(const party* p, const pose* relative) {
  v3 x = pose_point(relative, p->facet.corner[0]);
  cr_aabb box = {x, x};
  for (int i = 1; i < 3; i++) {
    x = pose_point(relative, p->facet.corner[i]);
    box.low = v3_make(cr_min(box.low.x, x.x), cr_min(box.low.y, x.y), cr_min(box.low.z, x.z));
    box.high = v3_make(cr_max(box.high.x, x.x), cr_max(box.high.y, x.y), cr_max(box.high.z, x.z));
  }
  return box;
}

/* Of a's triangles those that are near b's bounds, each against b's near it. */
static void meet_surface(meeting* m) {
  pose to_a = pose_relative(m->a.X, m->b.X), to_b = pose_relative(m->b.X, m->a.X);
  v3 half = v3_scale(0.5, v3_sub(m->b.surface->high, m->b.surface->low));
  cr_shape whole = {.type = CAROM_GEOM_BOX, .size = {half.x, half.y, half.z}};
  pose middle = {pose_point(&to_a, v3_add(m->b.surface->low, half)), to_a.R};
  cr_aabb box = cr_shape_compute_aabb(&whole, &middle), large = box_in(m, &box);
  cr_trisurface_walk outer = cr_trisurface_begin(m->a.surface, &large);
  for (int s = cr_trisurface_next(&outer); s >= 0; s = cr_trisurface_next(&outer)) {
    set_triangle(&m->a, s, m->a.surface->radius);
    cr_aabb own = box_of_triangle(&m->a, &to_b), around = box_in(m, &own);
    cr_trisurface_walk inner = cr_trisurface_begin(m->b.surface, &around);
    double depth = 2 * m->a.facet.extent + m->margin;
    for (int t = cr_trisurface_next(&inner); t >= 0; t = cr_trisurface_next(&inner))
      meet_triangle(m, t, isfinite(depth) ? depth : 2 * m->b.surface->radius);
  }
}

int cr_geom_collide_patches(const cr_shape* a, const pose* Xa, const cr_shape* b, const pose* Xb,
                            double margin, cr_patches* patches) {
  if (!cr_geom_needs_patches(a, b)) {
    patches->count = cr_geom_collide(a, Xa, b, Xb, margin, &patches->patch[0]) > 0;
    return patches->count;
  }
  bool turned =
      !b->surface || (a->surface && a->surface->num_triangles > b->surface->num_triangles);
  meeting m = {.margin = margin};
  m.a = (party){.shape = turned ? b : a, .X = turned ? Xb : Xa};
  m.b = (party){.shape = turned ? a : b, .X = turned ? Xa : Xb};
  m.a.surface = m.a.shape->surface, m.b.surface = m.b.shape->surface;
  cr_gather gather;
  gather.count = 0;
  gather.near = 1e-9 * cr_min(cr_shape_compute_thickness(m.a.shape), m.b.surface->radius);
  m.gather = &gather;
  if (m.a.surface)
    meet_surface(&m);
  else if (!meet_inside(&m))
    meet_convex(&m);
  cr_gather_finish(&gather, patches);
  for (int g = 0; g < patches->count && turned; g++) cr_manifold_mirror(&patches->patch[g]);
  return patches->count;
}
