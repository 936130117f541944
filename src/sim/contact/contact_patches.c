/* Contact points: where they lie, how they move, what surfaces ask for, and which enter the
 * problem.
 */
#include "sim/contact/contact_patches.h"

#include "math/scalar.h"
#include "sim/contact/blow.h"

#include <math.h>
#include <string.h>

#define FLATNESS      0.01 /* of the smaller thickness: how far apart a patch's distances lie */
#define LEAST_TORSION 1e-5 /* m, torsional friction of contacts with rolling friction */
#define REST_SLIP     1e-9 /* m/s, slower is at rest where friction has no Stribeck speed */
#define PASSING       1e-3 /* of its normal velocity, what passes by is not turned aside by less */

typedef cr_scan scan;

/* --- Places and velocities ----------------------------------------------------------------------
 */

/* How far a geometry's surface lies from its centre along the normal; what is fixed has no lever
 * arm that could be wrong. */
static double find_arm(const scan* s, int geom, v3 outward, v3 x) {
  if (s->step->model->tree.link_tree[s->step->model->geom.link[geom]] < 0) return INFINITY;
  return fabs(v3_dot(outward, v3_sub(x, s->poses[geom].p)));
}

/* The share of the way from A's surface to B's where the point lies for both lever arms to be wrong
 * by the same part of themselves. */
static double find_share(const scan* s, const cr_touch* t, const cr_manifold_point* point) {
  double a = find_arm(s, t->geom[0], t->normal, point->a);
  double b = find_arm(s, t->geom[1], t->normal, point->b);
  return isinf(a) ? 1 : isinf(b) ? 0 : a + b > 0 ? a / (a + b) : 0.5;
}

/* The point that both bodies' Jacobians use. Rigid surfaces touch at the end of the step, with the
 * lever arms that they have without overlap. Of compliant ones the overlap at the start of the step
 * is real, and the softer surface yields to it: p = (k_a p_a + k_b p_b) / (k_a + k_b); what the
 * free motion has added to it since, or left of a gap, is gone at the end. */
static v3 blend_point(const scan* s, const cr_touch* t, const cr_manifold_point* point) {
  const double* stiffness = s->step->model->contact.stiffness;
  double ka = stiffness[t->geom[0]], kb = stiffness[t->geom[1]], real = 0, yield = 0;
  if (isfinite(ka) || isfinite(kb)) {
    real = scalar_min(t->distance0, 0);
    yield = isinf(ka) ? 0 : isinf(kb) ? 1 : kb / (ka + kb);
  }
  double depth = real * yield + (t->distance - real) * find_share(s, t, point);
  return v3_axpy(point->a, depth, t->normal);
}

/* Of body k where it is touched. */
static inline __attribute__((always_inline)) v3
find_velocity(const cr_step* step, const cr_motion* motion, const cr_touch* t, int k) {
  return cr_mover_of_link(step->model, t->link[k])->find_velocity(step, motion, t, k);
}

/* Velocity of B less that of A at a point. */
static inline __attribute__((always_inline)) v3
relative_velocity(const cr_step* step, const cr_motion* motion, const cr_touch* t) {
  v3 u[2];
  for (int k = 0; k < 2; k++) u[k] = find_velocity(step, motion, t, k);
  return v3_sub(u[1], u[0]);
}

/* Normal velocity of a point in a motion; positive separates. */
static inline __attribute__((always_inline)) double
normal_velocity(const cr_step* step, const cr_motion* motion, const cr_touch* t) {
  return v3_dot(t->normal, relative_velocity(step, motion, t));
}

/* --- Surfaces -----------------------------------------------------------------------------------
 */

static carom_surface find_surface(const carom_model* model, const cr_geom_pair* pair) {
  const cr_contact_model* c = &model->contact;
  if (pair->pair >= 0) return c->pair_surface[pair->pair];
  return cr_contact_rule_mix_surface(&model->geom, c, pair->geom1, pair->geom2);
}

/* The dimensions whose coefficients are positive. Rolling friction brings torsional friction along:
 * LEAST_TORSION where there is none. */
static int find_condim(const cr_contact_values* values, const carom_surface* surface) {
  bool rolls = values->condim == 6 && surface->rolling_friction > 0;
  bool twists = values->condim >= 4 && surface->torsional_friction > 0;
  if (!(values->friction > 0)) return 1;
  return rolls ? 6 : twists ? 4 : values->condim > 3 ? 3 : values->condim;
}

/* Coefficient of friction at the point's slip before the step, mu_d + (mu_s - mu_d) exp(-(v /
 * v_s)²): what it is during the step is not known, so that the step stays convex. */
static double find_friction(const scan* s, const cr_touch* t, double friction,
                            const carom_surface* surface, const cr_touch_extra* extra) {
  double excess = surface->static_friction - friction;
  if (!(excess > 0)) return friction;
  v3 slip = v3_add(relative_velocity(s->step, s->start, t), extra->drift);
  double speed = v3_norm(v3_axpy(slip, -v3_dot(slip, t->normal), t->normal));
  double ratio = surface->stribeck_speed > 0 ? speed / surface->stribeck_speed
                 : speed > REST_SLIP         ? INFINITY
                                             : 0;
  return friction + excess * exp(-ratio * ratio);
}

/* How fast the surfaces move where they touch: what belts do. */
static void set_drift(const scan* s, const cr_touch* t, cr_touch_extra* extra) {
  const cr_contact_model* contact = &s->step->model->contact;
  extra->drifts = false, extra->drift = extra->twist = v3_zero();
  for (int k = 0; k < 2 && contact->num_moving; k++) {
    if (t->geom[k] < 0) continue;
    const double* given = contact->velocity + 6 * (size_t)t->geom[k];
    const pose* X = &s->poses[t->geom[k]];
    v3 turn = m3_mulv(&X->R, v3_load(given + 3)), way = m3_mulv(&X->R, v3_load(given));
    way = v3_add(way, v3_cross(turn, v3_sub(t->position, X->p)));
    extra->drift = v3_axpy(extra->drift, k ? 1 : -1, way);
    extra->twist = v3_axpy(extra->twist, k ? 1 : -1, turn);
  }
  extra->drifts = v3_norm2(extra->drift) > 0 || v3_norm2(extra->twist) > 0;
}

bool cr_scan_set_surface(const cr_scan* s, const cr_contact_values* values,
                         const carom_surface* surface, cr_touch* t) {
  cr_touch_extra* extra = CR_PUSH(s->step->arena, cr_touch_extra, 1);
  if (s->step->arena->failed) return false;
  t->condim = find_condim(values, surface);
  set_drift(s, t, extra);
  t->friction = find_friction(s, t, values->friction, surface, extra);
  extra->length[0] = fmax(surface->torsional_friction, LEAST_TORSION) / t->friction;
  extra->length[1] = surface->rolling_friction / t->friction;
  extra->hunt_crossley = surface->hunt_crossley;
  extra->restitution = surface->restitution;
  extra->adhesion = surface->adhesion, extra->gap = values->gap;
  t->extra = extra;
  return true;
}

/* --- What enters the problem --------------------------------------------------------------------
 */

static bool is_scheme(const cr_step* step) {
  return step->sim->def.contact == CAROM_CONTACT_SCHEME;
}

/* Whether a point enters at the normal velocity v1 of the end of the step. */
static bool enters(const cr_step* step, const cr_touch* t, double v1) {
  if (t->distance < t->margin) return true;
  if (is_scheme(step) && isfinite(t->stiffness)) return t->distance < 0;
  return v1 < t->passing && t->distance0 + step->dt * v1 < 0;
}

/* True when the point pushed in the last step: it most likely does again, also where the free
 * motion of both bodies keeps them a hair apart. Compliant points that follow the scheme's own
 * timing push by their distance alone. */
static bool pushed_before(const cr_step* step, const cr_touch* t, const cr_contact_record* record) {
  if (is_scheme(step) && isfinite(t->stiffness)) return false;
  return record && v3_norm2(v3_load(record->impulse)) > 0;
}

/* Whether a point that meets within the step is struck. Without scheme timing explicit Euler treats
 * every contact so. */
static bool is_blow(const cr_step* step, const cr_touch* t) {
  return !is_scheme(step) && (t->is_fast || t->is_landing || step->sim->theta.vq == 0);
}

/* Whether a point is no farther than gravity moves within the step: it often pushes in the end, and
 * to find that out by a solution without it costs another one. */
static bool is_near(const scan* s, const cr_touch* t, double approach) {
  const cr_step* step = s->step;
  if (is_scheme(step) || is_blow(step, t)) return false;
  return t->distance0 + step->dt * approach < s->g_dt * step->dt;
}

/* The distance carried back to q0, and whether the point enters and is struck. */
static void classify(scan* s, cr_touch* t) {
  const cr_step* step = s->step;
  double v0 = normal_velocity(step, s->start, t), v1 = normal_velocity(step, s->lin, t);
  cr_theta theta = cr_contact_find_theta(step, t->link);
  t->distance0 = t->distance - theta.q * step->dt * (theta.vq * v1 + (1 - theta.vq) * v0);
  const cr_contact_record* record =
      cr_contact_memory_find_near(&step->sim->memory, t->key, &s->place);
  t->is_active = enters(step, t, v1) || pushed_before(step, t, record);
  bool first = isinf(t->stiffness) || t->distance0 > 0;
  t->is_fast = first && cr_is_blow_speed(v0, fmax(s->g_dt, fabs(v1 - v0)));
  t->is_landing = record && record->is_hit && v0 < -CR_BLOW_LEAST_SPEED;
  t->is_struck = t->distance0 + step->dt * v1 < 0 && is_blow(step, t);
  t->is_active |= is_near(s, t, fmin(v0, v1));
}

/* --- Patches ------------------------------------------------------------------------------------
 */

/* The active points of a patch share its stiffness. Those hardly farther than the deepest stand at
 * one height along the normal: at their own heights, which differ by the distances, a rocking body
 * would have to slip a little at some. Points farther off (a cylinder that rolls fast shows the
 * plane more of its rim) have no part in that. */
static void join_patch(cr_touch* patch, int count) {
  int active = 0, flat = 0;
  double height = 0;
  for (int i = 0; i < count; i++) {
    active += patch[i].is_active;
    if (!patch[i].is_active || !patch[i].is_flat) continue;
    height += v3_dot(patch[i].normal, patch[i].position);
    flat++;
  }
  for (int i = 0; i < count; i++) {
    cr_touch* t = &patch[i];
    if (!t->is_active) continue;
    t->weight = 1.0 / (t->is_flat ? flat : active);
    double rise = height / scalar_max(flat, 1) - v3_dot(t->normal, t->position);
    if (t->is_flat) t->position = v3_axpy(t->position, rise, t->normal);
  }
}

/* The largest distance of the points that touch together. */
static double compute_reach(const carom_model* model, const cr_geom_pair* pair,
                            const cr_manifold* m) {
  const cr_shape* shape = model->geom.shape;
  double deepest = INFINITY;
  for (int i = 0; i < m->count; i++) deepest = scalar_min(deepest, m->points[i].distance);
  double thickness = scalar_min(cr_shape_compute_thickness(&shape[pair->geom1]),
                                cr_shape_compute_thickness(&shape[pair->geom2]));
  return deepest + FLATNESS * thickness;
}

/* What the points of a patch have in common. Number by number, where it is to stand: a copy would
 * wait for what was written just now. */
static void start_touch(const scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                        const cr_manifold* manifold, cr_touch* t) {
  const int geom[2] = {pair->geom1, pair->geom2};
  for (int k = 0; k < 2; k++) {
    t->geom[k] = geom[k];
    t->link[k] = s->step->model->geom.link[geom[k]];
    t->spot[k] = NULL;
  }
  t->normal = manifold->normal;
  v3_tangents(manifold->normal, &t->tangent[0], &t->tangent[1]);
  t->weight = 1;
  t->first = s->touches->count, t->count = manifold->count;
  t->condim = values->friction > 0 ? values->condim : 1;
  t->friction = values->friction;
  t->stiffness = values->stiffness;
  t->dissipation = values->dissipation;
  t->margin = isinf(values->stiffness) ? values->margin : 0;
  t->extra = NULL;
  t->is_ahead = false, t->passing = INFINITY;
  t->key = (cr_contact_key){.pair = (uint64_t)(unsigned)geom[0] << 32 | (unsigned)geom[1]};
}

bool cr_touches_grow(cr_step* step, cr_touches* touches, int room) {
  if (touches->count + room <= touches->capacity) return true;
  int capacity = 2 * touches->capacity + room;
  cr_touch* items = CR_PUSH(step->arena, cr_touch, capacity);
  if (step->arena->failed) return false;
  if (touches->count) memcpy(items, touches->items, sizeof(cr_touch) * (size_t)touches->count);
  touches->items = items, touches->capacity = capacity;
  return true;
}

/* The points of one normal, but for what follows from their motion; null when memory ran out. */
static cr_touch* list_patch(scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                            const cr_manifold* manifold) {
  const carom_model* model = s->step->model;
  cr_touches* touches = s->touches;
  if (!cr_touches_grow(s->step, touches, manifold->count)) return NULL;
  cr_touch* patch = touches->items + touches->count;
  start_touch(s, pair, values, manifold, patch);
  double reach = compute_reach(model, pair, manifold);
  bool plain = model->contact.is_plain;
  carom_surface surface;
  if (!plain) surface = find_surface(model, pair);
  for (int i = 0; i < manifold->count; i++) {
    cr_touch* t = &patch[i];
    if (i > 0) *t = *patch;
    t->position = manifold->points[i].a; /* its place along the normal has no part in classify */
    t->distance = manifold->points[i].distance;
    t->is_flat = t->distance <= reach;
    t->key.feature = manifold->points[i].feature;
    if (!plain && !cr_scan_set_surface(s, values, &surface, t)) return NULL;
  }
  return patch;
}

/* What passes by is left out unless something turns it aside. */
static void let_pass(const scan* s, cr_touch* t) {
  if (t->distance0 < t->margin) return;
  double v1 = normal_velocity(s->step, s->lin, t);
  t->passing = v1 - PASSING * fabs(v1);
  t->is_active = t->is_struck = false;
}

bool cr_scan_add_patch(scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                       const cr_manifold* manifold) {
  int count = manifold->count;
  if (count == 0) return true;
  cr_touch* patch = list_patch(s, pair, values, manifold);
  if (!patch) return false;
  for (int i = 0; i < count; i++) {
    classify(s, &patch[i]);
    patch[i].position = blend_point(s, &patch[i], &manifold->points[i]);
    if (s->passes) let_pass(s, &patch[i]);
  }
  s->touches->count += count;
  join_patch(patch, count);
  return true;
}

/* A point of a hit: each body has it where it will be touched. Up to then they come nearer as
 * the free motion has it. */
static void classify_ahead(scan* s, const cr_sweep_hit* hit, const cr_manifold_point* point,
                           cr_touch* t) {
  const cr_step* step = s->step;
  const v3 x[2] = {point->a, point->b};
  for (int k = 0; k < 2; k++)
    t->ahead[k] = pose_point(&s->poses[t->geom[k]], pose_inverse_point(&hit->X[k], x[k]));
  t->is_ahead = true;
  double v0 = normal_velocity(step, s->start, t), v1 = normal_velocity(step, s->lin, t);
  cr_theta theta = cr_contact_find_theta(step, t->link);
  t->distance0 = t->distance - hit->time * v1;
  t->distance = t->distance0 + theta.q * step->dt * (theta.vq * v1 + (1 - theta.vq) * v0);
  t->is_active = enters(step, t, v1);
  t->is_fast = cr_is_blow_speed(v0, fmax(s->g_dt, fabs(v1 - v0)));
  t->is_landing = false;
  t->is_struck = t->is_active;
}

bool cr_scan_add_hit(scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                     const cr_sweep_hit* hit) {
  const cr_manifold* manifold = &hit->manifold;
  cr_touch* patch = list_patch(s, pair, values, manifold);
  if (!patch) return false;
  for (int i = 0; i < manifold->count; i++) classify_ahead(s, hit, &manifold->points[i], &patch[i]);
  s->touches->count += manifold->count;
  join_patch(patch, manifold->count);
  return true;
}

bool cr_scan_add(cr_scan* s, const cr_touch* patch, int count) {
  cr_touches* touches = s->touches;
  if (!cr_touches_grow(s->step, touches, count)) return false;
  int first = touches->count;
  for (int i = 0; i < count; i++) {
    cr_touch* t = &touches->items[touches->count++];
    *t = patch[i];
    t->first = first, t->count = count;
    t->weight = 1;
    classify(s, t);
  }
  join_patch(touches->items + first, count);
  return true;
}

int cr_touches_activate(const cr_step* step, const cr_motion* solution, cr_touches* touches) {
  int count = 0;
  for (int i = 0; i < touches->count; i++) {
    cr_touch* t = &touches->items[i];
    if (t->is_active || !enters(step, t, normal_velocity(step, solution, t))) continue;
    t->is_active = true;
    t->is_struck = is_blow(step, t);
    join_patch(touches->items + t->first, t->count);
    count++;
  }
  return count;
}
