/* Meshes of boxes, cylinders and balls. */
#ifndef CR_SOFT_SHAPES_H
#define CR_SOFT_SHAPES_H

#include "soft/mesh.h"

typedef enum cr_soft_split {
  CR_SOFT_SPLIT_SIX,  /* around one diagonal, the same in every cell */
  CR_SOFT_SPLIT_FIVE, /* one in the middle and four corners, mirrored from cell to cell */
} cr_soft_split;

typedef enum cr_soft_shape_kind {
  CR_SOFT_BOX,
  CR_SOFT_CYLINDER, /* about z; elliptic where size[0] and size[1] differ */
  CR_SOFT_BALL,     /* or ellipsoid */
} cr_soft_shape_kind;

/* A grid of cells about the origin, bent into the shape, each cell five or six tetrahedra. */
typedef struct cr_soft_shape_def {
  cr_soft_shape_kind kind;
  double size[3]; /* whole lengths along x, y, z, m: of a ball its diameters */
  int cells[3];   /* along x, y, z, at least 1 each; of cylinders and balls at least 2 across */
  cr_soft_split split;
} cr_soft_shape_def;

/* Makes a mesh with 4 nodes an element. Node (i, j, k) of the grid has the number
 * i + (cells[0] + 1) (j + (cells[1] + 1) k). */
carom_status cr_soft_mesh_make_shape(const cr_soft_shape_def* def, const carom_allocator* allocator,
                                     cr_soft_mesh* mesh, carom_error* error);

#endif
