/* The files that assimp may open: the scene itself, from memory, and what stands in its folder or
 * below. */
#ifndef CR_IMPORT_MESH_SCENE_FILES_H
#define CR_IMPORT_MESH_SCENE_FILES_H

#include "import/mesh/scene.h"

#include <assimp/cfileio.h>

typedef struct cr_scene_files {
  struct aiFileIO io; /* first: what assimp is given is this */
  const cr_mesh_source* source;
  carom_allocator allocator;
  size_t budget; /* bytes that may still be read */
} cr_scene_files;

void cr_scene_files_init(cr_scene_files* files, const cr_mesh_source* source,
                         const carom_allocator* allocator);

#endif
