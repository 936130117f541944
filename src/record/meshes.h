/* The surfaces of meshes in a recording (docs/recording.md): each once, however many geometries
 * have it. */
#ifndef CR_RECORD_MESHES_H
#define CR_RECORD_MESHES_H

#include "base/arena.h"
#include "h5/h5.h"
#include "mesh/mesh.h"

#include "carom/model.h"

/* A surface of more triangles is left out, so that a recording stays small and pages load. */
enum { CR_MESH_MOST_RECORDED = CR_MESH_MOST_DRAWN };

/* All surfaces, one behind the other. */
typedef struct cr_mesh_table {
  int num_meshes;
  int* vertex_start;   /* [num_meshes + 1] */
  int* triangle_start; /* [num_meshes + 1] */
  double* vertices;    /* [3 each] m */
  int* triangles;      /* [3 each] vertices, from 0 in each mesh */
} cr_mesh_table;

/* Writes the surfaces of a model, nothing where it has none.
 * @return CAROM_OK, CAROM_ERROR_FILE or CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_meshes_write(hid_t file, const carom_model* model,
                             const carom_allocator* allocator);

/* Reads and checks them; none where the recording has none.
 * @param arena holds the arrays
 * @return CAROM_OK, CAROM_ERROR_BAD_INPUT or CAROM_ERROR_OUT_OF_MEMORY */
carom_status cr_meshes_read(hid_t file, cr_arena* arena, cr_mesh_table* table);

/* A surface, empty where it was left out; the index must be in range. */
carom_mesh_info cr_meshes_get(const cr_mesh_table* table, int index);

#endif
