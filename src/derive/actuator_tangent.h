/* How an actuator's force moves with what it works along and with its input, and how its input and
 * its activation move with the state and the controls. */
#ifndef CR_DERIVE_ACTUATOR_TANGENT_H
#define CR_DERIVE_ACTUATOR_TANGENT_H

#include "derive/step_tangent.h"
#include "derive/theta.h"
#include "force/controller_slopes.h"

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

/* A number of what makes an actuator's input of its control: time constants and ranges. */
static inline bool cr_theta_is_of_input(const cr_theta_column* theta) {
  return theta->kind >= CR_THETA_TIME_CONSTANT && theta->kind <= CR_THETA_ACTIVATION_RANGE;
}

/* How it moves an input. */
typedef struct cr_input_theta {
  double time[3], control[2], activation[2];
} cr_input_theta;

/* An input as it moves with the columns of activations and controls, and with numbers of its own.
 */
typedef struct cr_input_way {
  int count, column[CR_BY_START];
  double by[CR_BY_START];
  const cr_step_tangent* t; /* null: no numbers move it */
  int actuator;
  cr_input_theta by_theta;
} cr_input_way;

/* The input that the force of the step has; and the activation at its end, whose column returns,
 * -1: there is none, or those of a law (law_tangent.h). */
cr_input_way cr_input_way_find(const cr_step_tangent* t, int actuator);
int cr_activation_way_find(const cr_step_tangent* t, int actuator, cr_input_way* way);

/* The input at the state itself: the activation, or the control within its range. */
cr_input_way cr_input_way_of_state(const cr_step_tangent* t, int actuator);

static inline double cr_input_way_by_theta(const cr_input_way* w, const cr_theta_column* theta) {
  const cr_input_theta* by = &w->by_theta;
  if (!cr_theta_is_of_input(theta) || theta->index != w->actuator) return 0;
  return theta->kind == CR_THETA_TIME_CONSTANT   ? by->time[theta->element]
         : theta->kind == CR_THETA_CONTROL_RANGE ? by->control[theta->element]
                                                 : by->activation[theta->element];
}

static inline double cr_input_way_in(const cr_input_way* w, int column) {
  for (int i = 0; i < w->count; i++)
    if (w->column[i] == column) return w->by[i];
  bool is_theta = w->t && column >= w->t->first_theta;
  return is_theta ? cr_input_way_by_theta(w, &w->t->thetas[column - w->t->first_theta]) : 0;
}

/* What a cotangent of the input adds to those of its columns.
 * @param columns from `first` on */
static inline void cr_input_way_pull(const cr_input_way* w, double cotangent, int first,
                                     double* columns) {
  for (int i = 0; i < w->count; i++) columns[w->column[i] - first] += w->by[i] * cotangent;
  for (int i = 0; w->t && i < w->t->num_thetas; i++)
    columns[w->t->first_theta + i - first] +=
        cotangent * cr_input_way_by_theta(w, &w->t->thetas[i]);
}

static inline void cr_input_way_put(cr_input_way* w, int column, double by) {
  w->column[w->count] = column, w->by[w->count++] = by;
}

#endif
