/* Two bodies of which one at least has a pressure inside. */
#ifndef CR_GEOM_FIELD_PAIR_H
#define CR_GEOM_FIELD_PAIR_H

#include "base/shared.h"
#include "geom/shape.h"

#include <math.h>

/* A body in place. The pressure at a point within is `pressure` times its extent: 0 on the surface,
 * 1 on the medial axis of a primitive, in the middle of a convex mesh, at half the thickness of a
 * surface's walls; of a plane the depth in metres. */
typedef struct cr_field_body {
  const cr_shape* shape;
  const pose* X;
  double pressure; /* Pa, of a plane Pa/m; inf: rigid */
} cr_field_body;

/* Two bodies that overlap, at most one of them rigid. */
typedef struct cr_field_pair {
  cr_field_body body[2];
  v3 normal;    /* unit, world, from A to B: moved along it by `depth` B is free of A */
  v3 place;     /* world, within the overlap or next to it: all is worked out about it */
  double depth; /* m */
} cr_field_pair;

/* A small change of a pair in place: of each body a turn about its pose's p and a displacement (rad
 * and m), what its pressure grows by, relative, and its sizes, m; and what the pair's normal and
 * depth change by. */
typedef struct cr_field_motion {
  v3 turn[2], way[2];
  v3 normal;
  double depth, pressure[2];
  double size[2][3];
} cr_field_motion;

/* How v3_tangents' change with n. */
static inline void cr_field_change_tangents(v3 n, v3 dn, v3 dt[2]) {
  double sign = copysign(1.0, n.z), a = -1.0 / (sign + n.z), da = a * a * dn.z;
  double db = dn.x * n.y * a + n.x * dn.y * a + n.x * n.y * da;
  dt[0] = v3_make(sign * n.x * (2 * dn.x * a + n.x * da), sign * db, -sign * dn.x);
  dt[1] = v3_make(db, n.y * (2 * dn.y * a + n.y * da), -dn.y);
}

/* Which of a primitive's sizes is its thickness, of equal ones the first; -1: none is. */
CR_SHARED int cr_field_find_thinnest(const cr_shape* shape);

/* The least distance from the surface of that where the extent is 1. 0 where there is no inside:
 * planes, height fields, surfaces that were not measured. */
CR_SHARED double cr_field_find_thickness(const cr_shape* shape);

#endif
