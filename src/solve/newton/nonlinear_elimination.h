/* Nonlinear elimination (Lanzkron, Rose & Wilkes 1996) of the few constraints that a Newton step
 * has linearised in the wrong state. */
#ifndef CR_SOLVE_NONLINEAR_ELIMINATION_H
#define CR_SOLVE_NONLINEAR_ELIMINATION_H

#include "solve/newton/system.h"

/* A Newton step. */
typedef struct cr_newton_step {
  double* dv;     /* [n] */
  double* dv_c;   /* [num_rows] J dv */
  double* dgamma; /* [num_rows] */
} cr_newton_step;

typedef enum cr_elimination_effort {
  CR_ELIMINATION_NONE,
  CR_ELIMINATION_BRIEF,      /* a step that would be lost is saved */
  CR_ELIMINATION_THOROUGH,   /* constraints are solved as long as one leaves its linearisation, */
  CR_ELIMINATION_EXHAUSTIVE, /* more of them at once, and more altogether; even more: */
  CR_ELIMINATION_LARGE,
  CR_ELIMINATION_LARGEST,
} cr_elimination_effort;

/* Working memory. */
typedef struct cr_nonlinear_elimination {
  cr_elimination_effort effort; /* that there is memory for */
  int most_rows;                /* of S, a multiple of CR_SEGMENT_ROWS */
  double *v_c, *gamma;          /* [num_rows] a trial point */
  cr_newton_step change[2];     /* of the step: the best, and one that is tried */
  cr_half half;                 /* half solutions of the rows of J that S has */
  double *C, *M, *K;            /* [most_rows, most_rows]; of M the kernels' slack more */
  double* G;                    /* [room, most_rows] */
} cr_nonlinear_elimination;

/* The effort after so many Newton steps: in the tail, of stiff problems most of all, a few contacts
 * go on switching between stick and slide while all others have settled. Proximal problems with the
 * De Saxce term are too many for more than a brief elimination, and small ones for any.
 * @param is_far whether Newton began far from the solution
 * @param is_hidden whether merit that is none has left a gap that is too large */
cr_elimination_effort cr_nonlinear_elimination_choose(const cr_system* system,
                                                      const cr_law_mode* mode, int steps,
                                                      bool is_far, bool is_hidden);

/* Takes memory for so much effort from the arena's scratch. */
bool cr_nonlinear_elimination_init(cr_nonlinear_elimination* e, const cr_system* system,
                                   cr_elimination_effort effort, cr_arena* arena);

/* Where nearly all of the merit after a full step is that of a few constraints: solves them, while
 * all others keep the linearisation whose factor the system holds, and takes their response into
 * the step.
 * @param linear of the step; its h is lost, and its G_coulomb
 * @param effort not CR_ELIMINATION_NONE
 * @param most merit that is acceptable
 * @param enough merit with which there is no more to do
 * @param arena scratch
 * @param merit receives that of the laws after the full step as it was
 * @return whether the step was changed; then it is to be taken whole */
bool cr_nonlinear_elimination_apply(cr_nonlinear_elimination* e, cr_system* system,
                                    const cr_iterate* from, const cr_law_mode* mode,
                                    const cr_law_linearization* linear,
                                    cr_elimination_effort effort, double most, double enough,
                                    cr_arena* arena, cr_newton_step* step, double* merit);

#endif
