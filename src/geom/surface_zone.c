/* Zones in which two surfaces run through each other, from the segments in which their triangles
 * cross.
 *
 * The segments of a zone make closed lines, which bound the part of A's surface that lies within B.
 * Its normal, meant over the area, is the vector area of the line, 1/2 sum x cross dx: no feature
 * has to be convex for that, so that it knows the way out of two saddles that sit in each other,
 * which have no cone of normals. Along a known way the depth is that of the deepest point of two
 * triangles over each other. */
#include "geom/surface_zone.h"

#include "geom/surface_meeting.h"

#include <math.h>

/* Part of a zone's radius within which contacts belong to it; what may be missing of its normal, of
 * length 1, where they hold it; and how often their weights are gone through. */
#define NEAR_ZONE   1.5
#define HELD        0.5
#define HOLD_SWEEPS 30

/* --- Crossings ----------------------------------------------------------------------------------
 */

/* Whether a point of the triangle's plane lies within it. */
static bool is_within(const cr_zone_side* side, v3 x) {
  for (int i = 0; i < 3; i++) {
    v3 a = side->corner[i], along = v3_sub(side->corner[(i + 1) % 3], a);
    if (v3_dot(v3_cross(along, v3_sub(x, a)), side->normal) < 0) return false;
  }
  return true;
}

/* Where side i of one triangle meets the other one; from its vertex of the lower number on, so that
 * the triangle beyond the side finds the same point. */
static bool find_mark(const cr_zone_side* p, int i, const cr_zone_side* other, v3* x,
                      cr_zone_mark* mark) {
  int k = (i + 1) % 3;
  int low = p->vertex[i] < p->vertex[k] ? i : k, high = i + k - low;
  double below = v3_dot(other->normal, v3_sub(p->corner[low], other->corner[0]));
  double above = v3_dot(other->normal, v3_sub(p->corner[high], other->corner[0]));
  if ((below > 0) == (above > 0)) return false;
  v3 along = v3_sub(p->corner[high], p->corner[low]);
  *x = v3_axpy(p->corner[low], below / (below - above), along);
  if (!is_within(other, *x)) return false;
  mark->low = p->vertex[low], mark->high = p->vertex[high], mark->triangle = other->triangle;
  return true;
}

void cr_crossings_add(const cr_zone_side* a, const cr_zone_side* b, cr_crossings* crossings) {
  if (crossings->count == CR_CROSSINGS_MAX) return;
  v3 end[6];
  cr_zone_mark mark[6];
  int found = 0;
  for (int i = 0; i < 3; i++) {
    mark[found].of_b = false;
    found += find_mark(a, i, b, &end[found], &mark[found]);
  }
  for (int i = 0; i < 3 && found < 3; i++) {
    mark[found].of_b = true;
    found += find_mark(b, i, a, &end[found], &mark[found]);
  }
  if (found < 2) return;
  bool is_ahead = v3_dot(v3_cross(a->normal, b->normal), v3_sub(end[1], end[0])) > 0;
  crossings->crossing[crossings->count++] = (cr_crossing){.a = *a,
                                                          .b = *b,
                                                          .from = end[is_ahead ? 0 : 1],
                                                          .to = end[is_ahead ? 1 : 0],
                                                          .mark = {mark[0], mark[1]}};
}

/* --- Zones --------------------------------------------------------------------------------------
 */

static bool is_same(const cr_zone_mark* p, const cr_zone_mark* q) {
  return p->of_b == q->of_b && p->low == q->low && p->high == q->high && p->triangle == q->triangle;
}

static bool are_joined(const cr_crossing* p, const cr_crossing* q) {
  for (int i = 0; i < 4; i++)
    if (is_same(&p->mark[i / 2], &q->mark[i % 2])) return true;
  return false;
}

void cr_crossings_find_zones(cr_crossings* crossings) {
  int pending[CR_CROSSINGS_MAX], count = crossings->count;
  crossings->num_zones = 0;
  for (int i = 0; i < count; i++) crossings->crossing[i].zone = -1;
  for (int i = 0; i < count; i++) {
    if (crossings->crossing[i].zone >= 0) continue;
    int zone = crossings->num_zones++, num_pending = 1;
    pending[0] = i;
    crossings->crossing[i].zone = zone;
    while (num_pending > 0) {
      const cr_crossing* last = &crossings->crossing[pending[--num_pending]];
      for (int k = i + 1; k < count; k++) {
        cr_crossing* next = &crossings->crossing[k];
        if (next->zone >= 0 || !are_joined(last, next)) continue;
        next->zone = zone;
        pending[num_pending++] = k;
      }
    }
  }
}

cr_zone cr_crossings_measure(const cr_crossings* crossings, int zone) {
  cr_zone out = {.center = v3_zero()};
  v3 area = v3_zero();
  int count = 0;
  for (int i = 0; i < crossings->count; i++) {
    const cr_crossing* c = &crossings->crossing[i];
    if (c->zone != zone) continue;
    out.center = v3_add(out.center, c->from);
    count++;
  }
  out.center = v3_scale(1.0 / count, out.center);
  for (int i = 0; i < crossings->count; i++) {
    const cr_crossing* c = &crossings->crossing[i];
    if (c->zone != zone) continue;
    v3 from = v3_sub(c->from, out.center);
    area = v3_add(area, v3_cross(from, v3_sub(c->to, c->from)));
    out.radius = fmax(out.radius, v3_norm(from));
  }
  out.normal = v3_normalize_or(area, v3_zero());
  return out;
}

/* --- Points -------------------------------------------------------------------------------------
 */

/* Clips a polygon by the plane through a side of a triangle and along the normal. */
static int clip(v3 from, v3 inward, const v3* in, int count, v3* out) {
  int found = 0;
  for (int i = 0; i < count; i++) {
    int k = i + 1 < count ? i + 1 : 0;
    double here = v3_dot(inward, v3_sub(in[i], from)), next = v3_dot(inward, v3_sub(in[k], from));
    if (here >= 0) out[found++] = in[i];
    if ((here >= 0) != (next >= 0))
      out[found++] = v3_axpy(in[i], here / (here - next), v3_sub(in[k], in[i]));
  }
  return found;
}

int cr_crossing_find_points(const cr_crossing* crossing, v3 normal,
                            cr_manifold_point point[CR_ZONE_POINTS]) {
  const cr_zone_side *a = &crossing->a, *b = &crossing->b;
  double facing = v3_dot(b->normal, normal);
  if (!(v3_dot(a->normal, normal) > 0) || !(facing < 0)) return 0;
  v3 polygon[2][CR_ZONE_POINTS];
  int count = 3, at = 0;
  for (int i = 0; i < 3; i++) polygon[0][i] = a->corner[i];
  for (int i = 0; i < 3; i++, at = 1 - at) { /* seen along the normal b runs clockwise */
    v3 inward = v3_cross(v3_sub(b->corner[(i + 1) % 3], b->corner[i]), normal);
    count = clip(b->corner[i], inward, polygon[at], count, polygon[1 - at]);
  }
  for (int i = 0; i < count; i++) {
    v3 x = polygon[at][i];
    double distance = v3_dot(b->normal, v3_sub(b->corner[0], x)) / facing;
    point[i] = (cr_manifold_point){x, v3_axpy(x, distance, normal), distance, 0};
  }
  return count;
}

/* --- Pairs --------------------------------------------------------------------------------------
 */

/* A party's triangle as the zones see it, `from` a's origin. */
static cr_zone_side make_side(const cr_party* p, v3 from) {
  cr_zone_side side = {.triangle = p->triangle, .normal = p->normal};
  for (int i = 0; i < 3; i++) {
    side.vertex[i] = p->facet.vertex[i];
    side.corner[i] = v3_add(from, m3_mulv(&p->X->R, p->facet.corner[i]));
  }
  return side;
}

/* Notes where the triangles at work cross. What lies just on an edge is moved off it by a hair. */
void cr_meeting_note_crossing(const cr_meeting* m, cr_crossings* crossings) {
  const v3 hair = v3_scale(100 * m->gather->near, v3_make(0.61, 0.35, 0.71));
  cr_zone_side a = make_side(&m->a, v3_zero());
  cr_zone_side b = make_side(&m->b, v3_add(hair, v3_sub(m->b.X->p, m->a.X->p)));
  cr_crossings_add(&a, &b, crossings);
}

/* The normals of points near a zone. */
static int find_normals_near(const cr_meeting* m, const cr_zone* zone, v3* normal) {
  v3 center = v3_add(zone->center, m->a.X->p);
  double reach = zone->radius * NEAR_ZONE;
  int found = 0;
  for (int g = 0; g < m->gather->count; g++) {
    const cr_gather_group* group = &m->gather->group[g];
    bool is_near = false;
    for (int i = 0; i < group->count && i < CR_MANIFOLD_MAX && !is_near; i++)
      is_near = v3_norm2(v3_sub(group->first[i].a, center)) <= reach * reach;
    if (is_near) normal[found++] = group->normal;
  }
  return found;
}

/* Whether contacts near a zone resist what goes on into it: its normal is a sum of theirs with
 * positive weights, which are found one after the other, over and over. */
static bool is_held(const cr_meeting* m, const cr_zone* zone) {
  v3 normal[CR_PATCHES_MAX], rest = zone->normal;
  double weight[CR_PATCHES_MAX] = {0};
  int count = find_normals_near(m, zone, normal);
  for (int sweep = 0; sweep < HOLD_SWEEPS; sweep++)
    for (int i = 0; i < count; i++) {
      double more = cr_max(v3_dot(rest, normal[i]), -weight[i]);
      weight[i] += more;
      rest = v3_axpy(rest, -more, normal[i]);
    }
  return v3_norm2(rest) < HELD * HELD;
}

/* Zones in which no direction was a contact normal, as saddles in each other: their own normal and
 * depth count. */
void cr_meeting_enter_zones(const cr_meeting* m, cr_crossings* crossings) {
  cr_crossings_find_zones(crossings);
  for (int z = 0; z < crossings->num_zones; z++) {
    cr_zone zone = cr_crossings_measure(crossings, z);
    if (!(v3_norm2(zone.normal) > 0.5) || is_held(m, &zone)) continue;
    for (int i = 0; i < crossings->count; i++) {
      const cr_crossing* c = &crossings->crossing[i];
      cr_manifold_point point[CR_ZONE_POINTS];
      int count = c->zone == z ? cr_crossing_find_points(c, zone.normal, point) : 0;
      for (int k = 0; k < count; k++) {
        if (point[k].distance > 0) continue;
        point[k].a = v3_add(point[k].a, m->a.X->p);
        point[k].b = v3_add(point[k].b, m->a.X->p);
        point[k].feature = cr_meeting_mix((uint32_t)c->a.triangle, (uint32_t)c->b.triangle);
        cr_gather_add(m->gather, zone.normal, &point[k]);
      }
    }
  }
}

/* Of a's triangles those that are near b's bounds, each against b's near it. */
