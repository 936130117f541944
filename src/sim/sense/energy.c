/* Energies and body poses of the state. */
#include "force/elements.h"
#include "force/tendon.h"
#include "sim/soft/soft_sums.h"
#include "tree/algorithms.h"

#include <math.h>

/* Kinematics of the state in the step's arena, which is free between steps. */
static bool place_state(carom_sim* sim, cr_tree_kinematics* kinematics,
                        cr_tree_velocities* velocities, double** u) {
  const cr_tree_model* tree = &sim->model->tree;
  cr_arena_reset(&sim->arena);
  *u = CR_PUSH(&sim->arena, double, 2 * tree->num_v);
  if (!cr_tree_push_kinematics(&sim->arena, tree, kinematics) ||
      !cr_tree_push_velocities(&sim->arena, tree, velocities) || sim->arena.failed)
    return false;
  cr_tree_update_ground(tree, sim->q, kinematics, velocities);
  for (int t = 0; t < tree->num_trees; t++) {
    cr_tree_to_internal(tree, t, sim->q, sim->v, *u);
    cr_tree_update_kinematics(tree, t, sim->q, kinematics);
    cr_tree_update_velocities(tree, t, kinematics, *u, velocities);
  }
  return true;
}

carom_energy cr_sim_sum_energy(const carom_model* m, const double* q, const double* u,
                               const cr_tree_kinematics* kinematics,
                               const cr_tree_velocities* velocities, const cr_lines* lines,
                               double* scratch) {
  v3 gravity = v3_load(m->force.gravity);
  carom_energy e = {0};
  e.potential -= m->tree.link_mass[0] * v3_dot(gravity, kinematics->link_com[0]);
  for (int i = 0; i < m->tree.num_mocaps; i++) {
    int link = m->tree.mocap_link[i];
    e.potential -= m->tree.link_mass[link] * v3_dot(gravity, kinematics->link_com[link]);
  }
  for (int t = 0; t < m->tree.num_trees; t++) {
    e.kinetic += cr_tree_compute_kinetic_energy(&m->tree, t, kinematics, velocities, u);
    e.potential += cr_tree_compute_gravity_energy(&m->tree, t, kinematics, gravity);
    e.elastic += cr_force_compute_joint_energy(&m->force, &m->tree, t, q, scratch);
  }
  e.elastic += cr_tendon_sum_energy(&m->force.tendon, lines);
  e.kinetic += cr_tendon_sum_kinetic(&m->force, lines, u);
  for (int s = 0; s < m->force.num_springs; s++) {
    cr_force_spring spring = cr_force_locate_spring(&m->force, s, kinematics->link_pose);
    e.elastic += cr_force_compute_spring_energy(&m->force, s, spring.length);
  }
  return e;
}

carom_energy carom_sim_compute_energy(carom_sim* sim) {
  cr_tree_kinematics kinematics;
  cr_tree_velocities velocities;
  cr_lines lines;
  double* u;
  const cr_line_model* line = &sim->model->force.line;
  if (!place_state(sim, &kinematics, &velocities, &u) || !cr_lines_push(&sim->arena, line, &lines))
    return (carom_energy){NAN, NAN, sim->contact_energy};
  cr_line_place place = {line, &sim->model->tree, &kinematics, sim->q};
  cr_lines_update(&place, &lines);
  carom_energy e = cr_sim_sum_energy(sim->model, sim->q, u, &kinematics, &velocities, &lines,
                                     u + sim->model->tree.num_v);
  carom_energy soft = cr_soft_sum_energy(sim->model, sim->q, sim->v);
  e.kinetic += soft.kinetic, e.potential += soft.potential, e.elastic += soft.elastic;
  e.elastic += sim->contact_energy;
  return e;
}

void carom_sim_compute_poses(carom_sim* sim, double* poses) {
  const cr_body_model* bodies = &sim->model->body;
  cr_tree_kinematics kinematics;
  cr_tree_velocities velocities;
  double* u;
  if (!place_state(sim, &kinematics, &velocities, &u)) return;
  for (int b = 0; b < bodies->num_bodies; b++) {
    pose X = pose_mul(&kinematics.link_pose[bodies->link[b]], &bodies->local[b]);
    v3_store(X.p, poses + 7 * b);
    quat_store(quat_from_m3(&X.R), poses + 7 * b + 3);
  }
}
