/* Reads any bytes as an MJCF scene: whatever they are, the answer is a model or a sentence.
 * Includes see the input itself under every name; nothing is opened on disk. The last byte chooses
 * how the scene is read. */
#include "import/mjcf/load.h"

#include <stdint.h>
#include <stdlib.h>
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

/* Reads everything that a model tells about itself. The sum, which cannot be SIZE_MAX, keeps the
 * compiler from leaving that out. */
static size_t read_model(const carom_model* model) {
  carom_model_sizes sizes = carom_model_get_sizes(model);
  size_t sum = strlen(carom_model_get_name(model));
  for (int i = 0; i < sizes.num_bodies; i++) {
    const char* name = carom_model_get_body(model, i).name;
    if (name[0] && carom_model_find_body(model, name) != i) abort();
    sum += strlen(name);
  }
  for (int i = 0; i < sizes.num_joints; i++) {
    carom_joint_info joint = carom_model_get_joint(model, i);
    if (joint.name[0] && carom_model_find_joint(model, joint.name) != i) abort();
    if (joint.body <= 0 || joint.q_address < 0 || joint.q_address >= sizes.num_q) abort();
  }
  for (int i = 0; i < sizes.num_geoms; i++) {
    carom_geom_info geom = carom_model_get_geom(model, i);
    if (geom.name[0] && carom_model_find_geom(model, geom.name) != i) abort();
  }
  for (int i = 0; i < sizes.num_actuators; i++)
    if (carom_model_get_actuator(model, i).joint < 0) abort();
  for (int i = 0; i < sizes.num_keyframes; i++)
    sum += strlen(carom_model_get_keyframe_name(model, i));
  for (int i = 0; i < sizes.num_notes; i++) sum += strlen(carom_model_get_note(model, i));
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  carom_load_def def = carom_load_def_default();
  carom_error error = {0};
  carom_model* model = NULL;
  uint8_t choice = size ? data[size - 1] : 0;
  def.permissive = choice & 1;
  def.floor = choice & 2;
  input in = {data, size};
  cr_mjcf_files files = {open_input, &in};
  carom_status status =
      cr_mjcf_load("scene.xml", (const char*)data, size, &def, &files, &model, &error);
  if ((status == CAROM_OK) != (model != NULL)) abort();
  if ((status == CAROM_OK) != (error.message[0] == '\0')) abort();
  if (model && read_model(model) == SIZE_MAX) abort();
  carom_model_destroy(model);
  return 0;
}
