/* Published URDF models against the reference values beside them (shared/models, whose README says
 * how they were made): names, parents, masses, joints, the shapes that are supported. What follows
 * at states is compared in validation/test_oracle.c. */
#include "support/check.h"

#include "carom/model.h"
#include "carom/scene.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* folder;

/* The models, what hangs them on the world, and whether their meshes are COLLADA: these are left
 * out where Carom is built without assimp. */
static const struct robot {
  const char* name;
  carom_base base;
  bool needs_assimp;
} ROBOTS[] = {
    {"panda", CAROM_BASE_FIXED, false},           {"ur5", CAROM_BASE_DEFAULT, false},
    {"double_pendulum", CAROM_BASE_FIXED, false}, {"anymal_b", CAROM_BASE_DEFAULT, false},
    {"solo12", CAROM_BASE_DEFAULT, false},        {"talos_reduced", CAROM_BASE_DEFAULT, false},
    {"icub_reduced", CAROM_BASE_DEFAULT, true},   {"simple_humanoid", CAROM_BASE_FREE, false},
};
enum { NUM_ROBOTS = sizeof ROBOTS / sizeof ROBOTS[0] };

/* Whether all of a robot can be read. */
static bool is_whole(const struct robot* robot) {
  return !robot->needs_assimp || strstr(carom_mesh_formats(), "dae");
}

static carom_load_def make_def(const struct robot* robot) {
  carom_load_def def = carom_load_def_default();
  def.base = robot->base;
  def.permissive = !is_whole(robot);
  return def;
}

/* --- Parts --------------------------------------------------------------------------------------
 */

static double number(const json_t* row, const char* key) {
  return json_number_value(json_object_get(row, key));
}

/* Fails unless the numbers of a field are these, to 1e-9 of the largest and of `scale`. */
static void check_field(const char* robot, const json_t* row, const char* key, const double* actual,
                        double scale) {
  const json_t* array = json_object_get(row, key);
  size_t count = json_array_size(array);
  for (size_t i = 0; i < count; i++)
    scale = fmax(scale, fabs(json_number_value(json_array_get(array, i))));
  for (size_t i = 0; i < count; i++) {
    double expected = json_number_value(json_array_get(array, i));
    if (!(fabs(actual[i] - expected) <= 1e-9 * scale))
      fail_msg("%s: %s %s[%zu] is %.17g, expected %.17g", robot,
               json_string_value(json_object_get(row, "name")), key, i, actual[i], expected);
  }
}

static void check_bodies(const char* robot, const carom_model* model, const json_t* oracle) {
  size_t i;
  json_t* row;
  json_array_foreach(json_object_get(oracle, "bodies"), i, row) {
    carom_body_info body = carom_model_get_body(model, (int)i);
    assert_string_equal(body.name, json_string_value(json_object_get(row, "name")));
    if (i > 0) assert_int_equal(body.parent, number(row, "parent"));
    check_near(body.mass, number(row, "mass"), 1e-12);
    if (body.mass > 0) check_field(robot, row, "com", body.com, 0);
    check_field(robot, row, "inertia", body.inertia, 1e-12);
  }
  assert_int_equal(i, carom_model_get_sizes(model).num_bodies);
}

static void check_joints(const char* robot, const carom_model* model, const json_t* oracle) {
  static const char* const TYPES[] = {"free", "ball", "slide", "hinge"};
  size_t i;
  json_t* row;
  json_array_foreach(json_object_get(oracle, "joints"), i, row) {
    carom_joint_info joint = carom_model_get_joint(model, (int)i);
    assert_string_equal(joint.name, json_string_value(json_object_get(row, "name")));
    assert_string_equal(TYPES[joint.type], json_string_value(json_object_get(row, "type")));
    assert_int_equal(joint.body, number(row, "body"));
    assert_int_equal(joint.limited, json_is_true(json_object_get(row, "limited")));
    if (joint.limited) check_field(robot, row, "range", joint.range, 1);
    if (joint.type > CAROM_JOINT_BALL) check_field(robot, row, "axis", joint.axis, 1);
  }
  assert_int_equal(i, carom_model_get_sizes(model).num_joints);
}

/* The next geometry of the model that collides, from `index` on. */
static int next_colliding(const carom_model* model, bool has_meshes, int index) {
  for (; index < carom_model_get_sizes(model).num_geoms; index++) {
    carom_geom_info geom = carom_model_get_geom(model, index);
    if (geom.group != 1 && (has_meshes || geom.type != CAROM_GEOM_MESH)) break;
  }
  return index;
}

/* The reference has none where it could not read them, or (simple_humanoid) left its only one out.
 */
static bool lists_meshes(const json_t* oracle) {
  size_t i;
  json_t* row;
  json_array_foreach(json_object_get(oracle, "geoms"), i, row) {
    if (strcmp(json_string_value(json_object_get(row, "type")), "mesh") == 0) return true;
  }
  return false;
}

/* Shapes but the floor that the reference adds, in the same order; meshes by their bodies. */
static void check_shapes(const char* robot, bool has_meshes, const carom_model* model,
                         const json_t* oracle) {
  static const char* const TYPES[] = {"plane", "sphere", "capsule", "cylinder", "box"};
  static const int NUM_SIZES[] = {0, 1, 2, 2, 3};
  size_t i;
  json_t* row;
  int g = 0;
  json_array_foreach(json_object_get(oracle, "geoms"), i, row) {
    const char* type = json_string_value(json_object_get(row, "type"));
    bool is_mesh = strcmp(type, "mesh") == 0;
    if ((is_mesh && !has_meshes) || strcmp(type, "plane") == 0) continue;
    g = next_colliding(model, has_meshes, g);
    assert_true(g < carom_model_get_sizes(model).num_geoms);
    carom_geom_info geom = carom_model_get_geom(model, g++);
    assert_int_equal(geom.body, number(row, "body"));
    assert_int_equal(geom.type == CAROM_GEOM_MESH, is_mesh);
    if (is_mesh) continue;
    assert_string_equal(TYPES[geom.type], type);
    check_field(robot, row, "pos", geom.position, 1);
    const json_t* size = json_object_get(row, "size");
    for (int k = 0; k < NUM_SIZES[geom.type]; k++)
      check_near(geom.size[k], json_number_value(json_array_get(size, (size_t)k)), 1e-9);
  }
  assert_int_equal(next_colliding(model, has_meshes, g), carom_model_get_sizes(model).num_geoms);
}

static void test_parts(void** state) {
  (void)state;
  for (int i = 0; i < NUM_ROBOTS; i++) {
    const char* name = ROBOTS[i].name;
    char path[2048];
    carom_error error;
    carom_model* model;
    json_error_t json_error;
    carom_load_def def = make_def(&ROBOTS[i]);
    snprintf(path, sizeof path, "%s/%s/oracle.json", folder, name);
    json_t* oracle = json_load_file(path, 0, &json_error);
    if (!oracle) fail_msg("%s: %s", path, json_error.text);
    const char* file = json_string_value(json_object_get(oracle, "file"));
    snprintf(path, sizeof path, "%s/%s/%s", folder, name, file);
    check_ok(carom_model_load(path, &def, &model, &error), &error);
    check_bodies(name, model, oracle);
    check_joints(name, model, oracle);
    check_shapes(name, is_whole(&ROBOTS[i]) && lists_meshes(oracle), model, oracle);
    carom_model_destroy(model);
    json_decref(oracle);
  }
}

/* --- Meshes -------------------------------------------------------------------------------------
 */

/* Every collision mesh of the robots is found; one that is not read is refused by name, without
 * leave to go without it, and the missing files that are noted are those of looks. */
static void test_meshes(void** state) {
  (void)state;
  for (int i = 0; i < NUM_ROBOTS; i++) {
    char path[2048];
    carom_error error;
    carom_model* model;
    carom_load_def def = make_def(&ROBOTS[i]);
    snprintf(path, sizeof path, "%s/%s/oracle.json", folder, ROBOTS[i].name);
    json_t* oracle = json_load_file(path, 0, NULL);
    const char* file = json_string_value(json_object_get(oracle, "file"));
    snprintf(path, sizeof path, "%s/%s/%s", folder, ROBOTS[i].name, file);
    check_ok(carom_model_load(path, &def, &model, &error), &error);
    for (int k = 0; k < carom_model_get_sizes(model).num_notes; k++)
      assert_null(strstr(carom_model_get_note(model, k), "left out: there is no such file"));
    carom_model_destroy(model);
    def.permissive = false;
    if (!is_whole(&ROBOTS[i]))
      assert_int_equal(carom_model_load(path, &def, &model, &error), CAROM_ERROR_UNSUPPORTED);
    if (!is_whole(&ROBOTS[i])) assert_non_null(strstr(error.message, "package://"));
    json_decref(oracle);
  }
}

int main(void) {
  static char path[1100];
  if (!strstr(carom_mesh_formats(), "dae"))
    fputs("SKIPPED: built without assimp (libassimp-dev): icub_reduced without its meshes\n",
          stderr);
  const char* shared = check_shared_folder();
  if (!shared) return 77;
  snprintf(path, sizeof path, "%s/models/urdf", shared);
  folder = path;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_meshes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
