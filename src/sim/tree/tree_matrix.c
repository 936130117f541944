/* A of a tree: its mass matrix by the composite rigid body algorithm, and diagonal terms of joint
 * elements. */
#include "sim/tree/tree_matrix.h"

#include "force/actuator.h"
#include "force/elements.h"
#include "math/scalar.h"
#include "sim/tree/damping.h"
#include "sim/tree/external.h"
#include "sim/tree/limited_actuators.h"
#include "tree/algorithms.h"

#include <math.h>

static void add_actuator_terms(const cr_step* step, int tree, double* diagonal) {
  const cr_sim_plan* plan = &step->sim->plan;
  const cr_force_model* force = &step->model->force;
  for (int k = plan->actuator_start[tree]; k < plan->actuator_start[tree + 1]; k++) {
    int a = plan->actuator[k];
    if (plan->is_limited[a]) continue;
    int dof = force->actuator_dof[a];
    if (step->is_held && step->is_held[dof]) continue;
    double x = cr_step_joint_coordinate(step, force->actuator_q[a], dof);
    cr_drive drive =
        cr_actuator_compute_drive(force, a, step->input, x, cr_step_joint_rate(step, dof));
    cr_matrix_weights w = cr_damping_weigh_dof(step, tree, dof);
    diagonal[dof] +=
        w.stiffness * scalar_max(drive.stiffness, 0) + w.damping * scalar_max(drive.damping, 0);
  }
}

void cr_step_compute_diagonal(const cr_step* step, int tree, double* diagonal) {
  const cr_tree_model* model = &step->model->tree;
  bool has_forces = step->sim->plan.has_joint_forces[tree];
  for (int i = model->tree_v_start[tree]; i < model->tree_v_start[tree + 1]; i++) {
    diagonal[i] = 0;
    if (!has_forces) continue;
    cr_matrix_weights w = cr_damping_weigh_dof(step, tree, i);
    double slope[2];
    cr_force_find_slopes(&step->model->force, model, i, step->q_mid, cr_step_joint_rate(step, i),
                         slope);
    diagonal[i] = w.stiffness * slope[0] + w.damping * slope[1];
  }
  add_actuator_terms(step, tree, diagonal);
  cr_limited_actuators_add_terms(step, tree, diagonal);
}

const double* cr_step_find_matrix(cr_step* step, int tree) {
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], n = model->tree_v_start[tree + 1] - start;
  double* M = step->M + step->sim->plan.M_start[tree];
  if (step->placement[tree].has_matrix) return M;
  cr_tree_compute_mass_rows(model, tree, &step->kinematics, &step->scratch, M);
  cr_step_compute_diagonal(step, tree, step->work);
  for (int i = 0; i < n; i++) M[(size_t)i * n + i] += step->work[start + i];
  if (cr_external_is_in_fluid(step->model, tree))
    cr_external_add_fluid_damping(step, tree, step->theta[tree].v * step->dt, M);
  step->placement[tree].has_matrix = true, step->placement[tree].has_factor = false;
  return M;
}
