/* What the points of a patch are made from, for their derivative. */
#ifndef CR_GEOM_FIELD_RULE_H
#define CR_GEOM_FIELD_RULE_H

#include "geom/field.h"
#include "geom/field_sums.h"
#include "geom/field_surface.h"

#include <math.h>

#define CR_FIELD_NEAREST  1.4142135623730951 /* radii of the outer ring: least, */
#define CR_FIELD_FARTHEST 1.7320508075688772 /* and most */
#define CR_FIELD_LEAST    0.05               /* weight of the outer ring */

/* Where the springs are, across the normal, and what a point at q bears. */
typedef struct cr_field_rings {
  double center[2];      /* m, c */
  double L[2][2];        /* m */
  double beta[2];        /* of q */
  double radius[2];      /* of q */
  double weight[2];      /* of a ring */
  double load[2];        /* rho */
  double mean_direction; /* m: of |L q| over a ring of radius 1 */
  double error;
} cr_field_rings;

void cr_field_find_rings(const cr_field_sums* sums, cr_field_rings* rings);

/* An odd number of directions; those of the inner ring are opposite. So |q.u| is nearly the same on
 * the mean whatever the unit vector u, and the same for both rings: of a strip, too. */
static inline void cr_field_find_direction(int i, double radius, double* q) {
  double angle = i * (6.283185307179586 / CR_FIELD_SIDES);
  q[0] = radius * cos(angle), q[1] = radius * sin(angle);
}

static inline void cr_field_place_point(const cr_field_rings* r, const double* q, double* x) {
  for (int a = 0; a < 2; a++) x[a] = r->L[a][0] * q[0] + r->L[a][1] * q[1];
}

/* Of a surface.
 * @param fallback its direction where it bears nothing */
void cr_field_sum_surface(const cr_field_surface* surface, v3 fallback, cr_field_sums* sums);

/* How these change, along the changes of the surface's triangles. */
void cr_field_change_sums(const cr_field_surface* surface, const cr_field_sums* sums,
                          cr_field_sums* change);

/* How cr_field_sum_balls' do. */
void cr_field_change_balls(const cr_field_pair* pair, const cr_field_motion* motion,
                           const cr_field_sums* sums, cr_field_sums* change);

/* Sums, and how they change; with the pair's depth. */
typedef struct cr_field_sums_motion {
  cr_field_sums at, d;
  double depth, ddepth; /* m */
} cr_field_sums_motion;

/* How a patch does. False where its sums are a line's. */
bool cr_field_change_patch(const cr_field_sums_motion* sums, cr_field_patch* change);

#endif
