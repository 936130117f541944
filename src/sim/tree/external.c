/* Wrenches, what bears weight, the fluid and springs between points as spatial forces about the
 * trees' origins. */
#include "sim/tree/external.h"

#include "sim/tree/adhesion.h"
#include "sim/tree/damping.h"
#include "tree/algorithms.h"

#include <math.h>

bool cr_external_acts_on(const cr_step* step, int tree) {
  if (step->sim->plan.has_spring[tree]) return true;
  if (cr_external_is_in_fluid(step->model, tree)) return true;
  if (cr_adhesion_acts_on(step, tree)) return true;
  const cr_body_model* bodies = &step->model->body;
  if (!step->sim->num_wrenches && !bodies->num_compensated) return false;
  for (int b = 1; b < bodies->num_bodies; b++) {
    const cr_sim_wrench* w = &step->sim->wrench[b];
    bool acts =
        v3_norm2(w->force) + v3_norm2(w->torque) > 0 || bodies->gravity_compensation[b] != 0;
    if (acts && step->model->tree.link_tree[bodies->link[b]] == tree) return true;
  }
  return false;
}

/* Adds a force at a world point to a link; the ground takes none. */
static void add_force(const cr_tree_model* model, const cr_tree_kinematics* kinematics, int link,
                      v3 force, v3 point, sv* external) {
  int tree = model->link_tree[link];
  if (tree < 0) return;
  sv add = sv_point_force(force, v3_sub(point, kinematics->origin[tree]));
  external[link] = sv_add(external[link], add);
}

static void add_wrenches(cr_step* step) {
  const cr_body_model* bodies = &step->model->body;
  for (int b = 1; b < bodies->num_bodies; b++) {
    const cr_sim_wrench* w = &step->sim->wrench[b];
    int link = bodies->link[b];
    if (v3_norm2(w->force) + v3_norm2(w->torque) == 0) continue;
    if (step->model->tree.link_tree[link] < 0) continue;
    v3 in_link = pose_point(&bodies->local[b], v3_load(bodies->com + 3 * b));
    add_force(&step->model->tree, &step->kinematics, link, w->force,
              pose_point(&step->kinematics.link_pose[link], in_link), step->external);
    step->external[link].ang = v3_add(step->external[link].ang, w->torque);
  }
}

static void add_adhesion(cr_step* step) {
  for (int i = 0; i < step->sim->num_adhesion; i++) {
    const cr_adhesion_force* p = &step->sim->adhesion[i];
    add_force(&step->model->tree, &step->kinematics, p->link, p->force,
              pose_point(&step->kinematics.link_pose[p->link], p->local), step->external);
  }
}

static v3 compensation(const carom_model* model, int body) {
  const cr_body_model* bodies = &model->body;
  return v3_scale(-bodies->gravity_compensation[body] * bodies->mass[body],
                  v3_load(model->force.gravity));
}

static v3 find_com(const carom_model* model, const cr_tree_kinematics* kinematics, int body) {
  const cr_body_model* bodies = &model->body;
  v3 in_link = pose_point(&bodies->local[body], v3_load(bodies->com + 3 * body));
  return pose_point(&kinematics->link_pose[bodies->link[body]], in_link);
}

void cr_external_add_compensation(const carom_model* model, const cr_tree_kinematics* kinematics,
                                  sv* external) {
  if (!model->body.num_compensated) return;
  for (int b = 1; b < model->body.num_bodies; b++)
    if (model->body.gravity_compensation[b] != 0)
      add_force(&model->tree, kinematics, model->body.link[b], compensation(model, b),
                find_com(model, kinematics, b), external);
}

void cr_external_add_borne(const carom_model* model, int tree, const cr_tree_kinematics* kinematics,
                           double scale, double* tau) {
  const cr_tree_model* t = &model->tree;
  const cr_force_model* force = &model->force;
  for (int b = 1; b < model->body.num_bodies && force->num_bearers; b++) {
    int link = model->body.link[b];
    if (model->body.gravity_compensation[b] == 0 || t->link_tree[link] != tree) continue;
    v3 lift = compensation(model, b), com = find_com(model, kinematics, b);
    for (int i = t->link_last_dof[link]; i >= 0; i = t->dof_parent[i])
      if (force->dof_bears_weight[i])
        tau[i] += scale * v3_dot(cr_tree_dof_point_velocity(kinematics, tree, i, com), lift);
  }
}

static v3 point_velocity(const cr_tree_model* model, const cr_tree_kinematics* kinematics,
                         const cr_tree_velocities* velocities, int link, v3 point) {
  int tree = model->link_tree[link];
  if (tree < 0) return v3_zero();
  return sv_point_velocity(velocities->link_V[link], v3_sub(point, kinematics->origin[tree]));
}

/* Rate at which a spring between points grows. */
static double spring_rate(const cr_tree_model* model, const cr_tree_kinematics* kinematics,
                          const cr_tree_velocities* velocities, const cr_force_spring* s) {
  v3 v0 = point_velocity(model, kinematics, velocities, s->link[0], s->point[0]);
  v3 v1 = point_velocity(model, kinematics, velocities, s->link[1], s->point[1]);
  return v3_dot(v3_sub(v1, v0), s->direction);
}

void cr_external_add_springs(const carom_model* model, const cr_tree_kinematics* kinematics,
                             const cr_tree_velocities* velocities, sv* external) {
  const cr_tree_model* tree = &model->tree;
  for (int i = 0; i < model->force.num_springs; i++) {
    cr_force_spring s = cr_force_locate_spring(&model->force, i, kinematics->link_pose);
    double rate = spring_rate(tree, kinematics, velocities, &s);
    double tension = cr_force_compute_tension(&model->force, i, s.length, rate);
    add_force(tree, kinematics, s.link[0], v3_scale(tension, s.direction), s.point[0], external);
    add_force(tree, kinematics, s.link[1], v3_scale(-tension, s.direction), s.point[1], external);
  }
}

/* What the tension of springs with stiff dampers is more than at (q_mid, v_f). */
static void add_spring_weights(cr_step* step) {
  const cr_force_model* force = &step->model->force;
  const cr_tree_model* tree = &step->model->tree;
  cr_damping_weigh_springs(step);
  for (int i = 0; step->dof_weight && i < force->num_springs; i++) {
    cr_weight w = step->spring_weight[i];
    if (w.rate == 0 && w.end == 0) continue;
    cr_force_spring s = cr_force_locate_spring(force, i, step->kinematics.link_pose);
    double v = cr_step_spring_rate(step, &s, step->v_now),
           v0 = cr_step_spring_rate(step, &s, step->v0);
    double more = force->spring_stiffness[i] * cr_weight_shift(w, step->dt, v, v0) +
                  force->spring_damping[i] * cr_weight_rate(w, v, v0);
    add_force(tree, &step->kinematics, s.link[0], v3_scale(more, s.direction), s.point[0],
              step->external);
    add_force(tree, &step->kinematics, s.link[1], v3_scale(-more, s.direction), s.point[1],
              step->external);
  }
}

double cr_step_spring_rate(const cr_step* step, const cr_force_spring* s, const double* v) {
  const cr_tree_model* model = &step->model->tree;
  double rate = 0;
  for (int k = 0; k < 2; k++) {
    int tree = model->link_tree[s->link[k]];
    for (int i = tree < 0 ? -1 : model->link_last_dof[s->link[k]]; i >= 0; i = model->dof_parent[i])
      rate +=
          (k ? 1 : -1) * v[i] *
          v3_dot(cr_tree_dof_point_velocity(&step->kinematics, tree, i, s->point[k]), s->direction);
  }
  return rate;
}

double cr_external_compute_compensation_power(const carom_model* model,
                                              const cr_tree_kinematics* kinematics,
                                              const cr_tree_velocities* velocities) {
  double power = 0;
  for (int b = 1; b < model->body.num_bodies && model->body.num_compensated; b++)
    power += v3_dot(compensation(model, b),
                    point_velocity(&model->tree, kinematics, velocities, model->body.link[b],
                                   find_com(model, kinematics, b)));
  return power;
}

double cr_external_compute_wrench_power(const cr_step* step) {
  const carom_model* m = step->model;
  double power = 0;
  for (int b = 1; b < m->body.num_bodies && step->sim->num_wrenches; b++) {
    const cr_sim_wrench* w = &step->sim->wrench[b];
    int link = m->body.link[b];
    if (m->tree.link_tree[link] < 0) continue;
    power += v3_dot(w->force, point_velocity(&m->tree, &step->kinematics, &step->velocities, link,
                                             find_com(m, &step->kinematics, b)));
    power += v3_dot(w->torque, step->velocities.link_V[link].ang);
  }
  return power;
}

/* --- Fluid --------------------------------------------------------------------------------------
 */

bool cr_external_is_in_fluid(const carom_model* model, int tree) {
  const cr_fluid_model* fluid = &model->force.fluid;
  return fluid->num_parts > 0 && fluid->tree_start[tree + 1] > fluid->tree_start[tree];
}

sv cr_external_find_part_velocity(const carom_model* model, int part,
                                  const cr_tree_kinematics* kinematics,
                                  const cr_tree_velocities* velocities, pose* place) {
  const cr_fluid_model* fluid = &model->force.fluid;
  int link = fluid->link[part];
  *place = pose_mul(&kinematics->link_pose[link], &fluid->local[part]);
  v3 point = point_velocity(&model->tree, kinematics, velocities, link, place->p);
  return (sv){m3_tmulv(&place->R, velocities->link_V[link].ang),
              m3_tmulv(&place->R, v3_sub(point, v3_load(fluid->wind)))};
}

void cr_external_add_fluid(const carom_model* model, int tree, const cr_tree_kinematics* kinematics,
                           const cr_tree_velocities* velocities, sv* external) {
  const cr_fluid_model* fluid = &model->force.fluid;
  for (int i = fluid->tree_start[tree]; i < fluid->tree_start[tree + 1]; i++) {
    pose place;
    sv V = cr_external_find_part_velocity(model, i, kinematics, velocities, &place);
    sv force = cr_fluid_compute_force(fluid, i, V);
    int link = fluid->link[i];
    add_force(&model->tree, kinematics, link, m3_mulv(&place.R, force.lin), place.p, external);
    external[link].ang = v3_add(external[link].ang, m3_mulv(&place.R, force.ang));
  }
}

double cr_external_compute_fluid_power(const carom_model* model,
                                       const cr_tree_kinematics* kinematics,
                                       const cr_tree_velocities* velocities) {
  const cr_fluid_model* fluid = &model->force.fluid;
  double power = 0;
  for (int i = 0; i < fluid->num_parts; i++) {
    pose place;
    sv V = cr_external_find_part_velocity(model, i, kinematics, velocities, &place);
    sv own = {V.ang, v3_add(V.lin, m3_tmulv(&place.R, v3_load(fluid->wind)))};
    power -= sv_dot(cr_fluid_compute_force(fluid, i, V), own);
  }
  return power;
}

/* Unit motion of a dof at a part, in the part's axes. */
static sv motion_at(const cr_step* step, int tree, int dof, const pose* place) {
  sv S = step->kinematics.S[dof];
  v3 point = cr_tree_dof_point_velocity(&step->kinematics, tree, dof, place->p);
  return (sv){m3_tmulv(&place->R, S.ang), m3_tmulv(&place->R, point)};
}

static void add_part_damping(const cr_step* step, int tree, int part, double h1, double* M) {
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  m3 linear, angular;
  pose place;
  sv V = cr_external_find_part_velocity(step->model, part, &step->kinematics, &step->velocities,
                                        &place);
  sv* S = step->scratch.U;
  cr_fluid_compute_damping(&step->model->force.fluid, part, V, &linear, &angular);
  int last = model->link_last_dof[step->model->force.fluid.link[part]];
  for (int i = last; i >= 0; i = model->dof_parent[i]) S[i] = motion_at(step, tree, i, &place);
  for (int i = last; i >= 0; i = model->dof_parent[i]) {
    sv f = {m3_mulv(&angular, S[i].ang), m3_mulv(&linear, S[i].lin)};
    for (int j = i; j >= 0; j = model->dof_parent[j])
      M[(size_t)(i - start) * (size_t)n + (size_t)(j - start)] += h1 * sv_dot(f, S[j]);
  }
}

void cr_external_add_fluid_damping(const cr_step* step, int tree, double h1, double* M) {
  const cr_fluid_model* fluid = &step->model->force.fluid;
  for (int i = fluid->tree_start[tree]; i < fluid->tree_start[tree + 1] && h1 > 0; i++)
    add_part_damping(step, tree, i, h1, M);
}

/* --- All ----------------------------------------------------------------------------------------
 */

void cr_external_update(cr_step* step, const int* trees, int num_trees) {
  const cr_tree_model* model = &step->model->tree;
  for (int k = 0; k < num_trees; k++)
    for (int l = model->tree_link_start[trees[k]]; l < model->tree_link_end[trees[k]]; l++)
      step->external[l] = sv_zero();
  if (step->sim->num_wrenches) add_wrenches(step);
  add_adhesion(step);
  cr_external_add_compensation(step->model, &step->kinematics, step->external);
  cr_external_add_springs(step->model, &step->kinematics, &step->velocities, step->external);
  add_spring_weights(step);
  for (int k = 0; k < num_trees && step->model->force.fluid.num_parts; k++)
    cr_external_add_fluid(step->model, trees[k], &step->kinematics, &step->velocities,
                          step->external);
}

void cr_external_compute(const carom_model* model, const cr_tree_kinematics* kinematics,
                         const cr_tree_velocities* velocities, sv* external) {
  for (int l = 0; l < model->tree.num_links; l++) external[l] = sv_zero();
  cr_external_add_compensation(model, kinematics, external);
  cr_external_add_springs(model, kinematics, velocities, external);
  for (int t = 0; t < model->tree.num_trees && model->force.fluid.num_parts; t++)
    cr_external_add_fluid(model, t, kinematics, velocities, external);
}

m3 cr_external_spring_matrix(const cr_step* step, int spring, const cr_force_spring* s, double h2,
                             double h1) {
  const cr_force_model* force = &step->model->force;
  double k = h2 * force->spring_stiffness[spring], rest = force->spring_rest_length[spring];
  double across = s->length > 0 ? fmax(k * (1 - rest / s->length), 0) : rest > 0 ? 0 : k;
  double along = k + h1 * force->spring_damping[spring];
  m3 nn = m3_outer(s->direction, s->direction), I = m3_identity();
  m3 spread = m3_scale(across, &I), line = m3_scale(along - across, &nn);
  return m3_add(&spread, &line);
}
