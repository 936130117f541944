/* What the second stage is differentiated with, forwards (constraint_tangent.c) and backwards
 * (adjoint.c). */
#ifndef CR_DERIVE_CONSTRAINT_TANGENT_H
#define CR_DERIVE_CONSTRAINT_TANGENT_H

#include "derive/constraint_block.h"
#include "linalg/lu.h"

typedef struct cr_constraint_tangent {
  cr_constraint_state s;
  double* Z; /* [n, num_rows] A⁻¹ Jᵀ, column-major */
  double* S; /* [num_rows²] the transpose of E + D J A⁻¹ Jᵀ, later its LU factors */
  double* Q; /* [num_rows, n] - dv by c: - Z (E + D J Z)⁻¹ by rows; null: not found yet */
  int* pivot;
  int num_trees;           /* of the problem's movers: the first ones */
  double* change;          /* [num_v] v - v* */
  double* by_weights;      /* [t.weights.count, num_rows] c by a unit of the weights of dampers */
  bool has_direct;         /* there are forces along rows, or actuators that are rows */
  double *x, *full, *rows; /* [n], [num_v], [num_rows] work */
  double* zeros;           /* [num_v] */
  double *gamma, *chol;    /* [p.num_rows], scratch of A's factor */
} cr_constraint_tangent;

/* One of a step's problem, whose A is factored. */
void cr_constraint_tangent_start(cr_constraint_tangent* c, cr_step_tangent* t,
                                 const cr_step_problem* problem);

/* Fills one that is started: everything that does not depend on the column. */
carom_status cr_constraint_tangent_make(cr_constraint_tangent* c, const cr_contact_set* set);

/* y [num_rows] += sign D times the active rows of `rows` [p.num_rows]. */
void cr_constraint_add_laws(const cr_constraint_tangent* c, double sign, const double* rows,
                            double* y);

/* Finds Q. False when memory ran out. */
bool cr_constraint_find_responses(cr_constraint_tangent* c);

/* Fills t.v, which is v* so far, of a problem without soft bodies (constraint_response.c). */
carom_status cr_constraint_respond(cr_constraint_tangent* c);

/* b - A dv* [n] and c [num_rows] of a column; and what of them does not follow from its fields, by
 * blocks and slopes, and from weights of dampers, b [num_v]: inputs, parameters and forces along
 * rows, which are added. */
void cr_constraint_fill_column(cr_constraint_tangent* c, int column, double* b, double* rows);
void cr_constraint_add_direct(cr_constraint_tangent* c, int column, double* full, double* rows);

/* Soft bodies' touched nodes of v [num_v] into the problem's unknowns x. */
void cr_constraint_gather_softs(const cr_constraint_tangent* c, const double* v, double* x);

/* full [num_v] = Jᵀ of numbers of the active rows. */
void cr_constraint_add_impulses(cr_constraint_tangent* c, const double* rows, double* full);

/* - d(A x - Jᵀ gamma) of a tree, its impulses carried along: full -= slope dq; its transpose. */
void cr_constraint_subtract_slope(const cr_constraint_tangent* c, int tree, const double* dq,
                                  double* full);
void cr_constraint_subtract_slope_transposed(const cr_constraint_tangent* c, int tree,
                                             const double* full, double* dq);

/* What a parameter of A itself takes from b, (dA) x. */
void cr_constraint_subtract_matrix(const cr_constraint_tangent* c, const cr_theta_column* theta,
                                   int tree, double* full);

#endif
