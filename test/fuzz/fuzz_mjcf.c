/* Reads any bytes as an MJCF scene: whatever they are, the answer is a model or a sentence.
 * Files that it names, under every name, are the input itself, or what stands behind its first byte
 * 1, where it has one; nothing is opened on disk. The last byte chooses how the scene is read. */
#include "import/mjcf/load.h"
#include "read_model.h"

#include "carom/scene.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/* The input, as included files see it. */
typedef struct input {
  const uint8_t* data;
  size_t size;
} input;

static FILE* open_input(void* user, const char* path) {
  (void)path;
  const input* in = user;
  return in->size ? fmemopen((void*)(uintptr_t)in->data, in->size, "r") : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  carom_load_def def = carom_load_def_default();
  carom_error error = {0};
  carom_model* model = NULL;
  uint8_t choice = size ? data[size - 1] : 0;
  def.permissive = choice & 1;
  def.floor = choice & 2;
  const uint8_t* mark = size ? memchr(data, 1, size) : NULL;
  size_t length = mark ? (size_t)(mark - data) : size;
  input in = {mark ? mark + 1 : data, mark ? size - length - 1 : size};
  cr_mjcf_files files = {open_input, &in};
  carom_status status =
      cr_mjcf_load("scene.xml", (const char*)data, length, &def, &files, &model, &error);
  if ((status == CAROM_OK) != (model != NULL)) abort();
  if ((status == CAROM_OK) != (error.message[0] == '\0')) abort();
  if (model && fuzz_read_model(model) == SIZE_MAX) abort();
  carom_model_destroy(model);
  return 0;
}
