/* Files of triangle meshes: STL of both kinds, Wavefront OBJ, .msh of Gmsh and of MuJoCo,
 * and the scenes of scene.h. */
#ifndef CR_IMPORT_MESH_READ_H
#define CR_IMPORT_MESH_READ_H

#include "mesh/mesh.h"

#include <stdio.h>

/* Larger files are refused. */
#define CR_MESH_FILE_MAX_BYTES ((size_t)1 << 29)

/* What a file is, by its name. */
typedef enum cr_mesh_format {
  CR_MESH_FORMAT_NONE, /* nothing that is read */
  CR_MESH_FORMAT_STL,
  CR_MESH_FORMAT_OBJ,
  CR_MESH_FORMAT_MSH,   /* Gmsh's, MuJoCo's */
  CR_MESH_FORMAT_SCENE, /* COLLADA, glTF */
} cr_mesh_format;

cr_mesh_format cr_mesh_format_of(const char* name);

/* The bytes of a file; given back by cr_mesh_bytes_release, also after a failure. */
typedef struct cr_mesh_bytes {
  char* data;
  size_t size, capacity;
} cr_mesh_bytes;

/* Reads to the end of a file, which has at most `most` bytes. `bytes` is empty. */
carom_status cr_mesh_bytes_read(FILE* file, const char* name, size_t most,
                                const carom_allocator* allocator, cr_mesh_bytes* bytes,
                                carom_error* error);

void cr_mesh_bytes_release(cr_mesh_bytes* bytes, const carom_allocator* allocator);

/* A file in memory. */
typedef struct cr_mesh_source {
  const char* name; /* what errors call it */
  const char* bytes;
  size_t size;
} cr_mesh_source;

/* What a file says that is not used. */
typedef struct cr_mesh_ignored {
  int materials, lines; /* of an OBJ: names of materials; lines, points and curves */
} cr_mesh_ignored;

/* Reads a mesh, in the file's own units, vertices as they stand in the file. `mesh` is empty; what
 * it holds is the caller's whatever the result.
 * @return CAROM_ERROR_BAD_INPUT with file, line and value in the sentence (binary files: the
 *         triangle, vertex or byte), or CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_stl_read(const cr_mesh_source* source, cr_mesh* mesh, carom_error* error);
carom_status cr_obj_read(const cr_mesh_source* source, cr_mesh* mesh, cr_mesh_ignored* ignored,
                         carom_error* error);
carom_status cr_msh_read(const cr_mesh_source* source, cr_mesh* mesh, carom_error* error);

/* Reads a file to its end, as what its name ends with (.stl, .obj, .msh, .dae, .gltf, .glb, in any
 * case), and welds the mesh. Other names: CAROM_ERROR_UNSUPPORTED. */
carom_status cr_mesh_file_read(FILE* file, const char* name, cr_mesh* mesh,
                               cr_mesh_ignored* ignored, carom_error* error);

#endif
