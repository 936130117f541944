/* How the rule of an area moves with its corners. */
#ifndef CR_GEOM_AREA_TANGENT_H
#define CR_GEOM_AREA_TANGENT_H

#include "geom/area.h"

/* What a rule is of, and its corners. */
typedef enum cr_area_kind {
  CR_AREA_OF_POLYGON, /* or a line */
  CR_AREA_OF_DISC,
} cr_area_kind;

typedef struct cr_area_corners {
  cr_area_kind kind;
  int count;
  const double (*x)[2];                    /* m, anticlockwise */
  const cr_area_moments *moments, *change; /* of an area that is neither, and theirs; null: it is */
} cr_area_corners;

/* How the points of a rule change. */
typedef struct cr_area_change {
  double x[CR_AREA_POINTS][2]; /* m */
  double weight[CR_AREA_POINTS];
  double area; /* m² */
} cr_area_change;

/* The derivative of a rule that cr_area_make, _polygon or _disc has made, along changes
 * of its corners, by the chain rule through its moments; where the weight of the corners makes the
 * mean distance right, by that equation's. The numbers of its points are held.
 * @param change_of m, of each corner */
void cr_area_differentiate(const cr_area_corners* corners, const double (*change_of)[2],
                           const cr_area_rule* rule, cr_area_change* change);

/* The mean distance of a convex polygon, corners x anticlockwise, from the origin, and how it
 * changes with them. @return whether there is an area */
int cr_area_change_mean_distance(const double (*x)[2], const double (*dx)[2], int count,
                                 double* mean, double* change);

/* How near the rule is to where another number of points is taken, relative. */
double cr_area_find_nearest_kink(const cr_area_corners* corners, const cr_area_rule* rule);

#endif
