/* Meshes whose points all lie in a plane, as bodies. */
#ifndef CR_IMPORT_MESH_SLAB_H
#define CR_IMPORT_MESH_SLAB_H

#include "mesh/mesh.h"

/* Whether all points of a mesh with a triangle lie in a plane. */
bool cr_mesh_is_flat(const cr_mesh* mesh);

/* Gives a mesh whose points lie in a plane a second layer of points, a thousandth of its extent
 * behind the side that its largest triangle shows, so that their hull is a body; others stay.
 * @param is_flat receives whether they did
 * @return false without memory */
bool cr_mesh_thicken(cr_mesh* mesh, bool* is_flat);

#endif
