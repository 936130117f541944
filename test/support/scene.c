/* Scenes in tests; see scene.h. */
#include "support/scene.h"

#include "carom/scene.h"
#include "carom/sensor.h"

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

carom_model* scene_load_springs(const char* text, const carom_spring_def* springs, int count) {
  carom_model *plain = scene_load(text), *model = NULL;
  carom_builder* builder = NULL;
  carom_error error;
  check_ok(carom_builder_copy(carom_model_get_description(plain), &builder, &error), &error);
  for (int i = 0; i < count; i++) {
    carom_spring_def def = carom_spring_def_default();
    def.name = springs[i].name, def.body1 = springs[i].body1, def.body2 = springs[i].body2;
    def.damping = springs[i].damping, def.rest_length = springs[i].rest_length;
    def.point1[0] = 0.1, def.point2[1] = 0.07, def.stiffness = 40;
    check_ok(carom_builder_add_spring(builder, &def, &error), &error);
  }
  check_ok(carom_builder_compile(builder, &model, &error), &error);
  carom_builder_destroy(builder);
  carom_model_destroy(plain);
  return model;
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

void scene_read_sensor(const char* text, int steps, const double* v, const char* name,
                       double* out) {
  carom_model* model = scene_load(text);
  carom_sim* sim;
  carom_error error;
  carom_step_report report;
  carom_sim_def def = carom_sim_def_default();
  static double readings[512];
  def.dt = 1e-3;
  check_ok(carom_sim_create(model, &def, &sim, &error), &error);
  check_ok(carom_sim_set_state(sim, 0, NULL, v, &error), &error);
  for (int i = 0; i < steps; i++) check_ok(carom_sim_step(sim, &report, &error), &error);
  assert_true(carom_model_get_sizes(model).num_readings <= 512);
  check_ok(carom_sim_compute_sensors(sim, readings, &error), &error);
  int index = carom_model_find_sensor(model, name);
  if (index < 0) fail_msg("no sensor %s", name);
  carom_sensor_info info = carom_model_get_sensor(model, index);
  memcpy(out, readings + info.address, sizeof *out * (size_t)info.dim);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}
