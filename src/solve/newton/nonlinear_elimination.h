/* Nonlinear elimination (Lanzkron, Rose & Wilkes 1996) of the few constraints that a Newton step
 * has linearised in the wrong state. */
#ifndef CR_SOLVE_NONLINEAR_ELIMINATION_H
#define CR_SOLVE_NONLINEAR_ELIMINATION_H

#include "solve/newton/elimination_set.h"

/* The budget after so many Newton steps: in the tail, of stiff problems most of all, a few contacts
 * go on switching between stick and slide while all others have settled. Proximal problems with the
 * De Saxce term are too many for more than a brief elimination, and small ones for any.
 * @param is_hidden whether merit that is none has left a gap that is too large */
cr_elimination_budget cr_nonlinear_elimination_choose(const cr_system* system,
                                                      const cr_law_mode* mode, int steps,
                                                      bool is_hidden);

/* Takes memory from the arena's scratch. */
bool cr_nonlinear_elimination_init(cr_nonlinear_elimination* e, const cr_system* system,
                                   cr_arena* arena);

/* Where nearly all of the merit after a full step is that of a few constraints: solves them, while
 * all others keep the linearisation whose factor the system holds, and takes their answer into
 * the step.
 * @param linear of the step; its h is lost, and its G_coulomb
 * @param budget not CR_ELIMINATION_NONE
 * @param most merit that is acceptable
 * @param enough merit with which there is no more to do
 * @param arena scratch
 * @param merit receives that of the laws after the full step as it was
 * @return whether the step was changed; then it is to be taken whole */
bool cr_nonlinear_elimination_apply(cr_nonlinear_elimination* e, cr_system* system,
                                    const cr_iterate* from, const cr_law_mode* mode,
                                    const cr_law_linearization* linear,
                                    cr_elimination_budget budget, double most, double enough,
                                    cr_arena* arena, cr_newton_step* step, double* merit);

#endif
