/* Linear solves with the De Saxce term: each sliding contact adds a non-symmetric rank one. */
#ifndef CR_SOLVE_WOODBURY_H
#define CR_SOLVE_WOODBURY_H

#include "solve/newton/system.h"

/* Solves (A + JᵀG_coulomb J) x = b, given the factor of A + JᵀGJ in the system and G_coulomb that
 * differs from G by a matrix of rank one in each constraint.
 * @param accuracy of the residual b - (A + JᵀG_coulomb J) x in the norm of A^-1, where contacts do
 *        not share it
 * @param x [n] holds b on entry and the solution on return
 * @param arena scratch
 * @param is_exact receives whether x is the solution but for round-off, as where nothing slides or
 *        few contacts of a robot
 * @return iterations taken, 0 where there is nothing to iterate on; -1 when memory ran out */
int cr_woodbury_solve(cr_system* system, const double* G, const double* G_coulomb, double accuracy,
                      int max_iterations, cr_arena* arena, double* x, bool* is_exact);

#endif
