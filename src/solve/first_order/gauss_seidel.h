/* Block projected Gauss-Seidel on the dual: no factor of H, cheap iterations, many of them. */
#ifndef CR_SOLVE_GAUSS_SEIDEL_H
#define CR_SOLVE_GAUSS_SEIDEL_H

#include "solve/first_order/first_order.h"

/* Sweeps from the iterate's gamma, in place.
 * @param iterations receives the sweeps taken, added */
cr_newton_outcome cr_gauss_seidel(cr_system* system, const cr_first_order_settings* settings,
                                  cr_arena* arena, cr_iterate* iterate, int* iterations);

#endif
