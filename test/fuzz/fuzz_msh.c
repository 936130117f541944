/* Reads any bytes as a .msh file, of Gmsh or of MuJoCo: whatever they are, the answer is a mesh or
 * a sentence. */
#include "read_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const cr_mesh_source source = {.name = "input", .bytes = (const char*)data, .size = size};
  carom_allocator allocator = cr_allocator_resolve(NULL);
  carom_error error = {0};
  cr_mesh mesh;
  cr_mesh_init(&mesh, &allocator);
  fuzz_use_mesh(cr_msh_read(&source, &mesh, &error), &mesh, &error);
  return 0;
}
