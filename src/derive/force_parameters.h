/* What forces along rows (row_force.h) are made of, as parameters: of actuators, tendons, springs
 * between points, and powers of joints' springs and dampers. Each number is one more input of its
 * force. */
#ifndef CR_DERIVE_FORCE_PARAMETERS_H
#define CR_DERIVE_FORCE_PARAMETERS_H

#include "derive/row_force.h"
#include "derive/theta.h"

static inline bool cr_theta_is_of_force(const cr_theta_column* theta) {
  return theta->kind >= CR_THETA_STIFFNESS_MORE && theta->kind <= CR_THETA_SPRING_POINT2;
}

/* Refuses what the model takes from elsewhere. */
carom_status cr_force_theta_check(const cr_step_tangent* t, const cr_theta_column* theta);

/* Whether actuators take from masses at the reference configuration, which derivatives hold: peak
 * forces of muscles, damping of a given ratio. */
bool cr_force_takes_from_masses(const carom_model* model);

/* Whose numbers they are. */
typedef enum cr_force_kind {
  CR_FORCE_OF_DOF,
  CR_FORCE_OF_ACTUATOR,
  CR_FORCE_OF_TENDON,
  CR_FORCE_OF_SPRING,
} cr_force_kind;
typedef struct cr_force_owner {
  cr_force_kind kind;
  int index;
} cr_force_owner;

/* How many columns are of one. */
int cr_force_thetas_count(const cr_step_tangent* t, cr_force_owner of);

/* Where a force counts. */
typedef struct cr_force_at {
  double length, rate;
  double h[2];   /* what counts of stiffness and damping in A */
  cr_weight w;   /* of its damper */
  bool is_known; /* v* follows from v0 */
} cr_force_at;

/* Appends them to the inputs of a force that is complete but for them; of a spring between points
 * to that along it. False when memory ran out. */
bool cr_force_thetas_add(const cr_step_tangent* t, cr_force_owner of, const cr_force_at* at,
                         cr_row_force* force);

/* The same of the rows across a spring, along `axis`, over which its stiffness spreads. */
bool cr_force_thetas_add_spread(const cr_step_tangent* t, int spring, const cr_force_at* at,
                                const v3* axis, cr_row_force* force);

/* A number that moves a force's row by dJ [line.n] and its length where the step looks, as an
 * input; and that of a column, appended to those of a force. */
cr_row_force_input cr_force_move_row(const cr_step* step, const cr_force_at* at,
                                     const cr_row_force* p, const double* dJ, double length);
void cr_force_append_theta(const cr_step_tangent* t, const cr_theta_column* theta, cr_row_force* p,
                           cr_row_force_input in);

/* The same of a number of a tendon. */
cr_row_force_input cr_force_theta_of_tendon(const cr_step* step, const cr_theta_column* theta,
                                            const cr_force_at* at, const cr_row_force* p);

/* How the force of an actuator before its range moves with a number of it, but for the wrench, at
 * the coordinate x and the rate x' that it works at, its gear aside. */
double cr_force_theta_of_actuator(const cr_force_model* force, const double* inputs,
                                  const cr_theta_column* theta, double x, double x_dot);

/* How the length of a spring moves with one of its points. */
double cr_force_theta_find_length(const cr_step* step, const cr_theta_column* theta);

/* Row and length of an actuator's line for a unit of one of its wrench's numbers.
 * @param J [terms of the line] */
bool cr_force_theta_find_wrench(const cr_step_tangent* t, const cr_theta_column* theta, double* J,
                                double* length);

#endif
