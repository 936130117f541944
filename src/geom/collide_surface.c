/* Shapes against surfaces of triangles that need not be convex.
 *
 * Every triangle near the other shape stands for the prism behind it, which is convex. The
 * direction of least overlap with it is a contact normal only if the surface, as seen along it, is
 * nowhere higher around the part of the triangle that touches (the normal cone of a vertex or an
 * edge): what an inner edge of flat ground would push sideways is none. Then the triangle's own
 * normal counts, with the points that lie over it, so that flat ground acts like a plane wherever
 * its edges are. A side of the prism is never a normal. Two surfaces meet prism by prism, with
 * normals that both allow; where that leaves a zone open in which they run through each other the
 * zone's own normal counts, and what is sunk too deep leaves by the triangle of least overlap. */
#include "geom/epa.h"
#include "geom/gjk.h"
#include "geom/patch.h"
#include "geom/surface_meeting.h"

#include <math.h>

/* Parts of the thickness that may be left to gain. */
#define OVERLAP_GAP 1e-9
#define ROUND_GAP   1e-10

/* Cosine between normals that push against each other. */
#define OPPOSED (-0.9)

/* --- Normals ------------------------------------------------------------------------------------
 */

/* Whether a party may be touched along `out` (unit, world), which leads away from it. Along its own
 * normal to round-off `out` becomes just that. */
static bool allows(const cr_party* p, v3* out) {
  if (!p->surface) return true;
  const cr_facet* f = &p->facet;
  v3 up = m3_tmulv(&p->X->R, *out);
  double height[3], most = -INFINITY, tolerance = CR_LEVEL * f->extent;
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
/* True when a triangle beyond a convex edge is overlapped by less: the contact is its own. */
static bool is_outdone(const cr_meeting* m, const cr_party* p, double sign, double overlap) {
  const cr_facet* f = &p->facet;
  for (int e = 0; e < 3; e++) {
    v3 beyond, a = f->corner[e], b = f->corner[(e + 1) % 3];
    if (!cr_trisurface_find_opposite(p->surface, p->triangle, e, &beyond)) continue;
    if (v3_dot(f->normal, v3_sub(beyond, a)) > -CR_LEVEL * f->extent) continue;
    v3 normal = v3_normalize_or(v3_cross(v3_sub(beyond, a), v3_sub(b, a)), f->normal);
    v3 n = v3_scale(sign, m3_mulv(&p->X->R, normal));
    if (cr_meeting_overlap(m, n) < overlap - m->pair.tolerance) return true;
  }
  return false;
}

/* --- One meeting --------------------------------------------------------------------------------
 */

/* Half of the wall behind the triangles, beyond which points are too deep to say where out is. */
static double find_most(const cr_meeting* m) {
  double most = m->b.facet.wall / 2;
  return m->a.surface ? cr_min(most, m->a.facet.wall / 2) : most;
}

/* The points over a triangle along its own normal, where that of the pair is none. */
static bool try_face(const cr_meeting* m, const cr_party* p, double sign) {
  v3 n = v3_scale(sign, p->normal), out = n, back = v3_neg(n);
  const cr_party* other = p == &m->b ? &m->a : &m->b;
  if (!allows(other, other == &m->a ? &out : &back)) return false;
  double overlap = cr_meeting_overlap(m, n);
  if (is_outdone(m, p, sign, overlap)) return false;
  cr_manifold manifold;
  cr_patch_flat(&m->pair, n, &manifold);
  cr_meeting_enter(m, &manifold, find_most(m));
  return manifold.count > 0;
}

/* A corner of a party's triangle, from a's origin. */
static v3 place_corner(const cr_meeting* m, const cr_party* p, int i) {
  return v3_add(v3_sub(p->X->p, m->a.X->p), m3_mulv(&p->X->R, p->facet.corner[i % 3]));
}

/* Side i of a's triangle and side k of b's, where they cross as seen along the normal of both. */
static void try_crossing(const cr_meeting* m, int i, int k) {
  v3 a = place_corner(m, &m->a, i), along_a = v3_sub(place_corner(m, &m->a, i + 1), a);
  v3 b = place_corner(m, &m->b, k), along_b = v3_sub(place_corner(m, &m->b, k + 1), b);
  v3 across = v3_cross(along_a, along_b), between = v3_sub(b, a);
  double across2 = v3_norm2(across);
  if (across2 <= CR_LEVEL * CR_LEVEL * v3_norm2(along_a) * v3_norm2(along_b)) return;
  double s = v3_dot(v3_cross(between, along_b), across) / across2;
  double t = v3_dot(v3_cross(between, along_a), across) / across2;
  if (!(fmin(s, t) >= -CR_LEVEL && fmax(s, t) <= 1 + CR_LEVEL)) return;
  v3 n = v3_scale(copysign(1 / sqrt(across2), v3_dot(across, m->a.normal)), across);
  v3 back = v3_neg(n);
  double distance = v3_dot(n, between), level = CR_LEVEL * m->pair.thickness;
  if (distance >= m->margin || fabs(cr_meeting_overlap(m, n) + distance) > level) return;
  if (!allows(&m->a, &n) || !allows(&m->b, &back)) return;
  cr_manifold manifold = {.normal = n, .count = 1};
  manifold.points[0] =
      (cr_manifold_point){v3_axpy(a, s, along_a), v3_axpy(b, t, along_b), distance, 0};
  cr_meeting_enter(m, &manifold, find_most(m));
}

/* The points in which edges cross, where the way out of the prisms is none: two saddles that sit in
 * each other touch in those alone, and their corners have no normals. */
static void try_edges(const cr_meeting* m) {
  for (int i = 0; i < 9; i++) try_crossing(m, i / 3, i % 3);
}

/* True when the parties are apart along a face's normal by more than the margin. */
static bool is_apart(const cr_meeting* m, double ball) {
  v3 n = v3_neg(m->b.normal);
  if (-cr_meeting_overlap(m, n) >= m->margin + ball) return true;
  return m->a.surface && -cr_meeting_overlap(m, m->a.normal) >= m->margin + ball;
}

/* True where the overlap has no kink at its least. */
static bool is_round(const cr_shape* shape) {
  return shape->type == CAROM_GEOM_CYLINDER || shape->type == CAROM_GEOM_ELLIPSOID;
}

/* Takes a direction in place of n where it is as good. */
static void settle(const cr_meeting* m, v3 direction, v3* n) {
  const cr_difference* difference = &m->difference;
  double slack = CR_MEETING_TIE * difference->thickness;
  if (cr_difference_compute_overlap(difference, direction) <=
      cr_difference_compute_overlap(difference, *n) + slack)
    *n = direction;
}

/* The direction of least overlap of the cores, which may be any where they are beyond reach; the
 * normal of a triangle where none is better. */
static v3 find_direction(const cr_meeting* m, double reach) {
  const cr_difference* difference = &m->difference;
  v3 n = m3_tmulv(m->pair.a.R, v3_neg(m->b.normal));
  if (!cr_gjk_find_closest(difference, CR_MEETING_GAP, reach, &n)) {
    double overlap = cr_difference_compute_overlap(difference, n);
    cr_epa_find_within(difference, is_round(m->a.shape) ? ROUND_GAP : OVERLAP_GAP, &overlap, &n);
  }
  if (m->a.surface) settle(m, m3_tmulv(m->pair.a.R, m->a.normal), &n);
  settle(m, m3_tmulv(m->pair.a.R, v3_neg(m->b.normal)), &n);
  return m3_mulv(m->pair.a.R, n);
}

/* @param way receives the direction of least overlap, where it was looked for */
static void meet(const cr_meeting* m, v3* way) {
  double ball = cr_meeting_ball(m);
  if (is_apart(m, ball)) return;
  v3 n = find_direction(m, m->margin + ball);
  *way = n;
  v3 back = v3_neg(n), out = n;
  if (allows(&m->b, &back) && allows(&m->a, &out)) {
    n = v3_norm2(v3_add(back, n)) > 0 ? v3_neg(back) : out;
    double overlap = cr_meeting_overlap(m, n) + ball;
    if (-overlap >= m->margin) return;
    cr_manifold manifold = {.count = 0};
    bool is_face =
        cr_party_is_along(&m->b, n, -1) || (m->a.surface && cr_party_is_along(&m->a, n, 1));
    if (is_face || !cr_patch_build(&m->pair, n, -overlap, &manifold))
      cr_patch_flat(&m->pair, n, &manifold);
    cr_meeting_enter(m, &manifold, find_most(m));
  } else if (!try_face(m, &m->b, -1) && m->a.surface && !try_face(m, &m->a, 1)) {
    try_edges(m);
  }
}

/* --- Pairs --------------------------------------------------------------------------------------
 */

/* Meets one triangle of b; a is convex or has its own triangle taken up. */
static void meet_triangle(cr_meeting* m, int triangle, double depth, v3* way) {
  cr_party_take(&m->b, triangle, depth, 0.5);
  cr_meeting_place(m);
  meet(m, way);
}

/* A plane of b's frame, up(x) = offset, that has the convex shape a and its margin above it. */
typedef struct cr_fence {
  v3 up;
  double offset;
} cr_fence;

/* Planes that kept triangles from the shape; their neighbours are mostly kept by the same. */
#define NUM_FENCES 4

typedef struct cr_fences {
  cr_fence fence[NUM_FENCES];
  int count, next;
} cr_fences;

/* Whether a plane keeps a triangle from the shape, with all that lies behind it, however deep: then
 * it touches nothing, and nothing is sunk behind it. */
static bool is_fenced(const cr_fences* fences, const cr_facet* f) {
  for (int k = 0; k < fences->count; k++) {
    const cr_fence* fence = &fences->fence[k];
    double a = v3_dot(fence->up, f->corner[0]), b = v3_dot(fence->up, f->corner[1]);
    double most = cr_max(cr_max(a, b), v3_dot(fence->up, f->corner[2]));
    if (most < fence->offset && !(v3_dot(fence->up, f->inward) > 0) &&
        v3_dot(fence->up, f->normal) > 0)
      return true;
  }
  return false;
}

/* The plane across the way from a to a triangle (unit, world), in place of the oldest one. */
static void set_fence(const cr_meeting* m, v3 way, cr_fences* fences) {
  cr_fence* fence = &fences->fence[fences->next];
  v3 low = m3_mulv(&m->a.X->R, cr_shape_compute_support(m->a.shape, m3_tmulv(&m->a.X->R, way)));
  v3 x = v3_sub(v3_add(m->a.X->p, low), m->b.X->p);
  fence->up = v3_neg(m3_tmulv(&m->b.X->R, way));
  fence->offset = -v3_dot(way, x) - m->margin - CR_LEVEL * m->b.surface->radius;
  fences->next = (fences->next + 1) % NUM_FENCES;
  fences->count = fences->count < NUM_FENCES ? fences->count + 1 : NUM_FENCES;
}

/* A box in the frame of b's surface, enlarged by the margin. */
static cr_aabb box_in(const cr_meeting* m, const cr_aabb* box) {
  v3 more = {m->margin, m->margin, m->margin};
  return (cr_aabb){v3_sub(box->low, more), v3_add(box->high, more)};
}

/* Whether a point of the world lies in the solid of a mesh. */
static bool is_inside(const cr_party* p, v3 x) {
  v3 nearest;
  return p->surface->num_columns == 0 &&
         cr_trisurface_compute_distance(p->surface, pose_inverse_point(p->X, x), &nearest) < 0;
}

/* Whether one of the surfaces has its first vertex in the other solid. */
static bool has_vertex_inside(const cr_meeting* m) {
  if (m->a.surface->num_columns > 0 || m->b.surface->num_columns > 0) return false;
  return is_inside(&m->b, pose_point(m->a.X, v3_load(m->a.surface->vertex))) ||
         is_inside(&m->a, pose_point(m->b.X, v3_load(m->b.surface->vertex)));
}

/* Whether contacts push against each other by more than half of the thinner solid: one runs through
 * the other, and there is no way out to both sides. */
static bool is_clamped(const cr_meeting* m) {
  const cr_gather* gather = m->gather;
  double thin =
      cr_min(cr_shape_compute_thickness(m->a.shape), cr_shape_compute_thickness(m->b.shape));
  for (int g = 0; g < gather->count; g++)
    for (int h = 0; h < g; h++) {
      const cr_gather_group *p = &gather->group[g], *q = &gather->group[h];
      double overlap = -p->point[CR_GATHER_SIDES].distance - q->point[CR_GATHER_SIDES].distance;
      if (v3_dot(p->normal, q->normal) < OPPOSED && overlap > thin / 2) return true;
    }
  return false;
}

static void meet_convex(cr_meeting* m) {
  pose relative = pose_relative(m->b.X, m->a.X);
  cr_aabb box = cr_shape_compute_aabb(m->a.shape, &relative), large = box_in(m, &box);
  double depth = 2 * cr_shape_compute_bounding_radius(m->a.shape) + m->margin;
  cr_trisurface_walk walk = cr_trisurface_begin(m->b.surface, &large);
  int first = cr_trisurface_next(&walk);
  cr_fences fences = {.count = 0};
  for (int t = first; t >= 0; t = cr_trisurface_next(&walk)) {
    v3 way = v3_zero();
    cr_trisurface_get(m->b.surface, t, &m->b.facet);
    if (is_fenced(&fences, &m->b.facet)) continue;
    meet_triangle(m, t, isfinite(depth) ? depth : 2 * m->b.surface->radius, &way);
    if (isfinite(depth) && v3_norm2(way) > 0) set_fence(m, way, &fences);
  }
  if (m->gather->count > 0 || (first >= 0 && !m->gather->is_sunk)) return;
  bool is_in = is_inside(&m->b, m->a.X->p);
  if (is_in || first >= 0) cr_meeting_enter_sunk(m, is_in);
}

/* A sphere whose centre lies in the solid of a mesh: towards the nearest point of the surface.
 * False for one whose centre is outside, and for grids. */
static bool meet_inside(cr_meeting* m) {
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
static cr_aabb box_of_triangle(const cr_party* p, const pose* relative) {
  v3 x = pose_point(relative, p->facet.corner[0]);
  cr_aabb box = {x, x};
  for (int i = 1; i < 3; i++) {
    x = pose_point(relative, p->facet.corner[i]);
    box.low = v3_make(cr_min(box.low.x, x.x), cr_min(box.low.y, x.y), cr_min(box.low.z, x.z));
    box.high = v3_make(cr_max(box.high.x, x.x), cr_max(box.high.y, x.y), cr_max(box.high.z, x.z));
  }
  return box;
}

static void meet_surface(cr_meeting* m) {
  pose to_a = pose_relative(m->a.X, m->b.X), to_b = pose_relative(m->b.X, m->a.X);
  v3 half = v3_scale(0.5, v3_sub(m->b.surface->high, m->b.surface->low));
  cr_shape whole = {.type = CAROM_GEOM_BOX, .size = {half.x, half.y, half.z}};
  pose middle = {pose_point(&to_a, v3_add(m->b.surface->low, half)), to_a.R};
  cr_aabb box = cr_shape_compute_aabb(&whole, &middle), large = box_in(m, &box);
  cr_trisurface_walk outer = cr_trisurface_begin(m->a.surface, &large);
  cr_crossings crossings;
  crossings.count = 0;
  for (int s = cr_trisurface_next(&outer); s >= 0; s = cr_trisurface_next(&outer)) {
    cr_party_take(&m->a, s, m->a.surface->radius, 0.5);
    cr_aabb own = box_of_triangle(&m->a, &to_b), around = box_in(m, &own);
    cr_trisurface_walk inner = cr_trisurface_begin(m->b.surface, &around);
    double depth = 2 * m->a.facet.extent + m->margin;
    for (int t = cr_trisurface_next(&inner); t >= 0; t = cr_trisurface_next(&inner)) {
      v3 way;
      meet_triangle(m, t, isfinite(depth) ? depth : 2 * m->b.surface->radius, &way);
      cr_meeting_note_crossing(m, &crossings);
    }
  }
  cr_meeting_enter_zones(m, &crossings);
  if (is_clamped(m)) m->gather->count = 0;
  if (m->gather->count == 0 && (crossings.count > 0 || has_vertex_inside(m)))
    cr_meeting_enter_sunk(m, true);
}

int cr_geom_collide_patches(const cr_shape* a, const pose* Xa, const cr_shape* b, const pose* Xb,
                            double margin, cr_patches* patches) {
  if (!cr_geom_needs_patches(a, b)) {
    patches->count = cr_geom_collide(a, Xa, b, Xb, margin, &patches->patch[0]) > 0;
    return patches->count;
  }
  bool turned =
      !b->surface || (a->surface && a->surface->num_triangles > b->surface->num_triangles);
  cr_meeting m = {.margin = margin};
  m.a = (cr_party){.shape = turned ? b : a, .X = turned ? Xb : Xa};
  m.b = (cr_party){.shape = turned ? a : b, .X = turned ? Xa : Xb};
  m.a.surface = m.a.shape->surface, m.b.surface = m.b.shape->surface;
  cr_gather gather;
  gather.count = 0;
  gather.is_sunk = false;
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

int cr_geom_collide_along(const cr_collide_query* query, v3 normal, cr_manifold* manifold) {
  if (!cr_geom_needs_patches(query->a, query->b)) return cr_geom_collide_pair(query, manifold);
  cr_patches patches;
  double most = -INFINITY;
  manifold->count = 0;
  cr_geom_collide_patches(query->a, query->Xa, query->b, query->Xb, query->margin, &patches);
  for (int g = 0; g < patches.count; g++) {
    double along = v3_dot(patches.patch[g].normal, normal);
    if (along > most) most = along, *manifold = patches.patch[g];
  }
  return manifold->count;
}
