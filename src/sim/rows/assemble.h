/* The convex problem of a step from its contacts, limits, equalities, dry friction and servos: the
 * one place where trees and geometry meet. */
#ifndef CR_SIM_ASSEMBLE_H
#define CR_SIM_ASSEMBLE_H

#include "sim/contact/anchor.h"
#include "sim/rows/constraints.h"

/* What the recovery of a row may take, see recovery.h. */
typedef struct cr_recovery_bound {
  double energy; /* J; inf: any */
  double mass;   /* kg, besides an impulse of so much for each m/s that it changes its velocity */
} cr_recovery_bound;

/* The problem with the way back to what its rows stand for. */
typedef struct cr_step_problem {
  cr_problem problem;
  cr_blocks blocks;
  cr_symbolic A_symbolic;
  int num_constraints;
  const cr_constraint* constraints; /* in the order of addition */
  const cr_touches* touches;        /* what those of contacts are about */
  const int* order;                 /* [num_constraints] constraint of each place in the problem */
  double *v_star, *v0;              /* [n] in blocks */
  double *v_c0, *v_c_lin;           /* [num_rows] J v0, J v_lin */
  cr_anchor* anchors;               /* [num_constraints] by place; null: friction is not anchored */
  double* W;                        /* Delassus blocks, see cr_problem_compute_delassus */
  double* gamma;                    /* [num_rows] guess, then solution */
  cr_recovery_bound* recovery;      /* [num_rows] */
  double load;                      /* N s, what the weight of all that takes part presses with */
  bool has_guess;
} cr_step_problem;

/* Builds the problem of the active points and rows, placed at v_lin.
 * @return CR_DONE; out.num_constraints is 0 where nothing constrains;
 *         CR_UNSOLVED when A is not positive definite */
cr_result cr_step_assemble(cr_step* step, const cr_touches* touches, const cr_model_rows* rows,
                           cr_step_problem* out);

#endif
