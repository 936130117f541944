/* The force of a spring by which a body is dragged. */
#ifndef LIVE_SPRING_H
#define LIVE_SPRING_H

#include "command.h"

#include "carom/dynamics.h"

/* Force and torque at the body's centre of mass, world frame,
 *
 *     f = k (target - p) - c v_p,   k = s m w², c = 2 sqrt(k m),
 *
 * with m the body's mass, w = 15 rad/s and s the strength: critically damped. Both are less where
 * the step would be too long for them. Not applied to a body without mass.
 * @param dynamics placed at the state
 * @param pose [7] of the body
 * @param v [num_v]; @param J [3, num_v] room for the Jacobian of the point
 * @param dt s, of the steps for which the force is held
 * @param wrench [6] receives force and torque */
void live_spring_compute(const live_spring* spring, const carom_model* model,
                         carom_dynamics* dynamics, const double* pose, const double* v, double* J,
                         double dt, double wrench[6]);

/* A point of a body in the world. */
void live_place_point(const double* pose, const double point[3], double world[3]);

#endif
