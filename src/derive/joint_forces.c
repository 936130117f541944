#include "derive/joint_forces.h"

#include "derive/rotation_slope.h"
#include "force/actuator.h"
#include "force/elements.h"
#include "sim/tree/damping.h"

#include <math.h>
#include <string.h>

bool cr_joint_slopes_push(const cr_step_tangent* t, cr_joint_slopes* slopes) {
  size_t most = (size_t)cr_derive_largest_tree(&t->step->model->tree);
  slopes->stiffness = CR_PUSH(t->arena, double, most* most);
  slopes->own = CR_PUSH(t->arena, double, most);
  slopes->damping = CR_PUSH(t->arena, double, most);
  slopes->inputs = CR_PUSH(t->arena, cr_input_slope, t->step->model->force.num_actuators);
  return !t->arena->failed;
}

/* --- Springs and dampers ------------------------------------------------------------------------
 */

/* The spring of three dofs that turn together; `way` from where it is at rest. */
static void add_ball_spring(double k, const double* way, size_t n, size_t at,
                            const cr_joint_slopes* out) {
  m3 J = cr_rotation_vector_slope(v3_load(way));
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) out->stiffness[(at + j) * n + at + i] += k * J.m[i][j];
}

static void add_springs(const cr_step_tangent* t, int tree, const cr_joint_slopes* out) {
  const cr_tree_model* model = &t->step->model->tree;
  const cr_force_model* force = &t->step->model->force;
  int start = model->tree_v_start[tree];
  size_t n = (size_t)(model->tree_v_start[tree + 1] - start);
  double* way = t->step->work;
  cr_tree_compute_difference(model, tree, force->q_spring, t->step->q_mid, way);
  for (int j = cr_tree_first_joint(model, tree); j < cr_tree_end_joint(model, tree); j++) {
    int first = model->joint_v_start[j], type = model->joint_type[j];
    double k = force->joint_stiffness[j];
    if (cr_force_has_powers(force, model, j)) continue;
    size_t at = (size_t)(first - start);
    int plain = type == CAROM_JOINT_FREE ? 3 : type == CAROM_JOINT_BALL ? 0 : 1;
    for (int i = 0; i < plain; i++) out->stiffness[(at + i) * n + at + i] += k;
    int count = type == CAROM_JOINT_FREE ? 6 : type == CAROM_JOINT_BALL ? 3 : 1;
    for (int i = 0; i < count; i++) out->own[at + (size_t)i] += k;
    if (plain != 1) add_ball_spring(k, way + first + plain, n, at + plain, out);
  }
  for (int i = 0; i < (int)n; i++)
    if (!cr_force_has_powers(force, model, model->dof_joint[start + i]))
      out->damping[i] += force->dof_damping[start + i];
}

/* --- Actuators ----------------------------------------------------------------------------------
 */

bool cr_actuator_is_held(const cr_step_tangent* t, int a, double l, double l_dot) {
  const cr_step* step = t->step;
  const cr_force_model* force = &step->model->force;
  if (step->is_held && step->is_held[force->actuator_dof[a]]) return true;
  if (step->sim->plan.is_limited[a]) return false;
  double f = cr_actuator_compute_force(force, a, step->input, l, l_dot);
  return !(f > force->actuator_force_range[2 * a] && f < force->actuator_force_range[2 * a + 1]);
}

static void add_actuator(const cr_step_tangent* t, int tree, int a, cr_joint_slopes* out) {
  const cr_step* step = t->step;
  const cr_force_model* force = &step->model->force;
  int dof = force->actuator_dof[a], at = dof - step->model->tree.tree_v_start[tree];
  size_t n = (size_t)(step->model->tree.tree_v_start[tree + 1] - (dof - at));
  double gear = force->actuator_gear[a];
  double l = gear * cr_step_joint_coordinate(step, force->actuator_q[a], dof);
  double l_dot = gear * cr_step_joint_rate(step, dof);
  if (cr_actuator_is_held(t, a, l, l_dot)) return;
  const double *gain = force->actuator_gain + 3 * a, *bias = force->actuator_bias + 3 * a;
  double stiffness = -gear * gear * bias[1], damping = -gear * gear * bias[2];
  out->own[at] += stiffness, out->damping[at] += damping;
  out->stiffness[(size_t)at * n + (size_t)at] += stiffness;
  cr_input_slope* s = &out->inputs[out->num_inputs++];
  s->way = cr_input_way_find(t, a);
  s->dof = dof;
  s->force = gear * gain[0];
}

void cr_joint_slopes_find(const cr_step_tangent* t, int tree, cr_joint_slopes* out) {
  const cr_tree_model* model = &t->step->model->tree;
  const cr_sim_plan* plan = &t->step->sim->plan;
  size_t n = (size_t)(model->tree_v_start[tree + 1] - model->tree_v_start[tree]);
  memset(out->stiffness, 0, sizeof(double) * n * n);
  memset(out->own, 0, sizeof(double) * n);
  memset(out->damping, 0, sizeof(double) * n);
  add_springs(t, tree, out);
  for (int k = plan->actuator_start[tree]; k < plan->actuator_start[tree + 1]; k++)
    if (!t->step->is_law[plan->actuator[k]] && !cr_row_force_is_actuator(t, plan->actuator[k]))
      add_actuator(t, tree, plan->actuator[k], out);
}
