/* Equalities and springs by their names. */
#include "support/world.h"

static void test_find(void** state) {
  (void)state;
  carom_error error;
  carom_builder* builder;
  carom_model* model;
  check_ok(carom_builder_create(NULL, &builder, &error), &error);
  carom_body_def def = carom_body_def_default();
  carom_body body;
  def.mass = 1, def.inertia[0] = def.inertia[1] = def.inertia[2] = 1;
  check_ok(carom_builder_add_body(builder, &def, &body, &error), &error);
  carom_joint_def joint = carom_joint_def_default();
  joint.body = body, joint.type = CAROM_JOINT_FREE;
  check_ok(carom_builder_add_joint(builder, &joint, NULL, &error), &error);
  const char* names[] = {"a", "b"};
  for (int i = 0; i < 2; i++) {
    carom_spring_def spring = carom_spring_def_default();
    spring.name = names[i], spring.body1 = body, spring.point2[2] = 1, spring.stiffness = 1;
    check_ok(carom_builder_add_spring(builder, &spring, &error), &error);
    carom_equality_def equality = carom_equality_def_default();
    equality.name = names[1 - i], equality.type = CAROM_EQUALITY_CONNECT, equality.body1 = body;
    equality.anchor1[0] = i;
    check_ok(carom_builder_add_equality(builder, &equality, NULL, &error), &error);
  }
  check_ok(carom_builder_compile(builder, &model, &error), &error);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(carom_model_find_spring(model, names[i]), i);
    assert_int_equal(carom_model_find_equality(model, names[i]), 1 - i);
  }
  assert_int_equal(carom_model_find_spring(model, "c"), -1);
  assert_int_equal(carom_model_find_equality(model, NULL), -1);
  carom_model_destroy(model);
  carom_builder_destroy(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_find)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
