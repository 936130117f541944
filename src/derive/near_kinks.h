/* Which of the constraints near the border of two states are kinks of the step: those by whose
 * other state other velocities would follow. */
#ifndef CR_DERIVE_NEAR_KINKS_H
#define CR_DERIVE_NEAR_KINKS_H

#include "derive/constraint_tangent.h"

/* Marks them; false when memory ran out. */
bool cr_near_kinks_mark(cr_constraint_tangent* c);

#endif
