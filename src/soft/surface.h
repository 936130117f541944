/* The surface of a mesh as flat triangles: what touches and what is drawn. */
#ifndef CR_SOFT_SURFACE_H
#define CR_SOFT_SURFACE_H

#include "soft/body.h"

typedef struct cr_soft_surface {
  carom_allocator allocator;
  int num_faces;
  cr_soft_face* face; /* [num_faces] of elements */
  int num_triangles;
  int* triangle; /* [3 each] nodes, anticlockwise as seen from outside; faces of 6 nodes are four */
  int num_nodes;
  int* node;    /* [num_nodes] of the surface, ascending */
  double* area; /* [num_nodes] m² at rest: a third of the triangles at the node */
} cr_soft_surface;

/* Finds the surface of a checked mesh. */
carom_status cr_soft_surface_create(cr_soft_surface* surface, const cr_soft_mesh* mesh,
                                    carom_error* error);

/* A zeroed surface is allowed. */
void cr_soft_surface_destroy(cr_soft_surface* surface);

#endif
