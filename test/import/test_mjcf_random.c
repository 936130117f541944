/* Scenes drawn at random, each with the tables that the format's own program (MuJoCo 4.0.0)
 * compiled from it: classes, orientations of every form, frames, welded bodies, inertias of every
 * source, servos, pairs, excludes, equalities. That program's inertias are good to 1e-6 (it stops
 * its diagonalisation there). */
#include "support/check.h"
#include "support/tables.h"

#include "carom/scene.h"

#include <stdio.h>

static void test_random_scenes(void** state) {
  (void)state;
  for (int i = 1; i <= 5; i++) {
    char path[1024], name[32];
    json_error_t json_error;
    carom_error error;
    carom_model* model;
    snprintf(name, sizeof name, "random_%d", i);
    snprintf(path, sizeof path, CR_SOURCE_DIR "/test/import/scenes/%s.json", name);
    json_t* tables = json_load_file(path, 0, &json_error);
    if (!tables) fail_msg("%s: %s", path, json_error.text);
    snprintf(path, sizeof path, CR_SOURCE_DIR "/test/import/scenes/%s.xml", name);
    check_ok(carom_model_load(path, NULL, &model, &error), &error);
    tables_options options = {name, 2e-6, false};
    tables_compare(model, tables, &options);
    carom_model_destroy(model);
    json_decref(tables);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_scenes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
