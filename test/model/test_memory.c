/* A builder through the caller's hooks: every allocation fails in turn, and nothing is lost. */
#include "model/names.h"
#include "support/check.h"
#include "support/memory.h"

#include "carom/model.h"

#include <stdio.h>
#include <string.h>

/* Adds one of everything and compiles. */
static carom_status build(const carom_allocator* hooks, carom_model** model, carom_error* error) {
  const double numbers[1] = {0.5};
  carom_builder_def options = carom_builder_def_default();
  options.allocator = *hooks;
  options.name = "model";
  carom_builder* builder = NULL;
  carom_status status = carom_builder_create(&options, &builder, error);
  carom_body_def body = carom_body_def_default();
  carom_joint_def joint = carom_joint_def_default();
  joint.axis[2] = 1;
  carom_geom_def geom = carom_geom_def_default();
  carom_pair_def pair = carom_pair_def_default();
  carom_spring_def spring = carom_spring_def_default();
  carom_actuator_def actuator = carom_actuator_def_default();
  carom_equality_def equality = carom_equality_def_default();
  carom_keyframe_def key = carom_keyframe_def_default();
  body.name = joint.name = geom.name = spring.name = actuator.name = equality.name = "a";
  body.source = joint.source = (carom_source){"file", 1};
  key.source.file = "other file";
  key.name = "k";
  key.q = key.v = key.ctrl = numbers;
  key.num_q = key.num_v = key.num_ctrl = 1;
  geom.size[0] = 1;
  actuator.damping_ratio = 1;
  pair.geom1.id = 1, pair.geom2.id = 2;
#define ADD(call) \
  if (status == CAROM_OK) status = call
  ADD(carom_builder_add_body(builder, &body, &joint.body, error));
  ADD(carom_builder_add_joint(builder, &joint, &actuator.joint, error));
  ADD(carom_builder_add_geom(builder, &geom, NULL, error));
  geom.body = spring.body1 = equality.body1 = joint.body;
  geom.name = NULL;
  ADD(carom_builder_add_geom(builder, &geom, NULL, error));
  ADD(carom_builder_add_pair(builder, &pair, error));
  ADD(carom_builder_add_exclude(builder, joint.body, (carom_body){0}, error));
  ADD(carom_builder_add_spring(builder, &spring, error));
  ADD(carom_builder_add_actuator(builder, &actuator, NULL, error));
  ADD(carom_builder_add_equality(builder, &equality, NULL, error));
  ADD(carom_builder_add_keyframe(builder, &key, error));
  ADD(carom_builder_add_note(builder, CAROM_NOTE_IGNORED, "note", error));
  ADD(carom_builder_compile(builder, model, error));
  carom_builder_destroy(builder);
  return status;
}

static void test_every_failure(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  carom_model* model = NULL;
  carom_error error;
  for (memory.fail_at = 0;; memory.fail_at++) {
    memory.num_allocations = 0;
    carom_status status = build(&hooks, &model, &error);
    if (status == CAROM_OK) break;
    assert_int_equal(status, CAROM_ERROR_OUT_OF_MEMORY);
    assert_string_equal(error.message, "out of memory");
    assert_null(model);
    check_memory_expect_empty(&memory);
  }
  assert_true(memory.fail_at > 20);
  assert_int_equal(memory.num_blocks, 1);
  carom_model_destroy(model);
  check_memory_expect_empty(&memory);
}

/* A failed addition leaves the builder as it was: once there is memory, the same call succeeds. */
static void test_retry(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_builder_def options = carom_builder_def_default();
  options.allocator = check_memory_hooks(&memory);
  carom_builder* builder;
  carom_error error;
  check_ok(carom_builder_create(&options, &builder, &error), &error);
  for (int i = 0; i < 200; i++) {
    char name[32];
    carom_body body;
    carom_body_def def = carom_body_def_default();
    snprintf(name, sizeof name, "body %d", i);
    def.name = name;
    memory.fail_at = memory.num_allocations;
    carom_status status = carom_builder_add_body(builder, &def, &body, &error);
    memory.fail_at = -1;
    if (status != CAROM_OK) check_ok(carom_builder_add_body(builder, &def, &body, &error), &error);
    assert_int_equal(body.id, i + 1);
  }
  carom_builder_destroy(builder);
  check_memory_expect_empty(&memory);
}

/* Names of many kinds, through several growths of the table. */
static void test_names(void** state) {
  (void)state;
  check_memory memory = check_memory_make();
  carom_allocator hooks = check_memory_hooks(&memory);
  cr_name_table table = CR_NAME_TABLE_INIT;
  cr_text text = {0};
  char name[32];
  assert_int_equal(cr_name_find(&table, &text, 0, "a"), -1);
  for (int i = 0; i < 5000; i++) {
    snprintf(name, sizeof name, "%d", i / 3);
    int offset = cr_text_add(&text, &hooks, name);
    assert_true(cr_name_add(&table, &hooks, &text, i % 3, offset, i));
  }
  for (int i = 0; i < 5000; i++) {
    snprintf(name, sizeof name, "%d", i / 3);
    assert_int_equal(cr_name_find(&table, &text, i % 3, name), i);
    assert_int_equal(cr_name_find(&table, &text, 3, name), -1);
  }
  cr_name_release(&table, &hooks);
  cr_text_release(&text, &hooks);
  check_memory_expect_empty(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_failure),
      cmocka_unit_test(test_retry),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
