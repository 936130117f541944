/* A builder through the caller's hooks: every allocation fails in turn, and nothing is lost. */
#include "base/error.h"
#include "model/names.h"
#include "support/check.h"
#include "support/memory.h"

#include "carom/model.h"
#include "carom/parameter.h"

#include <stdio.h>
#include <string.h>

/* A tetrahedron, a field and a soft body, whose memory copies share. */
static carom_status add_shared(carom_builder* builder, carom_error* error) {
  static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  carom_mesh_def mesh = carom_mesh_def_default();
  carom_height_field_def field = carom_height_field_def_default();
  carom_geom_def geom = carom_geom_def_default();
  carom_soft_def soft = carom_soft_def_default();
  mesh.vertices = corners, mesh.num_vertices = 4;
  field.num_columns = field.num_rows = 2, field.size[0] = field.size[1] = 1;
  soft.shape = CAROM_SOFT_BOX, soft.young = 1e4;
  for (int i = 0; i < 3; i++) soft.size[i] = soft.cells[i] = 1;
  CR_TRY(carom_builder_add_mesh(builder, &mesh, &geom.mesh, error));
  CR_TRY(carom_builder_add_height_field(builder, &field, &geom.height_field, error));
  geom.type = CAROM_GEOM_MESH;
  CR_TRY(carom_builder_add_geom(builder, &geom, NULL, error));
  return carom_builder_add_soft(builder, &soft, NULL, error);
}

/* A model with another mass takes the place of the first. */
static carom_status vary(carom_model** model, carom_error* error) {
  carom_builder* copy;
  carom_parameter mass;
  carom_model* heavy = NULL;
  const double value = 3;
  CR_TRY(carom_builder_copy(carom_model_get_description(*model), &copy, error));
  carom_status status = carom_builder_find_parameter(copy, "geom.a.mass", &mass, error);
  if (status == CAROM_OK) status = carom_builder_set_parameter(copy, &mass, &value, error);
  if (status == CAROM_OK) status = carom_builder_compile(copy, &heavy, error);
  carom_builder_destroy(copy);
  if (status != CAROM_OK) return status;
  carom_model_destroy(*model);
  *model = heavy;
  return CAROM_OK;
}

/* Adds one of everything, compiles, and compiles with another mass. */
static carom_status build(const carom_allocator* hooks, carom_model** model, carom_error* error) {
  enum { NUM = 1 + 3 * 8 }; /* of the joint and of the soft body's nodes */
  const double numbers[NUM] = {0.5};
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
  key.num_q = key.num_v = NUM, key.num_ctrl = 1;
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
  ADD(add_shared(builder, error));
  ADD(carom_builder_compile(builder, model, error));
  carom_builder_destroy(builder);
  ADD(vary(model, error));
  if (status == CAROM_OK) return status;
  carom_model_destroy(*model);
  *model = NULL;
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
    if (status != CAROM_ERROR_OUT_OF_MEMORY) fail_msg("%s", error.message);
    assert_string_equal(error.message, "out of memory");
    assert_null(model);
    check_memory_expect_empty(&memory);
  }
  assert_true(memory.fail_at > 20);
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
