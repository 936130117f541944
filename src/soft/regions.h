/* Regions of a mesh: their memory, and what becomes of them with ten nodes. */
#ifndef CR_SOFT_REGIONS_H
#define CR_SOFT_REGIONS_H

#include "soft/mesh.h"

void cr_soft_regions_release(cr_soft_mesh* mesh);

/* Gives the regions of a mesh to the one that was made of it with ten nodes an element. On failure
 * that one is given back. */
carom_status cr_soft_regions_refine(const cr_soft_mesh* linear, cr_soft_mesh* quadratic,
                                    carom_error* error);

#endif
