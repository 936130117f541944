/* Derivatives of what acts on a tree's joints, where the step is placed: springs, dampers and
 * actuators that are linear, tau(q, x_e, v_e, u) of balance.c; row_force.h has the others. */
#ifndef CR_DERIVE_JOINT_FORCES_H
#define CR_DERIVE_JOINT_FORCES_H

#include "derive/row_force.h"

/* How an actuator's force on its dof moves with its input, and that with what it is made of. */
typedef struct cr_input_slope {
  int dof;
  double force; /* N or N m, d tau / d input */
  cr_input_way way;
} cr_input_slope;

/* Of one tree with n dofs. */
typedef struct cr_joint_slopes {
  double* stiffness; /* [n, n] column-major, - d tau / d q */
  double* own;       /* [n] the part of its diagonal that counts at x_e, see damping.h */
  double* damping;   /* [n] - d tau / d v_e */
  int num_inputs;
  cr_input_slope* inputs; /* [num_inputs] */
} cr_joint_slopes;

/* Scratch for the largest tree; false when memory ran out. */
bool cr_joint_slopes_push(const cr_step_tangent* t, cr_joint_slopes* slopes);

/* All of them for a tree, whose inputs come behind those that are there. */
void cr_joint_slopes_find(const cr_step_tangent* t, int tree, cr_joint_slopes* out);

/* Whether a bound holds an actuator's force, at its length and rate. */
bool cr_actuator_is_held(const cr_step_tangent* t, int actuator, double l, double l_dot);

#endif
