/* The point of a triangle that is nearest to another point. */
#ifndef CR_GEOM_TRIANGLE_H
#define CR_GEOM_TRIANGLE_H

#include "math/vec3.h"

/* The point of a triangle nearest to x.
 * @param weight receives its barycentric coordinates: none negative, together 1 */
v3 cr_triangle_find_nearest(const v3 corner[3], v3 x, double weight[3]);

#endif
