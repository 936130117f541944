/* Subtrees of bodies, and the forces that pass between a body and its parent: by Newton-Euler, body
 * by body, since bodies that are welded together are one link elsewhere. Bodies stand depth first,
 * so that a subtree is a run of them. */
#include "sim/rows/row_values.h"
#include "sim/sense/sensing.h"
#include "sim/tree/external.h"

#include <math.h>

/* --- Subtrees -----------------------------------------------------------------------------------
 */

/* Mass, centre of mass and inertia of a body, world axes. */
typedef struct body_mass {
  double mass;
  v3 com;
  m3 inertia;
} body_mass;

static pose find_frame(const cr_sensing* s, int body) {
  const cr_body_model* b = &s->model->body;
  return pose_mul(&s->kinematics->link_pose[b->link[body]], &b->local[body]);
}

static v3 find_com(const cr_sensing* s, int body) {
  pose X = find_frame(s, body);
  return pose_point(&X, v3_load(s->model->body.com + 3 * body));
}

static body_mass find_mass(const cr_sensing* s, int body) {
  const cr_body_model* b = &s->model->body;
  pose X = find_frame(s, body);
  m3 own = m3_symmetric(b->inertia + 6 * body);
  return (body_mass){b->mass[body], pose_point(&X, v3_load(b->com + 3 * body)),
                     m3_congruence(&X.R, &own)};
}

static v3 com_velocity(const cr_sensing* s, int link, v3 com) {
  return sv_point_velocity(s->velocities->link_V[link], v3_sub(com, cr_sensing_origin(s, link)));
}

/* One past the last body of a subtree. */
static int find_end(const cr_body_model* b, int body) {
  int end = body + 1;
  while (end < b->num_bodies && b->parent[end] >= body) end++;
  return end;
}

/* Sums over a subtree. */
typedef struct subtree {
  int first, end;
  double mass;
  v3 com, velocity;
} subtree;

/* Without mass: the place of the first body. */
static subtree sum_subtree(const cr_sensing* s, int body) {
  const cr_body_model* b = &s->model->body;
  subtree sum = {.first = body, .end = find_end(b, body)};
  for (int i = sum.first; i < sum.end; i++) {
    v3 com = find_com(s, i);
    sum.mass += b->mass[i];
    sum.com = v3_axpy(sum.com, b->mass[i], com);
    sum.velocity = v3_axpy(sum.velocity, b->mass[i], com_velocity(s, b->link[i], com));
  }
  if (sum.mass > 0) {
    sum.com = v3_scale(1 / sum.mass, sum.com);
    sum.velocity = v3_scale(1 / sum.mass, sum.velocity);
  } else {
    sum.com = find_com(s, body);
  }
  return sum;
}

/* About the subtree's centre of mass. */
static v3 sum_angular_momentum(const cr_sensing* s, const subtree* sum) {
  const int* link = s->model->body.link;
  v3 L = v3_zero();
  for (int i = sum->first; i < sum->end; i++) {
    body_mass m = find_mass(s, i);
    v3 own = m3_mulv(&m.inertia, s->velocities->link_V[link[i]].ang);
    v3 relative = v3_sub(com_velocity(s, link[i], m.com), sum->velocity);
    v3 orbit = v3_cross(v3_sub(m.com, sum->com), v3_scale(m.mass, relative));
    L = v3_add(L, v3_add(own, orbit));
  }
  return L;
}

void cr_sensing_read_subtree(const cr_sensing* s, int sensor, double* out) {
  const cr_sensor_model* m = &s->model->sensor;
  subtree sum = sum_subtree(s, m->object[sensor]);
  if (m->type[sensor] == CAROM_SENSOR_SUBTREE_COM)
    v3_store(sum.com, out);
  else if (m->type[sensor] == CAROM_SENSOR_SUBTREE_LINEAR_VELOCITY)
    v3_store(sum.velocity, out);
  else
    v3_store(sum_angular_momentum(s, &sum), out);
}

/* --- Forces between bodies ----------------------------------------------------------------------
 */

/* A spatial force about another point: what is now about `from` about the world's origin. */
static sv to_world(sv F, v3 from) { return (sv){v3_add(F.ang, v3_cross(from, F.lin)), F.lin}; }

/* What a body needs for its acceleration, gravity counted in: I A + V ×* I V. */
static sv find_inertial_force(const cr_sensing* s, int body) {
  int link = s->model->body.link[body];
  v3 origin = cr_sensing_origin(s, link);
  body_mass m = find_mass(s, body);
  spatial_inertia I = spatial_inertia_make(m.mass, v3_sub(m.com, origin), &m.inertia);
  sv V = s->velocities->link_V[link];
  sv F = sv_add(spatial_inertia_mulv(&I, s->link_A[link]),
                sv_cross_force(V, spatial_inertia_mulv(&I, V)));
  return to_world(F, origin);
}

static void take(cr_sensing* s, int body, sv force) {
  if (body >= 0) s->body_force[body] = sv_sub(s->body_force[body], force);
}

static void take_contacts(cr_sensing* s) {
  for (int i = 0; i < s->num_contacts; i++) {
    const carom_contact* c = &s->contacts[i];
    v3 force = v3_scale(1 / s->memory->dt, v3_load(c->impulse));
    sv F = sv_point_force(force, v3_load(c->position));
    F.ang = v3_axpy(F.ang, 1 / s->memory->dt, v3_load(c->moment));
    take(s, cr_sensing_body_of(s, c->geom2), F);
    take(s, cr_sensing_body_of(s, c->geom1), sv_scale(-1, F));
  }
}

static void take_adhesion(cr_sensing* s) {
  for (int i = 0; i < s->num_adhesion; i++)
    take(s, s->adhesion[i].body, sv_point_force(s->adhesion[i].force, s->adhesion[i].point));
}

/* Rows 0 to 2: force at the anchors, world axes; 3 to 5: torque in the axes of link 2. */
sv cr_sensing_find_equality_force(const cr_sensing* s, int index, int which) {
  const cr_equality_model* e = &s->model->equality;
  uint64_t pair = CR_KEY_EQUALITY | (unsigned)index;
  double row[6];
  for (int r = 0; r < 6; r++) row[r] = cr_sensing_find_force(s, pair, r);
  const pose* X = s->kinematics->link_pose;
  if (e->type[index] == CAROM_EQUALITY_DISTANCE)
    v3_store(v3_scale(row[0], cr_equality_direction(e, index, X)), row);
  v3 at = pose_point(&X[e->link[2 * index + which]], v3_load(e->anchor + 6 * index + 3 * which));
  sv F = sv_point_force(v3_load(row), at);
  F.ang = v3_add(F.ang, m3_mulv(&X[e->link[2 * index + 1]].R, v3_load(row + 3)));
  return sv_scale(which ? 1 : -1, F);
}

static void take_equalities(cr_sensing* s) {
  const cr_equality_model* e = &s->model->equality;
  for (int i = 0; i < e->num_equalities; i++) {
    bool is_of_bodies = !cr_equality_is_coupling(e, i);
    for (int k = 0; k < 2 && is_of_bodies && e->active[i]; k++)
      take(s, s->model->body.link_body[e->link[2 * i + k]],
           cr_sensing_find_equality_force(s, i, k));
  }
}

/* What soft bodies pull at the links that they are glued to, at the links' side of each tie. */
static void take_ties(cr_sensing* s) {
  const cr_soft_model* m = &s->model->soft;
  for (int tie = 0; tie < m->num_ties; tie++) {
    uint64_t pair = CR_KEY_EQUALITY | (unsigned)(s->model->equality.num_equalities + tie);
    double force[3];
    for (int r = 0; r < 3; r++) force[r] = -cr_sensing_find_force(s, pair, r);
    int link = m->tie_link[tie];
    v3 at = pose_point(&s->kinematics->link_pose[link], v3_load(m->tie_point + 3 * (size_t)tie));
    take(s, s->model->body.link_body[link], sv_point_force(v3_load(force), at));
  }
}

/* Springs between points, the fluid, what bears weight; they pull at the first body of a link. */
static void take_external(cr_sensing* s) {
  const carom_model* m = s->model;
  cr_external_compute(m, s->kinematics, s->velocities, s->external);
  for (int l = 1; l < m->tree.num_links; l++)
    take(s, m->body.link_body[l], to_world(s->external[l], cr_sensing_origin(s, l)));
}

static void take_wrenches(cr_sensing* s) {
  for (int b = 1; b < s->model->body.num_bodies; b++) {
    const cr_sim_wrench* w = &s->wrench[b];
    sv F = sv_point_force(w->force, find_mass(s, b).com);
    F.ang = v3_add(F.ang, w->torque);
    take(s, b, F);
  }
}

static void take_lines(cr_sensing* s) {
  const carom_model* m = s->model;
  cr_sensing_compute_line_forces(s, s->external);
  for (int l = 0; l < m->tree.num_links; l++) take(s, m->body.link_body[l], s->external[l]);
}

void cr_sensing_update_body_forces(cr_sensing* s) {
  const cr_body_model* b = &s->model->body;
  for (int i = 0; i < b->num_bodies; i++) s->body_force[i] = find_inertial_force(s, i);
  take_external(s);
  if (s->num_contacts) take_contacts(s);
  take_adhesion(s);
  if (s->parts_lines) take_lines(s);
  if (s->memory && s->memory->count) take_equalities(s);
  if (s->memory && s->memory->count) take_ties(s);
  if (s->wrench) take_wrenches(s);
  for (int i = b->num_bodies - 1; i > 0; i--)
    s->body_force[b->parent[i]] = sv_add(s->body_force[b->parent[i]], s->body_force[i]);
}
