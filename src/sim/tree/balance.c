/* The balance of momentum at what is placed. */
#include "sim/tree/balance.h"

#include "force/elements.h"
#include "sim/tree/damping.h"
#include "sim/tree/external.h"
#include "sim/tree/limited_actuators.h"
#include "sim/tree/lines.h"

void cr_balance_place(cr_step* step, int tree, const double* v) {
  const cr_tree_model* model = &step->model->tree;
  cr_theta theta = step->theta[tree];
  cr_step_blend(step, tree, theta.vq, v, step->v0, step->v_q);
  cr_step_blend(step, tree, theta.v, v, step->v0, step->v_f);
  cr_tree_compute_mid_configuration(model, tree, step->sim->q, step->v_q, step->dt, theta.q,
                                    step->q_mid);
  cr_tree_update_kinematics(model, tree, step->q_mid, &step->kinematics);
  cr_tree_update_velocities(model, tree, &step->kinematics, step->v_f, &step->velocities);
  cr_damping_place(step, tree, v);
  cr_placement* at = &step->placement[tree];
  if (!at->is_near) at->has_matrix = at->has_factor = false;
}

void cr_balance_add_joint_forces(cr_step* step, int tree, double* tau) {
  const cr_joint_state at = {step->q_mid, step->x_e, step->v_e ? step->v_e : step->v_f};
  cr_force_add_joint_forces(&step->model->force, &step->model->tree, tree, &at, step->work, tau);
  cr_step_add_actuation(step, tree, tau);
  cr_limited_actuators_add_forces(step, tree, tau);
}

cr_tree_loads cr_balance_find_loads(const cr_step* step, int tree) {
  return (cr_tree_loads){v3_load(step->model->force.gravity),
                         cr_external_acts_on(step, tree) ? step->external : NULL};
}

/* residual = dt (M a + C - forces) at what is placed, with a = (v - v0) / dt. */
static void compute_tree_residual(cr_step* step, int tree, const double* v, double* residual) {
  const cr_tree_model* model = &step->model->tree;
  int start = model->tree_v_start[tree], end = model->tree_v_start[tree + 1];
  cr_tree_loads loads = cr_balance_find_loads(step, tree);
  for (int i = start; i < end; i++) step->work[i] = (v[i] - step->v0[i]) / step->dt;
  cr_tree_compute_inverse_dynamics(model, tree, &step->kinematics, &step->velocities, step->work,
                                   &loads, &step->scratch, residual);
  for (int i = start; i < end; i++) residual[i] = -residual[i];
  cr_balance_add_joint_forces(step, tree, residual);
  for (int i = start; i < end; i++) residual[i] *= -step->dt;
}

void cr_balance_compute_residual(cr_step* step, const int* trees, int num_trees, const double* v,
                                 double* residual) {
  for (int k = 0; k < num_trees; k++) cr_balance_place(step, trees[k], v);
  cr_external_update(step, trees, num_trees);
  cr_step_lines_update_forces(step, trees, num_trees, v);
  for (int k = 0; k < num_trees; k++) compute_tree_residual(step, trees[k], v, residual);
}
