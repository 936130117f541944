/* Meshes that are only drawn: any triangles will do, nothing of them is measured, and no step sees
 * them. */
#include "model/model.h"
#include "sim/sim.h"
#include "support/simulation.h"

#include <string.h>

/* A sheet, which has no hull, with a triangle that stands on it, which makes it anything but a
 * surface. */
static const double VERTICES[] = {0, 0, 0, 2, 0, 0, 2, 4, 0, 1, 1, 6};
static const int TRIANGLES[] = {0, 1, 2, 0, 1, 3, 3, 1, 0};

static carom_mesh_def sheet(void) {
  carom_mesh_def def = carom_mesh_def_default();
  def.vertices = VERTICES;
  def.num_vertices = 3;
  def.triangles = TRIANGLES;
  def.num_triangles = 1;
  def.only_drawn = true;
  return def;
}

/* A ball that falls on a plane, with `num_drawn` meshes on it. */
static carom_model* make_model(int num_drawn) {
  carom_error error;
  carom_builder* b;
  carom_body body;
  carom_mesh mesh;
  carom_model* model;
  carom_builder_def def = carom_builder_def_default();
  check_ok(carom_builder_create(&def, &b, &error), &error);
  carom_geom_def plane = carom_geom_def_default();
  plane.type = CAROM_GEOM_PLANE;
  check_ok(carom_builder_add_geom(b, &plane, NULL, &error), &error);
  carom_body_def ball = carom_body_def_default();
  ball.position[2] = 0.3;
  check_ok(carom_builder_add_body(b, &ball, &body, &error), &error);
  carom_joint_def joint = carom_joint_def_default();
  joint.type = CAROM_JOINT_FREE;
  joint.body = body;
  check_ok(carom_builder_add_joint(b, &joint, NULL, &error), &error);
  carom_mesh_def drawn = sheet();
  check_ok(carom_builder_add_mesh(b, &drawn, &mesh, &error), &error);
  carom_geom_def shape = carom_geom_def_default();
  shape.body = body;
  shape.type = CAROM_GEOM_SPHERE;
  shape.size[0] = 0.1;
  check_ok(carom_builder_add_geom(b, &shape, NULL, &error), &error);
  shape.type = CAROM_GEOM_MESH;
  shape.mesh = mesh;
  shape.contype = shape.conaffinity = 0;
  shape.gives_mass = false;
  shape.position[0] = 0.5;
  for (int i = 0; i < num_drawn; i++)
    check_ok(carom_builder_add_geom(b, &shape, NULL, &error), &error);
  check_ok(carom_builder_compile(b, &model, &error), &error);
  carom_builder_destroy(b);
  return model;
}

static void test_steps(void** state) {
  (void)state;
  simulation plain = simulation_create_from_model(make_model(0), NULL);
  simulation dressed = simulation_create_from_model(make_model(5), NULL);
  assert_int_equal(carom_model_get_sizes(dressed.model).num_geoms, 7);
  assert_int_equal(dressed.sim->num_moving_geoms, 1);
  for (int i = 0; i < 300; i++) {
    simulation_step(&plain);
    simulation_step(&dressed);
    assert_memory_equal(plain.q, dressed.q, 7 * sizeof(double));
    assert_memory_equal(plain.v, dressed.v, 6 * sizeof(double));
  }
  assert_true(plain.q[2] < 0.11);
  assert_true(carom_model_get_body(plain.model, 1).mass ==
              carom_model_get_body(dressed.model, 1).mass);
  simulation_destroy(&plain);
  simulation_destroy(&dressed);
}

/* The frame of what is drawn is at the middle of its bounds. */
static void test_surface(void** state) {
  (void)state;
  carom_model* model = make_model(1);
  carom_geom_info geom = carom_model_get_geom(model, 2);
  carom_mesh_info mesh = carom_model_get_mesh(model, geom.mesh);
  const double place[3] = {1.5, 2, 0}, half[3] = {1, 2, 0};
  const double corners[9] = {-1, -2, 0, 1, -2, 0, 1, 2, 0};
  assert_int_equal(geom.type, CAROM_GEOM_MESH);
  check_near_array(geom.position, place, 3, 0);
  check_near_array(geom.size, half, 3, 0);
  assert_true(mesh.num_vertices == 3 && mesh.num_triangles == 1);
  check_near_array(mesh.vertices, corners, 9, 0);
  carom_model_destroy(model);
}

static void expect(carom_status status, const carom_error* error, const char* sentence) {
  assert_int_equal(status, CAROM_ERROR_BAD_INPUT);
  assert_string_equal(error->message, sentence);
}

static void test_refusals(void** state) {
  (void)state;
  static const char DRAWN[] =
      "geom 1: its mesh is only drawn: contype and conaffinity must be 0 and gives_mass false";
  carom_error error;
  carom_builder* b;
  carom_mesh mesh;
  carom_geom first, second;
  carom_builder_def def = carom_builder_def_default();
  check_ok(carom_builder_create(&def, &b, &error), &error);
  carom_mesh_def drawn = sheet();
  drawn.num_vertices = 2;
  expect(carom_builder_add_mesh(b, &drawn, &mesh, &error), &error,
         "mesh 1: num_vertices is 2, must be between 3 and 24000000");
  drawn.num_vertices = 3;
  drawn.num_triangles = 0;
  expect(carom_builder_add_mesh(b, &drawn, &mesh, &error), &error,
         "mesh 1: num_triangles is 0, must be between 1 and 8000000");
  drawn.num_triangles = 2;
  expect(carom_builder_add_mesh(b, &drawn, &mesh, &error), &error,
         "mesh 1: face 2 has vertex 3, must be at least 0 and less than 3");
  drawn.num_vertices = 4;
  check_ok(carom_builder_add_mesh(b, &drawn, &mesh, &error), &error);
  carom_geom_def geom = carom_geom_def_default();
  geom.type = CAROM_GEOM_MESH;
  geom.mesh = mesh;
  expect(carom_builder_add_geom(b, &geom, &first, &error), &error, DRAWN);
  geom.contype = 0;
  geom.gives_mass = false;
  expect(carom_builder_add_geom(b, &geom, &first, &error), &error, DRAWN);
  geom.conaffinity = 0;
  check_ok(carom_builder_add_geom(b, &geom, &first, &error), &error);
  geom.type = CAROM_GEOM_SPHERE;
  geom.size[0] = 1;
  check_ok(carom_builder_add_geom(b, &geom, &second, &error), &error);
  carom_pair_def pair = carom_pair_def_default();
  pair.geom1 = second;
  pair.geom2 = first;
  expect(carom_builder_add_pair(b, &pair, &error), &error,
         "pair 1: geom2 has a mesh that is only drawn");
  carom_builder_destroy(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps),
      cmocka_unit_test(test_surface),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
