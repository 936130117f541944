/* Meshes that the format makes. */
#ifndef CR_IMPORT_MJCF_BUILTIN_MESH_H
#define CR_IMPORT_MJCF_BUILTIN_MESH_H

#include "import/mjcf/reader.h"
#include "mesh/mesh.h"

/* Kinds, by their place among the words. A plate has no volume. */
enum { CR_MJCF_BUILTIN_NONE, CR_MJCF_BUILTIN_PLATE = 7 };
extern const char* const cr_mjcf_builtin_names[];

/* Adds the vertices of a kind, and its triangles, to an empty mesh; cones and wedges have points
 * alone. */
carom_status cr_mjcf_make_mesh(cr_mjcf* m, const cr_xml_element* element, int builtin,
                               const cr_numbers* params, cr_mesh* mesh);

#endif
