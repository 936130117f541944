/* Solving the convex problem, and true Coulomb friction on top of it (docs/solver.md). */
#ifndef CR_SOLVE_SOLVE_H
#define CR_SOLVE_SOLVE_H

#include "solve/types.h"

#include "carom/status.h"

cr_solve_options cr_solve_options_default(void);

/* Solves a problem. The results are the same to the bit whoever solves it.
 * @param workers null: the caller, in the arena, with no analysis kept
 * @param arena scratch
 * @param v [n] receives the velocities
 * @param gamma [num_rows] a guess unless the start is cold; receives the impulses, in their sets C
 * @return CAROM_OK (look at the outcome), or CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_solve(const cr_problem* problem, const cr_solve_options* options,
                      cr_solve_workers* workers, cr_arena* arena, double* v, double* gamma,
                      cr_solve_report* report);

#endif
