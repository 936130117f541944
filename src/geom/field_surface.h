/* The surface on which two pressures are equal, as triangles. */
#ifndef CR_GEOM_FIELD_SURFACE_H
#define CR_GEOM_FIELD_SURFACE_H

#include "geom/field_cut.h"

/* In the arena's scratch.
 * @param motion in which triangles change; null: none
 * @return false when memory ran out */
bool cr_field_find_surface(const cr_field_pair* pair, const cr_field_motion* motion,
                           cr_arena* arena, cr_field_surface* surface);

#endif
