/* Looks any bytes over as a glTF file, text or bytes, as before assimp is given one: it ends, and a
 * refusal comes with a sentence. */
#include "import/mesh/scene.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const cr_mesh_source source = {.name = "input", .bytes = (const char*)data, .size = size};
  carom_error error = {0};
  carom_status status = cr_gltf_check(&source, &error);
  if (status != CAROM_OK && !error.message[0]) abort();
  return 0;
}
