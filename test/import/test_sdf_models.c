/* Published SDF models against the reference values beside them (shared/models, whose README says
 * how they were made): names, parents, masses, joints, loops. What follows at states is compared in
 * validation/test_oracle.c. */
#include "support/check.h"
#include "support/oracle.h"

#include "carom/dynamics.h"
#include "carom/scene.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* folder;

static const char* const NAMES[] = {"cassie_v2",          "cupboard",       "iiwa7_box_collision",
                                    "rover_differential", "spatula",        "simple_gripper",
                                    "turtlebot3_burger",  "wsg_50_with_tip"};
enum { NUM_NAMES = sizeof NAMES / sizeof NAMES[0] };

static carom_model* load(const char* name) {
  carom_error error;
  carom_model* model = oracle_load(folder, name, NULL, &error);
  if (!model) fail_msg("%s", error.message);
  return model;
}

/* --- Parts --------------------------------------------------------------------------------------
 */

static void check_parts(const char* name, const carom_model* model, const json_t* oracle) {
  static const char* const TYPES[] = {"free", "ball", "slide", "hinge"};
  carom_model_sizes sizes = carom_model_get_sizes(model);
  size_t i;
  json_t* row;
  json_array_foreach(json_object_get(oracle, "bodies"), i, row) {
    carom_body_info body = carom_model_get_body(model, (int)i);
    assert_string_equal(body.name, json_string_value(json_object_get(row, "name")));
    if (i > 0) assert_int_equal(body.parent, json_number_value(json_object_get(row, "parent")));
    check_near(body.mass, json_number_value(json_object_get(row, "mass")), 1e-12);
  }
  assert_int_equal(i, sizes.num_bodies);
  json_array_foreach(json_object_get(oracle, "joints"), i, row) {
    carom_joint_info joint = carom_model_get_joint(model, (int)i);
    const json_t* range = json_object_get(row, "range");
    const char* joint_name = json_string_value(json_object_get(row, "name"));
    if (joint.type != CAROM_JOINT_FREE) assert_string_equal(joint.name, joint_name);
    assert_string_equal(TYPES[joint.type], json_string_value(json_object_get(row, "type")));
    assert_int_equal(joint.limited, json_is_true(json_object_get(row, "limited")));
    for (size_t k = 0; k < 2 && joint.limited; k++)
      check_near(joint.range[k], json_number_value(json_array_get(range, k)), 1e-12);
  }
  assert_int_equal(i, sizes.num_joints);
  assert_int_equal(json_array_size(json_object_get(oracle, "equalities")), sizes.num_equalities);
  int num_shapes = 0, num_planes = 0;
  for (int g = 0; g < sizes.num_geoms; g++) num_shapes += carom_model_get_geom(model, g).group != 1;
  json_array_foreach(json_object_get(oracle, "geoms"), i, row) {
    num_planes += strcmp(json_string_value(json_object_get(row, "type")), "plane") == 0;
  }
  if (num_shapes != (int)i - num_planes) fail_msg("%s: %d shapes", name, num_shapes);
}

static void test_parts(void** state) {
  (void)state;
  for (int i = 0; i < NUM_NAMES; i++) {
    char path[2048];
    snprintf(path, sizeof path, "%s/%s/oracle.json", folder, NAMES[i]);
    json_t* oracle = json_load_file(path, 0, NULL);
    carom_model* model = load(NAMES[i]);
    check_parts(NAMES[i], model, oracle);
    carom_model_destroy(model);
    json_decref(oracle);
  }
}

/* The rotors of the arm add their inertia times the square of the gear's ratio, on the diagonal. */
static void test_rotors(void** state) {
  (void)state;
  char path[2048];
  carom_model *with, *without = load("iiwa7_box_collision");
  carom_error error;
  oracle_find_model(folder, "iiwa7_box_collision", path, sizeof path);
  check_ok(carom_model_load(path, NULL, &with, &error), &error);
  double M[2][13 * 13];
  const carom_model* models[2] = {with, without};
  for (int i = 0; i < 2; i++) {
    carom_dynamics* dynamics;
    check_ok(carom_dynamics_create(models[i], NULL, &dynamics, &error), &error);
    assert_int_equal(carom_model_get_sizes(models[i]).num_v, 13);
    check_ok(carom_dynamics_set(dynamics, carom_model_get_reference(models[i]), (double[13]){0},
                                (double[7]){0}, &error),
             &error);
    carom_dynamics_compute_mass_matrix(dynamics, M[i]);
    carom_dynamics_destroy(dynamics);
  }
  for (int k = 0; k < 169; k++) {
    bool is_geared = k % 14 == 0 && k / 14 >= 6;
    double added = M[0][k] - M[1][k];
    assert_true(is_geared ? added > 0.01 : fabs(added) < 1e-14);
  }
  carom_model_destroy(with);
  carom_model_destroy(without);
}

int main(void) {
  static char path[1100];
  const char* shared = check_shared_folder();
  if (!shared) return 77;
  snprintf(path, sizeof path, "%s/models/sdf", shared);
  folder = path;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_rotors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
