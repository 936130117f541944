/* Wrenches and springs between points as spatial forces about the trees' origins. */
#include "sim/external.h"

#include <math.h>

bool cr_external_acts_on(const cr_step* step, int tree) {
  if (step->sim->plan.has_spring[tree]) return true;
  if (!step->sim->num_wrenches) return false;
  const cr_body_model* bodies = &step->model->body;
  for (int b = 1; b < bodies->num_bodies; b++) {
    const cr_sim_wrench* w = &step->sim->wrench[b];
    bool acts = v3_norm2(w->force) + v3_norm2(w->torque) > 0;
    if (acts && step->model->tree.link_tree[bodies->link[b]] == tree) return true;
  }
  return false;
}

/* Adds a force at a world point to a link; the ground takes none. */
static void add_force(cr_step* step, int link, v3 force, v3 point) {
  int tree = step->model->tree.link_tree[link];
  if (tree < 0) return;
  sv add = sv_point_force(force, v3_sub(point, step->kinematics.origin[tree]));
  step->external[link] = sv_add(step->external[link], add);
}

static void add_wrenches(cr_step* step) {
  const cr_body_model* bodies = &step->model->body;
  for (int b = 1; b < bodies->num_bodies; b++) {
    const cr_sim_wrench* w = &step->sim->wrench[b];
    int link = bodies->link[b];
    if (v3_norm2(w->force) + v3_norm2(w->torque) == 0 || link == 0) continue;
    v3 in_link = pose_point(&bodies->local[b], v3_load(bodies->com + 3 * b));
    add_force(step, link, w->force, pose_point(&step->kinematics.link_pose[link], in_link));
    step->external[link].ang = v3_add(step->external[link].ang, w->torque);
  }
}

static v3 point_velocity(const cr_step* step, int link, v3 point) {
  int tree = step->model->tree.link_tree[link];
  if (tree < 0) return v3_zero();
  v3 arm = v3_sub(point, step->kinematics.origin[tree]);
  return sv_point_velocity(step->velocities.link_V[link], arm);
}

static void add_springs(cr_step* step) {
  const cr_force_model* force = &step->model->force;
  for (int i = 0; i < force->num_springs; i++) {
    cr_force_spring s = cr_force_locate_spring(force, i, step->kinematics.link_pose);
    v3 between = v3_sub(point_velocity(step, s.link[1], s.point[1]),
                        point_velocity(step, s.link[0], s.point[0]));
    double tension = cr_force_compute_tension(force, i, s.length, v3_dot(between, s.direction));
    add_force(step, s.link[0], v3_scale(tension, s.direction), s.point[0]);
    add_force(step, s.link[1], v3_scale(-tension, s.direction), s.point[1]);
  }
}

void cr_external_update(cr_step* step, const int* trees, int num_trees) {
  const cr_tree_model* model = &step->model->tree;
  for (int k = 0; k < num_trees; k++)
    for (int l = model->tree_link_start[trees[k]]; l < model->tree_link_end[trees[k]]; l++)
      step->external[l] = sv_zero();
  if (step->sim->num_wrenches) add_wrenches(step);
  if (step->model->force.num_springs) add_springs(step);
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
