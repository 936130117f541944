/* The area over which a face of a surface of triangles, which may have holes, lies on a face. */
#ifndef CR_GEOM_AREA_SURFACE_H
#define CR_GEOM_AREA_SURFACE_H

#include "geom/area.h"
#include "geom/shape.h"

/* Two shapes that touch along a normal, one of them, or both, a surface. */
typedef struct cr_area_look {
  const cr_shape* shape[2];
  const pose* X[2];
  v3 normal, t[2]; /* unit, from the first to the second; and across it */
  v3 origin;       /* m, of the plane's coordinates, where they touch */
  v3 low, high;    /* m, world: bounds of the points where they touch */
  double reach;    /* m: faces whose planes are no farther from the middle of these touch */
} cr_area_look;

/* The moments of what both have in common in the plane.
 * @return whether they are known: where the other shape has no face that is level, or nothing is in
 *         common, they are not */
int cr_area_measure_surface(const cr_area_look* look, cr_area_moments* moments);

/* Takes a convex polygon, corners anticlockwise in the plane's coordinates; false: no more. */
typedef bool cr_area_taker(void* user, const double (*corner)[2], int count);

/* What both have in common as polygons that lie beside each other.
 * @return whether it is known */
int cr_area_visit_surface(const cr_area_look* look, cr_area_taker* take, void* user);

/* Takes a side of such a polygon, which the edge of shape 0 or 1 is; what it bounds is to its left.
 */
typedef void cr_area_side_taker(void* user, int shape, const double* from, const double* to);

/* The sides of these polygons. One within the area comes twice, there and back. */
void cr_area_visit_sides(const cr_area_look* look, cr_area_side_taker* take, void* user);

#endif
