/* What passes between a body and its parent, and forces of limits. A wrench F = I A + V ×* I V
 * moves with the twist T of its body by
 *
 *   dF = T ×* F + I a + o ×* I V + V ×* I o,      dV = T × V + o,   dA = T × A + a,
 *
 * less what acts on the bodies from outside, at the new state as sim/sense/sensing_body.c has it.
 */
#include "derive/fluid_tangent.h"
#include "derive/force_tangent.h"
#include "derive/readings.h"
#include "force/elements.h"
#include "sim/rows/row_values.h"
#include "sim/tree/external.h"

/* --- Rows ---------------------------------------------------------------------------------------
 */

static double row_change(const cr_readings* r, const cr_reading_direction* d, uint64_t pair,
                         int row) {
  return cr_force_tangents_find_row(r->forces, d->column, pair, row) / r->step.dt;
}

double cr_limit_force_differentiate(const cr_readings* r, const cr_reading_direction* d, int kind,
                                    int index) {
  uint64_t pair = CR_KEY_LIMIT | (uint64_t)kind << 32 | (unsigned)index;
  return row_change(r, d, pair, 0) + row_change(r, d, pair, 1);
}

/* --- Wrenches -----------------------------------------------------------------------------------
 */

/* What is summed over the bodies [first, end) of a subtree, about the world's origin. */
typedef struct wrench {
  const cr_readings* r;
  const cr_reading_direction* d;
  int first, end;
  sv change;
} wrench;

static void take(wrench* w, int body, sv change) {
  if (body >= w->first && body < w->end) w->change = sv_sub(w->change, change);
}

static v3 move_point(const wrench* w, int link, v3 point) {
  return cr_reading_move_point(w->r, w->d, link, point);
}

/* A force at a point that both move. */
static sv move_force(v3 force, v3 dforce, v3 at, v3 dat) {
  return (sv){v3_add(v3_cross(dat, force), v3_cross(at, dforce)), dforce};
}

static sv inertial(const spatial_inertia* I, sv A, sv V) {
  return sv_add(spatial_inertia_mulv(I, A), sv_cross_force(V, spatial_inertia_mulv(I, V)));
}

static void add_inertial(wrench* w, int body) {
  const cr_readings* r = w->r;
  int link = r->step.model->body.link[body];
  spatial_inertia I = cr_reading_find_inertia(r, body);
  sv V = r->place.velocities.link_V[link], A = r->s.link_A[link], o = w->d->own_V[link];
  sv sum = sv_cross_force(w->d->twist[link], inertial(&I, A, V));
  sum = sv_add(sum, spatial_inertia_mulv(&I, w->d->own_A[link]));
  sum = sv_add(sum, sv_cross_force(o, spatial_inertia_mulv(&I, V)));
  sum = sv_add(sum, sv_cross_force(V, spatial_inertia_mulv(&I, o)));
  if (w->d->theta && cr_theta_find_body(r->step.model, w->d->theta) == body) {
    spatial_inertia more = cr_theta_find_inertia(&r->step, w->d->theta);
    sum = sv_add(sum, inertial(&more, A, V));
  }
  sum.ang = v3_add(sum.ang, v3_cross(cr_sensing_origin(&r->s, link), sum.lin));
  take(w, body, sv_scale(-1, sum));
}

static void take_contacts(wrench* w) {
  const cr_sensing* s = &w->r->s;
  double share = 1 / w->r->step.dt;
  for (int i = 0; i < s->num_contacts; i++) {
    const carom_contact* c = &s->contacts[i];
    const cr_contact_move* by = cr_reading_move_contact(w->r, w->d, i);
    sv F = move_force(v3_load(c->impulse), by->force, v3_load(c->position), by->position);
    F = sv_scale(share, (sv){v3_add(F.ang, by->moment), F.lin});
    take(w, cr_sensing_body_of(s, c->geom2), F);
    take(w, cr_sensing_body_of(s, c->geom1), sv_scale(-1, F));
  }
}

/* A force at a point of a link. */
static sv move_at(const wrench* w, int link, v3 local, v3 force, v3 dforce) {
  v3 at = pose_point(&w->r->place.kinematics.link_pose[link], local);
  return move_force(force, dforce, at, move_point(w, link, at));
}

/* The force at an equality's anchors, and how it moves. */
static v3 find_anchor_force(const wrench* w, int i, v3* change) {
  const cr_readings* r = w->r;
  const cr_equality_model* e = &r->step.model->equality;
  uint64_t pair = CR_KEY_EQUALITY | (unsigned)i;
  double row[3], moved[3];
  for (int k = 0; k < 3; k++)
    row[k] = cr_sensing_find_force(&r->s, pair, k), moved[k] = row_change(r, w->d, pair, k);
  *change = v3_load(moved);
  if (e->type[i] != CAROM_EQUALITY_DISTANCE) return v3_load(row);
  const pose* X = r->place.kinematics.link_pose;
  v3 at[2], way[2], n = cr_equality_direction(e, i, X);
  for (int k = 0; k < 2; k++) {
    int link = e->link[2 * i + k];
    at[k] = pose_point(&X[link], v3_load(e->anchor + 6 * i + 3 * k));
    way[k] = move_point(w, link, at[k]);
  }
  v3 apart = v3_sub(way[1], way[0]);
  double length = v3_norm(v3_sub(at[1], at[0]));
  v3 turn = v3_scale(length > 0 ? 1 / length : 0, v3_axpy(apart, -v3_dot(n, apart), n));
  *change = v3_axpy(v3_scale(moved[0], n), row[0], turn);
  return v3_scale(row[0], n);
}

/* Rows 3 to 5: torque in the axes of link 2. */
static v3 move_torque(const wrench* w, int i) {
  const cr_readings* r = w->r;
  uint64_t pair = CR_KEY_EQUALITY | (unsigned)i;
  int link = r->step.model->equality.link[2 * i + 1];
  const m3* R = &r->place.kinematics.link_pose[link].R;
  double row[3], moved[3];
  for (int k = 0; k < 3; k++) {
    row[k] = cr_sensing_find_force(&r->s, pair, 3 + k);
    moved[k] = row_change(r, w->d, pair, 3 + k);
  }
  v3 turned = v3_cross(w->d->twist[link].ang, m3_mulv(R, v3_load(row)));
  return v3_add(turned, m3_mulv(R, v3_load(moved)));
}

static void take_equalities(wrench* w) {
  const carom_model* m = w->r->step.model;
  const cr_equality_model* e = &m->equality;
  for (int i = 0; i < e->num_equalities; i++) {
    if (cr_equality_is_coupling(e, i) || !e->active[i]) continue;
    v3 dforce, force = find_anchor_force(w, i, &dforce), torque = move_torque(w, i);
    for (int k = 0; k < 2; k++) {
      int link = e->link[2 * i + k];
      v3 local = v3_load(e->anchor + 6 * i + 3 * k);
      sv F = move_at(w, link, local, force, dforce);
      F.ang = v3_add(F.ang, torque);
      take(w, m->body.link_body[link], sv_scale(k ? 1 : -1, F));
    }
  }
}

static void take_ties(wrench* w) {
  const carom_model* m = w->r->step.model;
  const cr_soft_model* soft = &m->soft;
  for (int tie = 0; tie < soft->num_ties; tie++) {
    uint64_t pair = CR_KEY_EQUALITY | (unsigned)(m->equality.num_equalities + tie);
    double force[3], moved[3];
    for (int k = 0; k < 3; k++) {
      force[k] = -cr_sensing_find_force(&w->r->s, pair, k);
      moved[k] = -row_change(w->r, w->d, pair, k);
    }
    int link = soft->tie_link[tie];
    take(w, m->body.link_body[link],
         move_at(w, link, v3_load(soft->tie_point + 3 * (size_t)tie), v3_load(force),
                 v3_load(moved)));
  }
}

/* How the velocity of a point of a link does. */
static v3 move_velocity(const wrench* w, int link, v3 point) {
  const cr_readings* r = w->r;
  sv V = r->place.velocities.link_V[link], T = w->d->twist[link];
  sv dV = sv_add(sv_cross_motion(T, V), w->d->own_V[link]);
  v3 arm = v3_sub(point, cr_sensing_origin(&r->s, link));
  return v3_add(sv_point_velocity(dV, arm), v3_cross(V.ang, sv_point_velocity(T, arm)));
}

static v3 velocity_of(const wrench* w, int link, v3 point) {
  v3 arm = v3_sub(point, cr_sensing_origin(&w->r->s, link));
  return sv_point_velocity(w->r->place.velocities.link_V[link], arm);
}

static void take_spring(wrench* w, int i) {
  const carom_model* m = w->r->step.model;
  const cr_force_model* f = &m->force;
  cr_force_spring s = cr_force_locate_spring(f, i, w->r->place.kinematics.link_pose);
  v3 way[2], v[2], dv[2];
  for (int k = 0; k < 2; k++) {
    way[k] = move_point(w, s.link[k], s.point[k]);
    v[k] = velocity_of(w, s.link[k], s.point[k]), dv[k] = move_velocity(w, s.link[k], s.point[k]);
  }
  v3 n = s.direction, apart = v3_sub(way[1], way[0]), rate = v3_sub(v[1], v[0]);
  double longer = v3_dot(n, apart);
  v3 turn = v3_scale(s.length > 0 ? 1 / s.length : 0, v3_axpy(apart, -longer, n));
  double faster = v3_dot(n, v3_sub(dv[1], dv[0])) + v3_dot(turn, rate);
  double tension = cr_force_compute_tension(f, i, s.length, v3_dot(n, rate));
  double rest = cr_rest_differentiate(w->r, w->d, true, i);
  double change = f->spring_stiffness[i] * (longer - rest) + f->spring_damping[i] * faster;
  for (int k = 0; k < 2; k++) {
    if (m->tree.link_tree[s.link[k]] < 0) continue;
    double sign = k ? -1 : 1;
    v3 dforce = v3_axpy(v3_scale(sign * change, n), sign * tension, turn);
    take(w, m->body.link_body[s.link[k]],
         move_force(v3_scale(sign * tension, n), dforce, s.point[k], way[k]));
  }
}

v3 cr_reading_find_lift(const cr_readings* r, const cr_reading_direction* d, int body, v3* change) {
  const carom_model* m = r->step.model;
  const cr_theta_column* theta = d->theta;
  double share = m->body.gravity_compensation[body], mass = m->body.mass[body];
  v3 g = v3_load(m->force.gravity);
  *change = v3_zero();
  if (theta && theta->kind == CR_THETA_COMPENSATION && theta->index == body)
    *change = v3_scale(-mass, g);
  if (theta && theta->kind == CR_THETA_GRAVITY)
    *change = v3_set(*change, theta->element, -share * mass);
  if (theta && cr_theta_find_body(m, theta) == body)
    *change = v3_scale(-share * cr_theta_find_inertia(&r->step, theta).mass, g);
  return v3_scale(-share * mass, g);
}

/* What bears a body's weight. */
static void take_compensation(wrench* w, int body) {
  const carom_model* m = w->r->step.model;
  int link = m->body.link[body];
  v3 dcom, com = cr_reading_move_com(w->r, w->d, body, &dcom);
  v3 dlift, lift = cr_reading_find_lift(w->r, w->d, body, &dlift);
  if (m->tree.link_tree[link] < 0) return;
  take(w, m->body.link_body[link], move_force(lift, dlift, com, dcom));
}

/* The force of the fluid on a part, which follows from the velocity in its axes. */
static void take_fluid(wrench* w, int part) {
  const cr_readings* r = w->r;
  const carom_model* m = r->step.model;
  const cr_fluid_model* fluid = &m->force.fluid;
  const cr_theta_column* theta = w->d->theta;
  int link = fluid->link[part];
  cr_fluid_tangent at;
  at.V = cr_external_find_part_velocity(m, part, &r->place.kinematics, &r->place.velocities,
                                        &at.place);
  v3 turn = w->d->twist[link].ang;
  v3 flow = v3_sub(velocity_of(w, link, at.place.p), v3_load(fluid->wind));
  v3 dspin = w->d->own_V[link].ang; /* beside what turns with the part */
  v3 dflow = v3_sub(move_velocity(w, link, at.place.p), v3_cross(turn, flow));
  cr_fluid_slopes s = cr_fluid_find_slopes(fluid, part, at.V);
  double dV[6], df[6] = {0};
  v3_store(m3_tmulv(&at.place.R, dspin), dV), v3_store(m3_tmulv(&at.place.R, dflow), dV + 3);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) df[i] += s.by[i][k] * dV[k];
  sv own = {v3_load(df), v3_load(df + 3)};
  if (theta && cr_theta_is_of_fluid(theta))
    own = sv_add(own, cr_fluid_theta_find_force(fluid, part, &at, theta));
  v3 force = m3_mulv(&at.place.R, s.force.lin), torque = m3_mulv(&at.place.R, s.force.ang);
  v3 dforce = v3_add(v3_cross(turn, force), m3_mulv(&at.place.R, own.lin));
  v3 dtorque = v3_add(v3_cross(turn, torque), m3_mulv(&at.place.R, own.ang));
  sv F = move_force(force, dforce, at.place.p, move_point(w, link, at.place.p));
  take(w, m->body.link_body[link], (sv){v3_add(F.ang, dtorque), F.lin});
}

static void take_external(wrench* w) {
  const carom_model* m = w->r->step.model;
  for (int i = 0; i < m->force.fluid.num_parts; i++) take_fluid(w, i);
  for (int i = 0; i < m->force.num_springs; i++) take_spring(w, i);
  for (int b = 1; b < m->body.num_bodies; b++) {
    if (m->body.num_compensated) take_compensation(w, b);
    v3 dcom;
    if (!w->r->s.wrench) continue;
    cr_reading_move_com(w->r, w->d, b, &dcom);
    take(w, b, move_force(w->r->s.wrench[b].force, v3_zero(), v3_zero(), dcom));
  }
}

sv cr_wrench_differentiate(const cr_readings* r, const cr_reading_direction* d, int body) {
  wrench w = {r, d, body, cr_reading_find_end(r, body), sv_zero()};
  for (int b = w.first; b < w.end; b++) add_inertial(&w, b);
  take_external(&w);
  take_contacts(&w);
  take_equalities(&w);
  take_ties(&w);
  return w.change;
}
