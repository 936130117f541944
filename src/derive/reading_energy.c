/* Energies and sums over subtrees. With the momentum h = I V of what moves by the twist T,
 *
 *   dh = T ×* h + I o,     d(V · I V / 2) = h · o,       dV = T × V + o. */
#include "derive/force_parameters.h"
#include "derive/readings.h"
#include "force/elements.h"
#include "force/polynomial.h"
#include "force/tendon.h"

#include <math.h>

static v3 origin_of(const cr_readings* r, int link) { return cr_sensing_origin(&r->s, link); }

static v3 gravity_of(const cr_readings* r) { return v3_load(r->step.model->force.gravity); }

/* The body whose moments move with the parameter; -1: none. */
static int moved_body(const cr_readings* r, const cr_reading_direction* d) {
  return d->theta ? cr_theta_find_body(r->step.model, d->theta) : -1;
}

/* --- Kinetic energy -----------------------------------------------------------------------------
 */

static double armature_change(const cr_readings* r, const cr_reading_direction* d) {
  const cr_tree_model* tree = &r->step.model->tree;
  double sum = 0;
  for (int i = 0; i < tree->num_v; i++) {
    double u = r->s.u[i];
    sum += tree->dof_armature[i] * u * d->v[i];
    if (d->theta && d->theta->kind == CR_THETA_ARMATURE && tree->dof_joint[i] == d->theta->index)
      sum += 0.5 * u * u;
  }
  return sum;
}

double cr_kinetic_differentiate(const cr_readings* r, const cr_reading_direction* d) {
  const carom_model* m = r->step.model;
  double sum = armature_change(r, d) + cr_soft_kinetic_differentiate(r, d);
  for (int i = 1; i < m->tree.num_links; i++) {
    if (m->tree.link_tree[i] < 0) continue;
    sv V = r->place.velocities.link_V[i];
    sum += sv_dot(spatial_inertia_mulv(&r->place.kinematics.link_I[i], V), d->own_V[i]);
  }
  for (int i = 0; i < m->force.tendon.num_tendons && m->force.tendon.num_armatures; i++)
    sum += m->force.tendon.armature[i] * cr_line_tangent_rate(&r->lines[i], r->s.u) *
           cr_line_rate_differentiate(r, d, i);
  if (d->theta && d->theta->kind == CR_THETA_TENDON_ARMATURE) {
    double rate = cr_line_tangent_rate(&r->lines[d->theta->index], r->s.u);
    sum += 0.5 * rate * rate;
  }
  int body = moved_body(r, d);
  if (body < 0) return sum;
  spatial_inertia I = cr_theta_find_inertia(&r->step, d->theta);
  sv V = r->place.velocities.link_V[m->body.link[body]];
  return sum + 0.5 * sv_dot(V, spatial_inertia_mulv(&I, V));
}

/* --- Potential energy ---------------------------------------------------------------------------
 */

/* - sum m g · dx, m dx the change of the first moment. */
static double weight_change(const cr_readings* r, const cr_reading_direction* d) {
  const carom_model* m = r->step.model;
  double sum = 0;
  for (int i = 0; i < m->tree.num_links; i++) {
    v3 com = r->place.kinematics.link_com[i], o = origin_of(r, i);
    v3 way = sv_point_velocity(d->twist[i], v3_sub(com, o));
    sum -= m->tree.link_mass[i] * v3_dot(gravity_of(r), way);
    if (d->theta && d->theta->kind == CR_THETA_GRAVITY)
      sum -= m->tree.link_mass[i] * v3_get(com, d->theta->element);
  }
  int body = moved_body(r, d);
  if (body < 0) return sum;
  spatial_inertia I = cr_theta_find_inertia(&r->step, d->theta);
  v3 o = origin_of(r, m->body.link[body]);
  return sum - v3_dot(gravity_of(r), v3_axpy(I.mc, I.mass, o));
}

/* Of joints' springs whose stiffness or rest moves. */
static double joint_spring_theta(const cr_readings* r, const cr_theta_column* theta) {
  const carom_model* m = r->step.model;
  double sum = 0, *way = r->s.scratch;
  bool is_reference = theta->kind == CR_THETA_SPRING_REFERENCE;
  int power = theta->kind == CR_THETA_STIFFNESS_MORE ? 3 + theta->element : 2;
  int first = m->tree.joint_v_start[theta->index];
  int tree = m->tree.link_tree[m->tree.joint_link[theta->index]];
  if (tree < 0) return 0;
  cr_tree_compute_difference(&m->tree, tree, m->force.q_spring, r->place.q, way);
  for (int i = first; i < m->tree.num_v && m->tree.dof_joint[i] == theta->index; i++)
    sum += is_reference ? r->spring_force[i] : pow(way[i], power) / power;
  return sum;
}

/* Of tendons' and those between points. */
static double line_spring_theta(const cr_readings* r, const cr_theta_column* theta) {
  const cr_force_model* f = &r->step.model->force;
  int i = theta->index;
  if (theta->kind < CR_THETA_SPRING_STIFFNESS) {
    double length = r->s.lines.length[i];
    double x = cr_tendon_compute_stretch(&f->tendon, i, length);
    int power = theta->kind == CR_THETA_TENDON_STIFFNESS_MORE ? 3 + theta->element : 2;
    if (theta->kind != CR_THETA_TENDON_REST) return pow(x, power) / power;
    return (theta->element == 0 ? x < 0 : x > 0) ? cr_tendon_compute_force(&f->tendon, i, length, 0)
                                                 : 0;
  }
  cr_force_spring s = cr_force_locate_spring(f, i, r->place.kinematics.link_pose);
  double stretch = s.length - f->spring_rest_length[i];
  if (theta->kind == CR_THETA_SPRING_STIFFNESS) return 0.5 * stretch * stretch;
  double tension = f->spring_stiffness[i] * stretch;
  if (theta->kind == CR_THETA_SPRING_REST) return -tension;
  return tension * cr_force_theta_find_length(&r->step, theta);
}

static double spring_theta(const cr_readings* r, const cr_theta_column* theta) {
  switch (theta->kind) {
  case CR_THETA_STIFFNESS:
  case CR_THETA_STIFFNESS_MORE:
  case CR_THETA_SPRING_REFERENCE:
    return joint_spring_theta(r, theta);
  case CR_THETA_TENDON_STIFFNESS:
  case CR_THETA_TENDON_STIFFNESS_MORE:
  case CR_THETA_TENDON_REST:
  case CR_THETA_SPRING_STIFFNESS:
  case CR_THETA_SPRING_REST:
  case CR_THETA_SPRING_POINT1:
  case CR_THETA_SPRING_POINT2:
    return line_spring_theta(r, theta);
  default:
    return 0;
  }
}

static double point_spring_change(const cr_readings* r, const cr_reading_direction* d, int i) {
  const carom_model* m = r->step.model;
  cr_force_spring s = cr_force_locate_spring(&m->force, i, r->place.kinematics.link_pose);
  v3 way[2];
  for (int k = 0; k < 2; k++)
    way[k] = sv_point_velocity(d->twist[s.link[k]], v3_sub(s.point[k], origin_of(r, s.link[k])));
  return cr_force_compute_tension(&m->force, i, s.length, 0) *
         (v3_dot(s.direction, v3_sub(way[1], way[0])) - cr_rest_differentiate(r, d, true, i));
}

double cr_potential_differentiate(const cr_readings* r, const cr_reading_direction* d) {
  const carom_model* m = r->step.model;
  double sum = weight_change(r, d) + cr_soft_potential_differentiate(r, d);
  for (int i = 0; i < m->tree.num_v; i++) sum -= r->spring_force[i] * d->dx[i];
  for (int i = 0; i < m->force.tendon.num_tendons; i++)
    sum -= cr_tendon_compute_force(&m->force.tendon, i, r->s.lines.length[i], 0) *
           (cr_line_length_differentiate(r, d, i) - cr_rest_differentiate(r, d, false, i));
  for (int i = 0; i < m->force.num_springs; i++) sum += point_spring_change(r, d, i);
  return d->theta ? sum + spring_theta(r, d->theta) : sum;
}

/* --- Subtrees -----------------------------------------------------------------------------------
 */

/* Mass, first moment and momentum about the world's origin, of a body or of its changes. */
typedef struct moments {
  double mass;
  v3 first;
  sv momentum;
} moments;

static moments make_moments(const spatial_inertia* I, sv h, v3 o) {
  return (moments){I->mass, v3_axpy(I->mc, I->mass, o), {v3_add(h.ang, v3_cross(o, h.lin)), h.lin}};
}

static void add(moments* sum, const moments* x) {
  sum->mass += x->mass;
  sum->first = v3_add(sum->first, x->first);
  sum->momentum = sv_add(sum->momentum, x->momentum);
}

spatial_inertia cr_reading_find_inertia(const cr_readings* r, int body) {
  const cr_body_model* b = &r->step.model->body;
  pose X = pose_mul(&r->place.kinematics.link_pose[b->link[body]], &b->local[body]);
  m3 own = m3_symmetric(b->inertia + 6 * body), turned = m3_congruence(&X.R, &own);
  v3 com = pose_point(&X, v3_load(b->com + 3 * body));
  return spatial_inertia_make(b->mass[body], v3_sub(com, origin_of(r, b->link[body])), &turned);
}

/* What a body's moments are, and how they move. */
static moments find_body(const cr_readings* r, const cr_reading_direction* d, int body,
                         moments* change) {
  int link = r->step.model->body.link[body];
  v3 o = origin_of(r, link);
  spatial_inertia I = cr_reading_find_inertia(r, body);
  sv V = r->place.velocities.link_V[link], h = spatial_inertia_mulv(&I, V), T = d->twist[link];
  sv moved = sv_add(sv_cross_force(T, h), spatial_inertia_mulv(&I, d->own_V[link]));
  v3 way = v3_add(v3_scale(I.mass, T.lin), v3_cross(T.ang, I.mc));
  const spatial_inertia still = {0, way, {0}};
  *change = make_moments(&still, moved, o);
  if (moved_body(r, d) == body) {
    spatial_inertia by = cr_theta_find_inertia(&r->step, d->theta);
    moments more = make_moments(&by, spatial_inertia_mulv(&by, V), o);
    add(change, &more);
  }
  return make_moments(&I, h, o);
}

int cr_reading_find_end(const cr_readings* r, int body) {
  const cr_body_model* b = &r->step.model->body;
  int end = body + 1;
  while (end < b->num_bodies && b->parent[end] >= body) end++;
  return end;
}

void cr_subtree_differentiate(const cr_readings* r, const cr_reading_direction* d, int sensor,
                              double out[3]) {
  const carom_model* m = r->step.model;
  int body = m->sensor.object[sensor];
  moments sum = {0}, change = {0};
  for (int b = body; b < cr_reading_find_end(r, body); b++) {
    moments by, own = find_body(r, d, b, &by);
    add(&sum, &own), add(&change, &by);
  }
  double share = sum.mass > 0 ? 1 / sum.mass : 0;
  v3 com = v3_scale(share, sum.first), velocity = v3_scale(share, sum.momentum.lin);
  v3 dcom = v3_scale(share, v3_axpy(change.first, -change.mass, com));
  if (m->sensor.type[sensor] == CAROM_SENSOR_SUBTREE_COM)
    v3_store(dcom, out);
  else if (m->sensor.type[sensor] == CAROM_SENSOR_SUBTREE_LINEAR_VELOCITY)
    v3_store(v3_scale(share, v3_axpy(change.momentum.lin, -change.mass, velocity)), out);
  else
    v3_store(v3_sub(v3_sub(change.momentum.ang, v3_cross(dcom, sum.momentum.lin)),
                    v3_cross(com, change.momentum.lin)),
             out);
}
