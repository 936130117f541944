/* Reads any bytes as an OBJ file, all of it or the object "a": whatever they are, the answer is a
 * mesh or a sentence. The last byte chooses. */
#include "read_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const char* object = size && data[size - 1] % 2 ? "a" : NULL;
  const cr_mesh_source source = {
      .name = "input", .bytes = (const char*)data, .size = size, .object = object};
  carom_allocator allocator = cr_allocator_resolve(NULL);
  cr_mesh_ignored ignored = {0};
  carom_error error = {0};
  cr_mesh mesh;
  cr_mesh_init(&mesh, &allocator);
  fuzz_use_mesh(cr_obj_read(&source, &mesh, &ignored, &error), &mesh, &error);
  return 0;
}
