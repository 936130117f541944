/* Reads any bytes as a URDF robot: whatever they are, the answer is a model or a sentence. Half of
 * all files are there for it; nothing is opened on disk. The last byte chooses how it is read. */
#include "import/urdf/load.h"
#include "read_model.h"

#include "carom/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static bool exists(void* user, const char* path) {
  (void)user;
  return strlen(path) % 2 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  carom_load_def def = carom_load_def_default();
  carom_error error = {0};
  carom_model* model = NULL;
  uint8_t choice = size ? data[size - 1] : 0;
  def.permissive = choice & 1;
  def.floor = choice & 2;
  def.base = (carom_base)((choice >> 2) % 3);
  cr_urdf_files files = {exists, NULL};
  carom_status status =
      cr_urdf_load("a/b/robot.urdf", (const char*)data, size, &def, &files, &model, &error);
  if ((status == CAROM_OK) != (model != NULL)) abort();
  if ((status == CAROM_OK) != (error.message[0] == '\0')) abort();
  if (model && fuzz_read_model(model) == SIZE_MAX) abort();
  carom_model_destroy(model);
  return 0;
}
