#include "import/tets/skin.h"

#include "base/arena.h"
#include "import/tets/tets.h"

/* @param place [num_nodes] of each node in the mesh, -1: it has none yet */
static bool add_face(const cr_soft_mesh* tets, const cr_soft_face* face, int* place,
                     cr_mesh* mesh) {
  const int* element = tets->element + (size_t)tets->nodes_per_element * (size_t)face->element;
  int corner[3];
  for (int k = 0; k < 3; k++) {
    int node = element[cr_soft_face_nodes[face->face][k]];
    if (place[node] < 0) {
      place[node] = mesh->num_vertices;
      if (!cr_mesh_add_vertex(mesh, tets->node[node])) return false;
    }
    corner[k] = place[node];
  }
  return cr_mesh_add_triangle(mesh, corner[0], corner[1], corner[2]);
}

carom_status cr_tets_add_skin(const cr_soft_mesh* tets, cr_mesh* mesh, carom_error* error) {
  cr_soft_face* faces;
  int num_faces;
  cr_arena arena;
  CR_TRY(cr_soft_mesh_compute_surface(tets, &faces, &num_faces, error));
  cr_arena_init(&arena, &mesh->allocator);
  int* place = CR_PUSH(&arena, int, tets->num_nodes);
  bool done = !arena.failed;
  for (int i = 0; done && i < tets->num_nodes; i++) place[i] = -1;
  for (int f = 0; done && f < num_faces; f++) done = add_face(tets, faces + f, place, mesh);
  cr_arena_destroy(&arena);
  cr_soft_faces_release(tets, faces, num_faces);
  return done ? CAROM_OK : cr_error_memory(error);
}

carom_status cr_tets_read_skin(const char* name, const void* data, size_t size, cr_mesh* mesh,
                               carom_error* error) {
  cr_soft_mesh tets = {0};
  CR_TRY(cr_tets_load_memory(name, data, size, &mesh->allocator, &tets, error));
  carom_status status = cr_tets_add_skin(&tets, mesh, error);
  cr_soft_mesh_destroy(&tets);
  return status;
}
