/* Reads any bytes as an STL, OBJ or .msh file, and does with the mesh what a model does: weld,
 * check, measure, hull. The last byte, or the start of a .msh file, chooses the kind of file; what
 * begins as a scene is looked over as one, and goes no further. */
#include "import/mesh/scene.h"
#include "mesh/hull.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void use_hull(const cr_mesh* mesh) {
  carom_error error;
  cr_hull* hull;
  if (cr_hull_create(mesh->vertex, mesh->num_vertices, &mesh->allocator, &hull, &error) != CAROM_OK)
    return;
  for (int i = 0; i < hull->num_corners; i++)
    if (hull->neighbor[i] < 0 || hull->neighbor[i] >= hull->num_vertices) abort();
  int support = cr_hull_find_support(hull, v3_make(0.1, 0.2, 0.3));
  if (support < 0 || support >= hull->num_vertices) abort();
  cr_hull_destroy(hull, &mesh->allocator);
}

static void check_scene(const uint8_t* data, size_t size, const carom_allocator* allocator) {
  carom_error error;
  const cr_mesh_source source = {"input", (const char*)data, size};
  carom_status status = data[0] == '<' ? cr_collada_check(&source, allocator, &error)
                                       : cr_gltf_check(&source, &error);
  if (status != CAROM_OK && !error.message[0]) abort();
}

/* Gmsh's files begin with a dollar; the counts of MuJoCo's that are tried are small. */
static bool is_msh(const uint8_t* data, size_t size) {
  return size >= 16 && (data[0] == '$' || (data[1] == 0 && data[2] == 0 && data[3] == 0));
}

static carom_status read_mesh(const uint8_t* data, size_t size, cr_mesh* mesh, carom_error* error) {
  cr_mesh_ignored ignored = {0};
  cr_mesh_source source = {"input", (const char*)data, size};
  if (is_msh(data, size)) return cr_msh_read(&source, mesh, error);
  if (size && data[size - 1] % 2) return cr_obj_read(&source, mesh, &ignored, error);
  return cr_stl_read(&source, mesh, error);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  carom_error error;
  carom_allocator allocator = cr_allocator_resolve(NULL);
  cr_mesh mesh;
  cr_mesh_report report;
  char text[200];
  if (size && strchr("<{g", data[0]) && data[0]) {
    check_scene(data, size, &allocator);
    return 0;
  }
  cr_mesh_init(&mesh, &allocator);
  carom_status status = read_mesh(data, size, &mesh, &error);
  if (status != CAROM_OK && !error.message[0]) abort();
  if (status == CAROM_OK && cr_mesh_weld(&mesh) && cr_mesh_check(&mesh, &report)) {
    cr_mesh_describe(&report, text, sizeof text);
    use_hull(&mesh);
  }
  cr_mesh_release(&mesh);
  return 0;
}
