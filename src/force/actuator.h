/* Laws of actuators: force from control or activation, length and rate; what activations do. */
#ifndef CR_FORCE_ACTUATOR_H
#define CR_FORCE_ACTUATOR_H

#include "force/force.h"

/* The control, clamped to its range. */
double cr_actuator_clamp_control(const cr_force_model* force, int actuator, double control);

/* What the force depends on beside length and rate: the control within its range, or the activation
 * after the time h under it.
 * @param activations [num_activations] */
double cr_actuator_find_input(const cr_force_model* force, int actuator, const double* activations,
                              double control, double h);

/* Force at length l = gear x and rate l', before the clamp.
 * @param u the control within its range, or the activation */
double cr_actuator_compute_force(const cr_force_model* force, int actuator, double u, double l,
                                 double l_dot);

/* What an actuator does where it works, x its coordinate there and x' the rate: gear times the
 * force within its range, and how that falls with x and x'; where the range holds it, it does not.
 */
typedef struct cr_drive {
  double force, stiffness, damping;
} cr_drive;

cr_drive cr_actuator_compute_drive(const cr_force_model* force, int actuator, double u, double x,
                                   double x_dot);

/* Of the forces of all actuators on a line, at its length and rate, the share that the bound of its
 * tendon leaves; 1 where there is none.
 * @param u [num_actuators] */
double cr_actuator_find_share(const cr_force_model* force, int line, const double* u, double length,
                              double rate);

/* The same where that share is all that counts of its force, which does not fall with x and x'. */
cr_drive cr_actuator_compute_held_drive(const cr_force_model* force, int actuator, double u,
                                        double x, double x_dot, double share);

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

/* da/dt of an activation at a control within its range. */
double cr_actuator_compute_activation_rate(const cr_force_model* force, int actuator,
                                           double activation, double control);

/* The activation after the time h under a constant control: exact where its time constant is, else
 * of the second order and stable at any h. */
double cr_actuator_advance_activation(const cr_force_model* force, int actuator, double activation,
                                      double control, double h);

#endif
