/* Polygons of <polyline>, cut into triangles. */
#ifndef CR_IMPORT_SDF_POLYGON_H
#define CR_IMPORT_SDF_POLYGON_H

#include "mesh/mesh.h"

/* Corners at most: what is done with them takes time with their square. */
#define CR_POLYGON_MOST_CORNERS 1000

/* A polygon in the plane; corners that repeat one before them, or stand on the line between their
 * neighbours, are dropped. */
typedef struct cr_polygon {
  int num_corners; /* counterclockwise */
  bool is_convex;
  double corner[CR_POLYGON_MOST_CORNERS][2]; /* m */
} cr_polygon;

/* Puts a polygon's corners in order.
 * @return null, or why there is no area within them */
const char* cr_polygon_prepare(cr_polygon* polygon);

/* Adds the solid over a prepared polygon, from z = 0 to its height.
 * @param is_cut receives false where rounding leaves no way to cut the polygon into triangles
 * @return false without memory */
bool cr_polygon_extrude(const cr_polygon* polygon, double height, cr_mesh* mesh, bool* is_cut);

#endif
