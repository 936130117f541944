/** @file
 * Derivatives of a step, exact for the discrete step (docs/derivatives.md).
 *
 * A step leads from the state x0 = (q0, v0, a0) under the controls u to x1 = (q1, v1, a1), with the
 * activations a of the actuators. Configurations are differentiated along tangents, in the
 * coordinates of the interface's velocities [num_v]: of hinges and slides the coordinate (rad, m),
 * of balls the rotation vector in the body's frame (rad), of free joints the way of the frame's
 * origin (m, world axes), then the rotation vector. So a state has num_x = 2 num_v +
 * num_activations numbers.
 */
#ifndef CAROM_DERIVATIVES_H
#define CAROM_DERIVATIVES_H

#include "carom/parameter.h"
#include "carom/sim.h"

CAROM_BEGIN_DECLS

/** What a step's derivative is. Matrices are row-major; null: not wanted. */
typedef struct carom_linearization {
  double* A; /**< [num_x, num_x] d x1 / d x0 */
  double* B; /**< [num_x, num_controls] d x1 / d u */
  double* C; /**< [num_x, sum of the parameters' counts] d x1 / d theta, the numbers of each
                  parameter side by side */
  const carom_parameter* parameters; /**< [num_parameters] of the model's description: its gravity,
                                          fluid_density, fluid_viscosity and wind;
                                          mass, com, inertia, position, quaternion and
                                          gravity_compensation of bodies;
                                          range, limit_stiffness and limit_dissipation of joints
                                          and tendons, whose friction_loss; anchors, distance,
                                          polynomial, stiffness and dissipation of equalities;
                                          anchor, axis, stiffness, spring_reference, damping,
                                        armature and friction_loss of joints; gain, gain_feedback
                                        and bias of actuators; friction, stiffness and dissipation
                                        of geometries and pairs, sizes and positions of geometries.
                                        As carom_builder_set_parameter changes them */
  int num_parameters;
  double smoothing; /**< m/s; 0: the derivative of the program's own branch. Else that of the step
                         whose constraints of all that may touch are smooth at such a speed: on the
                         central path of the interior point (docs/derivatives.md) */
  int num_kinks;    /**< constraints at which derivatives to either side of a change of 1e-6 m/s
                         (rad/s), or dt times it of places, differ by a thousandth; a step that is
                         taken in parts after a failure is one, too */
  double nearest_kink; /**< how near the nearest kink is, relative to what decides it; inf: none */
  double kink_speed;   /**< m/s (rad/s), by which a constraint's velocity would have to change for
                            the nearest one of a law; inf: none */
  int num_held; /**< constraints whose recovery from violation, stiff dampers whose weights, soft
                     bodies' contacts whose critical dissipation, tight strings around bodies,
                     and forces of adhesion whose places are held in the derivative though they
                     would move: it is exact where this is 0 (docs/derivatives.md) */
} carom_linearization;

/** Numbers of a tangent state, 2 num_v + num_activations. */
CAROM_API int carom_model_get_num_x(const carom_model* model);

/** Linearises the step that the simulation would take next; the simulation stays as it is, but for
 * what it keeps to be faster. What sleeps is awake in that step. By implicit differentiation of
 * both stages at their solution, without differences. What anchored and lagged friction take over
 * from the last step is held.
 * @return CAROM_ERROR_UNSUPPORTED names what has no derivative yet, as contacts that a
 * sweep has found along several normals, or which parameters have; CAROM_ERROR_NUMERICAL says that
 * the step fails, or is braked */
CAROM_API carom_status carom_sim_linearize(carom_sim* sim, carom_linearization* linearization,
                                           carom_error* error);

/** What readings move with. A reading is a sensor's index, or one of the energies. */
enum {
  CAROM_READING_KINETIC = -1,  /**< J, [1] as CAROM_SENSOR_KINETIC_ENERGY */
  CAROM_READING_POTENTIAL = -2 /**< J, [1] as CAROM_SENSOR_POTENTIAL_ENERGY: gravity, springs */
};
typedef struct carom_reading_derivatives {
  const int* of;   /**< [num_of] sensors, energies; their numbers are rows, one after the other */
  int num_of;      /**< */
  bool after_step; /**< of the readings after the step that the simulation would take next, over the
                        state before it; else of those of the state as it is */
  double* x;       /**< [rows, num_x] d reading / d x0; row-major, as the next; null: not wanted */
  double* u;       /**< [rows, num_controls] */
  double* theta;   /**< [rows, sum of the parameters' counts] */
  const carom_parameter* parameters; /**< [num_parameters] as in carom_linearization */
  int num_parameters;
  double smoothing; /**< m/s; of the step, as in carom_linearization, as the next */
  int num_kinks, num_held;
  double nearest_kink, kink_speed;
} carom_reading_derivatives;

/** Numbers of readings together; -1 where one of them is none. */
CAROM_API int carom_model_count_readings(const carom_model* model, const int* of, int num_of);

/** How sensors and energies move with state, controls and parameters, by analytic pieces. Where a
 * cutoff holds a reading it does not move. The simulation stays as it is.
 * @return CAROM_ERROR_UNSUPPORTED names what has no derivative: of accelerations and forces those
 * of a state without its step; else as carom_sim_linearize */
CAROM_API carom_status carom_sim_differentiate_readings(carom_sim* sim,
                                                        carom_reading_derivatives* readings,
                                                        carom_error* error);

/** The transpose of a step's derivative times a vector. Arrays may be null: not wanted. */
typedef struct carom_vjp {
  double* x0;                        /**< [num_x] Aᵀ x1 */
  double* u;                         /**< [num_controls] Bᵀ x1 */
  double* theta;                     /**< [sum of the parameters' counts] Cᵀ x1 */
  const carom_parameter* parameters; /**< [num_parameters] as in carom_linearization */
  int num_parameters;
  double smoothing; /**< m/s; as in carom_linearization, as the next */
  int num_kinks, num_held;
  double nearest_kink, kink_speed;
} carom_vjp;

/** Pulls a cotangent x1 [num_x] back through the step that the simulation would take next, by one
 * transposed solve of each stage for all that is wanted. Otherwise as carom_sim_linearize. */
CAROM_API carom_status carom_sim_compute_vjp(carom_sim* sim, const double* x1, carom_vjp* vjp,
                                             carom_error* error);

/** Steps of a simulation that can be gone back. It keeps states, and derivatives are made on the
 * way back; the simulation must outlive it. */
typedef struct carom_tape carom_tape;

typedef struct carom_tape_def {
  const carom_parameter* parameters; /**< [num_parameters] as in carom_linearization; copied */
  int num_parameters;
  int keep;         /**< of every so many steps the state is kept (0: 1), the others are taken again
                         on the way back, to the same bits: with the root of the number of steps
                         memory and time are balanced. Wrenches and forces on nodes are then to stay
                         the same between states that are kept */
  double smoothing; /**< m/s; as in carom_linearization */
} carom_tape_def;

/** An empty tape. With anchored and lagged friction it also carries what contacts remember from
 * step to step; what they remember before the first is given.
 * @param def null: every state, no parameters */
CAROM_API carom_status carom_tape_create(carom_sim* sim, const carom_tape_def* def,
                                         carom_tape** tape, carom_error* error);
CAROM_API void carom_tape_destroy(carom_tape* tape);
CAROM_API int carom_tape_get_num_steps(const carom_tape* tape);

/** Takes a step of the simulation, under its controls, as carom_sim_step. */
CAROM_API carom_status carom_tape_step(carom_tape* tape, carom_step_report* report,
                                       carom_error* error);

/** The gradient of a loss over the trajectory. The simulation stands at the end of the tape again
 * afterwards.
 * @param end [num_x] the loss's derivative over the last state
 * @param running [steps, num_x] over the state before each step; null: none
 * @param gradient x0 [num_x] of the first state, u [steps, num_controls], theta summed over all
 *        steps; its parameters and smoothing are not read. Kinks and what is held are sums
 * @return as carom_sim_compute_vjp */
CAROM_API carom_status carom_tape_pull_back(carom_tape* tape, const double* end,
                                            const double* running, carom_vjp* gradient,
                                            carom_error* error);

CAROM_END_DECLS

#endif
