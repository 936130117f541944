/** @file
 * Quantities of a model at a configuration: poses, mass matrix, forces, accelerations, Jacobians.
 *
 * All in interface coordinates (carom/model.h), SI units. Constraints and contacts do not count.
 * Soft bodies count in mass, momentum and energy; matrices, forces and accelerations are those of
 * the joints, and end with their velocities.
 */
#ifndef CAROM_DYNAMICS_H
#define CAROM_DYNAMICS_H

#include "carom/model.h"

CAROM_BEGIN_DECLS

/** A configuration with velocity, and the workspace to evaluate it. One thread at a time. */
typedef struct carom_dynamics carom_dynamics;

/** Makes a workspace at the model's reference configuration, at rest, controls zero.
 * @param model must outlive it
 * @param allocator null: the C library's */
CAROM_API carom_status carom_dynamics_create(const carom_model* model,
                                             const carom_allocator* allocator,
                                             carom_dynamics** dynamics, carom_error* error);

/** Frees a workspace; null is allowed. */
CAROM_API void carom_dynamics_destroy(carom_dynamics* dynamics);

/** Places the model. Null: reference configuration, zero velocities, zero controls.
 * @param q [num_q], quaternions are normalised; @param v [num_v]; @param ctrl [num_controls] */
CAROM_API carom_status carom_dynamics_set(carom_dynamics* dynamics, const double* q,
                                          const double* v, const double* ctrl, carom_error* error);

/** Sets the actuators' activations [num_activations]; null: zero, as carom_dynamics_set leaves
 * them.
 */
CAROM_API carom_status carom_dynamics_set_activations(carom_dynamics* dynamics, const double* act,
                                                      carom_error* error);

/** Poses of all bodies [7 num_bodies]: position of the frame's origin, quaternion w x y z. */
CAROM_API void carom_dynamics_compute_poses(carom_dynamics* dynamics, double* poses);

/** Poses of all sites [7 num_sites]: position, quaternion w x y z. */
CAROM_API void carom_dynamics_compute_site_poses(carom_dynamics* dynamics, double* poses);

/** Joint-space mass matrix with armature [num_v, num_v] (symmetric), composite rigid body
 * algorithm. */
CAROM_API void carom_dynamics_compute_mass_matrix(carom_dynamics* dynamics, double* M);

/** Bias forces [num_v]: M a + bias = applied forces; Coriolis, centrifugal, gyroscopic terms and
 * gravity, by recursive Newton-Euler. */
CAROM_API void carom_dynamics_compute_bias(carom_dynamics* dynamics, double* bias);

/** Passive forces [num_v]: joint springs and dampers, springs between points, tendons, fluid, what
 * bears weight but at joints whose actuators do. */
CAROM_API void carom_dynamics_compute_passive(carom_dynamics* dynamics, double* passive);

/** Forces of the actuators in joint space [num_v], limits applied; with what bears weight at joints
 * whose actuators do. */
CAROM_API void carom_dynamics_compute_actuation(carom_dynamics* dynamics, double* actuation);

/** Lengths and rates of the tendons [num_tendons]; either may be null. */
CAROM_API void carom_dynamics_compute_tendons(carom_dynamics* dynamics, double* length,
                                              double* rate);

/** Rates of the tendons' lengths per velocity [num_tendons, num_v], row-major. */
CAROM_API void carom_dynamics_compute_tendon_jacobian(carom_dynamics* dynamics, double* J);

/** Lengths and rates of the actuators, times their gears, and their forces within their own ranges
 * [num_actuators]; each may be null. */
CAROM_API void carom_dynamics_compute_actuators(carom_dynamics* dynamics, double* length,
                                                double* rate, double* force);

/** What a unit of an actuator's force does in joint space [num_actuators, num_v], row-major. */
CAROM_API void carom_dynamics_compute_actuator_moment(carom_dynamics* dynamics, double* moment);

/** Rates of the activations [num_activations] at the controls. */
CAROM_API void carom_dynamics_compute_activation_rates(carom_dynamics* dynamics, double* rates);

/** Joint forces [num_v] that give the acceleration a [num_v]: M a + bias. */
CAROM_API void carom_dynamics_compute_inverse(carom_dynamics* dynamics, const double* a,
                                              double* force);

/** Accelerations [num_v] under the joint forces [num_v] (null: none) and the bias, by the
 * articulated-body algorithm. Passive and actuator forces count when `all` is true.
 * @return CAROM_ERROR_NUMERICAL where the mass matrix is not positive definite */
CAROM_API carom_status carom_dynamics_compute_forward(carom_dynamics* dynamics, const double* force,
                                                      bool all, double* a, carom_error* error);

/** Jacobians of a point that moves with a body: velocity of the world point [3, num_v] row-major
 * and angular velocity in world axes [3, num_v]; either may be null. */
CAROM_API void carom_dynamics_compute_jacobian(carom_dynamics* dynamics, int body,
                                               const double point[3], double* linear,
                                               double* angular);

/** Centre of mass of everything that moves or not, world frame, m; returns the total mass, kg. */
CAROM_API double carom_dynamics_compute_com(carom_dynamics* dynamics, double com[3]);

/** Momentum about the world's origin: linear, kg m/s, and angular, kg m²/s. */
CAROM_API void carom_dynamics_compute_momentum(carom_dynamics* dynamics, double linear[3],
                                               double angular[3]);

/** Kinetic energy (with armature) and potential energy (- sum m g.x plus springs), J. */
CAROM_API void carom_dynamics_compute_energy(carom_dynamics* dynamics, double* kinetic,
                                             double* potential);

CAROM_END_DECLS

#endif
