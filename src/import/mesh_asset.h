/* A mesh file that a robot's file names, as a shape that collides. */
#ifndef CR_IMPORT_MESH_ASSET_H
#define CR_IMPORT_MESH_ASSET_H

#include "import/document.h"

typedef struct cr_mesh_asset {
  carom_builder* builder;
  const cr_xml_element* element; /* that names it */
  const char* path;
  v3 scale;
} cr_mesh_asset;

/* True for the formats that are read, by the name's end: those of scenes where assimp is there. */
bool cr_mesh_asset_is_readable(const char* path);

/* Why a file is not read. */
const char* cr_mesh_asset_fault(const char* path);

/* Reads the file and adds, for drawing alone, a geometry like `geom` for each colour that it has:
 * all of them in the geometry's own where `is_coloured`. A file that cannot be read or drawn is
 * noted.
 * @param count receives how many geometries were added */
carom_status cr_mesh_asset_draw(cr_document* document, const cr_mesh_asset* asset,
                                const carom_geom_def* geom, bool is_coloured, int* count);

/* Reads the file, gives its mesh to the builder and makes the geometry one of it, without mass:
 * links state theirs. */
carom_status cr_mesh_asset_add(cr_document* document, const cr_mesh_asset* asset,
                               carom_geom_def* def);

#endif
