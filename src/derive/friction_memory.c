#include "derive/friction_memory.h"

#include "derive/soft_tangent.h"

#include <math.h>

/* --- Displacements ------------------------------------------------------------------------------
 */

/* A vector and its change. */
typedef struct moved {
  v3 x, d;
} moved;

static moved turn(const cr_step* step, const sv* twist, int link, moved own) {
  const m3* R = &step->kinematics.link_pose[link].R;
  v3 x = m3_mulv(R, own.x), d = m3_mulv(R, own.d);
  bool is_fixed = step->model->tree.link_tree[link] < 0;
  return (moved){x, is_fixed ? d : v3_add(d, v3_cross(twist[link].ang, x))};
}

/* How far a link carries a world point. */
static v3 carry(const cr_step* step, const sv* twist, int link, v3 x) {
  int tree = step->model->tree.link_tree[link];
  if (tree < 0) return v3_zero();
  return sv_point_velocity(twist[link], v3_sub(x, step->kinematics.origin[tree]));
}

static const cr_memory_seed* seed_of(const cr_memory_column* column, const cr_contact_record* r) {
  return column->seed && column->seed->record == r ? column->seed : NULL;
}

static moved stretch_of(const cr_step* step, const cr_memory_column* column,
                        const cr_contact_record* r) {
  const cr_memory_seed* seed = seed_of(column, r);
  const moved own = {v3_load(r->stretch), seed ? seed->stretch : v3_zero()};
  return turn(step, column->twist, r->link, own);
}

static moved place_of(const cr_step* step, const cr_memory_column* column,
                      const cr_contact_record* r) {
  const cr_memory_seed* seed = seed_of(column, r);
  const pose* X = &step->kinematics.link_pose[r->link];
  v3 x = pose_point(X, v3_load(r->place)), way = carry(step, column->twist, r->link, x);
  return (moved){x, seed ? v3_add(way, m3_mulv(&X->R, seed->place)) : way};
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

/* What a record counts, and how that moves. */
static double weight_of(const cr_memory_column* column, const cr_contact_record* r,
                        double* change) {
  const cr_memory_seed* seed = seed_of(column, r);
  v3 impulse = v3_load(r->impulse);
  double weight = r->key.moment ? 0 : v3_norm(impulse);
  *change = seed && weight > 0 ? v3_dot(impulse, seed->impulse) / weight : 0;
  return weight;
}

static void add_spin(const cr_step* step, const cr_memory_column* column,
                     const cr_contact_record* r, moved normal, field* f) {
  double change, weight = weight_of(column, r, &change);
  if (!(weight > 0)) return;
  moved arm = add_scaled(place_of(step, column, r), -1, f->center);
  moved of = cross(arm, add_scaled(stretch_of(step, column, r), -1, f->mean));
  double along = v3_dot(normal.x, arm.x), turned = v3_dot(normal.x, of.x);
  double square = v3_norm2(arm.x) - along * along;
  f->turned[0] += weight * turned;
  f->turned[1] += weight * change_of_dot(normal, of) + change * turned;
  f->square[0] += weight * square;
  f->square[1] += weight * (2 * v3_dot(arm.x, arm.d) - 2 * along * change_of_dot(normal, arm)) +
                  change * square;
}

/* The sum of all weights, how it moves, and how many there are. */
static int sum_weights(const cr_memory_column* column, const cr_contact_record* record, int count,
                       double sum[2]) {
  int loaded = 0;
  sum[0] = sum[1] = 0;
  for (int i = 0; i < count; i++) {
    double change, weight = weight_of(column, &record[i], &change);
    sum[0] += weight, sum[1] += change;
    loaded += weight > 0;
  }
  return loaded;
}

/* mean += (share + its change) x */
static void add_share(moved x, double share, double change, moved* mean) {
  *mean = add_scaled(*mean, share, x);
  mean->d = v3_axpy(mean->d, change, x.x);
}

static field fit_field(const cr_step* step, const cr_memory_column* column, uint64_t pair,
                       moved normal) {
  const cr_contact_record* record;
  int count = cr_contact_memory_find_pair(&step->sim->memory, pair, &record);
  const moved none = {v3_zero(), v3_zero()};
  field f = {.mean = none, .center = none};
  double sum[2];
  int loaded = sum_weights(column, record, count, sum);
  if (!(sum[0] > 0)) return f;
  for (int i = 0; i < count; i++) {
    double change, share = weight_of(column, &record[i], &change) / sum[0];
    change = (change - share * sum[1]) / sum[0];
    add_share(stretch_of(step, column, &record[i]), share, change, &f.mean);
    add_share(place_of(step, column, &record[i]), share, change, &f.center);
  }
  if (loaded == 1) return f;
  for (int i = 0; i < count; i++) add_spin(step, column, &record[i], normal, &f);
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
  field f = fit_field(step, column, point->key.pair, normal);
  moved own = record ? stretch_of(step, column, record) : f.mean;
  moved from = record ? place_of(step, column, record) : f.center;
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

/* The lighter one of its bodies, whose weight a new contact starts from: 0 or 1. */
static int find_lighter(const cr_step* step, const cr_contact_point* point, double* least) {
  const cr_tree_model* model = &step->model->tree;
  int lighter = 0;
  *least = INFINITY;
  for (int k = 0; k < 2; k++) {
    if (model->link_tree[point->link[k]] < 0) continue;
    cr_mover_point on = cr_contact_point_on(point, k);
    double mass = cr_mover_of_link(step->model, on.link)->find_mass(step->model, &on);
    if (mass < *least) *least = mass, lighter = k;
  }
  return lighter;
}

double cr_lagged_differentiate(const cr_step* step, const cr_contact_tangent* contact,
                               const cr_contact_point* point) {
  v3 impulse, normal = cr_contact_tangent_turn_normal(contact);
  double mass, weight = v3_norm(v3_load(step->model->force.gravity)) * point->weight;
  if (!find_last(step, point, &impulse)) {
    int lighter = find_lighter(step, point, &mass);
    double heavier = cr_contact_tangent_move_mass(step, contact, lighter);
    return point->friction * heavier * weight * step->dt;
  }
  return v3_dot(impulse, point->normal) > 0 ? point->friction * v3_dot(impulse, normal) : 0;
}

double cr_lagged_differentiate_seed(const cr_step* step, const cr_contact_point* point,
                                    const cr_memory_seed* seed) {
  v3 impulse;
  const cr_contact_record* record = find_last(step, point, &impulse);
  if (!record || record != seed->record || !(v3_dot(impulse, point->normal) > 0)) return 0;
  return point->friction * step->dt / step->sim->memory.dt * v3_dot(seed->impulse, point->normal);
}

double cr_lagged_differentiate_theta(const cr_step_tangent* t, const cr_contact_point* point,
                                     const cr_theta_column* theta) {
  const cr_step* step = t->step;
  v3 impulse, g = v3_load(step->model->force.gravity);
  double mass, weight = v3_norm(g), by_friction = cr_theta_of_contact(t, theta, point).friction;
  if (find_last(step, point, &impulse))
    return by_friction * fmax(v3_dot(impulse, point->normal), 0);
  int k = find_lighter(step, point, &mass), body = cr_theta_find_body(step->model, theta);
  double radius = mass * weight * step->dt * point->weight, sum = by_friction * radius;
  if (theta->kind == CR_THETA_GRAVITY && weight > 0)
    sum += point->friction * radius * v3_get(g, theta->element) / (weight * weight);
  if (cr_theta_is_of_soft(theta) && point->geom[k] == -1 - theta->index)
    sum += point->friction * radius *
           cr_soft_theta_find_mass_share(&step->model->soft.part[theta->index], theta);
  if (body >= 0 && step->model->body.link[body] == point->link[k])
    sum += point->friction * radius / mass * cr_theta_find_inertia(step, theta).mass;
  return sum;
}

/* --- What is left for the next step -------------------------------------------------------------
 */

static const cr_contact_record* find_left(const cr_constraint_state* s,
                                          const cr_active_constraint* a) {
  return cr_contact_memory_find(&s->t->step->sim->next, a->constraint->key);
}

void cr_memory_add_impulses(const cr_constraint_state* s, cr_active_constraint* a) {
  const cr_memory_cotangent* w = a->left;
  const cr_contact_record* record = find_left(s, a);
  if (!w || !record || a->constraint->moment) return;
  for (int r = 0; r < a->rows; r++)
    if (a->shape[r].kind == CR_ROW_OF_POINT)
      a->of_gamma[r] += v3_dot(v3_load(w->impulse), a->shape[r].axis);
  if (!a->anchor) return;
  v3 by = m3_mulv(&s->t->step->kinematics.link_pose[record->link].R, v3_load(w->stretch));
  double reach = s->t->step->dt + a->anchor->dissipation;
  for (int k = 0; k < 2; k++)
    a->of_gamma[k] -= v3_dot(by, a->point->tangent[k]) / (reach * a->anchor->stiffness);
}

/* How the displacement that an anchor leaves moves, world; and what it is. */
static moved move_anchor(const cr_constraint_state* s, const cr_active_constraint* a,
                         const cr_memory_column* column, const cr_row_change* change) {
  const cr_anchor* anchor = a->anchor;
  const double* gamma = s->out->gamma + a->row;
  v3 n = a->point->normal, u = anchor->stretch, pull = v3_zero(), dpull = v3_zero();
  moved U = find_stretch(s->t->step, a->point, column);
  double along = v3_dot(n, U.x), dalong = v3_dot(column->normal, U.x) + v3_dot(n, U.d);
  v3 du = v3_sub(U.d, v3_axpy(v3_scale(along, column->normal), dalong, n));
  for (int k = 0; k < 2; k++) {
    pull = v3_axpy(pull, gamma[k], a->point->tangent[k]);
    if (change) dpull = v3_axpy(dpull, gamma[k], change[k].axis);
  }
  double tau = anchor->dissipation, reach = s->t->step->dt + tau, k = anchor->stiffness;
  v3 left = v3_scale(1 / reach, v3_axpy(v3_scale(tau, u), -1 / k, pull));
  v3 moves = v3_axpy(v3_scale(tau, du), column->dissipation, v3_sub(u, left));
  moves = v3_axpy(v3_axpy(moves, -1 / k, dpull), column->stiffness / (k * k), pull);
  return (moved){left, v3_scale(1 / reach, moves)};
}

double cr_memory_pull_record(const cr_constraint_state* s, const cr_active_constraint* a,
                             const cr_memory_column* column, const cr_row_change* change) {
  const cr_memory_cotangent* w = a->left;
  const cr_step* step = s->t->step;
  const cr_contact_record* record = find_left(s, a);
  if (!w || !record || a->constraint->moment) return 0;
  double sum = 0;
  for (int r = 0; r < a->rows && change; r++)
    if (a->shape[r].kind == CR_ROW_OF_POINT)
      sum += s->out->gamma[a->row + r] * v3_dot(v3_load(w->impulse), change[r].axis);
  if (!a->anchor) return sum;
  const m3* R = &step->kinematics.link_pose[record->link].R;
  bool is_fixed = step->model->tree.link_tree[record->link] < 0;
  v3 turn = is_fixed ? v3_zero() : column->twist[record->link].ang;
  moved left = move_anchor(s, a, column, change);
  v3 own = v3_sub(left.d, v3_cross(turn, left.x));
  v3 way = v3_sub(column->position, carry(step, column->twist, record->link, a->point->position));
  return sum + v3_dot(v3_load(w->stretch), m3_tmulv(R, own)) +
         v3_dot(v3_load(w->place), m3_tmulv(R, way));
}
