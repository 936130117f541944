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
  const double *J, *carried; /* [line.n] d J / d input, and what of it links carry along anyway
                                where the force acts on them; null: the row stays, nothing */
} cr_row_force_input;

typedef struct cr_row_force {
  cr_line_tangent line;
  int tree;         /* of the first dof */
  int spring;       /* between points, from 1; 0: it is none's */
  bool is_external; /* it acts on links, which carry it along in inverse dynamics */
  cr_row_force_way length, rate;
  double force, stiffness, damping;  /* f, - d f / d l, - d f / d l' */
  double inertia, drift;             /* of the rate, whose force f has; (dJ/dt) v */
  double* inertia_by[3];             /* [line.n] what J (v* - v0) + dt drift moves by with q_mid, v*
                                        and v0; null: there is no inertia */
  double weight, weight_by[2];       /* w, by length and rate */
  double resists[2];                 /* stiffness and damping that count in it */
  double start;                      /* d f / d length at the start of the step, */
  const double* start_G;             /* [line.n] which moves with q0 by this */
  const struct cr_weight_tangent* z; /* how the weights of its damper move; null: they stay */
  double z_force, z_weight;          /* d f, d w by its z */
  int num_inputs;
  cr_row_force_input* inputs;
} cr_row_force;

struct cr_row_forces {
  int count;
  cr_row_force* items;
};
typedef struct cr_row_forces cr_row_forces;

/* Whether an actuator of a joint is among them. */
static inline bool cr_row_force_is_actuator(const cr_step_tangent* t, int actuator) {
  return !t->step->sim->plan.is_limited[actuator] &&
         cr_actuator_is_bent(&t->step->model->force, actuator);
}

/* What a unit of an input does to push f J + w J Jᵀ x: so much along J, along dJ, and along what of
 * that is carried.
 * @param x J x and dJ x */
typedef struct cr_row_force_change {
  double along, across, carried;
} cr_row_force_change;
cr_row_force_change cr_row_force_differentiate_input(const cr_row_force* p,
                                                     const cr_row_force_input* input, double push,
                                                     const double x[2]);

/* J x and dJ x, zero where the row stays. */
void cr_row_force_find_rates(const cr_row_force* p, const cr_row_force_input* input,
                             const double* x, double rates[2]);

/* y += s of such a change; and that change times x, [num_v]. */
void cr_row_force_add_change(const cr_row_force* p, const cr_row_force_input* input,
                             cr_row_force_change change, double s, double* y);
double cr_row_force_pull_change(const cr_row_force* p, const cr_row_force_input* input,
                                cr_row_force_change change, const double* x);

/* A direction in which a step moves. */
typedef struct cr_row_force_direction {
  const double *q_mid, *v_star, *v0, *q0; /* [num_v] */
} cr_row_force_direction;

/* y += s d(w J Jᵀ x) in a direction, with the inputs of a column; [num_v]. */
void cr_row_force_add_matrix(const cr_row_force* p, const double* x,
                             const cr_row_force_direction* by, int column, double s, double* y);

/* Its transpose: what cotangents y [num_v] make of those of a direction, and of inputs by columns.
 */
typedef struct cr_row_force_cotangents {
  double *q_mid, *v_star, *v0, *q0, *inputs;
} cr_row_force_cotangents;
void cr_row_force_add_matrix_transposed(const cr_row_force* p, const double* x, const double* y,
                                        double s, const cr_row_force_cotangents* out);

#endif
