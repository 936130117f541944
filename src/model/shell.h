/* Shapes whose mass is on their surface. */
#ifndef CR_MODEL_SHELL_H
#define CR_MODEL_SHELL_H

#include "geom/shape.h"

/* Area of a primitive, m²; an ellipsoid's by Thomsen's formula, which is right to 1.1 %. Zero of
 * planes, meshes and height fields. */
double cr_shell_compute_area(const cr_shape* shape);

/* Moments over the mass, m², about its centre along its axes; an ellipsoid's shell is that between
 * it and the one with half axes longer by the same small length, as MuJoCo has it. */
v3 cr_shell_compute_unit_inertia(const cr_shape* shape);

#endif
