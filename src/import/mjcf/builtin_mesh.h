/* Meshes that the format makes. */
#ifndef CR_IMPORT_MJCF_BUILTIN_MESH_H
#define CR_IMPORT_MJCF_BUILTIN_MESH_H

#include "import/mjcf/reader.h"
#include "mesh/mesh.h"

/* Kinds, by their place among the words; the wedge and what follows are not made here. */
enum { CR_MJCF_BUILTIN_NONE, CR_MJCF_BUILTIN_WEDGE = 6 };
extern const char* const cr_mjcf_builtin_names[];

/* Adds the vertices of a kind, and its triangles, to an empty mesh; a cone has points alone. */
carom_status cr_mjcf_make_mesh(cr_mjcf* m, const cr_xml_element* element, int builtin,
                               const cr_numbers* params, cr_mesh* mesh);

#endif
