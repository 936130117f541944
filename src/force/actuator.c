/* f = clamp(gain u + bias): gain and bias are affine in length and rate, or a muscle's curves. */
#include "force/actuator.h"

#include "force/muscle.h"
#include "math/scalar.h"

#include "carom/types.h"

#include <math.h>

#define LEAST_TIME 1e-15 /* s: an activation follows at once */
#define STEP       1e-6  /* of the lengths that muscles work over, for slopes */

static double clamp(double x, const double range[2]) { return fmin(fmax(x, range[0]), range[1]); }

double cr_actuator_clamp_control(const cr_force_model* force, int index, double control) {
  return clamp(control, force->control_range + 2 * (size_t)index);
}

/* --- Force --------------------------------------------------------------------------------------
 */

static double affine(const double* x, double l, double l_dot) {
  return x[0] + x[1] * l + x[2] * l_dot;
}

/* Of a servo on a circle the setpoint nearest to the length counts. */
static double compute_gain(const cr_force_model* force, int a, const double* input, double l,
                           double l_dot) {
  double period = force->actuator_period[a];
  const double* muscle = force->actuator_muscle + 2 * CR_MUSCLE_NUM_PARAMETERS * a;
  const double* range = force->actuator_length_range + 2 * a;
  if (force->actuator_gain_part[a] == CR_ACTUATOR_MUSCLE)
    return cr_muscle_compute_gain(range, muscle, l, l_dot) * input[0];
  double force_there = affine(force->actuator_gain + 3 * a, l, l_dot) * input[0];
  if (!(period > 0)) return force_there;
  double setpoint = input[force->actuator_law[a] >= 0];
  double change = cr_controller_wrap(setpoint, l, period) - setpoint;
  return force_there - force->actuator_bias[3 * a + 1] * change;
}

double cr_actuator_compute_force(const cr_force_model* force, int a, const double* inputs, double l,
                                 double l_dot) {
  const double* input = inputs + force->actuator_input[a];
  if (force->actuator_gain_part[a] == CR_ACTUATOR_MOTOR)
    return cr_motor_compute_torque(force, a, input, l, l_dot).force;
  const double* muscle = force->actuator_muscle + 2 * CR_MUSCLE_NUM_PARAMETERS * a;
  double bias = force->actuator_bias_part[a] == CR_ACTUATOR_MUSCLE
                    ? cr_muscle_compute_bias(force->actuator_length_range + 2 * a,
                                             muscle + CR_MUSCLE_NUM_PARAMETERS, l)
                    : affine(force->actuator_bias + 3 * a, l, l_dot);
  return compute_gain(force, a, input, l, l_dot) + bias;
}

static bool is_muscle(const cr_force_model* force, int a) {
  return force->actuator_gain_part[a] == CR_ACTUATOR_MUSCLE ||
         force->actuator_bias_part[a] == CR_ACTUATOR_MUSCLE;
}

static bool is_motor(const cr_force_model* force, int a) {
  return force->actuator_gain_part[a] == CR_ACTUATOR_MOTOR;
}

/* Slopes of a muscle's force over its length and rate, by differences; what is affine beside it
 * counts too. */
static void add_muscle_slopes(const cr_force_model* force, int a, const double* inputs, double l,
                              double l_dot, cr_drive* drive) {
  const double* range = force->actuator_length_range + 2 * a;
  double h = STEP * fabs(range[1] - range[0]);
  if (!(h > 0)) return;
  drive->stiffness = (cr_actuator_compute_force(force, a, inputs, l - h, l_dot) -
                      cr_actuator_compute_force(force, a, inputs, l + h, l_dot)) /
                     (2 * h);
  drive->damping = (cr_actuator_compute_force(force, a, inputs, l, l_dot - h) -
                    cr_actuator_compute_force(force, a, inputs, l, l_dot + h)) /
                   (2 * h);
}

/* Along its length, where its range does not hold it. */
static cr_drive compute_free_drive(const cr_force_model* force, int a, const double* inputs,
                                   double l, double l_dot) {
  const double* input = inputs + force->actuator_input[a];
  const double *gain = force->actuator_gain + 3 * a, *bias = force->actuator_bias + 3 * a;
  if (is_motor(force, a)) return cr_motor_compute_torque(force, a, input, l, l_dot);
  cr_drive drive = {cr_actuator_compute_force(force, a, inputs, l, l_dot), 0, 0};
  if (is_muscle(force, a)) {
    add_muscle_slopes(force, a, inputs, l, l_dot, &drive);
  } else {
    drive.stiffness = -gain[1] * *input - bias[1];
    drive.damping = -gain[2] * *input - bias[2];
  }
  return drive;
}

/* What comes on top of the range: cogging and friction of motors. */
static cr_drive compute_losses(const cr_force_model* force, int a, const double* inputs, double l,
                               double l_dot) {
  if (!is_motor(force, a)) return (cr_drive){0, 0, 0};
  return cr_motor_compute_losses(force, a, inputs + force->actuator_input[a], l, l_dot);
}

/* Whether the force follows from the control alone, as that of most motors in files. */
static bool is_steady(const cr_force_model* force, int a) {
  const double *gain = force->actuator_gain + 3 * a, *bias = force->actuator_bias + 3 * a;
  return force->actuator_gain_part[a] == CR_ACTUATOR_AFFINE &&
         force->actuator_bias_part[a] == CR_ACTUATOR_AFFINE && gain[1] == 0 && gain[2] == 0 &&
         bias[1] == 0 && bias[2] == 0 && !(force->actuator_period[a] > 0);
}

cr_drive cr_actuator_compute_drive(const cr_force_model* force, int a, const double* inputs,
                                   double x, double x_dot) {
  double gear = force->actuator_gear[a], l = gear * x, l_dot = gear * x_dot;
  if (is_steady(force, a)) {
    double f = force->actuator_gain[3 * a] * inputs[force->actuator_input[a]];
    f += force->actuator_bias[3 * a];
    const double* range = force->actuator_force_range + 2 * a;
    return (cr_drive){gear * scalar_clamp(f, range[0], range[1]), 0, 0};
  }
  cr_drive drive = compute_free_drive(force, a, inputs, l, l_dot);
  double held = clamp(drive.force, force->actuator_force_range + 2 * a);
  if (held != drive.force) drive = (cr_drive){held, 0, 0};
  cr_drive more = compute_losses(force, a, inputs, l, l_dot);
  return (cr_drive){gear * (drive.force + more.force),
                    (drive.stiffness + more.stiffness) * (gear * gear),
                    (drive.damping + more.damping) * (gear * gear)};
}

double cr_actuator_compute_held_force(const cr_force_model* force, int a, const double* inputs,
                                      double x, double x_dot) {
  double gear = force->actuator_gear[a], l = gear * x, l_dot = gear * x_dot;
  double share = cr_actuator_find_share(force, force->actuator_line[a], inputs, x, x_dot);
  double f = share * cr_actuator_compute_force(force, a, inputs, l, l_dot);
  return clamp(f, force->actuator_force_range + 2 * (size_t)a) +
         compute_losses(force, a, inputs, l, l_dot).force;
}

bool cr_actuator_is_bounded(const cr_force_model* force, int line) {
  if (line < 0 || line >= force->tendon.num_tendons) return false;
  const double* range = force->tendon.drive_range + 2 * (size_t)line;
  return isfinite(range[0]) || isfinite(range[1]);
}

double cr_actuator_find_share(const cr_force_model* force, int line, const double* inputs,
                              double length, double rate) {
  if (!cr_actuator_is_bounded(force, line)) return 1;
  double sum = 0;
  for (int a = 0; a < force->num_actuators; a++) {
    double gear = force->actuator_gear[a];
    if (force->actuator_line[a] == line)
      sum += cr_actuator_compute_force(force, a, inputs, gear * length, gear * rate);
  }
  double held = clamp(sum, force->tendon.drive_range + 2 * (size_t)line);
  return held == sum ? 1 : held / sum;
}

cr_drive cr_actuator_compute_held_drive(const cr_force_model* force, int a, const double* inputs,
                                        double x, double x_dot, double share) {
  if (share == 1) return cr_actuator_compute_drive(force, a, inputs, x, x_dot);
  return (cr_drive){
      force->actuator_gear[a] * cr_actuator_compute_held_force(force, a, inputs, x, x_dot), 0, 0};
}

bool cr_actuator_has_feedback(const cr_force_model* force, int a) {
  const double *gain = force->actuator_gain + 3 * a, *bias = force->actuator_bias + 3 * a;
  return is_muscle(force, a) || is_motor(force, a) || gain[1] != 0 || gain[2] != 0 ||
         bias[1] != 0 || bias[2] != 0;
}

/* --- Where it works -----------------------------------------------------------------------------
 */

double cr_actuator_find_coordinate(const cr_force_model* force, int a, const cr_lines* lines,
                                   const double* q) {
  int line = force->actuator_line[a];
  return line < 0 ? q[force->actuator_q[a]] : lines->length[line];
}

double cr_actuator_find_rate(const cr_force_model* force, int a, const cr_lines* lines,
                             const double* v) {
  int line = force->actuator_line[a];
  return line < 0 ? v[force->actuator_dof[a]] : cr_line_compute_rate(&force->line, lines, line, v);
}

void cr_actuator_add_force(const cr_force_model* force, int a, const cr_lines* lines, double value,
                           double* tau) {
  int line = force->actuator_line[a];
  if (line < 0)
    tau[force->actuator_dof[a]] += value;
  else
    cr_line_add_force(&force->line, lines, line, value, tau);
}

void cr_actuator_clamp_drives(const cr_force_model* force, int first, int end, double* tau,
                              int* is_held) {
  if (!force->num_drive_ranges) return;
  for (int i = first; i < end; i++) {
    double whole = tau[i];
    tau[i] = clamp(whole, force->dof_drive_range + 2 * (size_t)i);
    if (is_held) is_held[i] = tau[i] != whole;
  }
}

/* --- Activation ---------------------------------------------------------------------------------
 */

/* What an activation heads for, and how fast; a muscle's control stays within 0 and 1. */
static double find_goal(const cr_force_model* force, int a, double control) {
  bool is_muscle_like = force->actuator_dynamics[a] == CAROM_ACTIVATION_MUSCLE;
  return is_muscle_like ? fmin(fmax(control, 0), 1) : control;
}

static double find_time(const cr_force_model* force, int a, double activation, double goal) {
  const double* time = force->actuator_time + 3 * a;
  if (force->actuator_dynamics[a] != CAROM_ACTIVATION_MUSCLE) return time[0];
  return cr_muscle_compute_time(time, activation, goal - activation);
}

static double find_rate(const cr_force_model* force, int a, double activation, double control) {
  if (force->actuator_dynamics[a] == CAROM_ACTIVATION_INTEGRATOR) return control;
  double goal = find_goal(force, a, control);
  return (goal - activation) / fmax(LEAST_TIME, find_time(force, a, activation, goal));
}

/* Where a(t) heads for its goal with one time constant. */
static double relax(double a, double goal, double time, double h) {
  return goal + (a - goal) * exp(-h / fmax(LEAST_TIME, time));
}

static double advance(const cr_force_model* force, int a, double activation, double control,
                      double h) {
  const double* range = force->actuator_activation_range + 2 * a;
  if (force->actuator_dynamics[a] == CAROM_ACTIVATION_INTEGRATOR)
    return clamp(activation + h * control, range);
  double goal = find_goal(force, a, control);
  double time = find_time(force, a, activation, goal);
  double middle = relax(activation, goal, time, 0.5 * h);
  return clamp(relax(activation, goal, find_time(force, a, middle, goal), h), range);
}

/* The control of an actuator that has one, within its range. */
static double find_control(const cr_force_model* force, int a, const cr_actuator_state* s) {
  int i = force->actuator_control[a];
  return cr_actuator_clamp_control(force, i, s->ctrl[i]);
}

static bool has_activation(const cr_force_model* force, int a) {
  return force->actuator_activation[a] < force->actuator_activation[a + 1];
}

void cr_actuator_compute_inputs(const cr_force_model* force, int a, const cr_actuator_state* s,
                                double h, double* inputs) {
  double* input = inputs + force->actuator_input[a];
  if (force->actuator_law[a] >= 0) {
    cr_controller_compute_inputs(force, a, s, h, input);
    return;
  }
  double u = find_control(force, a, s), time = force->actuator_is_early[a] ? s->dt : h;
  *input = u;
  if (!has_activation(force, a)) return;
  double activation = s->act[force->actuator_activation[a]];
  *input = time > 0 ? advance(force, a, activation, u, time) : activation;
}

void cr_actuator_compute_rates(const cr_force_model* force, int a, const cr_actuator_state* s,
                               double* rates) {
  int i = force->actuator_activation[a];
  if (force->actuator_law[a] >= 0)
    cr_controller_compute_rates(force, a, s, rates + i);
  else if (has_activation(force, a))
    rates[i] = find_rate(force, a, s->act[i], find_control(force, a, s));
}

void cr_actuator_advance(const cr_force_model* force, int a, const cr_actuator_state* s,
                         double* act) {
  int i = force->actuator_activation[a];
  if (force->actuator_law[a] >= 0)
    cr_controller_advance(force, a, s, act + i);
  else if (has_activation(force, a))
    act[i] = advance(force, a, s->act[i], find_control(force, a, s), s->dt);
}
