/* The convex problem of a step from its contacts, limits, equalities, dry friction and servos: the
 * one place where trees and geometry meet. */
#ifndef CR_SIM_ASSEMBLE_H
#define CR_SIM_ASSEMBLE_H

#include "problem/assembly.h"
#include "sim/blocks.h"
#include "sim/contacts.h"

/* How a row's R and v_hat follow from its physics. */
typedef enum cr_row_rule {
  CR_ROW_CONTACT,  /* compliant or rigid normal, one-sided */
  CR_ROW_EQUALITY, /* the same, two-sided */
  CR_ROW_DRY,      /* R = 0, v_hat = 0 */
  CR_ROW_SERVO,    /* R and v_hat were set when the row was added */
} cr_row_rule;

/* A constraint before it is laid out in the problem. */
typedef struct cr_constraint {
  cr_row_rule rule;
  int touch;          /* index of its contact point; -1: none */
  double distance;    /* m or rad at q^theta_d: of the normal, the limit, or the equality's row */
  double stiffness;   /* N/m or N m/rad, weighted; inf: rigid */
  double dissipation; /* s; NaN: default */
  cr_theta theta;
  cr_contact_key key;
} cr_constraint;

/* The problem with the way back to what its rows stand for. */
typedef struct cr_step_problem {
  cr_problem problem;
  cr_blocks blocks;
  cr_symbolic A_symbolic;
  int num_constraints;
  const cr_constraint* constraints; /* in the order of addition */
  const int* order;                 /* [num_constraints] constraint of each place in the problem */
  double *v_star, *v0;              /* [n] in blocks */
  double *v_c0, *v_c_lin;           /* [num_rows] J v0, J v_lin */
  double* W;                        /* Delassus blocks, see cr_problem_compute_delassus */
  double* gamma;                    /* [num_rows] guess, then solution */
  bool has_guess;
} cr_step_problem;

/* Builds the problem of what is placed in the step at v_lin.
 * @return CAROM_OK; problem.num_constraints is 0 where nothing constrains;
 *         CAROM_ERROR_NUMERICAL when A is not positive definite */
carom_status cr_step_assemble(cr_step* step, const cr_touches* touches, cr_step_problem* problem);

#endif
