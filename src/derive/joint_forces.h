/* Derivatives of what acts on a tree's joints, where the step is placed: springs, dampers and
 * actuators, tau(q, x_e, v_e, u) of balance.c. */
#ifndef CR_DERIVE_JOINT_FORCES_H
#define CR_DERIVE_JOINT_FORCES_H

#include "derive/step_tangent.h"

/* How an actuator's force on its dof moves with its input, and that with what it is made of. */
typedef struct cr_input_slope {
  int dof;
  double force;                     /* N or N m, d tau / d input */
  double matrix;                    /* d A / d input, of the dof's diagonal */
  int activation, control;          /* columns; -1: no activation */
  double by_activation, by_control; /* d input of the step / d each */
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

/* All of them for a tree. */
void cr_joint_slopes_find(const cr_step_tangent* t, int tree, cr_joint_slopes* out);

/* d input of the step in a column. */
static inline double cr_input_slope_in(const cr_input_slope* s, int column) {
  if (column == s->control) return s->by_control;
  return column == s->activation ? s->by_activation : 0;
}

/* How an actuator's input in the step moves; its dof and force are left to be filled. */
cr_input_slope cr_input_slope_find(const cr_step_tangent* t, int actuator);

/* The derivative of a rotation vector over a turn in the body's frame. */
m3 cr_rotation_vector_slope(v3 rotation);

/* Whether a bound holds an actuator's force, at its length and rate. */
bool cr_actuator_is_held(const cr_step_tangent* t, int actuator, double l, double l_dot);

/* How an actuator's activation at the end of the step moves with that at its start and with its
 * control; false: it has none. */
bool cr_activation_slope(const cr_step_tangent* t, int actuator, cr_input_slope* slope);

#endif
