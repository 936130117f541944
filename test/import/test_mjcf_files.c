/* Files: includes, what is found where, cycles; memory that runs out; arguments. */
#include "import/mjcf/load.h"
#include "model/model.h"
#include "support/check.h"
#include "support/memory.h"
#include "support/scene.h"

#include "carom/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A folder in memory. */
typedef struct entry {
  const char *path, *text;
} entry;

static FILE* open_entry(void* user, const char* path) {
  for (const entry* e = user; e->path; e++)
    if (strcmp(e->path, path) == 0)
      return fmemopen((void*)(uintptr_t)e->text, strlen(e->text), "r");
  return NULL;
}

static carom_status load(entry* folder, const carom_allocator* allocator, carom_model** model,
                         carom_error* error) {
  carom_load_def def = carom_load_def_default();
  if (allocator) def.allocator = *allocator;
  cr_mjcf_files files = {open_entry, folder};
  *model = NULL;
  return cr_mjcf_load("d/main.xml", NULL, 0, &def, &files, model, error);
}

static void expect(entry* folder, carom_status status, const char* message) {
  carom_model* model;
  carom_error error;
  assert_int_equal(load(folder, NULL, &model, &error), status);
  assert_string_equal(error.message, message);
  assert_null(model);
}

/* Includes stand anywhere, within any root; beside the main file, else beside their own. */
static void test_includes(void** state) {
  (void)state;
  entry folder[] = {
      {"d/main.xml", "<mujoco><include file='./a.xml'/><worldbody><include file='sub/b.xml'/>"
                     "<geom size='3'/><include file='empty.xml'/></worldbody></mujoco>"},
      {"d/a.xml", "<mujoco model='other'><option timestep='0.5'/><include file='c.xml'/></mujoco>"},
      {"d/c.xml", "<x><worldbody><geom size='9'/></worldbody></x>"},
      {"d/sub/b.xml", "<any><geom size='1'/><include file='e.xml'/><include file='f.xml'/></any>"},
      {"d/sub/e.xml", "<any>\n<body><geom size='2'/><joint foo='1'/></body></any>"},
      {"d/e.xml", "<any><geom size='2'/></any>"},
      {"d/sub/f.xml", "<any><geom size='2.5'/></any>"},
      {"d/empty.xml", "<any/>"},
      {NULL, NULL}};
  carom_model* model;
  carom_error error;
  check_ok(load(folder, NULL, &model, &error), &error);
  const double sizes[] = {9, 1, 2, 2.5, 3};
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 5);
  for (int i = 0; i < 5; i++) assert_true(carom_model_get_geom(model, i).size[0] == sizes[i]);
  check_near(carom_model_get_timestep(model), 0.5, 0);
  assert_string_equal(carom_model_get_name(model), "");
  carom_model_destroy(model);

  folder[5].path = "elsewhere";
  expect(folder, CAROM_ERROR_BAD_INPUT, "d/sub/e.xml:2: joint: attribute 'foo' is not known");
}

static void test_bad_includes(void** state) {
  (void)state;
  entry folder[] = {{"d/main.xml", "<mujoco>\n<include file='a.xml'/></mujoco>"},
                    {"d/a.xml", "<mujoco>\n\n<include file='sub/../b.xml'/></mujoco>"},
                    {"d/sub/../b.xml", "<mujoco><include file='a.xml'/></mujoco>"},
                    {"d//a.xml", "<mujoco/>"},
                    {NULL, NULL}};
  expect(folder, CAROM_ERROR_BAD_INPUT,
         "d/sub/../b.xml:1: include: file 'a.xml' is included a second time, or by itself");
  folder[2].text = "<mujoco><include file='main.xml'/></mujoco>";
  expect(folder, CAROM_ERROR_BAD_INPUT,
         "d/sub/../b.xml:1: include: file 'main.xml' is included a second time, or by itself");
  folder[1].text = "<mujoco/>";
  folder[0].text = "<mujoco>\n<include file='a.xml'/><include file='x/..//.//a.xml'/></mujoco>";
  folder[3].path = "d/x/..//.//a.xml";
  expect(folder, CAROM_ERROR_BAD_INPUT,
         "d/main.xml:2: include: file 'x/..//.//a.xml' is included a second time, or by itself");
  folder[0].text = "<mujoco>\n<include file='none.xml'/></mujoco>";
  expect(folder, CAROM_ERROR_FILE, "d/main.xml:2: include: file 'none.xml' cannot be opened");
  folder[0].text = "<mujoco>\n<include file='a.xml'><x/></include></mujoco>";
  expect(folder, CAROM_ERROR_BAD_INPUT,
         "d/main.xml:2: x: this element is not known within 'include'");
  folder[0].text = "<mujoco>\n<include file='a.xml'/></mujoco>";
  folder[1].text = "<mujoco>\n<";
  expect(folder, CAROM_ERROR_BAD_INPUT,
         "d/a.xml:2: not well-formed XML: unclosed token within 'mujoco' of line 1");
  folder[0].path = "elsewhere";
  expect(folder, CAROM_ERROR_FILE, "d/main.xml: cannot be opened");
}

/* Through the public entry, with real files. */
static void test_real_files(void** state) {
  (void)state;
  carom_model* model = NULL;
  carom_error error;
  assert_int_equal(carom_model_load(CR_SOURCE_DIR "/no/such.xml", NULL, &model, &error),
                   CAROM_ERROR_FILE);
  assert_string_equal(error.message,
                      CR_SOURCE_DIR "/no/such.xml: cannot be opened: No such file or directory");
  assert_int_equal(carom_model_load(CR_SOURCE_DIR, NULL, &model, &error), CAROM_ERROR_FILE);
  assert_string_equal(error.message, CR_SOURCE_DIR ": cannot be opened: it is a folder");
  assert_int_equal(carom_model_load(CR_SOURCE_DIR "/LICENSE", NULL, &model, &error),
                   CAROM_ERROR_BAD_INPUT);
  assert_null(model);
}

/* A scene that uses everything, with a word for each piece of memory that may be missing. */
static entry everything[] = {
    {"d/main.xml",
     "<mujoco model='m'><compiler boundinertia='1e-9'/><custom><numeric "
     "name='carom.geom.g.stiffness' "
     "data='1'/></custom><default><geom rgba='1 1 1 1'/><default class='c'><joint damping='1'/>"
     "</default></default><asset><material name='a'/></asset><include file='a.xml'/><worldbody>"
     "<body name='b' childclass='c'><freejoint/><geom name='g' size='1' material='a' solref='1 1'/>"
     "<body name='d'><joint name='j' range='0 1'/><geom name='h' size='1'/><site "
     "name='s'/></body></body>"
     "<frame pos='1 0 0'><geom name='p' type='plane'/></frame></worldbody>"
     "<contact><pair geom1='g' geom2='p'/><exclude body1='b' body2='world'/></contact>"
     "<equality><connect name='e' body1='b' anchor='0 0 0'/><joint joint1='j'/></equality>"
     "<actuator><position name='u' joint='j' dampratio='1'/></actuator><sensor><touch name='t' "
     "site='s'/><tactile/></sensor>"
     "<keyframe><key name='k' qpos='0 0 0 1 0 0 0 0' ctrl='1'/></keyframe></mujoco>"},
    {"d/a.xml", "<mujoco><option timestep='1'/></mujoco>"},
    {NULL, NULL}};

static void test_memory(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  carom_model* model;
  carom_error error;
  int failures = 0;
  for (memory.fail_at = 0;; memory.fail_at++) {
    memory.num_allocations = 0;
    carom_status status = load(everything, &hooks, &model, &error);
    if (status == CAROM_OK) break;
    if (status != CAROM_ERROR_OUT_OF_MEMORY) fail_msg("%d: %s", memory.fail_at, error.message);
    assert_string_equal(error.message, "out of memory");
    assert_null(model);
    check_memory_expect_empty(&memory);
    failures++;
  }
  assert_true(failures > 50);
  carom_model_destroy(model);
  check_memory_expect_empty(&memory);
}

static void test_arguments(void** state) {
  (void)state;
  carom_model* model;
  carom_error error;
  carom_load_def def = carom_load_def_default();
  def.cookie = 0;
  assert_int_equal(carom_model_load(NULL, NULL, &model, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, "load: the input is null");
  assert_int_equal(carom_model_load("a", NULL, NULL, &error), CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message, "load: the result is null");
  assert_int_equal(carom_model_load_string("a", 1, NULL, &def, &model, &error),
                   CAROM_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "load: the definition was not made by carom_load_def_default()");
  assert_int_equal(carom_model_load_string("a", 1, NULL, NULL, &model, NULL),
                   CAROM_ERROR_BAD_INPUT);
  carom_model_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_includes),   cmocka_unit_test(test_bad_includes),
      cmocka_unit_test(test_real_files), cmocka_unit_test(test_memory),
      cmocka_unit_test(test_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
