/* Files of triangle meshes: STL of both kinds, Wavefront OBJ, .msh of Gmsh and of MuJoCo,
 * and the scenes of scene.h. */
#ifndef CR_IMPORT_MESH_READ_H
#define CR_IMPORT_MESH_READ_H

#include "mesh/mesh.h"

#include <stdint.h>
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
  CR_MESH_FORMAT_TETS,  /* VTK's tetrahedra, of which the surface counts */
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

/* A file in memory, and what of it is wanted. */
typedef struct cr_mesh_source {
  const char* name; /* what errors call it */
  const char* bytes;
  size_t size;
  const char* object; /* of an OBJ: only the faces of the object or group of this name; of a scene:
                         of the nodes of this name; null: all */
  bool has_colours;   /* of an OBJ: with those of its materials, from the files that it names */
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

/* Reads a file to its end, as what its name ends with (.stl, .obj, .msh, .dae, .gltf, .glb, .vtk,
 * .vtu, in any case), and welds the mesh. Other names: CAROM_ERROR_UNSUPPORTED. */
carom_status cr_mesh_file_read(FILE* file, const char* name, cr_mesh* mesh,
                               cr_mesh_ignored* ignored, carom_error* error);

/* Whether objects can be picked of a file of this name: OBJ, COLLADA, glTF. */
bool cr_mesh_has_objects(const char* name);

/* The same of a source whose bytes are not read yet. An object of a file that has none:
 * CAROM_ERROR_UNSUPPORTED. */
carom_status cr_mesh_source_read(FILE* file, const cr_mesh_source* wanted, cr_mesh* mesh,
                                 cr_mesh_ignored* ignored, carom_error* error);

/* The colours of an OBJ's materials. */
typedef struct cr_obj_materials {
  carom_allocator allocator;
  struct cr_obj_material* items; /* [count] */
  int count, capacity;
} cr_obj_materials;

void cr_obj_materials_init(cr_obj_materials* materials, const carom_allocator* allocator);
void cr_obj_materials_release(cr_obj_materials* materials);

/* Adds those of an MTL file in memory: Kd, and d or Tr. What is no MTL adds nothing.
 * @return false without memory */
bool cr_obj_materials_read(cr_obj_materials* materials, const char* bytes, size_t size);

/* The same of a file beside `main_path` or below, of a name that need not end with a zero; one that
 * cannot be read adds nothing. */
bool cr_obj_materials_load(cr_obj_materials* materials, const char* main_path, const char* name,
                           int length);

/* The paint of a material by its name; 0 where there is none. */
uint32_t cr_obj_materials_find(const cr_obj_materials* materials, const char* name, int length);

#endif
