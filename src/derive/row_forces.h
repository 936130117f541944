/* All forces along rows of a step. */
#ifndef CR_DERIVE_ROW_FORCES_H
#define CR_DERIVE_ROW_FORCES_H

#include "derive/row_force.h"

/* What moves the rate of a row without stiff dampers, where the step takes it. False when memory
 * ran out. */
bool cr_row_force_find_ways(const cr_step_tangent* t, cr_row_force* p);

/* The first of a line, which has its row; null: nothing moves it. */
const cr_row_force* cr_row_forces_find_line(const cr_step_tangent* t, int line);

/* All of the step's, whose joined trees stand at v*, into t.row_forces; refuses what has no
 * derivative yet. */
carom_status cr_row_forces_find(cr_step_tangent* t);

#endif
