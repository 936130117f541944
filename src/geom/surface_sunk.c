/* Shapes that are sunk in a mesh deeper than half of a wall, where the points of contact are no
 * guide: each triangle, with all of the wall behind it, offers a way out, as long as that over the
 * other side of the wall is not shorter; the shortest of all is taken. */
#include "geom/gjk.h"
#include "geom/patch.h"
#include "geom/surface_meeting.h"

#include <math.h>

/* How far a convex shape reaches from one side to the other. */
static double find_extent(const cr_meeting* m, v3 normal) {
  v3 local = m3_tmulv(m->pair.a.R, normal);
  v3 ahead = cr_shape_compute_support(m->a.shape, local);
  v3 behind = cr_shape_compute_support(m->a.shape, v3_neg(local));
  return v3_dot(local, v3_sub(ahead, behind));
}

/* The best way out so far. */
typedef struct exit_way {
  double overlap;
  v3 normal;
} exit_way;

/* Tries the way out over the triangle at work: one by which the shape, in the wall behind it, gets
 * out sooner than over the other side of the wall. */
static void try_exit(cr_meeting* m, double ball, exit_way* best) {
  const cr_facet* f = &m->b.facet;
  v3 n = v3_neg(m->b.normal), any = n;
  double overlap = cr_meeting_overlap(m, n) + ball;
  double slack = CR_MEETING_TIE * m->pair.thickness;
  bool is_way = overlap > 0 && overlap <= (f->wall + find_extent(m, n)) / 2;
  if (!is_way || overlap > best->overlap + slack) return;
  if (cr_gjk_find_closest(&m->difference, CR_MEETING_GAP, 0, &any)) return;
  if (overlap < best->overlap - slack) {
    *best = (exit_way){overlap, n};
    m->gather->count = 0;
  }
  cr_manifold manifold;
  cr_patch_flat(&m->pair, n, &manifold);
  if (v3_norm2(v3_sub(n, best->normal)) < CR_LEVEL) cr_meeting_enter(m, &manifold, INFINITY);
}

/* Whether a triangle of the surface itself runs through the shape. */
static bool is_crossed(cr_meeting* m) {
  pose relative = pose_relative(m->b.X, m->a.X);
  cr_aabb box = cr_shape_compute_aabb(m->a.shape, &relative);
  cr_trisurface_walk walk = cr_trisurface_begin(m->b.surface, &box);
  for (int t = cr_trisurface_next(&walk); t >= 0; t = cr_trisurface_next(&walk)) {
    v3 any = v3_make(0, 0, 1);
    cr_party_take(&m->b, t, CR_LEVEL * m->b.surface->radius, 1);
    cr_meeting_place(m);
    if (!cr_gjk_find_closest(&m->difference, CR_MEETING_GAP, 0, &any)) return true;
  }
  return false;
}

void cr_meeting_enter_sunk(const cr_meeting* meeting, bool is_inside) {
  if (meeting->b.surface->num_columns > 0 || (meeting->a.surface && !meeting->a.shape->hull))
    return;
  cr_meeting local = *meeting, *m = &local;
  cr_shape convex = *meeting->a.shape;
  convex.surface = NULL;
  m->a.shape = &convex, m->a.surface = NULL;
  if (!is_inside && !is_crossed(m)) return;
  exit_way best = {.overlap = INFINITY};
  cr_aabb whole = {m->b.surface->low, m->b.surface->high};
  cr_trisurface_walk walk = cr_trisurface_begin(m->b.surface, &whole);
  for (int t = cr_trisurface_next(&walk); t >= 0; t = cr_trisurface_next(&walk)) {
    cr_party_take(&m->b, t, INFINITY, 1);
    cr_meeting_place(m);
    try_exit(m, cr_meeting_ball(m), &best);
  }
}
