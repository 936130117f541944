/* The constraints S of nonlinear elimination as a problem in their impulses alone, for where
 * Newton's method on their laws is held up. */
#ifndef CR_SOLVE_ELIMINATION_DUAL_H
#define CR_SOLVE_ELIMINATION_DUAL_H

#include "solve/newton/elimination_set.h"

/* Sets c to what a few block Gauss-Seidel sweeps over the active constraints' impulses make of
 * where S is, each block solved exactly; nothing where that would take longer than it saves. */
void cr_elimination_sweep(cr_elimination* x, const cr_elimination_active* list);

/* Sets c to what an interior point finds: nearly the solution, but for what the others respond. */
void cr_elimination_run_interior(cr_elimination* x, const cr_elimination_active* list);

#endif
