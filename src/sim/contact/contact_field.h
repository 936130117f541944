/* Contact of a pair of which one at least has a pressure inside (geom/field.h). */
#ifndef CR_SIM_CONTACT_FIELD_H
#define CR_SIM_CONTACT_FIELD_H

#include "sim/contact/contact_patches.h"

/* Adds the points of the surface on which pressures are equal.
 * @param values stiffness per area
 * @param manifold of the pair's shapes as they are, [count]
 * @return false when memory ran out */
bool cr_scan_add_field(cr_scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                       const cr_manifold* manifold, int count);

#endif
