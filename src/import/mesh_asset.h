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

/* Reads the file, gives its mesh to the builder and makes the geometry one of it, without mass:
 * links state theirs. */
carom_status cr_mesh_asset_add(cr_document* document, const cr_mesh_asset* asset,
                               carom_geom_def* def);

#endif
