/* Surfaces of triangles that need not be convex: height fields, and meshes that collide as they
 * are. */
#ifndef CR_GEOM_SURFACE_H
#define CR_GEOM_SURFACE_H

#include "base/shared.h"
#include "geom/box_tree.h"
#include "mesh/mesh.h"

/* Lies at the start of one block that holds all its arrays. Triangles run counterclockwise as seen
 * from outside. Those of a grid are not stored: the cell of column c and row r holds 2 (r
 * (num_columns - 1) + c) above and the next below the diagonal from its corner of least x and y. */
typedef struct cr_trisurface {
  size_t block_size; /* bytes */
  int num_triangles;
  double radius; /* m: of the sphere about the origin that holds it */
  v3 low, high;  /* m: bounds */

  int num_columns, num_rows; /* of a grid, along x and y; 0: a mesh */
  double step[2];            /* m: between columns, between rows */
  const double* height;      /* [num_rows * num_columns] m, the row of least y first */

  int num_vertices;      /* of a mesh, and all below */
  const double* vertex;  /* [3 each] m */
  const int* triangle;   /* [3 each] */
  const int* neighbor;   /* [3 each] the triangle beyond the side from corner i to i + 1; -1 */
  const double* wall;    /* [num_triangles] m: the way to the opposite side of the solid */
  double thinnest;       /* m: the least of wall */
  const double* reach;   /* [num_triangles] m: half of the way to what lies across, the least over
                            the triangle; zeros where nobody has asked for it */
  double thickness;      /* m: of half of the area it is more; 0 likewise */
  const int* ring_start; /* [num_vertices + 1] into ring */
  const int* ring;       /* vertices joined to a vertex by an edge */
  cr_box_tree tree;      /* of triangles, for a mesh */
} cr_trisurface;

/* One triangle and what is around it. */
typedef struct cr_facet {
  int vertex[3];
  v3 corner[3];  /* m */
  v3 normal;     /* unit, outward */
  v3 inward;     /* unit: the way into the solid */
  double wall;   /* m: how far along it the solid reaches; inf: any */
  double extent; /* m: the longest side, at most */
} cr_facet;

/* The surface over a grid of heights (m), the row of least y first, that spans 2 half[0] by 2
 * half[1] about the origin; solid below.
 * @return null without memory */
cr_trisurface* cr_trisurface_create_grid(const double* height, int num_columns, int num_rows,
                                         const double half[2], double base,
                                         const carom_allocator* allocator);

/* The surface of a mesh, whose equal vertices become one, moved by -`center`. Triangles without an
 * area are left out.
 * @return null without memory */
cr_trisurface* cr_trisurface_create_mesh(const cr_mesh* mesh, v3 center,
                                         const carom_allocator* allocator);

/* The same with walls of no thickness, for what asks of the surface alone. */
CR_SHARED cr_trisurface* cr_trisurface_create_skin(const cr_mesh* mesh, v3 center,
                                                   const carom_allocator* allocator);

/* Fills `reach` and `thickness` of a mesh's surface, once. */
void cr_trisurface_measure_reach(cr_trisurface* surface);

/* Whether there is a triangle beyond every side. */
CR_SHARED bool cr_trisurface_is_closed(const cr_trisurface* surface);

CR_SHARED void cr_trisurface_destroy(cr_trisurface* surface, const carom_allocator* allocator);

void cr_trisurface_get(const cr_trisurface* surface, int triangle, cr_facet* facet);

/* The corner beyond side i (from corner i to i + 1) of a triangle; false where nothing is joined to
 * it. */
bool cr_trisurface_find_opposite(const cr_trisurface* surface, int triangle, int side, v3* corner);

/* True when no vertex joined to this one lies higher along `up` by more than the tolerance. */
bool cr_trisurface_is_peak(const cr_trisurface* surface, int vertex, v3 up, double tolerance);

/* The triangles whose bounds meet a box, one after the other. */
typedef struct cr_trisurface_walk {
  const cr_trisurface* surface;
  cr_aabb box;
  int at;                                /* node of the tree, or triangle */
  int first_column, end_column, end_row; /* cells of a grid */
} cr_trisurface_walk;

cr_trisurface_walk cr_trisurface_begin(const cr_trisurface* surface, const cr_aabb* box);

/* The next triangle, -1 at the end. */
int cr_trisurface_next(cr_trisurface_walk* walk);

/* The point of a mesh's surface nearest to x, and the signed distance to it, negative inside: the
 * sign is that of the angle-weighted mean of the normals around that point (Baerentzen, Aanaes
 * 2005).
 * @param nearest receives the point */
double cr_trisurface_compute_distance(const cr_trisurface* surface, v3 x, v3* nearest);

/* Distance from x along a unit vector to the first triangle but `except` (-1: none) that it meets,
 * from either side; `end` where that is farther. */
double cr_trisurface_cast_ray(const cr_trisurface* surface, v3 x, v3 d, double end, int except);

/* That triangle, of all; -1: it meets none. */
int cr_trisurface_find_hit(const cr_trisurface* surface, v3 x, v3 d);

/* The same from a triangle of a mesh, past those that have a corner in common with it. */
double cr_trisurface_cast_across(const cr_trisurface* surface, v3 x, v3 d, int triangle);

/* A triangle of a mesh's surface one of whose sides runs through another one that shares no corner
 * with that side; -1 where there is none. */
CR_SHARED int cr_trisurface_find_crossing(const cr_trisurface* surface);

#endif
