/* Contact of a pair of which one at least has a pressure inside (geom/field.h). */
#ifndef CR_SIM_CONTACT_FIELD_H
#define CR_SIM_CONTACT_FIELD_H

#include "sim/contact/contact_patches.h"

#define CR_FIELD_AHEAD   0.5                  /* of the overlap that the free motion ends with */
#define CR_FIELD_FEATURE UINT32_C(0x46000000) /* their names, a pair has no others */

/* Adds the points of the surface on which pressures are equal.
 * @param values stiffness per area
 * @param manifold of the pair's shapes as they are, [count]
 * @return false when memory ran out */
bool cr_scan_add_field(cr_scan* s, const cr_geom_pair* pair, const cr_contact_values* values,
                       const cr_manifold* manifold, int count);

#endif
