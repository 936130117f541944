/* Where readings are differentiated, and what of links a direction moves. */
#include "base/error.h"
#include "derive/place_parameters.h"
#include "derive/readings.h"
#include "force/elements.h"

#include <string.h>

/* --- A state ------------------------------------------------------------------------------------
 */

static carom_status find_lines(cr_readings* r) {
  const carom_model* m = r->step.model;
  cr_line_place at = {&m->force.line, &m->tree, &r->place.kinematics, r->place.q};
  r->lines = CR_PUSH(r->t.arena, cr_line_tangent, m->force.line.num_lines);
  if (r->t.arena->failed) return cr_error_memory(r->t.error);
  for (int i = 0; i < m->force.line.num_lines; i++)
    if (!cr_line_tangent_find(&at, &r->s.lines, i, r->t.arena, &r->lines[i]))
      return cr_error_memory(r->t.error);
  return CAROM_OK;
}

/* Drifts and what accelerations fall by, for links' changes. */
static bool find_drifts(cr_readings* r) {
  const cr_tree_model* model = &r->step.model->tree;
  cr_tree_scratch* scratch = &r->step.scratch;
  size_t most = (size_t)cr_derive_largest_tree(model);
  if (!cr_tree_push_scratch(r->t.arena, model, scratch) ||
      !cr_tree_push_rnea_tangents(r->t.arena, model, scratch, &r->t.rnea))
    return false;
  r->t.slope.q = CR_PUSH(r->t.arena, double, most* most);
  r->t.slope.v = CR_PUSH(r->t.arena, double, most* most);
  if (r->t.arena->failed) return false;
  r->motion = (cr_tree_motion){&r->place.kinematics,
                               &r->place.velocities,
                               r->s.u,
                               r->step.sim->a_last,
                               {v3_load(r->step.model->force.gravity), NULL}};
  for (int i = 0; i < model->num_trees; i++)
    cr_tree_differentiate_inverse_dynamics(model, i, &r->motion, &r->t.rnea, &r->t.slope);
  return true;
}

static bool find_spring_forces(cr_readings* r) {
  const carom_model* m = r->step.model;
  size_t size = sizeof(double) * (size_t)m->num_v;
  double* still = CR_PUSH(r->t.arena, double, m->num_v);
  double* scratch = CR_PUSH(r->t.arena, double, m->num_v);
  r->spring_force = CR_PUSH(r->t.arena, double, m->num_v);
  r->soft_work = CR_PUSH(r->t.arena, double, m->num_v);
  if (r->t.arena->failed) return false;
  memset(still, 0, size), memset(r->spring_force, 0, size);
  const cr_joint_state at = {r->place.q, NULL, still};
  for (int i = 0; i < m->tree.num_trees; i++)
    cr_force_add_joint_forces(&m->force, &m->tree, i, &at, scratch, r->spring_force);
  return true;
}

carom_status cr_readings_init(cr_readings* r) {
  carom_sim* sim = r->step.sim;
  const carom_model* m = sim->model;
  r->step.model = m, r->step.arena = r->t.arena, r->step.dt = sim->dt;
  r->place.time = sim->time, r->place.q = sim->q, r->place.v = sim->v;
  r->readings = CR_PUSH(r->t.arena, double, m->sensor.num_readings);
  if (!cr_sensing_of_sim(sim, &r->place, &r->s)) return cr_error_memory(r->t.error);
  cr_sensing_update_accelerations(&r->s, sim->a_last);
  cr_sensing_read(&r->s, r->readings);
  r->step.q_mid = sim->q;
  r->step.kinematics = r->place.kinematics, r->step.velocities = r->place.velocities;
  r->t.step = &r->step;
  r->t.num_v = m->num_v, r->t.num_activations = m->force.num_activations;
  r->t.num_controls = m->force.num_controls;
  r->t.first_activation = 2 * m->num_v;
  r->t.first_control = r->t.first_activation + m->force.num_activations;
  r->t.first_theta = r->t.first_control + m->force.num_controls;
  CR_TRY(find_lines(r));
  return find_drifts(r) && find_spring_forces(r) ? CAROM_OK : cr_error_memory(r->t.error);
}

/* --- Directions ---------------------------------------------------------------------------------
 */

bool cr_reading_direction_push(const cr_readings* r, cr_reading_direction* d) {
  const cr_tree_model* model = &r->step.model->tree;
  d->q = CR_PUSH(r->t.arena, double, r->t.num_v);
  d->v = CR_PUSH(r->t.arena, double, r->t.num_v);
  d->twist = CR_PUSH(r->t.arena, sv, model->num_links);
  d->own_V = CR_PUSH(r->t.arena, sv, model->num_links);
  d->own_A = CR_PUSH(r->t.arena, sv, model->num_links);
  if (r->t.arena->failed) return false;
  memset(d->q, 0, sizeof(double) * (size_t)r->t.num_v); /* of soft bodies they stay so */
  memset(d->v, 0, sizeof(double) * (size_t)r->t.num_v);
  return true;
}

/* By the dofs of a link: drifts d, falls e and turns w of rnea_derivatives.h. */
static void add_dofs(const cr_readings* r, cr_reading_direction* d, int link) {
  const cr_tree_model* model = &r->step.model->tree;
  const cr_rnea_tangents* by = &r->t.rnea;
  for (int k = model->link_v_start[link]; k < model->link_v_start[link + 1]; k++) {
    sv S = r->place.kinematics.S[k];
    d->twist[link] = sv_axpy(d->twist[link], d->q[k], S);
    d->own_V[link] = sv_axpy(sv_axpy(d->own_V[link], d->q[k], by->drift[k]), d->v[k], S);
    d->own_A[link] = sv_axpy(sv_axpy(d->own_A[link], d->q[k], by->fall[k]), d->v[k], by->turn[k]);
    if (d->a) d->own_A[link] = sv_axpy(d->own_A[link], d->a[k], S);
  }
}

/* By what a parameter displaces at a link's joints. */
static void add_insertions(cr_readings* r, cr_reading_direction* d, int link) {
  const cr_tree_model* model = &r->step.model->tree;
  cr_tree_insertion in[2];
  int count =
      d->theta && cr_theta_is_of_place(d->theta) ? cr_place_theta_list(&r->step, d->theta, in) : 0;
  for (int k = 0; k < count; k++) {
    sv moved[2];
    if (model->joint_link[in[k].joint] != link) continue;
    cr_tree_find_insertion_motion(model, &r->motion, &r->t.rnea, &in[k], moved);
    d->twist[link] = sv_add(d->twist[link], in[k].S);
    d->own_V[link] = sv_add(d->own_V[link], moved[0]);
    d->own_A[link] = sv_add(d->own_A[link], moved[1]);
  }
}

/* own_A is summed without own_V × V, which counts as a whole. */
static void fill_links(cr_readings* r, cr_reading_direction* d) {
  const cr_tree_model* model = &r->step.model->tree;
  v3 gravity = v3_zero();
  if (d->theta && d->theta->kind == CR_THETA_GRAVITY)
    gravity = v3_set(gravity, d->theta->element, -1);
  for (int i = 0; i < model->num_links; i++) {
    int parent = model->link_tree[i] < 0 ? -1 : model->link_parent[i];
    d->twist[i] = parent < 0 ? sv_zero() : d->twist[parent];
    d->own_V[i] = parent < 0 ? sv_zero() : d->own_V[parent];
    d->own_A[i] = parent < 0 ? (sv){v3_zero(), gravity} : d->own_A[parent];
    if (parent < 0) continue;
    add_dofs(r, d, i);
    add_insertions(r, d, i);
  }
  for (int i = 0; i < model->num_links; i++)
    d->own_A[i] = sv_add(d->own_A[i], sv_cross_motion(d->own_V[i], r->place.velocities.link_V[i]));
}

void cr_reading_direction_fill(cr_readings* r, cr_reading_direction* d) {
  const cr_tree_model* model = &r->step.model->tree;
  const double *dq = d->dx, *dv = d->dx + r->t.num_v;
  for (int i = 0; i < model->num_trees; i++) {
    cr_tree_velocity_tangent_to_internal(model, i, r->place.q, r->place.v, dq, dv, d->v);
    cr_tree_to_internal(model, i, r->place.q, dq, d->q);
  }
  fill_links(r, d);
}

/* --- Points -------------------------------------------------------------------------------------
 */

v3 cr_reading_move_point(const cr_readings* r, const cr_reading_direction* d, int link, v3 point) {
  return sv_point_velocity(d->twist[link], v3_sub(point, cr_sensing_origin(&r->s, link)));
}

v3 cr_reading_move_com(const cr_readings* r, const cr_reading_direction* d, int body, v3* change) {
  const cr_body_model* b = &r->step.model->body;
  int link = b->link[body];
  v3 own = pose_point(&b->local[body], v3_load(b->com + 3 * body));
  v3 com = pose_point(&r->place.kinematics.link_pose[link], own);
  *change = cr_reading_move_point(r, d, link, com);
  if (!d->theta || cr_theta_find_body(r->step.model, d->theta) != body) return com;
  if (!(b->mass[body] > 0)) return com;
  spatial_inertia I = cr_theta_find_inertia(&r->step, d->theta);
  v3 moved = v3_axpy(I.mc, -I.mass, v3_sub(com, cr_sensing_origin(&r->s, link)));
  *change = v3_axpy(*change, 1 / b->mass[body], moved);
  return com;
}

sv cr_reading_find_axis_twist(const cr_readings* r, const cr_reading_direction* d, int dof) {
  const cr_tree_model* model = &r->step.model->tree;
  int link = model->dof_link[dof];
  sv twist = d->twist[model->link_parent[link]];
  for (int k = model->link_v_start[link]; k < dof; k++)
    twist = sv_axpy(twist, d->q[k], r->place.kinematics.S[k]);
  return twist;
}
