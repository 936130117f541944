/* Conservative advancement: two convex shapes that are apart by a distance along a normal cannot
 * meet before they have come closer by so much along it, or along a direction that turns on from it
 * with one of them, as a face's normal does. In a frame that turns with it a point r of a shape,
 * from the centre, has moved by s n.(w x r) along it after the time s, w the spin there, and by
 * what that bends, (w² + |w'|) r s² / 2 at most: so far as the support along n + s (n x w) reaches.
 * Of surfaces that are not convex no normal parts the whole, so that the relative speed in any
 * direction counts. */
#include "sim/contact/sweep.h"

#include "math/scalar.h"

#include <math.h>

#define FAST       0.5 /* of both depths: what has gone in less far shows the side it came from */
#define MOST_LOOKS 40
#define MOST_TURNS 6
#define HALVINGS   4
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

double cr_sweep_find_hair(const cr_shape* a, const cr_shape* b) {
  return HAIR * scalar_min(cr_shape_compute_thickness(a), cr_shape_compute_thickness(b));
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

/* Looks at both where they are at the time of a hit; false where they are apart by more. */
static bool look(const cr_swept* a, const cr_swept* b, double margin, cr_sweep_hit* hit) {
  hit->X[0] = cr_swept_place(a, hit->time), hit->X[1] = cr_swept_place(b, hit->time);
  return cr_geom_collide(a->shape, &hit->X[0], b->shape, &hit->X[1], margin, &hit->manifold) > 0;
}

/* Moves a hit to where its deepest points are half a hair apart, by Newton's method: a time that
 * follows from the motion alone, and so has derivatives. One that this does not reach stays. */
static void settle(const cr_swept* a, const cr_swept* b, double hair, double duration,
                   cr_sweep_hit* hit) {
  cr_sweep_hit at = *hit;
  double before = INFINITY;
  for (int k = 0; k < MOST_TURNS; k++) {
    int first = cr_manifold_find_deepest(&at.manifold);
    const cr_manifold_point* deepest = &at.manifold.points[first];
    double off = deepest->distance - 0.5 * hair;
    if (fabs(off) <= SETTLED * hair) {
      *hit = at, hit->is_settled = true, hit->apart = hair;
      return;
    }
    v3 of_a = find_velocity(a, &at.X[0], deepest->a), of_b = find_velocity(b, &at.X[1], deepest->b);
    double approach = v3_dot(at.manifold.normal, v3_sub(of_a, of_b));
    if (!(approach > 0 && fabs(off) < before)) return;
    before = fabs(off);
    at.time += off / approach;
    if (!(at.time > 0 && at.time < duration)) return;
    if (!look(a, b, find_speed(a, b) * (duration - at.time) + hair, &at)) return;
  }
}

/* The spin that counts. */
static v3 find_spin(const cr_swept* a) {
  return a->shape->type == CAROM_GEOM_SPHERE ? v3_zero() : a->spin;
}

/* How far a convex shape reaches from its centre, a time later at most, along a direction that is n
 * now and turns on. */
static double find_extent(const cr_swept* a, const m3* R, v3 n, v3 turn, double time) {
  v3 spin = find_spin(a), faster = v3_sub(spin, turn), d = v3_axpy(n, time, v3_cross(n, faster));
  double bends = v3_norm2(faster) + v3_norm(v3_cross(turn, spin)), bent = 0;
  if (bends > 0) bent = 0.5 * time * time * bends * cr_shape_compute_bounding_radius(a->shape);
  return v3_dot(d, m3_mulv(R, cr_shape_compute_support(a->shape, m3_tmulv(R, d)))) + bent;
}

/* A look at two convex shapes, and how on from there the direction turns along which they are
 * parted. */
typedef struct parting {
  const cr_swept *a, *b;
  const cr_sweep_hit* at;
  v3 turn;         /* rad/s */
  double duration; /* s, that is left */
} parting;

/* How far apart they are along it a time later: at least. Concave. */
static double find_gap(const parting* p, double time) {
  v3 n = p->at->manifold.normal, way = v3_sub(p->at->X[1].p, p->at->X[0].p);
  v3 velocity = v3_sub(p->b->linear, p->a->linear);
  double turns = v3_norm(p->turn), speed = v3_norm(velocity);
  double bends = turns * turns * (v3_norm(way) + p->duration * speed) + 2 * turns * speed;
  double rate = v3_dot(n, velocity) + v3_dot(v3_cross(p->turn, n), way);
  return v3_dot(n, way) + time * rate - 0.5 * time * time * bends -
         find_extent(p->a, &p->at->X[0].R, n, p->turn, time) -
         find_extent(p->b, &p->at->X[1].R, v3_neg(n), p->turn, time);
}

/* How much later they are surely still apart by `least`. */
static double find_time_along(const parting* p, double least) {
  double low = 0, high = p->duration;
  double over = find_gap(p, low) - least, under = find_gap(p, high) - least;
  if (under > 0) return high;
  for (int k = 0; k < HALVINGS && over > 0; k++) {
    low += over / (over - under) * (high - low); /* below the graph lies its chord */
    over = find_gap(p, low) - least;
    double middle = 0.5 * (low + high), gap = find_gap(p, middle) - least;
    if (gap > 0)
      low = middle, over = gap;
    else
      high = middle, under = gap;
  }
  return low;
}

/* The most of it, where the direction stays, turns with one or the other, or as is given. */
static double find_time_apart(const parting* p, double least) {
  const v3 turn[] = {v3_zero(), find_spin(p->a), find_spin(p->b), p->turn};
  double most = 0;
  for (int k = 0; k < 4 && most < p->duration; k++) {
    parting along = *p;
    along.turn = turn[k];
    if (k == 0 || v3_norm2(turn[k]) > 0) most = scalar_max(most, find_time_along(&along, least));
  }
  return most;
}

/* The first time within `duration` (s) at which two shapes touch that are apart at time 0: never
 * later than they meet. */
static cr_sweep_outcome advance(const cr_swept* a, const cr_swept* b, double duration,
                                cr_sweep_hit* hit) {
  double speed = find_speed(a, b), step = 0, hair = cr_sweep_find_hair(a->shape, b->shape);
  v3 before = v3_zero(), turned = before;
  bool is_convex =
      (!a->shape->surface && !b->shape->surface) || cr_shapes_meet_as_hulls(a->shape, b->shape);
  hit->time = 0;
  for (int k = 0; k < MOST_LOOKS; k++, hit->time += step) {
    double left = duration - hit->time;
    if (!(left > 0) || !look(a, b, speed * left + hair, hit)) return CR_SWEEP_NONE;
    double least = hit->manifold.points[cr_manifold_find_deepest(&hit->manifold)].distance;
    hit->apart = scalar_max(hair, least);
    hit->is_settled = k == 0;
    if (least <= hair && k == 0) return CR_SWEEP_TOUCHING;
    if (least <= hair) break;
    if (step > 0) turned = v3_scale(1 / step, v3_cross(before, hit->manifold.normal));
    before = hit->manifold.normal, step = (least - 0.5 * hair) / speed;
    const parting apart = {a, b, hit, turned, left};
    if (is_convex) step = find_time_apart(&apart, 0.5 * hair);
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
