/* Jacobians, energies and momenta: sums over the dofs on a path, or over the links of a tree. */
#include "tree/algorithms.h"

#include <string.h>

/* Writes a vector into column k of a row-major [3, n] matrix. */
static inline void write_column(double* matrix, int n, int k, v3 x) {
  matrix[k] = x.x;
  matrix[n + k] = x.y;
  matrix[2 * n + k] = x.z;
}

void cr_tree_compute_jacobian(const cr_tree_model* model, const cr_tree_kinematics* kinematics,
                              int link, v3 x, double* linear, double* angular) {
  int n = model->num_v, tree = model->link_tree[link];
  size_t size = sizeof(double) * 3 * (size_t)n;
  if (linear) memset(linear, 0, size);
  if (angular) memset(angular, 0, size);
  for (int k = model->link_last_dof[link]; k >= 0; k = model->dof_parent[k]) {
    if (linear) write_column(linear, n, k, cr_tree_dof_point_velocity(kinematics, tree, k, x));
    if (angular) write_column(angular, n, k, kinematics->S[k].ang);
  }
}

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
