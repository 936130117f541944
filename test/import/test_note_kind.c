/* What notes speak of: of published models nothing is ignored but what is not supported yet. */
#include "import/remark.h"
#include "support/check.h"
#include "support/oracle.h"

#include "carom/scene.h"

#include <stdio.h>
#include <string.h>

static void test_kinds(void** state) {
  (void)state;
  assert_int_equal(
      cr_note_find_kind("a.xml:3: geom 'g': shapes of this type are not supported yet"),
      CAROM_NOTE_IGNORED);
  assert_int_equal(cr_note_find_kind("a.xml:3: texture: not used: it is for drawing (2 places)"),
                   CAROM_NOTE_UNUSED);
  assert_int_equal(cr_note_find_kind("a.urdf:3: mesh filename: collides as its convex hull"),
                   CAROM_NOTE_MAPPED);
}

static int count_ignored(const carom_model* model) {
  int count = 0;
  for (int i = 0; i < carom_model_get_sizes(model).num_notes; i++) {
    if (carom_model_get_note_kind(model, i) != CAROM_NOTE_IGNORED) continue;
    if (strstr(carom_model_get_note(model, i), "the name is not known")) continue;
    printf("  %s\n", carom_model_get_note(model, i));
    count++;
  }
  return count;
}

/* Prints what is ignored of each; of those that are read, all but a tenth lose nothing that has a
 * meaning here. */
static void test_models(void** state) {
  static const char* const FORMATS[] = {"mjcf", "urdf", "sdf"};
  static char names[64][CHECK_FILE_NAME];
  int num_read = 0, num_whole = 0;
  for (int f = 0; f < 3; f++) {
    char folder[1100];
    snprintf(folder, sizeof folder, "%s/models/%s", (const char*)*state, FORMATS[f]);
    int count = check_list_files(folder, "", 64, names);
    for (int i = 0; i < count; i++) {
      carom_load_def def = carom_load_def_default();
      carom_error error;
      carom_model* model = oracle_load(folder, names[i], &def, &error);
      printf("%s\n", names[i]);
      if (!model) continue;
      num_read++;
      num_whole += count_ignored(model) == 0;
      carom_model_destroy(model);
    }
  }
  printf("%d of %d lose nothing\n", num_whole, num_read);
  assert_true(num_whole >= 0.9 * num_read);
}

int main(void) {
  const char* shared = check_shared_folder();
  const struct CMUnitTest kinds[] = {cmocka_unit_test(test_kinds)};
  const struct CMUnitTest models[] = {
      cmocka_unit_test_prestate(test_models, (void*)(uintptr_t)shared)};
  int failed = cmocka_run_group_tests(kinds, NULL, NULL);
  if (failed || !shared) return failed ? 1 : 77;
  return cmocka_run_group_tests(models, NULL, NULL);
}
