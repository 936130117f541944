/* Mocap bodies that move within steps: each at the velocity that is prescribed for it, which what
 * touches it feels. A step looks at them where it looks at what moves by its scheme, at a share
 * theta_q of their way. */
#ifndef CR_SIM_DRIVEN_H
#define CR_SIM_DRIVEN_H

#include "sim/sim.h"

/* Counts those that move. */
void cr_driven_count(carom_sim* sim);

/* Velocity of a link that hangs on nothing, about its frame's origin; zero where none is
 * prescribed. */
sv cr_driven_find(const carom_sim* sim, int link);

/* The same at a point, with links where the step has placed them. */
v3 cr_driven_find_at(const cr_step* step, int link, v3 x);

/* Moves the mocap bodies of q from where the state has them by h, s, of their way. */
void cr_driven_move(const carom_sim* sim, double h, double* q);

#endif
