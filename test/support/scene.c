/* Scenes in tests; see scene.h. */
#include "support/scene.h"

#include "carom/scene.h"

#include <string.h>

carom_model* scene_load_with(const char* text, const carom_load_def* def) {
  carom_model* model = NULL;
  carom_error error;
  check_ok(carom_model_load_string(text, strlen(text), "scene.xml", def, &model, &error), &error);
  assert_non_null(model);
  return model;
}

carom_model* scene_load(const char* text) { return scene_load_with(text, NULL); }

carom_model* scene_load_permissive(const char* text) {
  carom_load_def def = carom_load_def_default();
  def.permissive = true;
  return scene_load_with(text, &def);
}

void scene_expect_error_at(const char* text, carom_status status, const char* message,
                           const char* file, int line) {
  carom_model* model = NULL;
  carom_error error = {0};
  carom_status actual =
      carom_model_load_string(text, strlen(text), "scene.xml", NULL, &model, &error);
  if (actual == status && !model && strcmp(error.message, message) == 0) return;
  print_error("status %d, expected %d\n  actual: %s\nexpected: %s\n", (int)actual, (int)status,
              error.message, message);
  carom_model_destroy(model);
  _fail(file, line);
}

void scene_expect_note_at(const carom_model* model, const char* note, const char* file, int line) {
  int count = carom_model_get_sizes(model).num_notes;
  for (int i = 0; i < count; i++)
    if (strcmp(carom_model_get_note(model, i), note) == 0) return;
  print_error("no note says: %s\n", note);
  for (int i = 0; i < count; i++) print_error("     note: %s\n", carom_model_get_note(model, i));
  _fail(file, line);
}
