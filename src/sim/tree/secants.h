/* Broyden's method with a fixed factor of A: what Newton's steps have shown of the Jacobian, as
 * pairs of vectors, corrects those that follow ("good" Broyden, Broyden 1965, in the form of Kelley
 * 1995, section 7.3, without matrices), in the inner product of A, which has no units to choose. */
#ifndef CR_SIM_SECANTS_H
#define CR_SIM_SECANTS_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct cr_secants {
  int n, count;         /* of the vectors; of the pairs */
  double *step, *image; /* [most, n] each: steps d that were taken, and A d */
  double* square;       /* [most] d . A d */
  double* last;         /* [n] A times the step that is being corrected */
} cr_secants;

/* On the arena's scratch, for vectors of n numbers; false when memory ran out. */
bool cr_secants_init(cr_secants* s, int n, cr_arena* arena);

/* Forgets all, when A is made anew. */
void cr_secants_forget(cr_secants* s);

/* Corrects a step x <- x - delta, and keeps it for those that follow.
 * @param delta [n] A^-1 residual on entry; what a Jacobian that agrees with all steps kept makes of
 * the residual on exit
 * @param residual [n] */
void cr_secants_correct(cr_secants* s, const double* residual, double* delta);

#endif
