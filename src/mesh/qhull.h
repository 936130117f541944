/* Convex hulls by qhull; the one place where it is used. */
#ifndef CR_MESH_QHULL_H
#define CR_MESH_QHULL_H

#include "base/alloc.h"

/* The faces of a hull as polygons, counterclockwise from outside. */
typedef struct cr_polygons {
  int num_faces, num_corners;
  int start_capacity, corner_capacity;
  int* start;  /* [num_faces + 1] the first corner of a face */
  int* corner; /* [num_corners] points of the input */
} cr_polygons;

typedef enum cr_qhull_result {
  CR_QHULL_OK,
  CR_QHULL_FLAT, /* the points span no volume, or none that numbers can tell from it */
  CR_QHULL_MEMORY,
} cr_qhull_result;

/* The hull of points [3 each]. qhull takes memory from the C library while it runs.
 * @param tolerance m: faces that differ by no more become one
 * @param polygons empty; to be freed with cr_polygons_release whatever the result */
cr_qhull_result cr_qhull_run(const double* points, int count, double tolerance,
                             const carom_allocator* allocator, cr_polygons* polygons);

void cr_polygons_release(cr_polygons* polygons, const carom_allocator* allocator);

#endif
