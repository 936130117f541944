/* u = kp (p - l) + kd (r - l') + ki z + f, and the motor's V = R/K u + K l', whose second part
 * takes back what the motion induces. Friction of motors: bristles of deflection z, z' = l' - s0
 * |l'| z / g(l'), g of Coulomb and Stribeck (Canudas de Wit et al., IEEE Trans. Autom. Control 40,
 * 1995). */
#include "force/controller.h"

#include "force/actuator.h"
#include "force/controller_law.h"

#include <math.h>

#define TWO_SIDE 1e-6 /* of the speed: for slopes of friction */

enum { PID_FORCE, PID_SETPOINT, PID_NUM_INPUTS };

enum {
  MOTOR_VOLTAGE, /* at l = l' = 0 */
  MOTOR_RAW,     /* beside the controller's */
  MOTOR_RESISTANCE,
  MOTOR_CURRENT,
  MOTOR_CURRENT_TIME, /* from there to where the force counts */
  MOTOR_BRISTLES,
  MOTOR_BRISTLES_TIME,
  MOTOR_NUM_INPUTS,
};

cr_law_slots cr_law_find_slots(const double* law, bool stepwise) {
  cr_law_slots s = {-1, -1, -1, -1, -1, 0};
  if (stepwise && law[CR_LAW_KI] > 0) s.integral = s.count++;
  if (law[CR_LAW_SLEW_LIMIT] > 0) s.setpoint = s.count++;
  if (!stepwise && law[CR_LAW_KI] > 0) s.integral = s.count++;
  if (law[CR_LAW_THERMAL_RESISTANCE] > 0) s.temperature = s.count++;
  if (law[CR_LAW_BRISTLE_STIFFNESS] > 0) s.bristles = s.count++;
  if (law[CR_LAW_TIME] > 0) s.current = s.count++;
  return s;
}

int cr_controller_count_activations(const double* law) {
  return cr_law_find_slots(law, false).count;
}

static bool is_motor(const double* law) { return law[CR_LAW_RESISTANCE] > 0; }

int cr_controller_count_inputs(const double* law) {
  return is_motor(law) ? MOTOR_NUM_INPUTS : PID_NUM_INPUTS;
}

double cr_controller_wrap(double u, double l, double period) {
  return period > 0 ? u - period * floor((u - l) / period + 0.5) : u;
}

/* --- Controls -----------------------------------------------------------------------------------
 */

/* What a law goes by at a state. */
typedef struct control {
  const double* law;
  cr_law_slots slot;
  const double* act; /* of the law */
  bool stepwise;
  int kinds;                                 /* of its controls */
  double position, velocity, force, voltage; /* 0 where they are not controlled */
  double setpoint_rate, integral, rate;      /* of the first control as it counts; z, z' */
} control;

/* A control within its range; the next one follows. */
static double take(const cr_force_model* force, const cr_actuator_state* s, int* next) {
  int i = (*next)++;
  return cr_actuator_clamp_control(force, i, s->ctrl[i]);
}

/* The first control follows what it says no faster than its limit. */
static double limit_rate(const control* c, double u, double period, double dt, double* rate) {
  double before = c->act[c->slot.setpoint], most = c->law[CR_LAW_SLEW_LIMIT] * dt;
  double after = fmin(fmax(cr_controller_wrap(u, before, period), before - most), before + most);
  *rate = (after - before) / dt;
  return after;
}

/* z' = p - l, which does not grow z beyond its limit. */
static double find_integral_rate(const control* c, const cr_actuator_state* s, double period) {
  double error = cr_controller_wrap(c->position, s->l, period) - s->l;
  double most = c->law[CR_LAW_INTEGRAL_LIMIT], z = c->integral;
  if (!(most > 0)) return error;
  if (c->stepwise) return (fmin(fmax(z + s->dt * error, -most), most) - z) / s->dt;
  if (z >= most) return fmin(error, 0);
  return z <= -most ? fmax(error, 0) : error;
}

static control read_control(const cr_force_model* force, int a, const cr_actuator_state* s) {
  int i = force->actuator_law[a], next = force->actuator_control[a];
  double period = force->actuator_period[a];
  control c = {.law = force->law + CR_LAW_NUM_PARAMETERS * i,
               .stepwise = force->law_stepwise[i] != 0,
               .act = s->act + force->actuator_activation[a],
               .kinds = force->law_controls[i]};
  c.slot = cr_law_find_slots(c.law, c.stepwise);
  double* const kinds[] = {&c.position, &c.velocity, &c.force, &c.voltage};
  for (int k = 0; k < 4; k++) {
    if (!(c.kinds & 1 << k)) continue;
    bool is_first = next == force->actuator_control[a];
    *kinds[k] = take(force, s, &next);
    if (is_first && c.slot.setpoint >= 0)
      *kinds[k] = limit_rate(&c, *kinds[k], period, s->dt, &c.setpoint_rate);
  }
  if (c.slot.integral < 0) return c;
  c.integral = c.act[c.slot.integral];
  c.rate = find_integral_rate(&c, s, period);
  return c;
}

/* --- Inputs -------------------------------------------------------------------------------------
 */

/* R at the temperature that the motor has. */
static double find_resistance(const control* c) {
  const double* law = c->law;
  if (c->slot.temperature < 0) return law[CR_LAW_RESISTANCE];
  double T = c->act[c->slot.temperature] + law[CR_LAW_AMBIENT] - law[CR_LAW_REFERENCE];
  return law[CR_LAW_RESISTANCE] * (1 + law[CR_LAW_COEFFICIENT] * T);
}

static void fill_motor(const control* c, const cr_actuator_state* s, double h, double* input) {
  const double* law = c->law;
  double torque = law[CR_LAW_KP] * c->position + law[CR_LAW_KD] * c->velocity +
                  law[CR_LAW_KI] * c->integral + c->force;
  input[MOTOR_VOLTAGE] = law[CR_LAW_RESISTANCE] / fmax(CR_LAW_LEAST, law[CR_LAW_CONSTANT]) * torque;
  input[MOTOR_RAW] = c->voltage;
  input[MOTOR_RESISTANCE] = find_resistance(c);
  input[MOTOR_CURRENT] = c->slot.current < 0 ? 0 : c->act[c->slot.current];
  input[MOTOR_CURRENT_TIME] = s->dt;
  input[MOTOR_BRISTLES] = c->slot.bristles < 0 ? 0 : c->act[c->slot.bristles];
  input[MOTOR_BRISTLES_TIME] = h;
}

static double clamp(double x, const double range[2]) { return fmin(fmax(x, range[0]), range[1]); }

void cr_controller_compute_inputs(const cr_force_model* force, int a, const cr_actuator_state* s,
                                  double h, double* input) {
  control c = read_control(force, a, s);
  if (is_motor(c.law)) {
    fill_motor(&c, s, h, input);
    return;
  }
  const double *bias = force->actuator_bias + 3 * a,
               *range = force->actuator_activation_range + 2 * a;
  double z = c.integral, time = c.stepwise || force->actuator_is_early[a] ? s->dt : h;
  if (time > 0 && c.slot.integral >= 0) z = clamp(z + time * c.rate, range);
  input[PID_FORCE] = c.force - bias[1] * c.position - bias[2] * c.velocity + c.law[CR_LAW_KI] * z;
  input[PID_SETPOINT] = c.position;
}

/* --- Torque -------------------------------------------------------------------------------------
 */

/* A voltage, with its slopes over length and rate. */
typedef struct voltage {
  double value, per_length, per_rate;
} voltage;

static voltage find_voltage(const double* law, int kinds, const double* input, double l,
                            double l_dot) {
  double raw = input[MOTOR_RAW], K = law[CR_LAW_CONSTANT], most = law[CR_LAW_VOLTAGE_LIMIT];
  if (!(kinds & CR_LAW_CONTROLLER)) return (voltage){raw, 0, 0};
  double scale = law[CR_LAW_RESISTANCE] / K;
  double per_length = -scale * law[CR_LAW_KP], per_rate = K - scale * law[CR_LAW_KD];
  double value = input[MOTOR_VOLTAGE] + per_length * l + per_rate * l_dot;
  if (most > 0 && fabs(value) > most) return (voltage){copysign(most, value) + raw, 0, 0};
  return (voltage){value + raw, per_length, per_rate};
}

double cr_law_find_way(double time_constant, double h) {
  return time_constant * (1 - exp(-h / fmax(CR_LAW_LEAST, time_constant)));
}

static double find_current_rate(const double* law, double resistance, double current, double V,
                                double l_dot) {
  double most = law[CR_LAW_CURRENT_RATE];
  double rate = ((V - law[CR_LAW_CONSTANT] * l_dot) / resistance - current) / law[CR_LAW_TIME];
  return most > 0 ? fmin(fmax(rate, -most), most) : rate;
}

cr_drive cr_motor_compute_torque(const cr_force_model* force, int a, const double* input, double l,
                                 double l_dot) {
  int i = force->actuator_law[a];
  const double* law = force->law + CR_LAW_NUM_PARAMETERS * i;
  double K = law[CR_LAW_CONSTANT], R = fmax(CR_LAW_LEAST, input[MOTOR_RESISTANCE]);
  double T = law[CR_LAW_TIME], most = law[CR_LAW_CURRENT_RATE];
  voltage V = find_voltage(law, force->law_controls[i], input, l, l_dot);
  double per_volt = K / R;
  if (T > 0) {
    double way = cr_law_find_way(T, input[MOTOR_CURRENT_TIME]), current = input[MOTOR_CURRENT];
    double rate = find_current_rate(law, input[MOTOR_RESISTANCE], current, V.value, l_dot);
    double torque = K * (current + way * rate);
    if (most > 0 && fabs(rate) >= most) return (cr_drive){torque, 0, 0};
    per_volt *= way / T;
    return (cr_drive){torque, -per_volt * V.per_length, per_volt * (K - V.per_rate)};
  }
  return (cr_drive){per_volt * (V.value - K * l_dot), -per_volt * V.per_length,
                    per_volt * (K - V.per_rate)};
}

/* --- Friction -----------------------------------------------------------------------------------
 */

/* z' = l' + decay z. */
static double find_decay(const double* law, double l_dot) {
  double ratio = l_dot / fmax(CR_LAW_LEAST, law[CR_LAW_STRIBECK]);
  double slip =
      law[CR_LAW_COULOMB] + (law[CR_LAW_STATIC] - law[CR_LAW_COULOMB]) * exp(-ratio * ratio);
  return -law[CR_LAW_BRISTLE_STIFFNESS] * fabs(l_dot) / fmax(CR_LAW_LEAST, slip);
}

/* z after h at a steady rate. */
static double bend(const double* law, double z, double l_dot, double h) {
  double decay = find_decay(law, l_dot), rest = exp(decay * h);
  double way = fabs(decay) > CR_LAW_LEAST ? (rest - 1) / decay : h;
  return rest * z + way * l_dot;
}

static double find_friction(const double* law, const double* input, double l_dot) {
  double z = bend(law, input[MOTOR_BRISTLES], l_dot, input[MOTOR_BRISTLES_TIME]);
  double z_dot = find_decay(law, l_dot) * z + l_dot;
  return -law[CR_LAW_BRISTLE_STIFFNESS] * z - law[CR_LAW_BRISTLE_DAMPING] * z_dot;
}

cr_drive cr_motor_compute_losses(const cr_force_model* force, int a, const double* input, double l,
                                 double l_dot) {
  const double* law = force->law + CR_LAW_NUM_PARAMETERS * force->actuator_law[a];
  const double* cog = law + CR_LAW_COGGING;
  double angle = cog[1] * l + cog[2];
  cr_drive drive = {cog[0] * sin(angle), -cog[0] * cog[1] * cos(angle), 0};
  if (!(law[CR_LAW_BRISTLE_STIFFNESS] > 0)) return drive;
  double h = TWO_SIDE * fmax(law[CR_LAW_STRIBECK], fabs(l_dot)) + CR_LAW_LEAST;
  drive.force += find_friction(law, input, l_dot);
  drive.damping =
      (find_friction(law, input, l_dot - h) - find_friction(law, input, l_dot + h)) / (2 * h);
  return drive;
}

/* --- Activations --------------------------------------------------------------------------------
 */

/* Rates of a motor's own activations. */
static void find_motor_rates(const control* c, const cr_actuator_state* s, double* rates) {
  const double* law = c->law;
  double input[MOTOR_NUM_INPUTS];
  fill_motor(c, s, 0, input);
  double V = find_voltage(law, c->kinds, input, s->l, s->l_dot).value, R = input[MOTOR_RESISTANCE];
  if (c->slot.temperature >= 0) {
    double current =
        law[CR_LAW_TIME] > 0 ? input[MOTOR_CURRENT] : (V - law[CR_LAW_CONSTANT] * s->l_dot) / R;
    double leak = c->act[c->slot.temperature] / law[CR_LAW_THERMAL_RESISTANCE];
    rates[c->slot.temperature] = (R * current * current - leak) / law[CR_LAW_THERMAL_CAPACITANCE];
  }
  if (c->slot.bristles >= 0)
    rates[c->slot.bristles] = find_decay(law, s->l_dot) * input[MOTOR_BRISTLES] + s->l_dot;
  if (c->slot.current >= 0)
    rates[c->slot.current] = find_current_rate(law, R, input[MOTOR_CURRENT], V, s->l_dot);
}

static void find_rates(const control* c, const cr_actuator_state* s, double* rates) {
  if (c->slot.setpoint >= 0) rates[c->slot.setpoint] = c->setpoint_rate;
  if (c->slot.integral >= 0) rates[c->slot.integral] = c->rate;
  if (is_motor(c->law)) find_motor_rates(c, s, rates);
}

void cr_controller_compute_rates(const cr_force_model* force, int a, const cr_actuator_state* s,
                                 double* rates) {
  control c = read_control(force, a, s);
  find_rates(&c, s, rates);
}

void cr_controller_advance(const cr_force_model* force, int a, const cr_actuator_state* s,
                           double* act) {
  control c = read_control(force, a, s);
  const double *law = c.law, *range = force->actuator_activation_range + 2 * a;
  double most = law[CR_LAW_INTEGRAL_LIMIT];
  find_rates(&c, s, act);
  for (int i = 0; i < c.slot.count; i++) {
    double time = i == c.slot.current ? cr_law_find_way(law[CR_LAW_TIME], s->dt) : s->dt;
    act[i] = i == c.slot.bristles ? bend(law, c.act[i], s->l_dot, s->dt) : c.act[i] + time * act[i];
    if (i == c.slot.integral && is_motor(law) && most > 0) act[i] = fmin(fmax(act[i], -most), most);
    act[i] = clamp(act[i], range);
  }
}
