/* Laws of actuators: force from control or activation, length and rate; what activations do. */
#ifndef CR_FORCE_ACTUATOR_H
#define CR_FORCE_ACTUATOR_H

#include "force/controller.h"

/* A control, clamped to its range. */
double cr_actuator_clamp_control(const cr_force_model* force, int index, double control);

/* What the force depends on beside length and rate: the control within its range, or the activation
 * after the time h under it, of early ones after the whole step; of controllers and motors more.
 * @param inputs [num_inputs] of which the actuator's are written */
void cr_actuator_compute_inputs(const cr_force_model* force, int actuator,
                                const cr_actuator_state* state, double h, double* inputs);

/* Force at length l = gear x and rate l', before the clamp.
 * @param inputs [num_inputs] of all actuators */
double cr_actuator_compute_force(const cr_force_model* force, int actuator, const double* inputs,
                                 double l, double l_dot);

/* What an actuator does where it works, x its coordinate there and x' the rate: gear times the
 * force within its range, and how that falls with x and x'; where the range holds it, it does not.
 */
cr_drive cr_actuator_compute_drive(const cr_force_model* force, int actuator, const double* inputs,
                                   double x, double x_dot);

/* Its force within its range and that of what it works on, before its gear. */
double cr_actuator_compute_held_force(const cr_force_model* force, int actuator,
                                      const double* inputs, double x, double x_dot);

/* Of the forces of all actuators on a line, at its length and rate, the share that the bound of its
 * tendon leaves; 1 where there is none. */
double cr_actuator_find_share(const cr_force_model* force, int line, const double* inputs,
                              double length, double rate);

/* The same drive where that share is all that counts of its force, which does not fall with x and
 * x'. */
cr_drive cr_actuator_compute_held_drive(const cr_force_model* force, int actuator,
                                        const double* inputs, double x, double x_dot, double share);

/* Is there a bound on what the actuators of a line do together? */
bool cr_actuator_is_bounded(const cr_force_model* force, int line);

/* True where the force depends on length or rate. */
bool cr_actuator_has_feedback(const cr_force_model* force, int actuator);

/* Coordinate and rate of what an actuator works on, before its gear; tau += its force there. */
double cr_actuator_find_coordinate(const cr_force_model* force, int actuator, const cr_lines* lines,
                                   const double* q);
double cr_actuator_find_rate(const cr_force_model* force, int actuator, const cr_lines* lines,
                             const double* v);
void cr_actuator_add_force(const cr_force_model* force, int actuator, const cr_lines* lines,
                           double value, double* tau);

/* Keeps what actuators do to the dofs [first, end) within the joints' bounds.
 * @param is_held [num_v] receives where they bind; may be null */
void cr_actuator_clamp_drives(const cr_force_model* force, int first, int end, double* tau,
                              int* is_held);

/* Rates of an actuator's activations.
 * @param rates [num_activations] of which its own are written */
void cr_actuator_compute_rates(const cr_force_model* force, int actuator,
                               const cr_actuator_state* state, double* rates);

/* Its activations after the state's step under constant controls: exact where the time constant is,
 * else of the second order and stable at any step.
 * @param act [num_activations] likewise */
void cr_actuator_advance(const cr_force_model* force, int actuator, const cr_actuator_state* state,
                         double* act);

#endif
