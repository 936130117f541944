/* How the moments of the area that two faces have in common change as these move. */
#ifndef CR_GEOM_AREA_SURFACE_TANGENT_H
#define CR_GEOM_AREA_SURFACE_TANGENT_H

#include "geom/area_surface.h"

/* How points of a face move along the plane, v = at + by x. */
typedef struct cr_area_flow {
  double at[2], by[2][2];
} cr_area_flow;

/* Derivatives of what cr_area_measure_surface has found, along motions of both faces.
 * @param flow of each shape's face, in the plane's coordinates */
void cr_area_differentiate_surface(const cr_area_look* look, const cr_area_moments* moments,
                                   const cr_area_flow flow[2], cr_area_moments* change);

#endif
