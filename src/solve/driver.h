/* Who solves a problem, in which order: tables of stages, and the loop that walks them. */
#ifndef CR_SOLVE_DRIVER_H
#define CR_SOLVE_DRIVER_H

#include "solve/strategy.h"

/* Solves from the iterate (v_c and r up to date), in place.
 * @param warm the iterate is a guess worth starting from */
cr_newton_report cr_driver_solve(cr_system* system, const cr_solve_options* options, bool warm,
                                 cr_arena* arena, cr_iterate* iterate);

#endif
