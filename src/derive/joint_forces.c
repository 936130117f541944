#include "derive/joint_forces.h"

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

/* The inverse of the exponential's right Jacobian: I + [r]×/2 + c [r]×², c = (1 - (a/2) cot(a/2)) /
 * a², a = |r|. */
m3 cr_rotation_vector_slope(v3 r) {
  double a = v3_norm(r), half = 0.5 * a;
  double c = a > 1e-3 ? (1 - half / tan(half)) / (a * a) : 1.0 / 12 + a * a / 720;
  m3 x = m3_skew(r), xx = m3_mul(&x, &x), J = m3_identity();
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) J.m[i][k] += 0.5 * x.m[i][k] + c * xx.m[i][k];
  return J;
}

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
    size_t at = (size_t)(first - start);
    int plain = type == CAROM_JOINT_FREE ? 3 : type == CAROM_JOINT_BALL ? 0 : 1;
    for (int i = 0; i < plain; i++) out->stiffness[(at + i) * n + at + i] += k;
    if (type == CAROM_JOINT_HINGE || type == CAROM_JOINT_SLIDE) out->own[at] += k;
    if (plain != 1) add_ball_spring(k, way + first + plain, n, at + plain, out);
  }
  for (size_t i = 0; i < n; i++) out->damping[i] += force->dof_damping[start + (int)i];
}

/* --- Actuators ----------------------------------------------------------------------------------
 */

/* How a control within its range moves what it is clamped to. */
static double find_clamp_slope(const cr_force_model* force, int index, double control) {
  const double* range = force->control_range + 2 * (size_t)index;
  return control > range[0] && control < range[1] ? 1 : 0;
}

/* After the time h. A filter's activation is goal + (a - goal) exp(-h / tau). */
static void differentiate_activation(const cr_force_model* force, int a, double h,
                                     cr_input_slope* s) {
  if (force->actuator_dynamics[a] == CAROM_ACTIVATION_INTEGRATOR) {
    s->by_activation = 1, s->by_control *= h;
    return;
  }
  double time = fmax(force->actuator_time[3 * a], 1e-15);
  s->by_activation = exp(-h / time), s->by_control *= -expm1(-h / time);
}

/* Whether an activation after the time h is within its range. */
static bool is_activation_free(const cr_force_model* force, int a, double after) {
  const double* range = force->actuator_activation_range + 2 * a;
  return after > range[0] && after < range[1];
}

static cr_input_slope find_input_slope(const cr_step_tangent* t, int a, double h, double after) {
  const cr_force_model* force = &t->step->model->force;
  int control = force->actuator_control[a], activation = force->actuator_activation[a];
  cr_input_slope s = {.activation = -1, .control = t->first_control + control};
  s.by_control = find_clamp_slope(force, control, t->step->sim->ctrl[control]);
  if (activation == force->actuator_activation[a + 1]) return s;
  s.activation = t->first_activation + activation;
  if (h > 0)
    differentiate_activation(force, a, h, &s);
  else
    s.by_activation = 1, s.by_control = 0;
  if (h > 0 && !is_activation_free(force, a, after)) s.by_activation = s.by_control = 0;
  return s;
}

cr_input_slope cr_input_slope_find(const cr_step_tangent* t, int a) {
  const cr_force_model* force = &t->step->model->force;
  double h = force->actuator_is_early[a] ? t->step->dt : t->step->dt * t->step->sim->theta.v;
  return find_input_slope(t, a, h, t->step->input[force->actuator_input[a]]);
}

bool cr_activation_slope(const cr_step_tangent* t, int a, cr_input_slope* slope) {
  const cr_force_model* force = &t->step->model->force;
  int activation = force->actuator_activation[a];
  if (activation == force->actuator_activation[a + 1]) return false;
  *slope = find_input_slope(t, a, t->step->dt, t->step->act_end[activation]);
  return true;
}

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
  double u = step->input[force->actuator_input[a]];
  double stiffness = -gear * gear * (gain[1] * u + bias[1]);
  double damping = -gear * gear * (gain[2] * u + bias[2]);
  out->own[at] += stiffness, out->damping[at] += damping;
  out->stiffness[(size_t)at * n + (size_t)at] += stiffness;
  cr_input_slope* s = &out->inputs[out->num_inputs++];
  *s = cr_input_slope_find(t, a);
  s->dof = dof;
  s->force = gear * (gain[0] + gain[1] * l + gain[2] * l_dot);
  cr_theta theta = step->theta[tree];
  cr_weight w = cr_damping_of_dof(step, dof);
  double h2 = (theta.q * theta.vq + w.end) * step->dt * step->dt;
  double h1 = (theta.v + w.rate) * step->dt;
  s->matrix =
      -gear * gear * ((stiffness > 0 ? h2 * gain[1] : 0) + (damping > 0 ? h1 * gain[2] : 0));
}

void cr_joint_slopes_find(const cr_step_tangent* t, int tree, cr_joint_slopes* out) {
  const cr_tree_model* model = &t->step->model->tree;
  const cr_sim_plan* plan = &t->step->sim->plan;
  size_t n = (size_t)(model->tree_v_start[tree + 1] - model->tree_v_start[tree]);
  memset(out->stiffness, 0, sizeof(double) * n * n);
  memset(out->own, 0, sizeof(double) * n);
  memset(out->damping, 0, sizeof(double) * n);
  out->num_inputs = 0;
  add_springs(t, tree, out);
  for (int k = plan->actuator_start[tree]; k < plan->actuator_start[tree + 1]; k++)
    if (!t->step->is_law[plan->actuator[k]]) add_actuator(t, tree, plan->actuator[k], out);
}
