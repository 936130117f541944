/* What surfaces ask for where they touch, beside friction of one coefficient. */
#ifndef CR_SIM_CONTACT_SURFACE_H
#define CR_SIM_CONTACT_SURFACE_H

#include "model/contact_rule.h"
#include "sim/contact/scan.h"

/* The surface of a pair: its own, or what the rule makes of both geometries'. */
carom_surface cr_contact_find_surface(const carom_model* model, const cr_geom_pair* pair);

/* Sets it for a point whose place and normal are set. False when memory ran out. */
bool cr_scan_set_surface(const cr_scan* scan, const cr_contact_values* values,
                         const carom_surface* surface, cr_contact_point* point);

#endif
