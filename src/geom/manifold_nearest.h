/* Derivatives of the nearest points of two shapes from the parts under them. */
#ifndef CR_GEOM_MANIFOLD_NEAREST_H
#define CR_GEOM_MANIFOLD_NEAREST_H

#include "geom/part.h"

/* X of A X = B, [n, n] and [n, 6], n at most 4.
 * @return false where A is as good as singular */
bool cr_nearest_solve(double* A, int n, double* B);

/* Two nearest points. */
typedef struct cr_nearest {
  const cr_mover* mover; /* of A and B */
  cr_part* part;         /* of each; moved with the points where they are polished */
  double distance;       /* m, signed */
  double size;           /* m: in terms of which lengths are solved for */
  jet3 n;                /* from A to B, its value; receives the derivatives */
  jet3 x[2];             /* receives the points */
} cr_nearest;

/* Goes from where a search ended before the last digits to the nearest points, to round-off. */
void cr_nearest_polish(cr_nearest* nearest);

/* Derivatives of the normal and of both points.
 * @return false where the points are not unique */
bool cr_nearest_differentiate(cr_nearest* nearest);

#endif
