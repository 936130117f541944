/* Laws with states of their own: controllers (PID, with a limit on the setpoint's rate), and motors
 * that they or a voltage drive (direct current, with inductance, heat, cogging and LuGre friction).
 * As MuJoCo 4.0's `pid`, `dcmotor` and its plugin `mujoco.pid` have them. */
#ifndef CR_FORCE_CONTROLLER_H
#define CR_FORCE_CONTROLLER_H

#include "force/force.h"

/* What an actuator's input and activations go by. */
typedef struct cr_actuator_state {
  const double* ctrl; /* [num_controls] within their ranges or not */
  const double* act;  /* [num_activations] */
  double l, l_dot;    /* its length and rate, gear counted in; only controllers and motors ask */
  double dt;          /* s, of the step, over which the setpoint's rate is limited */
} cr_actuator_state;

/* A force, and how it falls with what it depends on. */
typedef struct cr_drive {
  double force, stiffness, damping;
} cr_drive;

/* How many activations and inputs a law has. */
int cr_controller_count_activations(const double* law);
int cr_controller_count_inputs(const double* law);

/* The setpoint that counts at a length: u plus a multiple of the period, nearest to the length. */
double cr_controller_wrap(double u, double l, double period);

/* What the force depends on beside length and rate.
 * @param h time from the state to where the force counts; the integral of stepwise controllers and
 * of early ones, and the current of motors, count at the step's end
 * @param input [cr_controller_count_inputs] of a PID: what is added to its bias, and the setpoint
 */
void cr_controller_compute_inputs(const cr_force_model* force, int actuator,
                                  const cr_actuator_state* state, double h, double* input);

/* Rates of the law's activations at the state, in their order. */
void cr_controller_compute_rates(const cr_force_model* force, int actuator,
                                 const cr_actuator_state* state, double* rates);

/* The activations after dt, in their order. */
void cr_controller_advance(const cr_force_model* force, int actuator,
                           const cr_actuator_state* state, double* act);

/* The torque of a motor's current; slopes too. */
cr_drive cr_motor_compute_torque(const cr_force_model* force, int actuator, const double* input,
                                 double l, double l_dot);

/* What a motor's magnets and bearings do: cogging and friction. */
cr_drive cr_motor_compute_losses(const cr_force_model* force, int actuator, const double* input,
                                 double l, double l_dot);

#endif
