/* Convex polyhedra: the hull of points, with what collision needs of it. */
#ifndef CR_MESH_HULL_H
#define CR_MESH_HULL_H

#include "base/shared.h"
#include "mesh/mesh.h"

/* Of fewer vertices all are looked at to find the support. */
#define CR_HULL_FEW 20

/* Cells of directions for which a vertex near the support is known: squares of an unfolded
 * octahedron, an even number to a side. */
#define CR_HULL_CELLS      48
#define CR_HULL_NUM_STARTS (CR_HULL_CELLS * CR_HULL_CELLS)

/* Lies at the start of one block that holds all its arrays. Edges are named by their first half in
 * `neighbor`; faces are counterclockwise as seen from outside. */
typedef struct cr_hull {
  size_t block_size; /* bytes */
  int num_vertices, num_faces, num_corners;
  double radius;             /* m: of the sphere about the origin that holds all vertices */
  double thickness;          /* m: least distance between two planes around it, one on a face */
  v3 low, high;              /* m: bounds */
  const double* vertex;      /* [3 each] */
  const double* plane;       /* [4 each face] unit normal n, and d of n.x = d */
  const int* face_start;     /* [num_faces + 1] into face_vertex */
  const int* face_vertex;    /* [num_corners] */
  const int* neighbor_start; /* [num_vertices + 1] into neighbor and vertex_face */
  const int* neighbor;       /* [num_corners] vertices at the other ends of a vertex's edges */
  const int* vertex_face;    /* [num_corners] faces around a vertex */
  const int* start; /* [CR_HULL_NUM_STARTS] vertices; ~vertex: the support of its whole cell */
} cr_hull;

/* The hull of points [3 each].
 * @return CAROM_ERROR_BAD_INPUT where the points span no volume, with a clause in the error that
 *         begins with what the points are, or CAROM_ERROR_OUT_OF_MEMORY */
CR_SHARED carom_status cr_hull_create(const double* points, int count,
                                      const carom_allocator* allocator, cr_hull** hull,
                                      carom_error* error);

CR_SHARED void cr_hull_destroy(cr_hull* hull, const carom_allocator* allocator);

/* Moves the polyhedron by -`center`, before it is used. */
void cr_hull_recenter(cr_hull* hull, v3 center);

/* Its surface as triangles. */
CR_SHARED bool cr_hull_triangulate(const cr_hull* hull, cr_mesh* mesh);

/* The vertex that lies farthest along a direction; by climbing, where there are many. */
int cr_hull_find_support(const cr_hull* hull, v3 direction);

/* What a polyhedron shows along a unit vector: the support vertex, and of the faces around it the
 * one that lies flattest across the vector. */
typedef struct cr_hull_view {
  int vertex, face;
} cr_hull_view;

cr_hull_view cr_hull_look(const cr_hull* hull, v3 direction);

/* Of the faces around a vertex the one that lies flattest across the vector. */
int cr_hull_find_flattest(const cr_hull* hull, int vertex, v3 direction);

static inline v3 cr_hull_vertex(const cr_hull* hull, int i) {
  return v3_load(hull->vertex + 3 * i);
}
static inline v3 cr_hull_normal(const cr_hull* hull, int f) { return v3_load(hull->plane + 4 * f); }

#endif
