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
  const carom_parameter* parameters; /**< [num_parameters] of the model's description: its gravity;
                                          mass, com and inertia of bodies; stiffness,
                                          spring_reference, damping, armature and friction_loss of
                                          joints; gain, gain_feedback and bias of actuators;
                                          friction, stiffness and dissipation of geometries and
                                          pairs. As carom_builder_set_parameter changes them */
  int num_parameters;
  int num_kinks;       /**< constraints at which derivatives to either side differ, or nearly so */
  double nearest_kink; /**< how near the nearest kink is, relative to what decides it; inf: none */
  int num_held; /**< constraints whose recovery from violation or rebound, stiff dampers whose
                     weights, and tight rows whose stiffness are held in the derivative though they
                     would move: it is exact where this is 0 */
} carom_linearization;

/** Numbers of a tangent state, 2 num_v + num_activations. */
CAROM_API int carom_model_get_num_x(const carom_model* model);

/** Linearises the step that the simulation would take next; the simulation stays as it is, but for
 * what it keeps to be faster, and for the contacts and reactions of the last step, which are empty
 * afterwards. What sleeps is awake in that step. By implicit differentiation of
 * both stages at their solution, without differences.
 * @return CAROM_ERROR_UNSUPPORTED names what has no derivative yet: soft bodies, the
 * fluid, motors and controllers with states, adhesion, friction laws but Coulomb's and the convex
 * one, relinearised steps; or which parameters have;
 * CAROM_ERROR_NUMERICAL says that the step fails, or is taken in parts */
CAROM_API carom_status carom_sim_linearize(carom_sim* sim, carom_linearization* linearization,
                                           carom_error* error);

/** The transpose of a step's derivative times a vector. Arrays may be null: not wanted. */
typedef struct carom_vjp {
  double* x0;                        /**< [num_x] Aᵀ x1 */
  double* u;                         /**< [num_controls] Bᵀ x1 */
  double* theta;                     /**< [sum of the parameters' counts] Cᵀ x1 */
  const carom_parameter* parameters; /**< [num_parameters] as in carom_linearization */
  int num_parameters;
  int num_kinks, num_held; /**< as in carom_linearization */
  double nearest_kink;
} carom_vjp;

/** Pulls a cotangent x1 [num_x] back through the step that the simulation would take next, by one
 * transposed solve of each stage for all that is wanted. Otherwise as carom_sim_linearize. */
CAROM_API carom_status carom_sim_compute_vjp(carom_sim* sim, const double* x1, carom_vjp* vjp,
                                             carom_error* error);

CAROM_END_DECLS

#endif
