/* Rays against shapes. */
#ifndef CR_GEOM_RAY_H
#define CR_GEOM_RAY_H

#include "geom/shape.h"

/* The stretch of a line within a convex shape, in lengths of the direction; empty where in > out.
 */
typedef struct cr_ray_span {
  double in, out;
} cr_ray_span;

/* Where the line o + t v (in the shape's frame) is within the shape. */
cr_ray_span cr_ray_find_span(const cr_shape* shape, v3 o, v3 v);

/* Distance along the ray to the shape's surface, from within to where it leaves it; a plane is met
 * from above only, within the rectangle in which it is drawn. inf where it meets none.
 * @param direction of unit length */
double cr_ray_cast(const cr_shape* shape, v3 origin, v3 direction);

/* The normal of the surface where a ray that meets it does, of unit length; at an edge that of one
 * of its sides. */
v3 cr_ray_find_normal(const cr_shape* shape, v3 origin, v3 direction);

#endif
