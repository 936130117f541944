/* Reactions of what holds soft bodies: of nodes fixed in the world what their row of the residual
 * leaves, of glued ones the impulses of their ties. */
#ifndef CR_SIM_SOFT_ATTACHMENTS_H
#define CR_SIM_SOFT_ATTACHMENTS_H

#include "sim/rows/step_problem.h"

/* Sets the reactions of a step from its solution: dE/dx + D v - load on fixed nodes less what
 * contacts do to them, and the impulses of ties. False when memory ran out. */
bool cr_soft_attachments_find(cr_step* step, const cr_contact_points* points,
                              const cr_step_problem* problem);

/* No step has been taken since the state was set. */
void cr_soft_attachments_clear(carom_sim* sim);

#endif
