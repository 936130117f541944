/* Capsule against capsule: the closest points of two segments, in closed form; nearly parallel ones
 * touch at both ends of their overlap. */
#include "geom/contact.h"
#include "geom/patch.h"
#include "geom/point.h"
#include "geom/segment.h"

/* Distance of the axes, as part of the half length, below which its direction is rather noise. */
#define NOISE 1e-8

static cr_line_segment axis_of(const cr_placed* placed) {
  return (cr_line_segment){placed->center,
                           v3_scale(placed->shape->size[1], m3_column(placed->R, 2))};
}

/* Normal to both axes, from A to B. Parallel axes that meet leave a choice. */
static v3 normal_of_crossing(const cr_contact_pair* pair, v3 apart) {
  v3 za = m3_column(pair->a.R, 2), zb = m3_column(pair->b.R, 2), normal = v3_cross(za, zb), other;
  if (v3_norm2(normal) < 1e-24) v3_tangents(za, &normal, &other);
  normal = v3_normalize_or(normal, za);
  return v3_dot(normal, apart) < 0 ? v3_neg(normal) : normal;
}

/* Direction of the vector that joins the closest points of the axes, at parameters s and t. It is
 * normal to an axis unless it starts at its end, which helps where the vector is so short that it
 * is noise; where the axes cross, their cross product may be better. */
static v3 find_normal(const cr_contact_pair* pair, v3 apart, double s, double t) {
  double half = cr_max(pair->a.shape->size[1], pair->b.shape->size[1]), between;
  v3 za = m3_column(pair->a.R, 2), zb = m3_column(pair->b.R, 2);
  bool crosses = fabs(s) < 1 && fabs(t) < 1;
  if (fabs(s) < 1) apart = v3_axpy(apart, -v3_dot(apart, za), za);
  if (fabs(t) < 1) apart = v3_axpy(apart, -v3_dot(apart, zb), zb);
  v3 n = cr_point_direction(apart, za, &between);
  double sine = crosses ? v3_norm(v3_cross(za, zb)) : 0;
  return between > NOISE * half && between >= half * sine ? n : normal_of_crossing(pair, apart);
}

void cr_collide_capsule_capsule(const cr_contact_pair* pair, cr_manifold* manifold) {
  cr_line_segment a = axis_of(&pair->a), b = axis_of(&pair->b);
  double s, t, radii = pair->a.shape->size[0] + pair->b.shape->size[0];
  cr_segment_find_closest(&a, &b, &s, &t);
  v3 on_a = cr_segment_point(&a, s), on_b = cr_segment_point(&b, t);
  v3 apart = v3_sub(on_b, on_a), za = m3_column(pair->a.R, 2), zb = m3_column(pair->b.R, 2);
  double between = v3_norm(apart);
  if (!(between - radii < pair->margin)) return;
  v3 n = manifold->normal = find_normal(pair, apart, s, t);
  bool nearly_parallel = v3_norm2(v3_cross(za, zb)) < CR_PATCH_SINE * CR_PATCH_SINE;
  if (nearly_parallel && fabs(v3_dot(n, za)) < CR_PATCH_SINE) {
    cr_patch_build(pair, n, between - radii, manifold);
    return;
  }
  on_a = v3_axpy(on_a, pair->a.shape->size[0], n);
  on_b = v3_axpy(on_b, -pair->b.shape->size[0], n);
  uint32_t feature = cr_contact_end_feature(s) << 16 | cr_contact_end_feature(t);
  double distance = v3_dot(n, v3_sub(on_b, on_a));
  manifold->points[0] = (cr_manifold_point){on_a, on_b, distance, feature};
  manifold->count = distance < pair->margin;
}
