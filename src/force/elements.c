/* Forces of joint springs and dampers, and of springs between points. */
#include "force/elements.h"

#include "tree/coordinates.h"

#include <math.h>

/* --- Joint springs and dampers ------------------------------------------------------------------
 */

static bool has_springs(const cr_force_model* force, const cr_tree_model* model, int tree) {
  for (int j = cr_tree_first_joint(model, tree); j < cr_tree_end_joint(model, tree); j++)
    if (force->joint_stiffness[j] != 0) return true;
  return false;
}

void cr_force_add_joint_forces(const cr_force_model* force, const cr_tree_model* tree_model,
                               int tree, const double* q, const double* v, double* scratch,
                               double* tau) {
  int start = tree_model->tree_v_start[tree], end = tree_model->tree_v_start[tree + 1];
  for (int i = start; i < end; i++) tau[i] -= force->dof_damping[i] * v[i];
  if (!has_springs(force, tree_model, tree)) return;
  cr_tree_compute_difference(tree_model, tree, force->q_spring, q, scratch);
  for (int i = start; i < end; i++)
    tau[i] -= force->joint_stiffness[tree_model->dof_joint[i]] * scratch[i];
}

void cr_force_add_joint_stiffness(const cr_force_model* force, const cr_tree_model* tree_model,
                                  int tree, double h2, double h1, double* diagonal) {
  for (int i = tree_model->tree_v_start[tree]; i < tree_model->tree_v_start[tree + 1]; i++) {
    double stiffness = force->joint_stiffness[tree_model->dof_joint[i]];
    diagonal[i] += h2 * fmax(stiffness, 0) + h1 * fmax(force->dof_damping[i], 0);
  }
}

double cr_force_compute_joint_energy(const cr_force_model* force, const cr_tree_model* tree_model,
                                     int tree, const double* q, double* scratch) {
  if (!has_springs(force, tree_model, tree)) return 0;
  double energy = 0;
  cr_tree_compute_difference(tree_model, tree, force->q_spring, q, scratch);
  for (int i = tree_model->tree_v_start[tree]; i < tree_model->tree_v_start[tree + 1]; i++)
    energy += 0.5 * force->joint_stiffness[tree_model->dof_joint[i]] * scratch[i] * scratch[i];
  return energy;
}

/* --- Springs between points ---------------------------------------------------------------------
 */

cr_force_spring cr_force_locate_spring(const cr_force_model* force, int spring,
                                       const pose* link_pose) {
  cr_force_spring s;
  for (int k = 0; k < 2; k++) {
    s.link[k] = force->spring_link[2 * spring + k];
    s.point[k] =
        pose_point(&link_pose[s.link[k]], v3_load(force->spring_point + 6 * spring + 3 * k));
  }
  v3 between = v3_sub(s.point[1], s.point[0]);
  s.length = v3_norm(between);
  s.direction = v3_normalize_or(between, v3_zero());
  return s;
}

double cr_force_compute_tension(const cr_force_model* force, int spring, double length,
                                double rate) {
  return force->spring_stiffness[spring] * (length - force->spring_rest_length[spring]) +
         force->spring_damping[spring] * rate;
}

double cr_force_compute_spring_energy(const cr_force_model* force, int spring, double length) {
  double stretch = length - force->spring_rest_length[spring];
  return 0.5 * force->spring_stiffness[spring] * stretch * stretch;
}
