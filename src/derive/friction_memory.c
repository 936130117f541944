#include "derive/friction_memory.h"

#include <math.h>

/* --- Displacements ------------------------------------------------------------------------------
 */

/* A vector and its change. */
typedef struct moved {
  v3 x, d;
} moved;

static moved turn(const cr_step* step, const sv* twist, int link, v3 own) {
  v3 x = m3_mulv(&step->kinematics.link_pose[link].R, own);
  bool is_fixed = step->model->tree.link_tree[link] < 0;
  return (moved){x, is_fixed ? v3_zero() : v3_cross(twist[link].ang, x)};
}

static moved carry(const cr_step* step, const sv* twist, int link, v3 own) {
  v3 x = pose_point(&step->kinematics.link_pose[link], own);
  int tree = step->model->tree.link_tree[link];
  if (tree < 0) return (moved){x, v3_zero()};
  return (moved){x, sv_point_velocity(twist[link], v3_sub(x, step->kinematics.origin[tree]))};
}

static moved stretch_of(const cr_step* step, const sv* twist, const cr_contact_record* r) {
  return turn(step, twist, r->link, v3_load(r->stretch));
}

static moved place_of(const cr_step* step, const sv* twist, const cr_contact_record* r) {
  return carry(step, twist, r->link, v3_load(r->place));
}

static moved add_scaled(moved a, double s, moved b) {
  return (moved){v3_axpy(a.x, s, b.x), v3_axpy(a.d, s, b.d)};
}

static moved cross(moved a, moved b) {
  return (moved){v3_cross(a.x, b.x), v3_add(v3_cross(a.d, b.x), v3_cross(a.x, b.d))};
}

static double change_of_dot(moved a, moved b) { return v3_dot(a.d, b.x) + v3_dot(a.x, b.d); }

/* The field of a pair's displacements, as anchor.c fits it, and its change. */
typedef struct field {
  moved mean, center;
  double spin, dspin;
  double turned[2], square[2]; /* what the spin is over what, and their changes */
} field;

static double weight_of(const cr_contact_record* r) {
  return r->key.moment ? 0 : v3_norm(v3_load(r->impulse));
}

static void add_spin(const cr_step* step, const sv* twist, const cr_contact_record* r, moved normal,
                     field* f) {
  double weight = weight_of(r);
  if (!(weight > 0)) return;
  moved arm = add_scaled(place_of(step, twist, r), -1, f->center);
  moved of = cross(arm, add_scaled(stretch_of(step, twist, r), -1, f->mean));
  double along = v3_dot(normal.x, arm.x);
  f->turned[0] += weight * v3_dot(normal.x, of.x);
  f->turned[1] += weight * change_of_dot(normal, of);
  f->square[0] += weight * (v3_norm2(arm.x) - along * along);
  f->square[1] += weight * (2 * v3_dot(arm.x, arm.d) - 2 * along * change_of_dot(normal, arm));
}

static field fit_field(const cr_step* step, const sv* twist, uint64_t pair, moved normal) {
  const cr_contact_record* record;
  int count = cr_contact_memory_find_pair(&step->sim->memory, pair, &record);
  const moved none = {v3_zero(), v3_zero()};
  field f = {.mean = none, .center = none};
  double sum = 0;
  for (int i = 0; i < count; i++) sum += weight_of(&record[i]);
  if (!(sum > 0)) return f;
  for (int i = 0; i < count; i++) {
    double share = weight_of(&record[i]) / sum;
    f.mean = add_scaled(f.mean, share, stretch_of(step, twist, &record[i]));
    f.center = add_scaled(f.center, share, place_of(step, twist, &record[i]));
  }
  for (int i = 0; i < count; i++) add_spin(step, twist, &record[i], normal, &f);
  if (!(f.square[0] > 0)) return f;
  f.spin = f.turned[0] / f.square[0];
  f.dspin = (f.turned[1] - f.spin * f.square[1]) / f.square[0];
  return f;
}

/* The displacement at a point before the step, not yet in the tangent plane. */
static moved find_stretch(const cr_step* step, const cr_contact_point* point,
                          const cr_memory_column* column) {
  const cr_contact_record* record = cr_contact_memory_find(&step->sim->memory, point->key);
  moved normal = {point->normal, column->normal}, place = {point->position, column->position};
  field f = fit_field(step, column->twist, point->key.pair, normal);
  moved own = record ? stretch_of(step, column->twist, record) : f.mean;
  moved from = record ? place_of(step, column->twist, record) : f.center;
  moved across = cross(normal, add_scaled(place, -1, from));
  own = add_scaled(own, f.spin, across);
  own.d = v3_axpy(own.d, f.dspin, across.x);
  return own;
}

void cr_anchor_differentiate(const cr_constraint_state* s, const cr_active_constraint* a,
                             const cr_memory_column* column, double d[2]) {
  const cr_step* step = s->t->step;
  const cr_anchor* anchor = a->anchor;
  double dt = step->dt, reach = dt + anchor->dissipation;
  double R = 1 / (dt * anchor->stiffness * reach), of_reach = column->dissipation / reach;
  double of_stiffness = column->stiffness / anchor->stiffness;
  moved stretch = find_stretch(step, a->point, column);
  double along = v3_dot(a->point->normal, stretch.x);
  for (int k = 0; k < 2; k++) {
    v3 axis = a->point->tangent[k];
    double moves = v3_dot(axis, stretch.d) - along * v3_dot(axis, column->normal);
    d[k] = (moves - v3_dot(anchor->stretch, axis) * of_reach) / reach -
           R * (of_stiffness + of_reach) * s->out->gamma[a->row + k];
  }
}

/* --- Bounds -------------------------------------------------------------------------------------
 */

/* What a contact pressed with in the last step, at this one's length; null: it is new. */
static const cr_contact_record* find_last(const cr_step* step, const cr_contact_point* point,
                                          v3* impulse) {
  const cr_contact_memory* memory = &step->sim->memory;
  const cr_contact_record* record = cr_contact_memory_find(memory, point->key);
  if (!record || !(memory->dt > 0)) return NULL;
  *impulse = v3_scale(step->dt / memory->dt, v3_load(record->impulse));
  return record;
}

double cr_lagged_differentiate(const cr_step* step, const cr_contact_point* point, v3 normal) {
  v3 impulse;
  bool presses = find_last(step, point, &impulse) && v3_dot(impulse, point->normal) > 0;
  return presses ? point->friction * v3_dot(impulse, normal) : 0;
}

/* The lighter one of its links, whose weight a new contact starts from. */
static int find_lighter(const cr_step* step, const cr_contact_point* point, double* least) {
  const cr_tree_model* model = &step->model->tree;
  int lighter = -1;
  *least = INFINITY;
  for (int k = 0; k < 2; k++) {
    if (model->link_tree[point->link[k]] < 0) continue;
    cr_mover_point on = cr_contact_point_on(point, k);
    double mass = cr_mover_of_link(step->model, on.link)->find_mass(step->model, &on);
    if (mass < *least) *least = mass, lighter = on.link;
  }
  return lighter;
}

double cr_lagged_differentiate_theta(const cr_step_tangent* t, const cr_contact_point* point,
                                     const cr_theta_column* theta) {
  const cr_step* step = t->step;
  v3 impulse, g = v3_load(step->model->force.gravity);
  double mass, weight = v3_norm(g), by_friction = cr_theta_of_contact(t, theta, point).friction;
  if (find_last(step, point, &impulse))
    return by_friction * fmax(v3_dot(impulse, point->normal), 0);
  int lighter = find_lighter(step, point, &mass), body = cr_theta_find_body(step->model, theta);
  double radius = mass * weight * step->dt * point->weight, sum = by_friction * radius;
  if (theta->kind == CR_THETA_GRAVITY && weight > 0)
    sum += point->friction * radius * v3_get(g, theta->element) / (weight * weight);
  if (body >= 0 && step->model->body.link[body] == lighter)
    sum += point->friction * radius / mass * cr_theta_find_inertia(step, theta).mass;
  return sum;
}
