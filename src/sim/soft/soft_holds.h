/* Reactions of what holds soft bodies: of nodes fixed in the world what their row of the residual
 * leaves, of glued ones the impulses of their ties. */
#ifndef CR_SIM_SOFT_HOLDS_H
#define CR_SIM_SOFT_HOLDS_H

#include "sim/contact/contacts.h"

/* Sets the reactions of a step: dE/dx + D v - load on fixed nodes, at the step's solution; false
 * when memory ran out. */
bool cr_soft_holds_start(cr_step* step);

/* Takes from them what a contact does to fixed nodes.
 * @param impulse N s, on the second side */
void cr_soft_holds_take_contact(cr_step* step, const cr_touch* touch, v3 impulse);

/* Sets the part of a tie that its row gives, whose key this is, N s; other keys are passed over. */
void cr_soft_holds_take_tie(cr_step* step, const cr_contact_key* key, double impulse);

/* No step has been taken since the state was set. */
void cr_soft_holds_clear(carom_sim* sim);

#endif
