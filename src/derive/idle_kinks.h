/* Kinks of what takes no part in a step, but nearly does: contacts and limits that stay open by
 * little, actuators whose force or control is near a bound of its range. */
#ifndef CR_DERIVE_IDLE_KINKS_H
#define CR_DERIVE_IDLE_KINKS_H

#include "derive/step_tangent.h"

/* At the solution, before anything is placed elsewhere. */
void cr_idle_kinks_mark(cr_step_tangent* t, const cr_contact_set* set);

#endif
