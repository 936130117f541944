/* Meshes of known solids. */
#ifndef CR_TEST_SOLID_H
#define CR_TEST_SOLID_H

#include "mesh/hull.h"
#include "support/check.h"

/* The C library's memory. */
const carom_allocator* solid_allocator(void);

/* A box of these half sizes about a point, 12 triangles that look outwards. */
cr_mesh solid_box(v3 half, v3 center);

/* An L: the prism of height 2 over (0,0) (2,0) (2,1) (1,1) (1,2) (0,2), so that no two triangles
 * meet but along whole sides. It is the union of two boxes. */
cr_mesh solid_l(void);

/* An octahedron whose triangles are quartered `levels` times and thrown on the unit sphere. */
cr_mesh solid_ball(int levels);

/* Points of a unit sphere, without order. */
void solid_points_on_sphere(check_random* random, int count, double* points);

/* The hull of a mesh's vertices. */
cr_hull* solid_hull(const cr_mesh* mesh);

#endif
