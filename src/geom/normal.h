/* Normals of shapes at points of their surfaces. */
#ifndef CR_GEOM_NORMAL_H
#define CR_GEOM_NORMAL_H

#include "geom/shape.h"

/* The unit normal, outward, of the surface at the point x that lies on it, in the shape's frame; of
 * the face that is nearest where there are edges. Not for meshes that are only drawn. */
v3 cr_shape_find_normal(const cr_shape* shape, v3 x);

#endif
