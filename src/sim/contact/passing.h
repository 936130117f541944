/* Whether a step leads a body through what it touches. */
#ifndef CR_SIM_PASSING_H
#define CR_SIM_PASSING_H

#include "sim/contact/contact_set.h"

/* CR_PASSED where the solution's velocities, which the set holds, turn a convex shape by more than
 * a step can follow and lead its centre below a surface that it was above. */
cr_result cr_passing_find(cr_step* step, const cr_contact_set* set);

#endif
