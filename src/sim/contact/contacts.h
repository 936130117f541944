/* Contact points between geometries at the configuration where a step looks at them. */
#ifndef CR_SIM_CONTACTS_H
#define CR_SIM_CONTACTS_H

#include "sim/contact/contact_point.h"

#define CR_REST_DISTANCE 1e-6 /* m, pairs this near count as touching */

/* Finds all points that might matter within the step, at q_mid, and which of them enter the
 * problem: a rigid one when it would meet within the step at v_lin, a compliant one when it would
 * be in contact. A point has an impact when it would meet within the step faster than free
 * acceleration explains: its island then takes the step of an impact. Such a step ends at touch
 * with the speed that leads there; so what approaches still in the next step has one again.
 * @param lin at v_lin
 * @param start at v0
 * @param points those found before in the same step, or zeros; its memory is used again
 * @return false when memory ran out */
bool cr_contact_points_find(cr_step* step, const cr_motion* lin, const cr_motion* start,
                            cr_contact_points* points);

/* The same with all that moves looked for farther by `beyond`, m, for observers: `points` are to be
 * zeros, and the reach is as it was in the end. */
bool cr_contact_points_find_beyond(cr_step* step, const cr_motion* lin, const cr_motion* start,
                                   double beyond, cr_contact_points* points);

/* All points of pairs nearer than their margin and `reach` (m) at the step's kinematics, whatever
 * their motion; what faces touch over, by its corners or as an area. False when memory ran out. */
bool cr_contact_points_list(cr_step* step, const cr_motion* motion, double reach,
                            carom_patches patches, cr_contact_points* points);

#endif
