/* Energies, mass and momentum: sums over the links of a tree. */
#include "tree/algorithms.h"

double cr_tree_compute_kinetic_energy(const cr_tree_model* model, int tree,
                                      const cr_tree_kinematics* kinematics,
                                      const cr_tree_velocities* velocities, const double* v) {
  double twice = 0;
  for (int i = model->tree_link_start[tree]; i < model->tree_link_end[tree]; i++) {
    sv V = velocities->link_V[i];
    twice += sv_dot(V, spatial_inertia_mulv(&kinematics->link_I[i], V));
  }
  for (int k = model->tree_v_start[tree]; k < model->tree_v_start[tree + 1]; k++)
    twice += model->dof_armature[k] * v[k] * v[k];
  return 0.5 * twice;
}

double cr_tree_compute_gravity_energy(const cr_tree_model* model, int tree,
                                      const cr_tree_kinematics* kinematics, v3 gravity) {
  double mass = 0;
  v3 moment = v3_zero();
  cr_tree_add_mass_moment(model, tree, kinematics, &mass, &moment);
  return -v3_dot(gravity, moment);
}

void cr_tree_add_mass_moment(const cr_tree_model* model, int tree,
                             const cr_tree_kinematics* kinematics, double* mass, v3* moment) {
  for (int i = model->tree_link_start[tree]; i < model->tree_link_end[tree]; i++) {
    *mass += model->link_mass[i];
    *moment = v3_axpy(*moment, model->link_mass[i], kinematics->link_com[i]);
  }
}

sv cr_tree_compute_momentum(const cr_tree_model* model, int tree,
                            const cr_tree_kinematics* kinematics,
                            const cr_tree_velocities* velocities) {
  sv h = sv_zero();
  for (int i = model->tree_link_start[tree]; i < model->tree_link_end[tree]; i++)
    h = sv_add(h, spatial_inertia_mulv(&kinematics->link_I[i], velocities->link_V[i]));

  // From the tree's origin to the world's.
  h.ang = v3_add(h.ang, v3_cross(kinematics->origin[tree], h.lin));
  return h;
}
