/* The convex problem of a step, with the way back to what its rows stand for. */
#ifndef CR_SIM_STEP_PROBLEM_H
#define CR_SIM_STEP_PROBLEM_H

#include "problem/assembly.h"
#include "sim/contact/anchor.h"
#include "sim/rows/blocks.h"
#include "sim/rows/row.h"
#include "sim/rows/tension.h"

/* What the recovery of a row may take, see recovery.h. */
typedef struct cr_recovery_bound {
  double energy; /* J; inf: any */
  double mass;   /* kg, besides an impulse of so much for each m/s that it changes its velocity */
} cr_recovery_bound;

typedef struct cr_step_problem {
  cr_problem problem;
  cr_blocks blocks;
  cr_symbolic A_symbolic;
  int num_constraints;
  const cr_constraint* constraints; /* in the order of addition */
  const cr_contact_points* points;  /* what those of contacts are about */
  const int* order;                 /* [num_constraints] constraint of each place in the problem */
  double *v_star, *v0;              /* [n] in blocks */
  double *v_c0, *v_c_lin;           /* [num_rows] J v0, J v_lin */
  cr_anchor* anchors;               /* [num_constraints] by place; null: friction is not anchored */
  double* roll;                     /* [2 num_constraints] by place, of contacts: the part of the
                                       tangential rows' v_hat that compliance.c adds to stick at
                                       the end of the step */
  double* W;                        /* Delassus blocks, see cr_problem_compute_delassus */
  double* gamma;                    /* [num_rows] guess, then solution */
  bool* is_held;                    /* [num_rows] closed, and kept where it is */
  cr_recovery_bound* recovery;      /* [num_rows] */
  double* recovery_share; /* [num_constraints] by place, of the speed that a row would recover with,
                             which v_hat has; */
  double* next_share;     /* and that the next assembly is to begin with */
  int num_softened;       /* how often that was lowered since the problem was assembled */
  int* shared;            /* [num_constraints] by place: the group that its impulse, one of
                             many, is shared in; 0: none; null: not looked for */
  double equality_recovery; /* J, what that of rigid equalities may give together */
  double load;              /* N s, what the weight of all that takes part presses with */
  int num_relaxed;          /* islands whose last problem has the slip frozen */
  bool has_guess;
  cr_tension tension;
} cr_step_problem;

#endif
