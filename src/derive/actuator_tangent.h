/* How an actuator's force moves with what it works along and with its input, and how its input and
 * its activation move with the state and the controls. */
#ifndef CR_DERIVE_ACTUATOR_TANGENT_H
#define CR_DERIVE_ACTUATOR_TANGENT_H

#include "derive/step_tangent.h"

/* gear f at a coordinate x and its rate x', f within its range: 0 where that holds it. */
typedef struct cr_actuator_tangent {
  double stiffness, damping;             /* - d / dx, - d / dx' */
  double input, own_input;               /* d / d input; of f alone */
  double stiffness_by[3], damping_by[3]; /* how both grow with x, x' and the input */
} cr_actuator_tangent;

cr_actuator_tangent cr_actuator_tangent_find(const cr_force_model* force, int actuator,
                                             const double* inputs, double x, double x_dot);

/* The same where no range holds it. */
cr_actuator_tangent cr_actuator_tangent_find_free(const cr_force_model* force, int actuator,
                                                  const double* inputs, double x, double x_dot);

/* Whether stiffness and damping move, too. */
bool cr_actuator_is_bent(const cr_force_model* force, int actuator);

/* An input as it moves with the columns of its activation (-1: it has none) and its control. */
typedef struct cr_input_way {
  int activation, control;
  double by_activation, by_control;
} cr_input_way;

/* The input that the force of the step has; and the activation at its end, false: there is none. */
cr_input_way cr_input_way_find(const cr_step_tangent* t, int actuator);
bool cr_activation_way_find(const cr_step_tangent* t, int actuator, cr_input_way* way);

/* The input at the state itself: the activation, or the control within its range. */
cr_input_way cr_input_way_of_state(const cr_step_tangent* t, int actuator);

static inline double cr_input_way_in(const cr_input_way* w, int column) {
  if (column == w->control) return w->by_control;
  return column == w->activation ? w->by_activation : 0;
}

#endif
