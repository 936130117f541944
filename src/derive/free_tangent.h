/* What the free motion is differentiated with, forwards (free_tangent.c) and backwards (adjoint.c),
 * a group of trees at a time: one tree, or all that springs between points and lines join. */
#ifndef CR_DERIVE_FREE_TANGENT_H
#define CR_DERIVE_FREE_TANGENT_H

#include "derive/joint_forces.h"
#include "derive/parameters.h"
#include "linalg/lu.h"

/* One group. Vectors are [num_v], of which its entries count; matrices [n, n] over its dofs. */
typedef struct cr_free_tangent {
  cr_step_tangent* t;
  int num_trees, n;
  int *trees, *dof; /* [num_trees], [n] */
  int* place;       /* [num_v] of a dof among them */
  bool is_known, is_at_solution;
  double* by_q;                 /* column-major: d m by q_mid, */
  double *by_v, *by_v0, *by_q0; /* and by v*, v0 and q0: beside it, once factored with it */
  double *J, *inverse;   /* column-major, by_v, later the LU factors of its transpose; - J⁻¹ */
  int* pivot;            /* [n] */
  double *v_q, *by, *dm; /* work */
  double* local;         /* [2 n] work */
  double *M, *diagonal;  /* of one tree */
  cr_joint_slopes joints;
} cr_free_tangent;

/* Room for the largest group; false when memory ran out. */
bool cr_free_tangent_init(cr_free_tangent* f);

/* Groups of trees, in turn from 0; false: there are no more. */
bool cr_free_tangent_select(cr_free_tangent* f, int group);

/* Whether a dof is one of the group's. */
bool cr_free_tangent_has(const cr_free_tangent* f, int dof);

/* Leaves the group where it is linearised, at v*, and t.mid there. */
void cr_free_tangent_place(cr_free_tangent* f);

/* Places all groups, and finds the forces along rows, t.row_forces. */
carom_status cr_free_tangent_find_row_forces(cr_free_tangent* f);

/* Slopes of its balance: by_q, by_v, by_v0, by_q0 and those of the joints. False when memory ran
 * out.
 */
bool cr_free_tangent_find_slopes(cr_free_tangent* f);

/* The same where the group is linearised, with what q_mid does, and the factors of J but at a
 * solution. */
carom_status cr_free_tangent_factor(cr_free_tangent* f);

/* How q_mid of a tree follows from q0 and (1 - share) v0 + share v*, after all were placed. */
typedef struct cr_place_tangent {
  cr_stride_tangent stride;
  double share;
} cr_place_tangent;
cr_place_tangent cr_free_tangent_find_place(const cr_step_tangent* t, int tree);

/* Fills t.q_mid of trees, which only what is found column by column asks for. */
void cr_free_tangent_place_columns(cr_step_tangent* t);

/* What rows by q_mid make of those by q0, v0 and v* (v1), whose share is found here. */
void cr_free_tangent_add_rows(const cr_step_tangent* t, int tree, cr_stride_rows rows);

/* y -= X x, X [n, n] column-major; y += Xᵀ x. */
void cr_free_tangent_subtract_product(const cr_free_tangent* f, const double* X, const double* x,
                                      double* y);
void cr_free_tangent_add_transposed(const cr_free_tangent* f, const double* X, const double* x,
                                    double* y);

/* How the balance moves with an input of a force; false where that is of another group. */
bool cr_free_tangent_of_input(const cr_free_tangent* f, const cr_row_force* force,
                              const cr_row_force_input* input, cr_row_force_change* change);

/* The same of an actuator that makes a body stick, whose row is that of all its forces. */
double cr_free_tangent_of_adhesion(const cr_free_tangent* f, int actuator);
void cr_free_tangent_add_adhesion(const cr_free_tangent* f, int actuator, double s, double* y);
double cr_free_tangent_find_adhesion(const cr_free_tangent* f, int actuator, const double* x);

/* x <- J⁻ᵀ x. */
void cr_free_tangent_solve_transposed(const cr_free_tangent* f, double* x);

#endif
