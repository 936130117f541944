/* Force elements as plain data: joint springs and dampers, springs between points, actuators. */
#ifndef CR_FORCE_FORCE_H
#define CR_FORCE_FORCE_H

#include "tree/tree.h"

#include <stdint.h>

typedef struct cr_force_model {
  double gravity[3]; /* m/s² */

  /* Joint springs [num_joints of the tree model] and dampers [num_v]. */
  const double* joint_stiffness; /* N/m or N m/rad; ball: N m/rad; free: N/m and N m/rad */
  const double* q_spring;        /* [num_q] where the springs are at rest */
  const double* dof_damping;     /* N s/m or N m s/rad */

  /* Springs between points [num_springs]. */
  int num_springs;
  const int* spring_link;           /* [2 each] */
  const double* spring_point;       /* [6 each] both points, in their link's frame */
  const double* spring_stiffness;   /* N/m */
  const double* spring_damping;     /* N s/m */
  const double* spring_rest_length; /* m */

  /* Actuators on hinges and slides [num_actuators]:
   * f = clamp(gain u + bias0 + bias1 l + bias2 l'), l = gear q; the dof feels gear f. */
  int num_actuators;
  const int* actuator_dof;
  const int* actuator_q; /* address of the joint's coordinate */
  const double* actuator_gear;
  const double* actuator_gain;
  const double* actuator_bias;          /* [3 each] */
  const double* actuator_control_range; /* [2 each] -inf, inf where not limited */
  const double* actuator_force_range;   /* [2 each] -inf, inf where not limited */
} cr_force_model;

#endif
