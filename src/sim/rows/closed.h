/* Gaps that are none (docs/contact.md). */
#ifndef CR_SIM_CLOSED_H
#define CR_SIM_CLOSED_H

#include "sim/rows/step_problem.h"

/* Keeps what is closed where it is, under the impulses `out.gamma`: v_hat of its rows, and
 * `out.is_held`. False when memory ran out. */
bool cr_closed_hold(cr_step* step, cr_step_problem* out);

#endif
