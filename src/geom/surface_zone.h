/* Where the surfaces of two solids run through each other. */
#ifndef CR_GEOM_SURFACE_ZONE_H
#define CR_GEOM_SURFACE_ZONE_H

#include "geom/collide.h"

/* A triangle of a surface in place; numbers of its vertices and its own. */
typedef struct cr_zone_side {
  int triangle, vertex[3];
  v3 corner[3], normal;
} cr_zone_side;

/* A point where a side of a triangle meets the other triangle, by the numbers of both. */
typedef struct cr_zone_mark {
  bool of_b; /* whose side it is */
  int low, high, triangle;
} cr_zone_mark;

/* Two triangles, of A and of B, that cross in a segment; A's part within B lies to its left as seen
 * from outside of A. */
typedef struct cr_crossing {
  cr_zone_side a, b;
  v3 from, to;
  cr_zone_mark mark[2]; /* of its ends */
  int zone;
} cr_crossing;

/* Of a pair; more are not looked at. */
#define CR_CROSSINGS_MAX 256

typedef struct cr_crossings {
  int count, num_zones;
  cr_crossing crossing[CR_CROSSINGS_MAX];
} cr_crossings;

/* Adds two triangles if they cross. */
void cr_crossings_add(const cr_zone_side* a, const cr_zone_side* b, cr_crossings* crossings);

/* Numbers the zones: crossings that are joined end to end. */
void cr_crossings_find_zones(cr_crossings* crossings);

/* The place of a zone, and the normal of A's surface within B, meant over its area: the way in
 * which B leaves. */
typedef struct cr_zone {
  v3 center, normal; /* normal: unit; zero for a zone without an area */
  double radius;     /* m */
} cr_zone;

cr_zone cr_crossings_measure(const cr_crossings* crossings, int zone);

/* Points of a pair's overlap, at most. */
#define CR_ZONE_POINTS 9

/* The corners of what two triangles share as seen along a unit vector, with their distances along
 * it; none for triangles that do not face each other along it. Features are 0.
 * @return the number of points */
int cr_crossing_find_points(const cr_crossing* crossing, v3 normal,
                            cr_manifold_point point[CR_ZONE_POINTS]);

#endif
