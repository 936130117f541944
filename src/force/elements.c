/* Forces of joint springs and dampers, and of springs between points. */
#include "force/elements.h"

#include "force/polynomial.h"
#include "math/scalar.h"
#include "tree/coordinates.h"

#include <math.h>

/* --- Joint springs and dampers ------------------------------------------------------------------
 */

static const double LINEAR[2] = {0, 0};

/* What a dof's spring and damper have beyond their first powers. */
static const double* spring_more(const cr_force_model* force, int dof) {
  return force->num_polynomials ? force->dof_spring_more + 2 * dof : LINEAR;
}
static const double* damper_more(const cr_force_model* force, int dof) {
  return force->num_polynomials ? force->dof_damper_more + 2 * dof : LINEAR;
}

static bool has_springs(const cr_force_model* force, const cr_tree_model* model, int tree) {
  for (int j = cr_tree_first_joint(model, tree); j < cr_tree_end_joint(model, tree); j++)
    if (force->joint_stiffness[j] != 0) return true;
  int start = model->tree_v_start[tree], end = model->tree_v_start[tree + 1];
  for (int i = start; i < end && force->num_polynomials; i++)
    if (spring_more(force, i)[0] != 0 || spring_more(force, i)[1] != 0) return true;
  return false;
}

bool cr_force_has_dampers(const cr_force_model* force, const cr_tree_model* model, int tree) {
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++)
    if (force->dof_damping[i] != 0 || damper_more(force, i)[0] != 0 ||
        damper_more(force, i)[1] != 0)
      return true;
  return false;
}

bool cr_force_has_joint_forces(const cr_force_model* force, const cr_tree_model* model, int tree) {
  return has_springs(force, model, tree) || cr_force_has_dampers(force, model, tree);
}

bool cr_force_has_powers(const cr_force_model* force, const cr_tree_model* model, int joint) {
  bool any = false;
  for (int i = model->joint_v_start[joint]; i < model->num_v && model->dof_joint[i] == joint; i++)
    for (int k = 0; k < 2; k++)
      any |= spring_more(force, i)[k] != 0 || damper_more(force, i)[k] != 0;
  return any;
}

double cr_force_find_damping(const cr_force_model* force, int dof, double rate) {
  return cr_damper_secant(force->dof_damping[dof], damper_more(force, dof), rate);
}

void cr_force_add_joint_forces(const cr_force_model* force, const cr_tree_model* tree_model,
                               int tree, const cr_joint_state* at, double* scratch, double* tau) {
  const double* v = at->v;
  int start = tree_model->tree_v_start[tree], end = tree_model->tree_v_start[tree + 1];
  for (int i = start; i < end; i++) tau[i] -= cr_force_find_damping(force, i, v[i]) * v[i];
  if (!has_springs(force, tree_model, tree)) return;
  cr_tree_compute_difference(tree_model, tree, force->q_spring, at->q, scratch);
  for (int i = start; i < end; i++) {
    double stiffness = force->joint_stiffness[tree_model->dof_joint[i]];
    if (at->shift) scratch[i] += at->shift[i];
    tau[i] -= cr_spring_secant(stiffness, spring_more(force, i), scratch[i]) * scratch[i];
  }
}

void cr_force_find_slopes(const cr_force_model* force, const cr_tree_model* tree_model, int dof,
                          const double* q, double rate, double slope[2]) {
  int joint = tree_model->dof_joint[dof], at = tree_model->joint_q_start[joint];
  double k = force->joint_stiffness[joint], b = force->dof_damping[dof];
  if (force->num_polynomials) {
    k = cr_spring_slope(k, spring_more(force, dof), q[at] - force->q_spring[at]);
    b = cr_damper_slope(b, damper_more(force, dof), rate);
  }
  slope[0] = scalar_max(k, 0), slope[1] = scalar_max(b, 0);
}

double cr_force_compute_joint_energy(const cr_force_model* force, const cr_tree_model* tree_model,
                                     int tree, const double* q, double* scratch) {
  if (!has_springs(force, tree_model, tree)) return 0;
  double energy = 0;
  cr_tree_compute_difference(tree_model, tree, force->q_spring, q, scratch);
  for (int i = tree_model->tree_v_start[tree]; i < tree_model->tree_v_start[tree + 1]; i++) {
    double stiffness = force->joint_stiffness[tree_model->dof_joint[i]];
    energy += cr_spring_energy(stiffness, spring_more(force, i), scratch[i]);
  }
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
