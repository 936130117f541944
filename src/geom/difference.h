/* The Minkowski difference A - B of a pair, by its support points: what the general searches see.
 *
 * It is seen from A, in A's axes. Capsules count as their axes, spheres as their centres. */
#ifndef CR_GEOM_DIFFERENCE_H
#define CR_GEOM_DIFFERENCE_H

#include "geom/contact.h"

typedef struct cr_difference {
  const cr_shape *a, *b;
  m3 R;                              /* B's axes in A's, as columns */
  v3 c;                              /* m: B's centre from A's */
  double thickness, size, tolerance; /* m: as of the pair */
} cr_difference;

/* A point of A less a point of B. Of shapes with corners it is known which they are. */
typedef struct cr_difference_point {
  v3 x;     /* m */
  int a, b; /* corner of each; 0 of round shapes */
} cr_difference_point;

void cr_difference_init(const cr_contact_pair* pair, cr_difference* difference);

/* True for shapes that are the hull of a few corners: all but cylinders and ellipsoids. */
bool cr_difference_has_corners(const cr_shape* shape);

/* The point that lies farthest along a direction. */
cr_difference_point cr_difference_find_support(const cr_difference* difference, v3 direction);

/* The difference of two corners, to the bit as the support has it. */
v3 cr_difference_compute_point(const cr_difference* difference, int a, int b);

/* By how much the shapes overlap along a unit vector that leads from A to B. */
double cr_difference_compute_overlap(const cr_difference* difference, v3 n);

/* A direction from A to B, in A's axes, by how much the shapes overlap along it, and between which
 * corners. */
typedef struct cr_direction {
  v3 n;
  double overlap;
  int a, b;
} cr_direction;

/* The overlap along n, and its corners. */
void cr_direction_measure(const cr_difference* difference, cr_direction* direction);

#endif
