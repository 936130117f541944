/* The constraints S that nonlinear elimination solves in place of all. An impulse c on them moves
 * velocities of the whole problem by H^-1 J_Sᵀ c, of S by C c with C = J_S H^-1 J_Sᵀ, as all others
 * and S itself keep the linearisation whose factor the system holds, which has no De Saxce terms:
 * what others leave of their law by that is in the merit. */
#ifndef CR_SOLVE_ELIMINATION_SET_H
#define CR_SOLVE_ELIMINATION_SET_H

#include "solve/newton/system.h"
#include "solve/tuning.h"

/* A Newton step. */
typedef struct cr_newton_step {
  double* dv;     /* [n] */
  double* dv_c;   /* [num_rows] J dv */
  double* dgamma; /* [num_rows] */
} cr_newton_step;

typedef enum cr_elimination_budget {
  CR_ELIMINATION_NONE,
  CR_ELIMINATION_BRIEF, /* a step that would be lost is saved */
  CR_ELIMINATION_THOROUGH,
  /* constraints are solved as long as one leaves its linearisation */
} cr_elimination_budget;

/* Working memory. */
typedef struct cr_nonlinear_elimination {
  double *v_c, *gamma;      /* [num_rows] a trial point */
  cr_newton_step change[2]; /* of the step: the best, and one that is tried */
  cr_half half;             /* half solutions of the rows of J that S has */
  double *C, *M, *K;        /* [CR_ELIMINATION_ROWS, same]; of M the kernels' slack more */
  double* G;                /* [ld, CR_ELIMINATION_ROWS] */
} cr_nonlinear_elimination;

/* A constraint, or some that follow each other in the batch of their kind. */
typedef struct cr_elimination_constraint {
  int kind, index; /* in the batch of its kind */
  int row, rows;
  double merit;
} cr_elimination_constraint;

typedef struct cr_elimination {
  cr_nonlinear_elimination* memory;
  cr_system* system;
  const cr_law_mode* mode;
  const cr_law_linearization* linear; /* h of S, and G while it is compared, are lost */
  cr_law_point point;                 /* memory->v_c, memory->gamma */
  const cr_iterate* from;
  const cr_newton_step* step;
  double total, rest; /* merit at the point when S was chosen, of all and of all others */
  double enough;      /* merit that is none */
  double least;       /* merit so far, or what it must be below */
  bool has_changed;   /* whether that is of memory->change[0] */
  cr_elimination_budget budget;
  int count, rows; /* of S */
  cr_elimination_constraint chosen[CR_ELIMINATION_ROWS];
  double v_c[CR_ELIMINATION_ROWS], gamma[CR_ELIMINATION_ROWS]; /* of S after the full step */
  double c[CR_ELIMINATION_ROWS];
  bool has_left[CR_ELIMINATION_ROWS]; /* whether it was active since S has grown */
} cr_elimination;

/* Constraints of S that are solved for, while all others in it go by their linearisation. */
typedef struct cr_elimination_active {
  int count, rows;
  int chosen[CR_ELIMINATION_ROWS]; /* [count] which of S */
  int at[CR_ELIMINATION_ROWS];     /* [rows] which row of S */
  bool is[CR_ELIMINATION_ROWS];    /* [rows of S] */
} cr_elimination_active;

static inline bool cr_elimination_is_thorough(const cr_elimination* x) {
  return x->budget == CR_ELIMINATION_THOROUGH;
}

/* Merit at the point of constraints of one kind. */
static inline double cr_elimination_merit(const cr_elimination* x, const cr_law_mode* mode,
                                          int kind, int first, int count) {
  cr_law_batch part = cr_law_slice(&x->system->batch[kind], first, count);
  return cr_law_get(kind)->merit(&part, &x->point, mode);
}

/* A row of C. */
static inline const double* cr_elimination_get_C(const cr_elimination* x, int m) {
  return x->memory->C + CR_ELIMINATION_ROWS * m;
}

/* The G of S that the factor has: of the constraint whose rows begin at the m-th. */
static inline const double* cr_elimination_get_G(const cr_elimination* x, int m) {
  return x->memory->G + x->system->problem->ld * m;
}

#endif
