/* A closed surface of triangles whose corners are points of A - B.
 *
 * Where no triangle's plane is nearer to the origin than r > 0, with the origin on its inner side,
 * the surface goes around the ball of that radius, which is then part of A - B; it need not be
 * convex for that. */
#ifndef CR_GEOM_POLYTOPE_H
#define CR_GEOM_POLYTOPE_H

#include "geom/difference.h"

#include <stdint.h>

#define CR_POLYTOPE_VERTICES 128
#define CR_POLYTOPE_FACETS   (2 * CR_POLYTOPE_VERTICES)

typedef struct cr_facet_triangle {
  v3 normal; /* unit; zero for a sliver */
  int16_t vertex[3];
  int16_t neighbor[3]; /* across the edge from vertex i to vertex i + 1 */
  bool is_seen;
} cr_facet_triangle;

typedef struct cr_polytope {
  double seen_above; /* m: a point sees a plane that it is above by more */
  int num_vertices, num_facets;
  cr_difference_point vertex[CR_POLYTOPE_VERTICES];
  double distance[CR_POLYTOPE_FACETS]; /* of a facet's plane from the origin; inf for a sliver */
  cr_facet_triangle facet[CR_POLYTOPE_FACETS];
} cr_polytope;

/* A tetrahedron of support points, as fat as few directions allow; false where it is flat. */
bool cr_polytope_init(const cr_difference* difference, v3 n, cr_polytope* polytope);

/* Facet f through three vertices, counterclockwise as seen from outside. */
void cr_polytope_set_facet(cr_polytope* polytope, int f, int i, int j, int k);

/* The facet whose plane is nearest to the origin, or -1. */
int cr_polytope_find_nearest(const cr_polytope* polytope);

bool cr_polytope_is_above(const cr_polytope* polytope, int f, v3 x);

/* Replaces the facets that a point sees, of which `f` is one, by those that join it to the rest.
 * False when what it sees has no simple outline, or there is no room. */
bool cr_polytope_grow(cr_polytope* polytope, const cr_difference_point* p, int f);

#endif
