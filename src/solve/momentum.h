/* Impulses that balance the momentum of their velocities to round-off. */
#ifndef CR_SOLVE_MOMENTUM_H
#define CR_SOLVE_MOMENTUM_H

#include "solve/certificate.h"

/* Moves an iterate that solves a problem to one nearby whose impulses lie in C and for which
 * A (v - v*) = Jᵀ gamma but for round-off, with the last factor of H. Where that does not obey
 * the laws to `enough` the iterate stays; so it does where H is not factored.
 * @param mode the problem that is solved
 * @param arena scratch
 * @return whether it balances; where memory ran out, which the arena tells, the iterate is
 * undefined
 */
bool cr_momentum_balance(cr_system* system, const cr_law_mode* mode, double enough, cr_arena* arena,
                         cr_iterate* iterate);

#endif
