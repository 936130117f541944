/* Random shapes and slow, independent references for what the narrow phase computes. */
#ifndef CR_TEST_SHAPES_H
#define CR_TEST_SHAPES_H

#include "geom/collide.h"
#include "support/check.h"

/* A shape at a pose. */
typedef struct check_body {
  cr_shape shape;
  pose X;
} check_body;

/* Extents between `low` and `high`, uniform in the logarithm. */
cr_shape check_random_shape(check_random* random, carom_geom_type type, double low, double high);
m3 check_random_rotation(check_random* random);
v3 check_random_direction(check_random* random);

/* The distance of two bodies as the narrow phase has it, with the points and the normal. */
typedef struct check_nearest {
  double distance;
  v3 a, b, n;
} check_nearest;

check_nearest check_nearest_points(const check_body* a, const check_body* b);

/* Signed distance of a world point to a body, by formulas of its own: exact, but of ellipsoids only
 * on the surface, of meshes on it and inside. */
double check_point_distance(const check_body* body, v3 x);

/* Largest n.x over the body, from corners and rims. */
double check_support_height(const check_body* body, v3 n);

/* Width by which two bodies overlap along a unit vector from A to B. */
double check_overlap(const check_body* a, const check_body* b, v3 n);

/* The least overlap over all directions, by dense sampling of the sphere, of the great circles
 * on which the overlap function has kinks, and of their intersections, with local refinement. An
 * upper bound of the penetration depth that is nearly always the depth itself. */
double check_least_overlap(const check_body* a, const check_body* b);

/* Fails unless every point of a manifold lies on both surfaces (to `tolerance`), has the distance
 * that it states, is within the margin, and has its own feature; and the normal is of unit length.
 */
void check_manifold(const check_body* a, const check_body* b, const cr_manifold* manifold,
                    double margin, double tolerance);

/* The least distance of a manifold's points; inf where there are none. */
double check_deepest(const cr_manifold* manifold);

const char* check_type_name(carom_geom_type type);

/* One line per body, for messages. */
void check_print_pair(const check_body* a, const check_body* b);

#endif
