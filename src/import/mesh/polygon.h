/* How a face of more than three corners is cut into triangles. */
#ifndef CR_IMPORT_MESH_POLYGON_H
#define CR_IMPORT_MESH_POLYGON_H

#include "mesh/mesh.h"

#define CR_POLYGON_MOST_CORNERS 256 /* that are cut by ears: it takes up to their cube in time */

/* Cuts a face of `count` corners, whose fan of triangles from its first corner was added last, as
 * tinyobjloader does: quads along their shorter diagonal, others ear by ear. Faces of more corners
 * than CR_POLYGON_MOST_CORNERS stay fans. */
void cr_mesh_cut_polygon(cr_mesh* mesh, int count);

#endif
