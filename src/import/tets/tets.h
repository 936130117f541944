/* Files of tetrahedral meshes, as text and as bytes: Gmsh .msh 2.2 and 4.1, legacy .vtk (2 to 4,
 * 5.1) and .vtu (text, base64, appended, packed with zlib).
 *
 * Flat elements are passed over, and so are nodes that no tetrahedron has; what remains keeps its
 * order. Other solids than tetrahedra are refused. Physical groups, and data of whole numbers, are
 * the mesh's regions: see docs/soft.md. */
#ifndef CR_IMPORT_TETS_H
#define CR_IMPORT_TETS_H

#include "soft/mesh.h"

#include "carom/builder.h"

/* Reads a file and checks the mesh (cr_soft_mesh_check). */
carom_status cr_tets_load(const char* path, const carom_allocator* allocator, cr_soft_mesh* mesh,
                          carom_error* error);

/* The same from memory; `name` stands for the path in sentences. */
carom_status cr_tets_load_memory(const char* name, const void* data, size_t size,
                                 const carom_allocator* allocator, cr_soft_mesh* mesh,
                                 carom_error* error);

/* Adds a soft body of a mesh, with its regions; the definition's arrays are set here. */
carom_status cr_tets_add(carom_builder* builder, const cr_soft_mesh* mesh, carom_soft_def* def,
                         carom_soft* soft, carom_error* error);

#endif
