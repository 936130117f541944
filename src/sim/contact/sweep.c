/* Conservative advancement: two convex shapes that are apart by a distance along a normal cannot
 * meet before they have come closer by so much along it. Of surfaces that are not convex no normal
 * parts the whole, so that the relative speed in any direction counts. */
#include "sim/contact/sweep.h"

#include "math/scalar.h"

#include <math.h>

#define FAST       0.5 /* of both depths: what has gone in less far shows the side it came from */
#define MOST_LOOKS 40
#define MOST_TURNS 6
#define SETTLED    1e-9 /* of a hair */
#define HAIR       1e-4 /* of the smaller thickness: shapes so near to each other touch */

/* --- Sweeps -------------------------------------------------------------------------------------
 */

pose cr_swept_place(const cr_swept* a, double time) {
  pose X = {v3_axpy(a->X.p, time, a->linear), a->X.R};
  if (v3_norm2(a->spin) > 0) {
    m3 turn = quat_to_m3(quat_exp(v3_scale(time, a->spin)));
    X.R = m3_mul(&turn, &a->X.R);
  }
  return X;
}

/* How fast the spin moves the surface at most, m/s. A sphere's moves along itself. */
static double find_rim_speed(const cr_swept* a) {
  double spin = v3_norm(a->spin);
  if (spin == 0 || a->shape->type == CAROM_GEOM_SPHERE) return 0;
  return spin * cr_shape_compute_bounding_radius(a->shape);
}

/* How fast any two points come nearer to each other at most, m/s. */
static double find_speed(const cr_swept* a, const cr_swept* b) {
  return v3_norm(v3_sub(b->linear, a->linear)) + find_rim_speed(a) + find_rim_speed(b);
}

static double find_least(const cr_manifold* manifold) {
  double least = INFINITY;
  for (int i = 0; i < manifold->count; i++) least = scalar_min(least, manifold->points[i].distance);
  return least;
}

static v3 find_velocity(const cr_swept* a, const pose* X, v3 x) {
  return v3_add(a->linear, v3_cross(a->spin, v3_sub(x, X->p)));
}

/* How fast the points of a hit come nearer to each other along its normal at most, m/s. */
static double find_approach(const cr_swept* a, const cr_swept* b, const cr_sweep_hit* hit) {
  const cr_manifold* m = &hit->manifold;
  double most = -INFINITY;
  for (int i = 0; i < m->count; i++) {
    v3 of_a = find_velocity(a, &hit->X[0], m->points[i].a);
    v3 of_b = find_velocity(b, &hit->X[1], m->points[i].b);
    most = scalar_max(most, v3_dot(m->normal, v3_sub(of_a, of_b)));
  }
  return most;
}

/* The point that is nearest to being touched. */
static const cr_manifold_point* find_deepest(const cr_manifold* m) {
  int deepest = 0;
  for (int i = 1; i < m->count; i++)
    if (m->points[i].distance < m->points[deepest].distance) deepest = i;
  return &m->points[deepest];
}

/* Moves a hit to where its deepest points are half a hair apart, by Newton's method: a time that
 * follows from the motion alone, and so has derivatives. One that this does not reach stays. */
static void settle(const cr_swept* a, const cr_swept* b, double hair, double duration,
                   cr_sweep_hit* hit) {
  cr_sweep_hit at = *hit;
  double before = INFINITY;
  for (int k = 0; k < MOST_TURNS; k++) {
    const cr_manifold_point* deepest = find_deepest(&at.manifold);
    double off = deepest->distance - 0.5 * hair;
    if (fabs(off) <= SETTLED * hair) {
      *hit = at, hit->is_settled = true;
      return;
    }
    v3 of_a = find_velocity(a, &at.X[0], deepest->a), of_b = find_velocity(b, &at.X[1], deepest->b);
    double approach = v3_dot(at.manifold.normal, v3_sub(of_a, of_b));
    if (!(approach > 0 && fabs(off) < before)) return;
    before = fabs(off);
    at.time += off / approach;
    if (!(at.time > 0 && at.time < duration)) return;
    at.X[0] = cr_swept_place(a, at.time), at.X[1] = cr_swept_place(b, at.time);
    double margin = find_speed(a, b) * (duration - at.time) + hair;
    if (cr_geom_collide(a->shape, &at.X[0], b->shape, &at.X[1], margin, &at.manifold) < 1) return;
  }
}

/* The first time within `duration` (s) at which two shapes touch that are apart at time 0: never
 * later than they meet. */
static cr_sweep_outcome advance(const cr_swept* a, const cr_swept* b, double duration,
                                cr_sweep_hit* hit) {
  v3 velocity = v3_sub(b->linear, a->linear);
  double rim = find_rim_speed(a) + find_rim_speed(b), speed = find_speed(a, b);
  double hair =
      HAIR * scalar_min(cr_shape_compute_thickness(a->shape), cr_shape_compute_thickness(b->shape));
  bool is_convex =
      (!a->shape->surface && !b->shape->surface) || cr_shapes_meet_as_hulls(a->shape, b->shape);
  double time = 0;
  for (int k = 0; k < MOST_LOOKS; k++) {
    hit->time = time;
    hit->X[0] = cr_swept_place(a, time), hit->X[1] = cr_swept_place(b, time);
    double margin = speed * (duration - time) + hair;
    if (cr_geom_collide(a->shape, &hit->X[0], b->shape, &hit->X[1], margin, &hit->manifold) < 1)
      return CR_SWEEP_NONE;
    double least = find_least(&hit->manifold);
    hit->apart = scalar_max(hair, least);
    hit->is_settled = k == 0;
    if (least <= hair && k == 0) return CR_SWEEP_TOUCHING;
    if (least <= hair) break;
    double approach = is_convex ? rim - v3_dot(hit->manifold.normal, velocity) : speed;
    if (!(approach * (duration - time) > least - 0.5 * hair)) return CR_SWEEP_NONE;
    time += (least - 0.5 * hair) / approach;
  }
  settle(a, b, hair, duration, hit);
  return CR_SWEEP_HIT;
}

/* --- Fast pairs ---------------------------------------------------------------------------------
 */

/* How deep a look at one moment tells the side from which a shape has come: of a surface its
 * thinnest wall, of hills and edges nothing; below a plane there is no other side. */
static double find_depth(const cr_shape* shape, bool is_hull) {
  return shape->surface && !is_hull ? shape->surface->thinnest : cr_shape_compute_thickness(shape);
}

/* Whether a pair may pass through each other, or by, that travel so far between two looks. */
static bool is_missed(const cr_scan* s, const cr_geom_pair* pair, double travel) {
  const cr_shape *a = &s->step->model->geom.shape[pair->geom1],
                 *b = &s->step->model->geom.shape[pair->geom2];
  bool are_hulls = cr_shapes_meet_as_hulls(a, b);
  return travel > FAST * (find_depth(a, are_hulls) + find_depth(b, are_hulls));
}

/* A geometry's motion at v_lin, from where the step looks at distances on. */
static cr_swept find_swept(const cr_scan* s, int geom) {
  const cr_geom_model* geoms = &s->step->model->geom;
  int link = geoms->link[geom];
  cr_swept x = {.shape = &geoms->shape[geom], .X = s->poses[geom]};
  x.linear = cr_contact_find_velocity(s->step, s->lin->link, link, x.X.p);
  bool hangs = s->step->model->tree.link_tree[link] < 0;
  x.spin = hangs ? cr_driven_find(s->step->sim, link).ang : s->lin->link[link].ang;
  return x;
}

bool cr_sweep_is_needed(const cr_scan* s, const cr_geom_pair* pair) {
  if (!is_missed(s, pair, s->reach[pair->geom1] + s->reach[pair->geom2])) return false;
  cr_swept a = find_swept(s, pair->geom1), b = find_swept(s, pair->geom2);
  return is_missed(s, pair, s->step->dt * find_speed(&a, &b));
}

cr_sweep_outcome cr_sweep_find(const cr_scan* s, const cr_geom_pair* pair, cr_sweep_hit* hit) {
  const int* link = s->step->model->geom.link;
  const int links[2] = {link[pair->geom1], link[pair->geom2]};
  double dt = s->step->dt, ahead = cr_contact_find_theta(s->step, links).q * dt;
  cr_swept a = find_swept(s, pair->geom1), b = find_swept(s, pair->geom2);
  a.X = cr_swept_place(&a, -ahead), b.X = cr_swept_place(&b, -ahead);
  cr_sweep_outcome outcome = advance(&a, &b, dt, hit);
  bool goes_on =
      outcome == CR_SWEEP_TOUCHING && is_missed(s, pair, dt * find_approach(&a, &b, hit));
  return goes_on ? CR_SWEEP_HIT : outcome;
}
