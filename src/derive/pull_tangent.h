/* Forces along rows: of lines, of springs between points, of dofs whose springs, dampers and
 * muscles are no straight lines. Each is a force f(l, l', u) with tau = Jᵀ f, and has the term
 * w(l, l', u) J Jᵀ in A. */
#ifndef CR_DERIVE_PULL_TANGENT_H
#define CR_DERIVE_PULL_TANGENT_H

#include "derive/actuator_tangent.h"
#include "derive/line_tangent.h"

/* How a length or rate, where a force counts, moves with q_mid, v* and v0: with both velocities by
 * so much of a row. */
typedef struct cr_pull_way {
  double* by_q;    /* [line.n] */
  const double* J; /* [line.n] */
  double by_v, by_v0;
} cr_pull_way;

/* An input of a pull. */
typedef struct cr_pull_input {
  double force, weight; /* d f, d w / d input */
  cr_input_way way;
} cr_pull_input;

typedef struct cr_pull_tangent {
  cr_line_tangent line;
  int tree;         /* of the first dof */
  bool is_external; /* it acts on links, which carry it along in inverse dynamics */
  cr_pull_way length, rate;
  double force, stiffness, damping; /* f, - d f / d l, - d f / d l' */
  double inertia;                   /* of the rate */
  double weight, weight_by[2];      /* w, by length and rate */
  int num_inputs;
  cr_pull_input* inputs;
} cr_pull_tangent;

struct cr_pull_tangents {
  int count;
  cr_pull_tangent* items;
};
typedef struct cr_pull_tangents cr_pull_tangents;

/* Whether an actuator of a joint is among them. */
static inline bool cr_pull_is_actuator(const cr_step_tangent* t, int actuator) {
  return !t->step->sim->plan.is_limited[actuator] &&
         cr_actuator_is_bent(&t->step->model->force, actuator);
}

/* All of the step's, whose joined trees stand at v*, into t.pulls; refuses what has no derivative
 * yet. */
carom_status cr_pull_tangents_find(cr_step_tangent* t);

/* A direction in which a step moves. */
typedef struct cr_pull_direction {
  const double *q_mid, *v_star, *v0; /* [num_v] */
} cr_pull_direction;

/* y += s d(w J Jᵀ x) in a direction, with the inputs of a column; [num_v]. */
void cr_pull_add_matrix(const cr_pull_tangent* p, const double* x, const cr_pull_direction* by,
                        int column, double s, double* y);

/* Its transpose: what cotangents y [num_v] make of those of a direction, and of inputs by columns.
 */
typedef struct cr_pull_cotangents {
  double *q_mid, *v_star, *v0, *inputs;
} cr_pull_cotangents;
void cr_pull_add_matrix_transposed(const cr_pull_tangent* p, const double* x, const double* y,
                                   double s, const cr_pull_cotangents* out);

#endif
