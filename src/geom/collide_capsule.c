/* Capsule against capsule: the closest points of two segments, in closed form; nearly parallel ones
 * touch at both ends of their overlap. */
#include "geom/contact.h"
#include "geom/patch.h"
#include "geom/point.h"
#include "geom/segment.h"

/* Axes nearer than this part of the radii have a direction that only their cross product gives. */
#define CROSSING 1e-10

static cr_segment axis_of(const cr_placed* placed) {
  return (cr_segment){placed->center, v3_scale(placed->shape->size[1], m3_column(placed->R, 2))};
}

/* Normal to both axes, from A to B. Parallel axes that meet leave a choice. */
static v3 normal_of_crossing(const cr_contact_pair* pair, v3 between) {
  v3 za = m3_column(pair->a.R, 2), zb = m3_column(pair->b.R, 2), across, other;
  v3 normal = v3_cross(za, zb);
  if (v3_norm2(normal) < 1e-12) v3_tangents(za, &normal, &other);
  across = v3_normalize_or(normal, za);
  return v3_dot(across, between) < 0 ? v3_neg(across) : across;
}

void cr_collide_capsule_capsule(const cr_contact_pair* pair, cr_manifold* manifold) {
  cr_segment a = axis_of(&pair->a), b = axis_of(&pair->b);
  double s, t, between, radii = pair->a.shape->size[0] + pair->b.shape->size[0];
  cr_segment_find_closest(&a, &b, &s, &t);
  v3 on_a = cr_segment_point(&a, s), on_b = cr_segment_point(&b, t);
  v3 apart = v3_sub(on_b, on_a), za = m3_column(pair->a.R, 2), zb = m3_column(pair->b.R, 2);
  v3 n = cr_point_direction(apart, za, &between);
  if (!(between - radii < pair->margin)) return;
  if (between < CROSSING * radii) n = normal_of_crossing(pair, apart);
  manifold->normal = n;
  bool nearly_parallel = v3_norm2(v3_cross(za, zb)) < CR_PATCH_SINE * CR_PATCH_SINE;
  if (nearly_parallel && fabs(v3_dot(n, za)) < CR_PATCH_SINE) {
    cr_patch_build(pair, n, between - radii, manifold);
    return;
  }
  on_a = v3_axpy(on_a, pair->a.shape->size[0], n);
  on_b = v3_axpy(on_b, -pair->b.shape->size[0], n);
  cr_contact_add_on(pair, on_a, on_b, CR_RIM_NONE, CR_RIM_NONE, manifold);
}
