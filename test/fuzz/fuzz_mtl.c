/* Reads any bytes as an OBJ's file of materials: colours are colours, whatever it says. */
#include "import/mesh/read.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  carom_allocator allocator = cr_allocator_resolve(NULL);
  cr_obj_materials materials;
  float rgba[4];
  cr_obj_materials_init(&materials, &allocator);
  if (!cr_obj_materials_read(&materials, (const char*)data, size)) abort();
  if (size > 0) cr_mesh_get_colour(cr_obj_materials_find(&materials, (const char*)data, 1), rgba);
  if (cr_obj_materials_find(&materials, "m", 1) == 0 && size >= 9 &&
      memcmp(data, "newmtl m\n", 9) == 0)
    abort();
  cr_obj_materials_release(&materials);
  return 0;
}
