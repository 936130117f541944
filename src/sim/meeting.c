/* Conservative advancement: two convex shapes that are apart by a distance along a normal cannot
 * meet before they have come closer by so much along it. Of surfaces that are not convex no normal
 * parts the whole, so that the relative speed in any direction counts. */
#include "sim/meeting.h"

#include "math/scalar.h"

#include <math.h>

#define MOST_LOOKS 40
#define HAIR       1e-4 /* of the smaller thickness: shapes so near to each other touch */

pose cr_sweep_place(const cr_sweep* sweep, double time) {
  pose X = {v3_axpy(sweep->X.p, time, sweep->linear), sweep->X.R};
  if (v3_norm2(sweep->spin) > 0) {
    m3 turn = quat_to_m3(quat_exp(v3_scale(time, sweep->spin)));
    X.R = m3_mul(&turn, &sweep->X.R);
  }
  return X;
}

/* How fast the spin moves the surface at most, m/s. A sphere's moves along itself. */
static double find_rim_speed(const cr_sweep* sweep) {
  double spin = v3_norm(sweep->spin);
  if (spin == 0 || sweep->shape->type == CAROM_GEOM_SPHERE) return 0;
  return spin * cr_shape_compute_bounding_radius(sweep->shape);
}

static double find_least(const cr_manifold* manifold) {
  double least = INFINITY;
  for (int i = 0; i < manifold->count; i++) least = scalar_min(least, manifold->points[i].distance);
  return least;
}

static v3 find_velocity(const cr_sweep* sweep, const pose* X, v3 x) {
  return v3_add(sweep->linear, v3_cross(sweep->spin, v3_sub(x, X->p)));
}

double cr_meeting_find_approach(const cr_sweep* a, const cr_sweep* b, const cr_meeting* meeting) {
  const cr_manifold* m = &meeting->manifold;
  double most = -INFINITY;
  for (int i = 0; i < m->count; i++) {
    v3 of_a = find_velocity(a, &meeting->X[0], m->points[i].a);
    v3 of_b = find_velocity(b, &meeting->X[1], m->points[i].b);
    most = scalar_max(most, v3_dot(m->normal, v3_sub(of_a, of_b)));
  }
  return most;
}

cr_meeting_outcome cr_meeting_find(const cr_sweep* a, const cr_sweep* b, double duration,
                                   cr_meeting* meeting) {
  v3 velocity = v3_sub(b->linear, a->linear);
  double rim = find_rim_speed(a) + find_rim_speed(b), speed = v3_norm(velocity) + rim;
  double hair =
      HAIR * scalar_min(cr_shape_compute_thickness(a->shape), cr_shape_compute_thickness(b->shape));
  bool is_convex = !a->shape->surface && !b->shape->surface;
  double time = 0;
  for (int k = 0; k < MOST_LOOKS; k++) {
    meeting->time = time;
    meeting->X[0] = cr_sweep_place(a, time), meeting->X[1] = cr_sweep_place(b, time);
    double margin = speed * (duration - time) + hair;
    if (cr_geom_collide(a->shape, &meeting->X[0], b->shape, &meeting->X[1], margin,
                        &meeting->manifold) < 1)
      return CR_MEETING_NONE;
    double least = find_least(&meeting->manifold);
    if (least <= hair) return k == 0 ? CR_MEETING_TOUCHING : CR_MEETING_FOUND;
    double approach = is_convex ? rim - v3_dot(meeting->manifold.normal, velocity) : speed;
    if (!(approach * (duration - time) > least - 0.5 * hair)) return CR_MEETING_NONE;
    time += (least - 0.5 * hair) / approach;
  }
  return CR_MEETING_FOUND;
}
