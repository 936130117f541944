/* Reads any bytes as an SDF document: whatever they are, the answer is a model or a sentence. Half
 * of all files are there for it, and hold the input itself, or its end from <robot on, where a URDF
 * file is meant; nothing is opened on disk. The last byte chooses how it is read. */
#include "import/sdf/load.h"
#include "read_model.h"

#include "carom/scene.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/* The input, as included files see it, and how often they still may. */
typedef struct input {
  const uint8_t* data;
  size_t size;
  int num_left;
} input;

static bool exists(void* user, const char* path) {
  (void)user;
  return strlen(path) % 2 == 0;
}

/* Where the first <robot stands; 0: nowhere. */
static size_t find_robot(const input* in) {
  static const char START[] = "<robot";
  for (size_t i = 0; i + sizeof START <= in->size; i++)
    if (memcmp(in->data + i, START, sizeof START - 1) == 0) return i;
  return 0;
}

static FILE* open_input(void* user, const char* path) {
  input* in = user;
  if (!in->size || in->num_left-- <= 0) return NULL;
  size_t start = strstr(path, ".urdf") ? find_robot(in) : 0;
  return fmemopen((void*)(uintptr_t)(in->data + start), in->size - start, "r");
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  carom_load_def def = carom_load_def_default();
  carom_error error = {0};
  carom_model* model = NULL;
  uint8_t choice = size ? data[size - 1] : 0;
  def.permissive = choice & 1;
  def.floor = choice & 2;
  def.base = (carom_base)((choice >> 2) % 3);
  input in = {data, size, 20};
  cr_sdf_files files = {exists, open_input, &in};
  carom_status status =
      cr_sdf_load("a/b/model.sdf", (const char*)data, size, &def, &files, &model, &error);
  if ((status == CAROM_OK) != (model != NULL)) abort();
  if ((status == CAROM_OK) != (error.message[0] == '\0')) abort();
  if (model && fuzz_read_model(model) == SIZE_MAX) abort();
  carom_model_destroy(model);
  return 0;
}
