/* Soft bodies under derivatives: their free motion and what their A does as they move, forwards and
 * backwards (soft_tangent.c). Vectors [num_v] are of the whole simulation, [n] of one body. */
#ifndef CR_DERIVE_SOFT_TANGENT_H
#define CR_DERIVE_SOFT_TANGENT_H

#include "derive/parameters.h"
#include "sim/rows/step_problem.h"
#include "sim/soft/soft_step.h"
#include "soft/slopes.h"

/* One body. Forces count at x, the damping's stiffness K at K_x; each follows from the start and,
 * where it is not known, from v*:
 *   dx = dq0 + by_v0 dv0 + by_star dv*,    dK_x = dq0 + K_time dv0. */
typedef struct cr_soft_tangents {
  cr_step_soft* soft;
  int n;               /* coordinates */
  bool is_known;       /* v* by A (v* - v0) = -m(v0), else by m(v*) = 0 */
  bool is_at_solution; /* v* is a solution of the step, see cr_step_tangent_is_at_solution */
  bool is_touched;     /* it is in the problem */
  const cr_symbolic *symbolic, *A_symbolic;
  const double *factor, *A_factor; /* of the derivative of m by v*; of A where it is looked for */
  double by_v0, by_star;           /* s, of x */
  const double* x;                 /* [n] */
  const double* v_e;               /* [n] velocity at which damping counts */
  cr_soft_slope *free, *free_K;    /* [points] of m by x and by K_x; the latter null: none */
  cr_soft_slope *bend, *bend_K;    /* likewise of (dA)(v - v*), where it is touched */
  double* change;                  /* [n] v - v* */
  double *by, *dx, *y, *scratch;   /* work */
} cr_soft_tangents;

/* All of the step's, into t.softs; refuses what has no derivative.
 * @param problem whose bodies are touched; null: none */
carom_status cr_soft_tangents_find(cr_step_tangent* t, const cr_step_problem* problem);

/* v* and q_mid of all columns. */
carom_status cr_soft_derive_free_motion(cr_step_tangent* t);

/* Cotangents [num_v] of fields, and of parameters. */
typedef struct cr_soft_cotangents {
  double *q0, *v0, *v_star, *q_mid, *v, *thetas;
} cr_soft_cotangents;

/* Takes those of v* and q_mid to those of what they follow from.
 * @param full [num_v] those of b in the second stage, see constraint_tangent.c */
void cr_soft_pull_free_motion(cr_step_tangent* t, const double* full, const cr_soft_cotangents* to);

/* full -= (dA)(v - v*) of a touched body in a column. */
void cr_soft_subtract_bend(const cr_step_tangent* t, const cr_soft_tangents* s, int column,
                           double* full);
void cr_soft_subtract_bend_transposed(const cr_step_tangent* t, const cr_soft_tangents* s,
                                      const double* full, const cr_soft_cotangents* to);

/* Weights of K in A: of the stiffness at x, and of the damping's. */
typedef struct cr_soft_weights {
  double stiffness, damping;
} cr_soft_weights;

static inline cr_soft_weights cr_soft_find_weights(const cr_step* step, const cr_soft_tangents* s) {
  cr_theta theta = s->soft->theta;
  return (cr_soft_weights){theta.q * theta.vq * step->dt * step->dt,
                           theta.v * step->dt * s->soft->part->body.material.beta};
}

/* Nodes' places or velocities, three numbers each. */
static inline const double (*cr_soft_rows_of(const double* x))[3] { return (const double(*)[3])x; }

/* out += scale K x, K that of damping. */
void cr_soft_add_K(const cr_soft_tangents* s, double scale, const double* x, double* out);

/* dm += d m / d theta; A's change, too, where v* is known by it. */
void cr_soft_theta_add_balance(const cr_step_tangent* t, const cr_soft_tangents* s,
                               const cr_theta_column* theta, double* dm);

/* full -= (dA)(v - v*) by a parameter. */
void cr_soft_theta_subtract_matrix(const cr_step_tangent* t, const cr_soft_tangents* s,
                                   const cr_theta_column* theta, double* full);

/* x <- A^-1 x of a touched body, x [num_v]; nodes that are held stay where they are. */
void cr_soft_solve(const cr_step_tangent* t, const cr_soft_tangents* s, double* x);

/* The new state of a column, and back. */
void cr_soft_finish_column(const cr_step_tangent* t, int column, double* q1, double* v1);
void cr_soft_pull_end(const cr_step_tangent* t, const double* q1, const double* v1,
                      const cr_soft_cotangents* to);

/* Velocities of nodes that are held do not count. */
void cr_soft_mask_held(const cr_step_tangent* t, double* x);

/* The body that a dof is of. */
const cr_soft_tangents* cr_soft_tangents_of_dof(const cr_step_tangent* t, int dof);

/* How mu and lambda move with an elastic constant, times a scale; of a parameter that all masses
 * grow with, 1 over what they are in proportion to. */
cr_soft_material cr_soft_theta_find_material(const cr_soft_part* part, const cr_theta_column* theta,
                                             double scale);
double cr_soft_theta_find_mass_share(const cr_soft_part* part, const cr_theta_column* theta);

/* Whether a number is one of a soft body. */
static inline bool cr_theta_is_of_soft(const cr_theta_column* theta) {
  return theta->kind >= CR_THETA_YOUNG && theta->kind <= CR_THETA_PRESSURE;
}

#endif
