/* What friction bears along and about a contact at once. */
#ifndef CR_TEST_LIMIT_SURFACE_H
#define CR_TEST_LIMIT_SURFACE_H

/* Friction of uniform pressure on a square of the half width a that turns about a point d beside
 * its middle: force across that way, and moment about the middle, over mu times the load. By the
 * midpoint rule on 400² cells. */
void limit_surface_of_square(double a, double d, double* force, double* moment);

#endif
