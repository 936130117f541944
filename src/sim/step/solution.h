/* The solution of a step's convex problem. */
#ifndef CR_SIM_SOLUTION_H
#define CR_SIM_SOLUTION_H

#include "sim/rows/step_problem.h"

/* Solves the problem into step->v; velocities of movers without constraints are those of the free
 * motion.
 * @param v_c receives J v [num_rows] */
cr_result cr_solution_find(cr_step* step, cr_step_problem* problem, double** v_c,
                           carom_step_report* report);

/* Velocities v of its unknowns, and what follows of the rest of their movers, into step->v. False
 * when memory ran out. */
bool cr_solution_scatter(cr_step* step, const cr_step_problem* problem, const double* v);

#endif
