/* Files of tetrahedral meshes: Gmsh .msh 2.2 and 4.1 and legacy .vtk (2 to 4, 5.1), all as text.
 *
 * Elements of other kinds (points, lines, triangles) are passed over, and so are nodes that no
 * tetrahedron has; what remains keeps its order. Names of regions are not read. */
#ifndef CR_IMPORT_TETS_H
#define CR_IMPORT_TETS_H

#include "soft/mesh.h"

/* Reads a file and checks the mesh (cr_soft_mesh_check). */
carom_status cr_tets_load(const char* path, const carom_allocator* allocator, cr_soft_mesh* mesh,
                          carom_error* error);

/* The same from memory; `name` stands for the path in sentences. */
carom_status cr_tets_load_memory(const char* name, const void* data, size_t size,
                                 const carom_allocator* allocator, cr_soft_mesh* mesh,
                                 carom_error* error);

#endif
