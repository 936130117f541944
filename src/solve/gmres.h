/* Restart-free GMRES, preconditioned from the right by the factor of the convex matrix H. */
#ifndef CR_SOLVE_GMRES_H
#define CR_SOLVE_GMRES_H

#include "solve/system.h"

/* Solves (A + JᵀGJ) x = b for a non-symmetric G laid out as in law.h.
 * @param tolerance relative residual
 * @param x [n] holds b on entry and the solution on return
 * @param arena scratch
 * @return iterations taken; 0 where b is zero; -1 when memory ran out */
int cr_gmres_solve(cr_system* system, const double* G, double tolerance, int max_iterations,
                   cr_arena* arena, double* x);

#endif
