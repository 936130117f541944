/* The laws of the constraints S that nonlinear elimination has chosen. */
#ifndef CR_SOLVE_ELIMINATION_H
#define CR_SOLVE_ELIMINATION_H

#include "solve/newton/elimination_set.h"

/* Finds the c with which the laws of S hold, and moves S there; whether their merit falls enough.
 */
bool cr_elimination_solve(cr_elimination* x);

#endif
