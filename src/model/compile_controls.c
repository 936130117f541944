/* What actuators are told and what they remember: controls, activations, controllers and motors. */
#include "force/controller.h"
#include "model/compile.h"

#include <math.h>
#include <string.h>

/* The set of controls that an actuator with a controller or motor has. */
static int find_controls(const carom_actuator_def* def) {
  static const int DEFAULT[] = {[CAROM_LAW_PID] = CAROM_CONTROL_POSITION | CAROM_CONTROL_VELOCITY,
                                [CAROM_LAW_DC_MOTOR] = CAROM_CONTROL_VOLTAGE};
  return def->controls ? def->controls : DEFAULT[def->law];
}

static void fill_parameters(const carom_actuator_def* def, double* law) {
  const carom_controller* c = &def->controller;
  const carom_motor* m = &def->motor;
  memset(law, 0, CR_LAW_NUM_PARAMETERS * sizeof *law);
  law[CR_LAW_KI] = c->integral;
  law[CR_LAW_INTEGRAL_LIMIT] = c->integral_limit, law[CR_LAW_SLEW_LIMIT] = c->slew_limit;
  if (def->law != CAROM_LAW_DC_MOTOR) return;
  law[CR_LAW_KP] = c->proportional, law[CR_LAW_KD] = c->derivative;
  law[CR_LAW_VOLTAGE_LIMIT] = c->voltage_limit;
  law[CR_LAW_RESISTANCE] = m->resistance, law[CR_LAW_CONSTANT] = m->constant;
  law[CR_LAW_TIME] = m->time_constant, law[CR_LAW_CURRENT_RATE] = m->current_rate;
  law[CR_LAW_THERMAL_RESISTANCE] = m->thermal_resistance;
  law[CR_LAW_THERMAL_CAPACITANCE] = m->thermal_capacitance;
  law[CR_LAW_AMBIENT] = m->ambient_temperature, law[CR_LAW_REFERENCE] = m->reference_temperature;
  law[CR_LAW_COEFFICIENT] = m->temperature_coefficient;
  memcpy(law + CR_LAW_COGGING, m->cogging, sizeof m->cogging);
  law[CR_LAW_BRISTLE_STIFFNESS] = m->bristle_stiffness;
  law[CR_LAW_BRISTLE_DAMPING] = m->bristle_damping;
  law[CR_LAW_COULOMB] = m->coulomb_friction, law[CR_LAW_STATIC] = m->static_friction;
  law[CR_LAW_STRIBECK] = m->stribeck_speed;
}

cr_actuator_counts cr_count_actuator(const carom_actuator_def* def) {
  double law[CR_LAW_NUM_PARAMETERS];
  if (def->law == CAROM_LAW_GENERAL)
    return (cr_actuator_counts){1, def->activation != CAROM_ACTIVATION_NONE, 1, 0};
  cr_actuator_counts n = {0, 0, 0, 1};
  int kinds = find_controls(def);
  for (int k = 0; k < 4; k++) n.controls += (kinds & 1 << k) != 0;
  fill_parameters(def, law);
  n.activations = cr_controller_count_activations(law);
  n.inputs = cr_controller_count_inputs(law);
  return n;
}

static void fill_control(cr_compile* c, int control, int actuator, int kind) {
  const cr_force_model* f = &c->model->force;
  const carom_actuator_def* def = &CR_AT(&c->builder->actuators, cr_actuator_record, actuator)->def;
  bool is_pid = def->law == CAROM_LAW_PID, limited = def->control_limited;
  const double* range = def->control_range;
  if (is_pid && kind == CAROM_CONTROL_VELOCITY)
    limited = def->velocity_limited, range = def->velocity_range;
  if (is_pid && kind == CAROM_CONTROL_FORCE)
    limited = def->feedforward_limited, range = def->feedforward_range;
  CR_SET(int, f->control_actuator, control, actuator);
  CR_SET(int, f->control_kind, control, kind);
  CR_SET(double, f->control_range, 2 * control, limited ? range[0] : -INFINITY);
  CR_SET(double, f->control_range, 2 * control + 1, limited ? range[1] : INFINITY);
}

static void fill_law(cr_compile* c, int law, int actuator, const carom_actuator_def* def) {
  const cr_force_model* f = &c->model->force;
  CR_SET(int, f->actuator_law, actuator, law);
  CR_SET(int, f->law_controls, law, find_controls(def));
  CR_SET(int, f->law_stepwise, law, def->law == CAROM_LAW_PID && def->controller.is_stepwise);
  fill_parameters(def, CR_FILL(double, f->law) + CR_LAW_NUM_PARAMETERS * law);
}

/* A setpoint of an angle about one axis is an angle: of what may turn freely, where force is gain
 * times its distance from the length. */
static double find_period(const cr_compile* c, const carom_actuator_def* def) {
  bool follows =
      def->activation == CAROM_ACTIVATION_NONE || def->activation == CAROM_ACTIVATION_INTEGRATOR;
  bool is_servo = !def->is_muscle_gain && !def->is_muscle_bias && def->gain == -def->bias[1] &&
                  def->gain_feedback[0] == 0 && def->gain_feedback[1] == 0 && follows;
  bool is_pid = def->law == CAROM_LAW_PID && !def->controller.is_stepwise;
  const double *w = def->wrench, *turn = NULL;
  if (def->law == CAROM_LAW_GENERAL ? !is_servo : !is_pid) return 0;
  if (def->site.id && def->reference_site.id && w[0] == 0 && w[1] == 0 && w[2] == 0) turn = w + 3;
  if (def->joint.id &&
      CR_AT(&c->builder->joints, cr_joint_record, def->joint.id - 1)->def.type == CAROM_JOINT_BALL)
    turn = w;
  if (!turn) return 0;
  return 6.28318530717958647692 * fabs(def->gear) * v3_norm(v3_load(turn));
}

void cr_fill_controls(cr_compile* c, int index, const carom_actuator_def* def,
                      cr_actuator_counts* first) {
  const cr_force_model* f = &c->model->force;
  cr_actuator_counts n = cr_count_actuator(def);
  int kinds = def->law == CAROM_LAW_GENERAL ? 0 : find_controls(def), next = first->controls;
  CR_SET(int, f->actuator_control, index, first->controls);
  CR_SET(int, f->actuator_activation, index, first->activations);
  CR_SET(int, f->actuator_input, index, first->inputs);
  CR_SET(int, f->actuator_law, index, -1);
  CR_SET(int, f->actuator_dynamics, index, (int)def->activation);
  CR_SET(int, f->actuator_is_early, index, def->activation_early);
  CR_SET(double, f->actuator_period, index, find_period(c, def));
  memcpy(CR_FILL(double, f->actuator_time) + 3 * index, def->time_constant,
         sizeof def->time_constant);
  if (def->law == CAROM_LAW_GENERAL) fill_control(c, next, index, 0);
  for (int k = 0; k < 4; k++)
    if (kinds & 1 << k) fill_control(c, next++, index, 1 << k);
  if (n.laws) fill_law(c, first->laws, index, def);
  first->controls += n.controls, first->activations += n.activations;
  first->inputs += n.inputs, first->laws += n.laws;
}
