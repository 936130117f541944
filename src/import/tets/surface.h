/* Surfaces of triangles from Gmsh's .msh files. */
#ifndef CR_IMPORT_TETS_SURFACE_H
#define CR_IMPORT_TETS_SURFACE_H

#include "mesh/mesh.h"

/* Adds the triangles of a file of version 2.2 or 4.1, text or bytes, and the nodes that they have.
 * Points, lines and solids are passed over, other flat elements refused; a triangle that is listed
 * once for each of its physical groups is one.
 * @return CAROM_ERROR_BAD_INPUT with the line, the byte or the element's number in the sentence, or
 *         CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_gmsh_read_surface(const char* name, const void* data, size_t size, cr_mesh* mesh,
                                  carom_error* error);

#endif
