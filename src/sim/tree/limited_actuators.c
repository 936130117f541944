/* An actuator with feedback and limited force, f = clamp(f0 - kappa l'), is linear within its
 * range: there it is a spring and damper of the free motion, for which A has dt kappa on its
 * diagonal, and the solution is the one that it has as a row of the problem. Where the solution
 * asks for more it becomes that row, and the step starts anew; it stays a row until a step ends
 * well within the range. Actuators on tendons are rows throughout. */
#include "sim/tree/limited_actuators.h"

#include "force/actuator.h"
#include "sim/sleep.h"
#include "sim/tree/damping.h"

#include <math.h>
#include <string.h>

#define WELL_WITHIN 0.9 /* of a bound of the force: a row ends here */

/* --- Forces or laws -----------------------------------------------------------------------------
 */

static bool is_on_hinge_or_slide(const carom_model* model, int actuator) {
  int dof = model->force.actuator_dof[actuator];
  if (dof < 0) return false;
  carom_joint_type type = model->tree.joint_type[model->tree.dof_joint[dof]];
  return type == CAROM_JOINT_HINGE || type == CAROM_JOINT_SLIDE;
}

/* Whether the last step has left a limited actuator that was a row at its bounds or near them. */
static bool was_limited(const cr_step* step, int actuator) {
  const cr_contact_memory* memory = &step->sim->memory;
  const double* range = step->sim->plan.limited_range + 2 * actuator;
  cr_contact_key key = {.pair = CR_KEY_DOF | UINT64_C(1) << 32 | (unsigned)actuator};
  const cr_contact_record* record = cr_contact_memory_find(memory, key);
  if (!record) return false;
  double low = range[0] + (1 - WELL_WITHIN) * fabs(range[0]);
  double high = range[1] - (1 - WELL_WITHIN) * fabs(range[1]);
  double force = record->impulse[0] / memory->dt;
  return !(force > (isfinite(range[0]) ? low : -INFINITY) &&
           force < (isfinite(range[1]) ? high : INFINITY));
}

bool cr_limited_actuators_choose(cr_step* step) {
  const cr_sim_plan* plan = &step->sim->plan;
  step->is_law = CR_PUSH(step->arena, bool, step->model->force.num_actuators);
  if (step->arena->failed) return false;
  for (int a = 0; a < step->model->force.num_actuators; a++)
    step->is_law[a] =
        plan->is_limited[a] && (!is_on_hinge_or_slide(step->model, a) || was_limited(step, a));
  return true;
}

/* The next limited actuator from place k of plan.actuator on that is a force of the tree; -1: none
 * is left. */
static int find_next(const cr_step* step, int tree, int* k) {
  const cr_sim_plan* plan = &step->sim->plan;
  for (; *k < plan->actuator_start[tree + 1]; ++*k) {
    int a = plan->actuator[*k];
    if (plan->is_limited[a] && !step->is_law[a]) return plan->actuator[(*k)++];
  }
  return -1;
}

bool cr_limited_actuators_drive(const cr_step* step, int tree) {
  int k = step->sim->plan.actuator_start[tree];
  return find_next(step, tree, &k) >= 0;
}

void cr_limited_actuators_bind(cr_step* step, int tree) {
  for (int k = step->sim->plan.actuator_start[tree], a; (a = find_next(step, tree, &k)) >= 0;)
    step->is_law[a] = true;
}

/* The force of a limited actuator of the tree along its length at the velocities v, not held. */
static double find_force(const cr_step* step, int tree, int a, const double* v) {
  const cr_force_model* force = &step->model->force;
  cr_theta theta = step->theta[tree];
  int dof = force->actuator_dof[a];
  double gear = force->actuator_gear[a], h = theta.q * theta.vq * step->dt;
  double v1 = v[dof], v0 = step->v0[dof];
  cr_weight w = cr_damping_of_dof(step, dof);
  double x = step->q_mid[force->actuator_q[a]] + h * (v1 - step->v_lin[dof]) +
             cr_weight_shift(w, step->dt, v1, v0);
  double x_dot = theta.v * v1 + (1 - theta.v) * v0 + cr_weight_rate(w, v1, v0);
  return cr_actuator_compute_force(force, a, step->input, gear * x, gear * x_dot);
}

int cr_limited_actuators_bind_exceeding(cr_step* step, const double* v, int* trees) {
  int count = 0, num_trees = step->model->tree.num_trees;
  memset(trees, 0, sizeof(int) * (size_t)step->model->num_movers);
  for (int t = 0; t < num_trees; t++)
    for (int k = step->sim->plan.actuator_start[t], a; (a = find_next(step, t, &k)) >= 0;) {
      const double* range = step->sim->plan.limited_range + 2 * a;
      if (cr_sleep_has(step->sim, t)) break;
      double force = find_force(step, t, a, v);
      if (force >= range[0] && force <= range[1]) continue;
      step->is_law[a] = true;
      trees[t] = 1;
      count++;
    }
  return count;
}

/* --- As forces ----------------------------------------------------------------------------------
 */

void cr_limited_actuators_add_forces(const cr_step* step, int tree, double* tau) {
  const cr_force_model* force = &step->model->force;
  for (int k = step->sim->plan.actuator_start[tree], a; (a = find_next(step, tree, &k)) >= 0;) {
    double gear = force->actuator_gear[a];
    int dof = force->actuator_dof[a];
    double x = cr_step_joint_coordinate(step, force->actuator_q[a], dof);
    tau[dof] += gear * cr_actuator_compute_force(force, a, step->input, gear * x,
                                                 gear * cr_step_joint_rate(step, dof));
  }
}

void cr_limited_actuators_add_terms(const cr_step* step, int tree, double* diagonal) {
  const cr_force_model* force = &step->model->force;
  cr_theta theta = step->theta[tree];
  double dt = step->dt;
  for (int k = step->sim->plan.actuator_start[tree], a; (a = find_next(step, tree, &k)) >= 0;) {
    const double *bias = force->actuator_bias + 3 * a, gear = force->actuator_gear[a];
    cr_weight w = cr_damping_of_dof(step, force->actuator_dof[a]);
    double h2 = (theta.q * theta.vq + w.end) * dt * dt, h1 = (theta.v + w.rate) * dt;
    diagonal[force->actuator_dof[a]] -= gear * gear * (h2 * bias[1] + h1 * bias[2]);
  }
}

double cr_limited_actuators_compute_energy(const cr_step* step, int tree) {
  const cr_force_model* force = &step->model->force;
  double sum = 0;
  for (int k = step->sim->plan.actuator_start[tree], a; (a = find_next(step, tree, &k)) >= 0;) {
    double x = force->actuator_gear[a] * step->q_mid[force->actuator_q[a]];
    sum += fabs(force->actuator_bias[3 * a + 1]) * x * x;
  }
  return sum;
}

double cr_limited_actuators_compute_work(const cr_step* step) {
  const cr_force_model* force = &step->model->force;
  double sum = 0;
  for (int t = 0; t < step->model->tree.num_trees; t++)
    for (int k = step->sim->plan.actuator_start[t], a; (a = find_next(step, t, &k)) >= 0;) {
      int dof = force->actuator_dof[a];
      double mean = 0.5 * force->actuator_gear[a] * (step->v[dof] + step->v0[dof]);
      sum += step->dt * find_force(step, t, a, step->v) * mean;
    }
  return sum;
}
