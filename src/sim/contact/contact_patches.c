/* Contact points: where they lie, how they move, and which enter the problem. */
#include "sim/contact/contact_patches.h"

#include "base/copy.h"
#include "geom/patches.h"
#include "math/scalar.h"
#include "sim/contact/contact_area.h"
#include "sim/contact/contact_surface.h"
#include "sim/contact/impact.h"
#include "sim/contact/rolling.h"

#include <math.h>

#define FLATNESS 0.01 /* of the smaller thickness: how far apart a patch's distances lie */
#define PASSING  1e-3 /* of its normal velocity, what passes by is not turned aside by less */

typedef cr_scan scan;

/* --- Places and velocities ----------------------------------------------------------------------
 */

/* What the points of a patch between two geometries have in common. */
typedef struct cr_patch_frame {
  bool is_held[2];   /* the geometry is fixed, */
  v3 center[2];      /* m, else where it is, */
  v3 origin[2];      /* m, and what its link's motion refers to */
  sv velocity[2][2]; /* before the step and in the free motion, of each */
  double yield;      /* see cr_contact_find_yield */
} cr_patch_frame;

/* How far a geometry's surface lies from its centre along the normal; what is fixed has no lever
 * arm that could be wrong. */
static double find_arm(const cr_patch_frame* frame, int k, v3 outward, v3 x) {
  if (frame->is_held[k]) return INFINITY;
  return fabs(v3_dot(outward, v3_sub(x, frame->center[k])));
}

/* The share of the way from A's surface to B's where the point lies for both lever arms to be wrong
 * by the same part of themselves. */
static double find_share(const cr_patch_frame* frame, const cr_contact_point* point,
                         const cr_manifold_point* found) {
  double a = find_arm(frame, 0, point->normal, found->a);
  double b = find_arm(frame, 1, point->normal, found->b);
  return isinf(a) ? 1 : isinf(b) ? 0 : a + b > 0 ? a / (a + b) : 0.5;
}

double cr_contact_find_yield(const carom_model* model, const cr_contact_point* point) {
  const double* stiffness = model->contact.stiffness;
  double ka = stiffness[point->geom[0]], kb = stiffness[point->geom[1]];
  if (isinf(ka) && isinf(kb)) return NAN;
  return isinf(ka) ? 0 : isinf(kb) ? 1 : kb / (ka + kb);
}

/* The point that both bodies' Jacobians use. Rigid surfaces touch at the end of the step, with the
 * lever arms that they have without overlap. Of compliant ones the overlap at the start of the step
 * is real, and the softer surface yields to it: p = (k_a p_a + k_b p_b) / (k_a + k_b); what the
 * free motion has added to it since, or left of a gap, is gone at the end. */
static v3 blend_point(const cr_patch_frame* frame, const cr_contact_point* point,
                      const cr_manifold_point* found) {
  double yield = frame->yield, real = 0;
  if (isnan(yield))
    yield = 0;
  else
    real = scalar_min(point->distance0, 0);
  double depth = real * yield + (point->distance - real) * find_share(frame, point, found);
  return v3_axpy(found->a, depth, point->normal);
}

/* Normal velocity of a point in a motion; positive separates. */
static inline __attribute__((always_inline)) double
normal_velocity(const cr_step* step, const cr_motion* motion, const cr_contact_point* point) {
  return v3_dot(point->normal, cr_contact_find_relative_velocity(step, motion, point));
}

/* The normal velocities of a point before the step and in the free motion. */
typedef struct cr_approach {
  double start, lin;
} cr_approach;

static cr_approach find_approach(const scan* s, const cr_contact_point* point) {
  return (cr_approach){normal_velocity(s->step, s->start, point),
                       normal_velocity(s->step, s->lin, point)};
}

static cr_patch_frame find_frame(const scan* s, const cr_contact_point* point) {
  const cr_step* step = s->step;
  cr_patch_frame frame = {.yield = cr_contact_find_yield(step->model, point)};
  for (int k = 0; k < 2; k++) {
    int link = point->link[k], tree = step->model->tree.link_tree[link];
    frame.is_held[k] = tree < 0;
    if (tree < 0) continue;
    frame.center[k] = s->poses[point->geom[k]].p;
    frame.origin[k] = step->kinematics.origin[tree];
    frame.velocity[k][0] = s->start->link[link], frame.velocity[k][1] = s->lin->link[link];
  }
  return frame;
}

/* Of a patch none of whose bodies moves as prescribed. */
static cr_approach find_approach_in(const cr_patch_frame* frame, const cr_contact_point* point) {
  v3 u[2][2];
  for (int k = 0; k < 2; k++) {
    u[0][k] = u[1][k] = v3_zero();
    if (frame->is_held[k]) continue;
    v3 arm = v3_sub(point->position, frame->origin[k]);
    for (int m = 0; m < 2; m++) u[m][k] = sv_point_velocity(frame->velocity[k][m], arm);
  }
  return (cr_approach){v3_dot(point->normal, v3_sub(u[0][1], u[0][0])),
                       v3_dot(point->normal, v3_sub(u[1][1], u[1][0]))};
}

/* --- What enters the problem --------------------------------------------------------------------
 */

static bool is_scheme(const cr_step* step) {
  return step->sim->def.contact == CAROM_CONTACT_SCHEME;
}

/* Whether a point enters at the normal velocity v1 of the end of the step. */
static bool enters(const cr_step* step, const cr_contact_point* point, double v1) {
  if (point->distance < point->margin) return true;
  if (is_scheme(step) && isfinite(point->stiffness)) return point->distance < 0;
  return v1 < point->passing && point->distance0 + step->dt * v1 < 0;
}

/* True when the point was loaded in the last step: it most likely is again, also where the free
 * motion of both bodies keeps them a hair apart. Compliant points that follow the scheme's own
 * timing push by their distance alone. */
static bool was_loaded(const cr_step* step, const cr_contact_point* point,
                       const cr_contact_record* record) {
  if (is_scheme(step) && isfinite(point->stiffness)) return false;
  return record && v3_norm2(v3_load(record->impulse)) > 0;
}

/* Whether a point that meets within the step has an impact. Without scheme timing explicit Euler
 * treats every contact so. */
static bool is_impact(const cr_step* step, const cr_contact_point* point) {
  return !is_scheme(step) && (point->is_fast || point->is_landing || step->sim->theta.vq == 0);
}

/* Whether a point is no farther than gravity moves within the step: it often pushes in the end, and
 * to find that out by a solution without it costs another one. */
static bool is_near(const scan* s, const cr_contact_point* point, double approach) {
  const cr_step* step = s->step;
  if (is_scheme(step) || is_impact(step, point)) return false;
  return point->distance0 + step->dt * approach < (s->g_dt + step->sim->ahead) * step->dt;
}

double cr_contact_find_activity(const cr_step* step, const cr_contact_point* point, double v0,
                                double v1) {
  double dt = step->dt, g_dt = dt * v3_norm(v3_load(step->model->force.gravity));
  if (is_scheme(step) && isfinite(point->stiffness)) return -point->distance / dt;
  if (was_loaded(step, point, point->record)) return INFINITY;
  double most = fmax((point->margin - point->distance) / dt, -point->distance0 / dt - v1);
  if (isfinite(point->passing)) return -INFINITY;
  if (is_scheme(step) || is_impact(step, point)) return most;
  return fmax(most, g_dt + step->sim->ahead - point->distance0 / dt - fmin(v0, v1));
}

double cr_scan_find_end(const scan* s, const cr_contact_point* point) {
  double v0 = normal_velocity(s->step, s->start, point);
  double v1 = normal_velocity(s->step, s->lin, point), dt = s->step->dt;
  cr_theta theta = cr_contact_find_theta(s->step, point->link);
  return point->distance - theta.q * dt * (theta.vq * v1 + (1 - theta.vq) * v0) + dt * v1;
}

/* The distance carried back to q0, and whether the point enters and has an impact. */
static void classify(scan* s, cr_approach approach, cr_contact_point* point) {
  const cr_step* step = s->step;
  double v0 = approach.start, v1 = approach.lin;
  cr_theta theta = cr_contact_find_theta(step, point->link);
  point->distance0 = point->distance - theta.q * step->dt * (theta.vq * v1 + (1 - theta.vq) * v0);
  const cr_contact_record* record =
      cr_contact_memory_find_near(&step->sim->memory, point->key, &s->place);
  point->is_active = enters(step, point, v1) || was_loaded(step, point, record);
  bool first = isinf(point->stiffness) || point->distance0 > 0;
  point->is_fast = first && cr_is_impact_speed(v0, scalar_max(fabs(v1 - v0), s->g_dt));
  point->is_landing = record && record->is_hit && v0 < -CR_IMPACT_LEAST_SPEED;
  point->is_impact = point->distance0 + step->dt * v1 < 0 && is_impact(step, point);
  point->is_active |= is_near(s, point, scalar_min(v0, v1));
  point->record = record;
  bool stays = record && !point->is_impact && !point->barycentric[0] && !point->barycentric[1];
  point->slip = stays ? v3_load(record->slip) : v3_nan();
}

/* --- Patches ------------------------------------------------------------------------------------
 */

/* The active points of a patch share its stiffness; those that stand for an area have what they
 * count of it, whichever are active, so that the pressure is linear over what bears. Those
 * hardly farther than the deepest stand at one height along the normal: at their own heights, which
 * differ by the distances, a rocking body would have to slip a little at some. Points farther off
 * (a cylinder that rolls fast shows the plane more of its rim) have no part in that. */
static void join_patch(cr_contact_point* patch, int count) {
  double active = 0, flat = 0, height = 0;
  for (int i = 0; i < count; i++) {
    if (!patch[i].is_active) continue;
    active += patch[i].share;
    if (!patch[i].is_flat) continue;
    height += patch[i].share * v3_dot(patch[i].normal, patch[i].position);
    flat += patch[i].share;
  }
  for (int i = 0; i < count; i++) {
    cr_contact_point* point = &patch[i];
    if (!point->is_active) continue;
    point->weight = point->share / (point->is_area ? 1 : point->is_flat ? flat : active);
    double rise = height / (flat > 0 ? flat : 1) - v3_dot(point->normal, point->position);
    if (point->is_flat) point->position = v3_axpy(point->position, rise, point->normal);
  }
}

double cr_contact_find_depth(const carom_model* model, const int geom[2]) {
  const cr_shape* shape = model->geom.shape;
  return FLATNESS * scalar_min(cr_shape_compute_thickness(&shape[geom[0]]),
                               cr_shape_compute_thickness(&shape[geom[1]]));
}

double cr_contact_find_reach(const carom_model* model, const int geom[2], const cr_manifold* m) {
  double deepest = INFINITY;
  for (int i = 0; i < m->count; i++) deepest = scalar_min(deepest, m->points[i].distance);
  return deepest + cr_contact_find_depth(model, geom);
}

/* What the points of a patch have in common. Number by number, where it is to stand: a copy would
 * wait for what was written just now. */
void cr_scan_start_point(const scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                         const cr_found_patch* found, cr_contact_point* point) {
  const int geom[2] = {pair->geom1, pair->geom2};
  for (int k = 0; k < 2; k++) {
    point->geom[k] = geom[k];
    point->link[k] = s->step->model->geom.link[geom[k]];
    point->barycentric[k] = NULL;
  }
  point->normal = found->normal;
  v3_tangents(found->normal, &point->tangent[0], &point->tangent[1]);
  point->weight = point->share = 1;
  point->area = 0;
  point->area_error = found->error, point->is_area = found->share != NULL && found->count > 1;
  point->first = s->points->count, point->count = found->count;
  point->condim = values->friction > 0 ? values->condim : 1;
  point->friction = values->friction;
  point->stiffness = values->stiffness;
  point->dissipation = values->dissipation;
  point->margin = isinf(values->stiffness) ? values->margin : 0;
  point->extra = NULL, point->record = NULL;
  point->is_ahead = point->rolls = false, point->passing = INFINITY;
  point->slip = v3_nan();
  point->key = (cr_contact_key){.pair = (uint64_t)(unsigned)geom[0] << 32 | (unsigned)geom[1]};
}

bool cr_contact_points_grow(cr_step* step, cr_contact_points* points, int room) {
  if (points->count + room <= points->capacity) return true;
  int capacity = 2 * points->capacity + room;
  cr_contact_point* items = CR_PUSH(step->arena, cr_contact_point, capacity);
  if (step->arena->failed) return false;
  if (points->count) CR_COPY(items, points->items, points->count);
  points->items = items, points->capacity = capacity;
  return true;
}

/* The points of one normal, but for what follows from their motion; null when memory ran out. */
static cr_contact_point* list_patch(scan* s, const cr_geom_pair* pair,
                                    const cr_contact_values* values, const cr_found_patch* found) {
  const carom_model* model = s->step->model;
  cr_contact_points* points = s->points;
  if (!cr_contact_points_grow(s->step, points, found->count)) return NULL;
  cr_contact_point* patch = points->items + points->count;
  cr_scan_start_point(s, pair, values, found, patch);
  bool plain = model->contact.is_plain && !s->step->sim->num_driven;
  carom_surface surface;
  if (!plain) surface = cr_contact_find_surface(model, pair);
  for (int i = 0; i < found->count; i++) {
    cr_contact_point* point = &patch[i];
    if (i > 0) *point = *patch;
    /* Its place along the normal has no part in classify. */
    point->position = found->points[i].a;
    point->distance = found->points[i].distance;
    point->is_flat = point->distance <= found->reach;
    if (found->share) point->share = found->share[i], point->area = found->area[i];
    point->key.feature = found->points[i].feature;
    if (!plain && !cr_scan_set_surface(s, values, &surface, point)) return NULL;
  }
  return patch;
}

/* What passes by is left out unless something turns it aside. */
static void let_pass(const scan* s, cr_contact_point* point) {
  if (point->distance0 < point->margin) return;
  double v1 = normal_velocity(s->step, s->lin, point);
  point->passing = v1 - PASSING * fabs(v1);
  point->is_active = point->is_impact = false;
}

/* What rolls has its distance from the start of the step. */
static void place_rolling(const scan* s, cr_contact_point* point) {
  if (!point || !cr_rolling_place(s, point, &point->distance0)) return;
  const cr_step* step = s->step;
  cr_theta theta = cr_contact_find_theta(step, point->link);
  cr_approach v = find_approach(s, point);
  point->rolls = true;
  point->distance =
      point->distance0 + theta.q * step->dt * (theta.vq * v.lin + (1 - theta.vq) * v.start);
}

bool cr_scan_add_found(scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                       const cr_found_patch* found) {
  cr_contact_point* patch = list_patch(s, pair, values, found);
  if (!patch) return false;
  const cr_patch_frame frame = find_frame(s, patch);
  bool is_driven = s->step->sim->num_driven > 0;
  for (int i = 0; i < found->count; i++) {
    cr_contact_point* point = &patch[i];
    classify(s, is_driven ? find_approach(s, point) : find_approach_in(&frame, point), point);
    if (!found->is_placed) point->position = blend_point(&frame, point, &found->points[i]);
    if (s->passes) let_pass(s, point);
  }
  if (s->rolling) place_rolling(s, cr_rolling_find_point(patch, found->count));
  s->points->count += found->count;
  join_patch(patch, found->count);
  return true;
}

/* How far points that stand for the area may be: what touches together, and of compliant pairs,
 * which press where they overlap, whatever does, and all of two faces. */
double cr_contact_find_area_reach(const cr_manifold* manifold, double stiffness, double reach) {
  if (isinf(stiffness)) return reach;
  return cr_contact_area_is_level(manifold) ? INFINITY : scalar_max(reach, 0);
}

static bool add_area(scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                     const cr_manifold* manifold, double reach) {
  const cr_shape* shape = s->step->model->geom.shape;
  const cr_contact_area_pair both = {{&shape[pair->geom1], &shape[pair->geom2]},
                                     {&s->poses[pair->geom1], &s->poses[pair->geom2]},
                                     s->step->sim->def.patch_error};
  cr_spread spread;
  double within = cr_contact_find_area_reach(manifold, values->stiffness, reach);
  cr_contact_area_spread(&both, manifold, within, &spread, NULL);
  const cr_found_patch found = {manifold->normal, spread.count, spread.points, spread.share,
                                spread.area,      spread.error, reach,         false};
  return cr_scan_add_found(s, pair, values, &found);
}

bool cr_scan_add_patch(scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                       const cr_manifold* manifold) {
  if (manifold->count == 0) return true;
  double reach =
      cr_contact_find_reach(s->step->model, (const int[]){pair->geom1, pair->geom2}, manifold);
  if (s->patches == CAROM_PATCHES_AREA && !s->passes)
    return add_area(s, pair, values, manifold, reach);
  const cr_found_patch found = {.normal = manifold->normal,
                                .count = manifold->count,
                                .points = manifold->points,
                                .reach = reach};
  return cr_scan_add_found(s, pair, values, &found);
}

/* A point of a hit: each body has it where it will be touched. Up to then they come nearer as
 * the free motion has it. */
static void classify_ahead(scan* s, const cr_sweep_hit* hit, const cr_manifold_point* found,
                           cr_contact_point* point) {
  const cr_step* step = s->step;
  const v3 x[2] = {found->a, found->b};
  for (int k = 0; k < 2; k++)
    point->ahead[k] = pose_point(&s->poses[point->geom[k]], pose_inverse_point(&hit->X[k], x[k]));
  point->is_ahead = true;
  point->meeting = hit->is_settled ? hit->time : NAN;
  double v0 = normal_velocity(step, s->start, point), v1 = normal_velocity(step, s->lin, point);
  cr_theta theta = cr_contact_find_theta(step, point->link);
  point->distance0 = point->distance - hit->time * v1;
  point->distance = point->distance0 + theta.q * step->dt * (theta.vq * v1 + (1 - theta.vq) * v0);
  point->is_active = enters(step, point, v1);
  point->is_fast = cr_is_impact_speed(v0, fmax(s->g_dt, fabs(v1 - v0)));
  point->is_landing = false;
  point->slip = v3_nan();
  point->is_impact = point->is_active;
}

static bool add_ahead(scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                      const cr_sweep_hit* hit, const cr_manifold* manifold) {
  const int geom[] = {pair->geom1, pair->geom2};
  const cr_found_patch found = {.normal = manifold->normal,
                                .count = manifold->count,
                                .points = manifold->points,
                                .reach = cr_contact_find_reach(s->step->model, geom, manifold)};
  cr_contact_point* patch = list_patch(s, pair, values, &found);
  if (!patch) return false;
  for (int i = 0; i < manifold->count; i++) classify_ahead(s, hit, &manifold->points[i], &patch[i]);
  s->points->count += manifold->count;
  join_patch(patch, manifold->count);
  return true;
}

/* Surfaces touch along as many normals at a time as their patches have. */
bool cr_scan_add_hit(scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                     const cr_sweep_hit* hit) {
  const cr_shape* shape = s->step->model->geom.shape;
  const cr_shape *a = &shape[pair->geom1], *b = &shape[pair->geom2];
  if (!cr_geom_needs_patches(a, b)) return add_ahead(s, pair, values, hit, &hit->manifold);
  cr_patches patches;
  cr_geom_collide_patches(a, &hit->X[0], b, &hit->X[1], hit->apart, &patches);
  for (int i = 0; i < patches.count; i++)
    if (!add_ahead(s, pair, values, hit, &patches.patch[i])) return false;
  return true;
}

bool cr_scan_add(cr_scan* s, const cr_contact_point* patch, int count) {
  cr_contact_points* points = s->points;
  if (!cr_contact_points_grow(s->step, points, count)) return false;
  int first = points->count;
  for (int i = 0; i < count; i++) {
    cr_contact_point* point = &points->items[points->count++];
    *point = patch[i];
    point->first = first, point->count = count;
    point->weight = point->share = 1;
    point->area = point->area_error = 0, point->is_area = false;
    classify(s, find_approach(s, point), point);
  }
  join_patch(points->items + first, count);
  return true;
}

int cr_contact_points_activate(const cr_step* step, const cr_motion* solution,
                               cr_contact_points* points) {
  int count = 0;
  for (int i = 0; i < points->count; i++) {
    cr_contact_point* point = &points->items[i];
    double v1 = normal_velocity(step, solution, point);
    if (point->is_active || !enters(step, point, v1)) continue;
    point->is_active = true, point->activity = -point->distance0 / step->dt - v1;
    point->is_impact = is_impact(step, point);
    if (point->is_impact) point->slip = v3_nan();
    join_patch(points->items + point->first, point->count);
    count++;
  }
  return count;
}
