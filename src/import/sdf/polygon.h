/* Polygons of <polyline>, cut into triangles. */
#ifndef CR_IMPORT_SDF_POLYGON_H
#define CR_IMPORT_SDF_POLYGON_H

#include "mesh/mesh.h"

/* Corners at most, of all outlines: what is done with them takes time with their square. */
#define CR_POLYGON_MOST_CORNERS 1000

/* A polygon in the plane; corners that repeat one before them, or stand on the line between their
 * neighbours, are dropped. */
typedef struct cr_polygon {
  int num_corners; /* counterclockwise; of a hole clockwise */
  bool is_convex;
  int depth;                                 /* how many others it lies within: odd for holes */
  int first;                                 /* corner among those of all */
  double corner[CR_POLYGON_MOST_CORNERS][2]; /* m */
} cr_polygon;

/* Puts a polygon's corners in order.
 * @return null, or why there is no area within them */
const char* cr_polygon_prepare(cr_polygon* polygon);

/* Finds which of several prepared polygons lie in which: every second one is a hole.
 * @return null, or why there is no solid between them */
const char* cr_polygon_nest(cr_polygon* polygons, int count);

/* Adds the solid over nested polygons, from z = 0 to its height.
 * @param is_cut receives false where rounding leaves no way to cut the polygons into triangles
 * @return false without memory */
bool cr_polygon_extrude(const cr_polygon* polygons, int count, double height, cr_mesh* mesh,
                        bool* is_cut);

#endif
