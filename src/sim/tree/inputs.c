/* Controls, activations and what follows from them. An activation counts at the time of the
 * velocities, at the end where it is early. */
#include "sim/tree/inputs.h"

#include "force/actuator.h"
#include "sim/tree/lines.h"
#include "tree/algorithms.h"

/* Whether an actuator's length counts, and is that of a line. */
static bool asks_for_line(const cr_force_model* force, int a) {
  return force->actuator_law[a] >= 0 && force->actuator_line[a] >= 0;
}

static bool any_asks_for_line(const cr_force_model* force) {
  for (int a = 0; a < force->num_actuators && force->num_laws > 0; a++)
    if (asks_for_line(force, a)) return true;
  return false;
}

/* Lengths and rows at the start; what moves is placed anew by the free motion. */
static void place_lines(cr_step* step) {
  const carom_model* m = step->model;
  for (int t = 0; t < m->tree.num_trees; t++)
    cr_tree_update_kinematics(&m->tree, t, step->sim->q, &step->kinematics);
  cr_line_place place = {&m->force.line, &m->tree, &step->kinematics, step->sim->q};
  for (int a = 0; a < m->force.num_actuators; a++)
    if (asks_for_line(&m->force, a))
      cr_line_update(&place, m->force.actuator_line[a], &step->lines);
}

static cr_actuator_state find_state(const cr_step* step, int a, double x, double x_dot) {
  double gear = step->model->force.actuator_gear[a];
  return (cr_actuator_state){step->sim->ctrl, step->sim->act, gear * x, gear * x_dot, step->dt};
}

bool cr_step_inputs_init(cr_step* step) {
  const cr_force_model* force = &step->model->force;
  step->input = CR_PUSH(step->arena, double, force->num_inputs);
  step->act_end = CR_PUSH(step->arena, double, force->num_activations);
  if (step->arena->failed) return false;
  if (any_asks_for_line(force)) place_lines(step);
  for (int a = 0; a < force->num_actuators; a++) {
    double x = 0, x_dot = 0;
    if (force->actuator_law[a] >= 0) {
      x = cr_actuator_find_coordinate(force, a, &step->lines, step->sim->q);
      x_dot = cr_actuator_find_rate(force, a, &step->lines, step->v0);
    }
    cr_actuator_state state = find_state(step, a, x, x_dot);
    cr_actuator_compute_inputs(force, a, &state, step->dt * step->sim->theta.v, step->input);
  }
  return true;
}

/* Where the scheme takes forces: how far that is from q_mid, and the velocities there. */
static void blend(cr_step* step) {
  for (int t = 0; t < step->model->tree.num_trees; t++) {
    cr_theta theta = step->theta[t];
    double h = theta.q * theta.vq * step->dt;
    cr_step_blend(step, t, theta.v, step->v, step->v0, step->v_f);
    for (int i = step->model->tree.tree_v_start[t]; i < step->model->tree.tree_v_start[t + 1]; i++)
      step->work[i] = h * (step->v[i] - step->v_lin[i]);
  }
}

void cr_step_inputs_advance(cr_step* step) {
  const cr_force_model* force = &step->model->force;
  if (force->num_laws > 0) blend(step);
  for (int a = 0; a < force->num_actuators; a++) {
    double x = 0, x_dot = 0;
    if (force->actuator_law[a] >= 0) {
      x = cr_actuator_find_coordinate(force, a, &step->lines, step->q_mid) +
          cr_actuator_find_rate(force, a, &step->lines, step->work);
      x_dot = cr_actuator_find_rate(force, a, &step->lines, step->v_f);
    }
    cr_actuator_state state = find_state(step, a, x, x_dot);
    cr_actuator_advance(force, a, &state, step->act_end);
  }
}
