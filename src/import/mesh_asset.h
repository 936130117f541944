/* A mesh file that a robot's file names, as what collides or is drawn. */
#ifndef CR_IMPORT_MESH_ASSET_H
#define CR_IMPORT_MESH_ASSET_H

#include "import/document.h"

#include "carom/scene.h"

typedef struct cr_mesh_asset {
  carom_builder* builder;
  const carom_load_def* load;
  const cr_xml_element* element; /* that names it */
  const char* attribute;         /* in this one; null: in an element */
  const char* path;
  v3 scale;
  const char* object; /* of an OBJ: the only object or group that is wanted; null: all */
  bool centred;       /* its bounds are moved about the origin */
  bool is_one_hull;   /* the robot's file asks for its hull */
  bool is_surface;    /* the robot's file asks for its surface, however little is hollow */
  int family;         /* of its links' surfaces; 0: none */
  int most_parts;     /* that a decomposition may have; 0: any number */
  bool gives_mass;    /* links that state none take it from their shapes */
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

/* Reads, centres and scales. */
carom_status cr_mesh_asset_read(const cr_mesh_asset* asset, bool has_colours, cr_mesh* surface,
                                carom_error* error);

/* The definition of a mesh of these vertices and triangles. */
carom_mesh_def cr_mesh_asset_def(const cr_mesh_asset* asset, const cr_mesh* surface);

/* Reads the file and adds geometries like `geom` that collide, with a note: where the file keeps
 * two or more objects apart (OBJ: `o`, or `g` where there is none) and each is a closed convex
 * surface, its hull each; else the hull of all where the mesh nearly fills it or that is asked for;
 * else the parts that `load->decompose` gives, or the surface that it is; the hull where it cannot
 * be one.
 * @param count receives how many geometries were added; the first has the name */
carom_status cr_mesh_asset_collide(cr_document* document, const cr_mesh_asset* asset,
                                   const carom_geom_def* geom, int* count);

#endif
