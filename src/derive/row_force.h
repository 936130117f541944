/* Forces along rows: of lines, of springs between points, of dofs whose springs, dampers and
 * muscles are no straight lines. Each is a force f(l, l', u) with tau = Jᵀ f, and has the term
 * w(l, l', u) J Jᵀ in A. */
#ifndef CR_DERIVE_ROW_FORCE_H
#define CR_DERIVE_ROW_FORCE_H

#include "derive/actuator_tangent.h"
#include "derive/line_tangent.h"

/* How a length or rate, where a force counts, moves with q_mid, v* and v0: with both velocities by
 * so much of a row. */
typedef struct cr_row_force_way {
  double* by_q;    /* [line.n] */
  const double* J; /* [line.n] */
  double by_v, by_v0;
} cr_row_force_way;

/* An input of such a force. */
typedef struct cr_row_force_input {
  double force, weight; /* d f, d w / d input */
  cr_input_way way;
} cr_row_force_input;

typedef struct cr_row_force {
  cr_line_tangent line;
  int tree;         /* of the first dof */
  bool is_external; /* it acts on links, which carry it along in inverse dynamics */
  cr_row_force_way length, rate;
  double force, stiffness, damping; /* f, - d f / d l, - d f / d l' */
  double inertia;                   /* of the rate */
  double weight, weight_by[2];      /* w, by length and rate */
  double start;                     /* d f / d length at the start of the step */
  int num_inputs;
  cr_row_force_input* inputs;
  bool is_drive;          /* of a line's actuators, at its length and rate, */
  double at[2], share[2]; /* of whose stiffness and damping A has so much */
} cr_row_force;

struct cr_row_forces {
  int count;
  bool has_start; /* some move with lengths at the start */
  cr_row_force* items;
};
typedef struct cr_row_forces cr_row_forces;

/* Whether an actuator of a joint is among them. */
static inline bool cr_row_force_is_actuator(const cr_step_tangent* t, int actuator) {
  return !t->step->sim->plan.is_limited[actuator] &&
         cr_actuator_is_bent(&t->step->model->force, actuator);
}

/* What moves the rate of a row without stiff dampers, where the step takes it. False when memory
 * ran out. */
bool cr_row_force_find_ways(const cr_step_tangent* t, cr_row_force* p);

/* The first of a line, which has its row; and what its actuators do; null: nothing moves it. */
const cr_row_force* cr_row_forces_find_line(const cr_step_tangent* t, int line);
const cr_row_force* cr_row_forces_find_drive(const cr_step_tangent* t, int line);

/* All of the step's, whose joined trees stand at v*, into t.row_forces; refuses what has no
 * derivative yet. */
carom_status cr_row_forces_find(cr_step_tangent* t);

/* A direction in which a step moves. */
typedef struct cr_row_force_direction {
  const double *q_mid, *v_star, *v0; /* [num_v] */
} cr_row_force_direction;

/* y += s d(w J Jᵀ x) in a direction, with the inputs of a column; [num_v]. */
void cr_row_force_add_matrix(const cr_row_force* p, const double* x,
                             const cr_row_force_direction* by, int column, double s, double* y);

/* Its transpose: what cotangents y [num_v] make of those of a direction, and of inputs by columns.
 */
typedef struct cr_row_force_cotangents {
  double *q_mid, *v_star, *v0, *inputs;
} cr_row_force_cotangents;
void cr_row_force_add_matrix_transposed(const cr_row_force* p, const double* x, const double* y,
                                        double s, const cr_row_force_cotangents* out);

#endif
