/* A sphere against a capsule, cylinder or box: the signed distance of its centre to the
 * other shape and that distance's gradient, in closed form. One point, so one feature. */
#include "geom/contact.h"
#include "geom/point.h"

/* The sphere's centre is the origin of the pair. `outward` leads from B's surface to it. */
static void add_nearest(const cr_contact_pair* pair, double distance, v3 outward,
                        cr_manifold* manifold) {
  double radius = pair->a.shape->size[0];
  manifold->normal = v3_neg(outward);
  v3 a = v3_scale(radius, manifold->normal), b = v3_scale(distance, manifold->normal);
  if (!(distance - radius < pair->margin)) return;
  manifold->points[0] = (cr_manifold_point){a, b, distance - radius, 0};
  manifold->count = 1;
}

void cr_collide_sphere_other(const cr_contact_pair* pair, cr_manifold* manifold) {
  v3 gradient, x = m3_tmulv(pair->b.R, v3_neg(pair->b.center));
  double distance = cr_point_distance(pair->b.shape, x, &gradient);
  add_nearest(pair, distance, m3_mulv(pair->b.R, gradient), manifold);
}
