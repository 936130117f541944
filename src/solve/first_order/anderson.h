/* Anderson acceleration of a fixed point x = g(x), depth 5 (Walker & Ni 2011). */
#ifndef CR_SOLVE_ANDERSON_H
#define CR_SOLVE_ANDERSON_H

#include "base/arena.h"
#include "solve/tuning.h"

typedef struct cr_anderson {
  int n, count;
  double* x;  /* [n] the last argument */
  double* f;  /* [n] its residual g(x) - x */
  double* dx; /* [n, CR_MEMORY] differences of arguments */
  double* df; /* [n, CR_MEMORY] differences of residuals */
} cr_anderson;

/* False when memory ran out. */
bool cr_anderson_init(cr_anderson* anderson, int n, cr_arena* arena);

/* Replaces x by the next argument, from g = g(x). */
void cr_anderson_step(cr_anderson* anderson, double* x, const double* g);

#endif
