/* Rows of constraints that recovery bounds, or whose dissipation follows from their mobility. */
#ifndef CR_DERIVE_RECOVERY_ROWS_H
#define CR_DERIVE_RECOVERY_ROWS_H

#include "derive/constraint_state.h"

/* Their answers, levers and recovery, of all that is active; counts what is held. False when memory
 * ran out. */
bool cr_recovery_rows_find(cr_constraint_state* s);

#endif
