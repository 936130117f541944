/* Accelerated projected gradient on the dual: matrix-free, one solve with A an iteration. */
#ifndef CR_SOLVE_ACCELERATED_H
#define CR_SOLVE_ACCELERATED_H

#include "solve/first_order/first_order.h"

/* Iterates from the iterate's gamma, in place.
 * @param iterations receives the gradient steps taken, backtracks included, added */
cr_newton_outcome cr_accelerated(cr_system* system, const cr_first_order_settings* settings,
                                 cr_arena* arena, cr_iterate* iterate, int* iterations);

#endif
