/* What places of bodies and joints (place_parameters.h) do to forces along rows that move with
 * them: each is one more input of the force. */
#ifndef CR_DERIVE_PLACE_ROWS_H
#define CR_DERIVE_PLACE_ROWS_H

#include "derive/force_parameters.h"

/* How many columns are of places. */
int cr_place_rows_count(const cr_step_tangent* t);

/* Appends those that move its row to the inputs of a force that is complete but for numbers of its
 * own; `along` is the force at whose length and rate it counts. False when memory ran out. */
bool cr_place_rows_add(const cr_step_tangent* t, const cr_force_at* at, const cr_row_force* along,
                       cr_row_force* force);

#endif
