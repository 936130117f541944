/* No step reads memory that nothing has written: what the allocator leaves in its blocks, zeros or
 * not-a-numbers, changes no bit of the state. */
#include "support/memory.h"
#include "support/oracle.h"
#include "support/world.h"

#include "carom/scene.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10 };

typedef struct outcome {
  int num_q, num_v;
  double *q, *v;
} outcome;

static double* copy(const double* x, int n) {
  double* to = calloc((size_t)n + 1, sizeof(double));
  memcpy(to, x, sizeof(double) * (size_t)n);
  return to;
}

/* Where a file's model is after some steps, all memory filled with a byte before it is used.
 * @param text null: that of the file */
static outcome run_filled(const char* path, const char* text, unsigned char fill) {
  check_memory memory = check_memory_make();
  memory.fill = fill;
  carom_load_def load = carom_load_def_default();
  carom_sim_def def = carom_sim_def_default();
  load.allocator = def.allocator = check_memory_hooks(&memory);
  load.permissive = true;
  carom_model* model;
  carom_sim* sim;
  carom_error error;
  if (text)
    check_ok(carom_model_load_string(text, strlen(text), path, &load, &model, &error), &error);
  else
    check_ok(carom_model_load(path, &load, &model, &error), &error);
  carom_model_sizes sizes = carom_model_get_sizes(model);
  def.dt = 0.002;
  check_ok(carom_sim_create(model, &def, &sim, &error), &error);
  for (int i = 0; i < STEPS; i++) {
    carom_step_report report;
    check_ok(carom_sim_step(sim, &report, &error), &error);
  }
  outcome s = {sizes.num_q, sizes.num_v, copy(carom_sim_coordinates(sim), sizes.num_q),
               copy(carom_sim_velocities(sim), sizes.num_v)};
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  check_memory_expect_empty(&memory);
  return s;
}

static bool is_same(const outcome* a, const outcome* b) {
  return memcmp(a->q, b->q, sizeof(double) * (size_t)a->num_q) == 0 &&
         memcmp(a->v, b->v, sizeof(double) * (size_t)a->num_v) == 0;
}

static void expect_same(const char* path, const char* text) {
  outcome zeros = run_filled(path, text, 0), ones = run_filled(path, text, 0xff);
  if (!is_same(&zeros, &ones)) fail_msg("%s: memory that was not written changes the state", path);
  free(zeros.q), free(zeros.v), free(ones.q), free(ones.v);
}

static int is_scene(const struct dirent* entry) {
  size_t length = strlen(entry->d_name);
  return length > 4 && strcmp(entry->d_name + length - 4, ".xml") == 0;
}

static int is_model(const struct dirent* entry) { return entry->d_name[0] != '.'; }

/* Every scene of a folder, or every model with reference values in one. */
static void expect_same_in(const char* folder, bool has_models) {
  struct dirent** files;
  int count = scandir(folder, &files, has_models ? is_model : is_scene, alphasort);
  assert_true(count > 0);
  for (int i = 0; i < count; i++) {
    char path[1000];
    if (has_models)
      oracle_find_model(folder, files[i]->d_name, path, sizeof path);
    else
      snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
    expect_same(path, NULL);
    free(files[i]);
  }
  free(files);
}

static void test_scenes(void** state) {
  (void)state;
  expect_same_in(CR_SOURCE_DIR "/scenes", false);
}

/* Random mechanisms with every kind of joint, tendon and actuator. */
static void test_mechanisms(void** state) {
  (void)state;
  expect_same_in(CR_SOURCE_DIR "/test/import/scenes", false);
}

/* Real robots. */
static void test_robots(void** state) {
  (void)state;
  const char* shared = check_shared_folder();
  if (!shared) skip();
  char folder[1000];
  snprintf(folder, sizeof folder, "%s/models/mjcf", shared);
  expect_same_in(folder, true);
}

/* Springs and tendons join branches of one tree, for which its mass matrix holds nothing. */
static void test_branches(void** state) {
  (void)state;
  expect_same(
      "scene.xml",
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
      "<body name='base' pos='0 0 .1'><freejoint/><geom size='.1' mass='1'/>"
      "<body pos='0 .5 0'><joint name='a' type='slide' axis='0 0 1'/>"
      "<geom size='.1' mass='1'/><site name='a'/></body>"
      "<body pos='0 -.5 0'><joint name='b' axis='1 0 0'/>"
      "<geom size='.1' mass='2' pos='0 .2 0'/><site name='b' pos='0 .2 0'/></body></body>"
      "</worldbody><tendon><fixed stiffness='300' damping='1'><joint joint='a' coef='1'/>"
      "<joint joint='b' coef='-2'/></fixed>"
      "<spatial stiffness='100' springlength='.1'><site site='a'/><site site='b'/></spatial>"
      "</tendon></mujoco>");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scenes),
      cmocka_unit_test(test_mechanisms),
      cmocka_unit_test(test_robots),
      cmocka_unit_test(test_branches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
