/* The surfaces of tetrahedra. */
#ifndef CR_IMPORT_TETS_SKIN_H
#define CR_IMPORT_TETS_SKIN_H

#include "mesh/mesh.h"
#include "soft/mesh.h"

/* Adds the faces that belong to one element only, seen from outside, and the nodes that they have;
 * of elements with ten nodes the faces of their corners.
 * @return CAROM_ERROR_OUT_OF_MEMORY or CAROM_OK */
carom_status cr_tets_add_skin(const cr_soft_mesh* tets, cr_mesh* mesh, carom_error* error);

/* Adds those of a file of tetrahedra: .vtk, .vtu.
 * @return as cr_tets_load_memory */
carom_status cr_tets_read_skin(const char* name, const void* data, size_t size, cr_mesh* mesh,
                               carom_error* error);

#endif
