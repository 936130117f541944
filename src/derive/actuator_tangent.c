#include "derive/actuator_tangent.h"

#include "derive/law_way.h"
#include "force/actuator.h"
#include "force/muscle.h"

#include <math.h>

#define LEAST_TIME 1e-15 /* s: as in force/actuator.c */

/* --- Force --------------------------------------------------------------------------------------
 */

static bool is_muscle(const cr_force_model* force, int a, bool is_gain) {
  const int* part = is_gain ? force->actuator_gain_part : force->actuator_bias_part;
  return part[a] == CR_ACTUATOR_MUSCLE;
}

bool cr_actuator_is_bent(const cr_force_model* force, int a) {
  const double* gain = force->actuator_gain + 3 * a;
  return force->actuator_law[a] >= 0 || is_muscle(force, a, true) || is_muscle(force, a, false) ||
         gain[1] != 0 || gain[2] != 0;
}

/* Adds what is s times x[0] + x[1] l + x[2] l'. */
static void add_affine(const double* x, double s, double gear, cr_actuator_tangent* t) {
  t->stiffness -= gear * gear * s * x[1], t->damping -= gear * gear * s * x[2];
}

/* Adds s times a muscle's curve. */
static void add_curve(const cr_muscle_slopes* curve, double s, double gear,
                      cr_actuator_tangent* t) {
  double square = gear * gear, cube = square * gear;
  t->stiffness -= square * s * curve->l, t->damping -= square * s * curve->v;
  t->stiffness_by[0] -= cube * s * curve->ll, t->stiffness_by[1] -= cube * s * curve->lv;
  t->damping_by[0] -= cube * s * curve->lv, t->damping_by[1] -= cube * s * curve->vv;
}

static void add_gain(const cr_force_model* force, int a, double u, double l, double l_dot,
                     cr_actuator_tangent* t) {
  const double *gain = force->actuator_gain + 3 * a, gear = force->actuator_gear[a];
  if (!is_muscle(force, a, true)) {
    add_affine(gain, u, gear, t);
    t->own_input = gain[0] + gain[1] * l + gain[2] * l_dot, t->input = gear * t->own_input;
    t->stiffness_by[2] = -gear * gear * gain[1], t->damping_by[2] = -gear * gear * gain[2];
    return;
  }
  cr_muscle_slopes curve = cr_muscle_find_gain_slopes(
      force->actuator_length_range + 2 * a,
      force->actuator_muscle + 2 * CR_MUSCLE_NUM_PARAMETERS * a, l, l_dot);
  add_curve(&curve, u, gear, t);
  t->own_input = curve.value, t->input = gear * curve.value;
  t->stiffness_by[2] = -gear * gear * curve.l, t->damping_by[2] = -gear * gear * curve.v;
}

cr_actuator_tangent cr_actuator_tangent_find(const cr_force_model* force, int a,
                                             const double* inputs, double x, double x_dot) {
  double gear = force->actuator_gear[a];
  const double* range = force->actuator_force_range + 2 * a;
  double f = cr_actuator_compute_force(force, a, inputs, gear * x, gear * x_dot);
  if (!(f > range[0] && f < range[1])) return (cr_actuator_tangent){0};
  return cr_actuator_tangent_find_free(force, a, inputs, x, x_dot);
}

cr_actuator_tangent cr_actuator_tangent_find_free(const cr_force_model* force, int a,
                                                  const double* inputs, double x, double x_dot) {
  cr_actuator_tangent t = {0};
  double gear = force->actuator_gear[a], l = gear * x, l_dot = gear * x_dot;
  add_gain(force, a, inputs[force->actuator_input[a]], l, l_dot, &t);
  if (!is_muscle(force, a, false)) {
    add_affine(force->actuator_bias + 3 * a, 1, gear, &t);
    return t;
  }
  cr_muscle_slopes curve = cr_muscle_find_bias_slopes(
      force->actuator_length_range + 2 * a,
      force->actuator_muscle + CR_MUSCLE_NUM_PARAMETERS * (2 * a + 1), l);
  add_curve(&curve, 1, gear, &t);
  return t;
}

/* --- Activation ---------------------------------------------------------------------------------
 */

/* A number that moves with an activation, its goal and its time constants. */
enum { BY_ACTIVATION, BY_GOAL, BY_TIME, NUM_BY = BY_TIME + 3 };
typedef struct moved {
  double value, by[NUM_BY];
} moved;

/* The time constant at an activation that moves. */
static moved find_time(const cr_force_model* force, int a, const moved* at, double goal) {
  const double* time = force->actuator_time + 3 * a;
  if (force->actuator_dynamics[a] != CAROM_ACTIVATION_MUSCLE)
    return (moved){time[0], {[BY_TIME] = 1}};
  cr_muscle_time_slopes slope = cr_muscle_find_time_slopes(time, at->value, goal - at->value);
  moved out = {slope.value, {[BY_GOAL] = slope.change}};
  for (int k = 0; k < 3; k++) out.by[BY_TIME + k] = slope.time[k];
  for (int k = 0; k < NUM_BY; k++) out.by[k] += (slope.activation - slope.change) * at->by[k];
  return out;
}

/* goal + (start - goal) exp(-h / time), start the activation itself. */
static moved relax(double start, double goal, const moved* time, double h) {
  double tau = fmax(LEAST_TIME, time->value), rest = exp(-h / tau);
  double by_time = time->value > LEAST_TIME ? (start - goal) * rest * h / (tau * tau) : 0;
  moved out = {goal + (start - goal) * rest, {[BY_ACTIVATION] = rest, [BY_GOAL] = 1 - rest}};
  for (int k = 0; k < NUM_BY; k++) out.by[k] += by_time * time->by[k];
  return out;
}

/* A filter's activation after the time h, in two halves as force/actuator.c takes it. */
static moved advance(const cr_force_model* force, int a, double activation, double goal, double h) {
  const moved start = {activation, {[BY_ACTIVATION] = 1}};
  moved time = find_time(force, a, &start, goal), middle = relax(activation, goal, &time, 0.5 * h);
  time = find_time(force, a, &middle, goal);
  return relax(activation, goal, &time, h);
}

/* An activation after the time h, its goal the control within its range. */
static moved find_activation(const cr_step_tangent* t, int a, double h) {
  const cr_force_model* force = &t->step->model->force;
  double activation = t->step->sim->act[force->actuator_activation[a]];
  int index = force->actuator_control[a];
  double control = cr_actuator_clamp_control(force, index, t->step->sim->ctrl[index]);
  if (h == 0) return (moved){activation, {[BY_ACTIVATION] = 1}};
  if (force->actuator_dynamics[a] == CAROM_ACTIVATION_INTEGRATOR)
    return (moved){activation + h * control, {[BY_ACTIVATION] = 1, [BY_GOAL] = h}};
  bool is_muscle = force->actuator_dynamics[a] == CAROM_ACTIVATION_MUSCLE;
  bool is_free = !is_muscle || (control > 0 && control < 1);
  moved end = advance(force, a, activation, is_free ? control : control > 0, h);
  if (!is_free) end.by[BY_GOAL] = 0;
  return end;
}

/* Which end of a range holds a number; -1: none does. */
static int find_end(const double range[2], double x) {
  return x > range[0] && x < range[1] ? -1 : x >= range[1];
}

static cr_input_way find_way(const cr_step_tangent* t, int a, double h, double after) {
  const cr_force_model* force = &t->step->model->force;
  int control = force->actuator_control[a], activation = force->actuator_activation[a];
  bool has_activation = activation < force->actuator_activation[a + 1];
  cr_input_way w = {.count = 0, .t = t, .actuator = a};
  moved end = has_activation ? find_activation(t, a, h) : (moved){0, {[BY_GOAL] = 1}};
  int held =
      has_activation && h > 0 ? find_end(force->actuator_activation_range + 2 * a, after) : -1;
  int clamped = find_end(force->control_range + 2 * (size_t)control, t->step->sim->ctrl[control]);
  if (held >= 0) end = (moved){0}, w.by_theta.activation[held] = 1;
  for (int k = 0; k < 3; k++) w.by_theta.time[k] = end.by[BY_TIME + k];
  if (clamped >= 0) w.by_theta.control[clamped] = end.by[BY_GOAL];
  cr_input_way_put(&w, t->first_control + control, clamped >= 0 ? 0 : end.by[BY_GOAL]);
  if (has_activation) cr_input_way_put(&w, t->first_activation + activation, end.by[BY_ACTIVATION]);
  return w;
}

cr_input_way cr_input_way_find(const cr_step_tangent* t, int a) {
  const cr_force_model* force = &t->step->model->force;
  double h = force->actuator_is_early[a] ? t->step->dt : t->step->dt * t->step->sim->theta.v;
  if (force->actuator_law[a] >= 0) return cr_law_way_find(t, a);
  return find_way(t, a, h, t->step->input[force->actuator_input[a]]);
}

cr_input_way cr_input_way_of_state(const cr_step_tangent* t, int a) { return find_way(t, a, 0, 0); }

int cr_activation_way_find(const cr_step_tangent* t, int a, cr_input_way* way) {
  const cr_force_model* force = &t->step->model->force;
  int activation = force->actuator_activation[a];
  if (activation == force->actuator_activation[a + 1] || force->actuator_law[a] >= 0) return -1;
  *way = find_way(t, a, t->step->dt, t->step->act_end[activation]);
  return t->first_activation + activation;
}
