/* OBJ files of several objects: a decomposition into convex parts collides as these, an object is
 * picked by its name, materials give colours. */
#include "support/check.h"
#include "support/scene.h"

#include "carom/scene.h"
#include "carom/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

/* Corners and outward faces of a box from `low` to `high`, as an object after `count` vertices. */
static void write_box(FILE* file, const char* heading, const double low[3], const double high[3],
                      int* count) {
  static const int FACES[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  fprintf(file, "%s\n", heading);
  for (int i = 0; i < 8; i++)
    fprintf(file, "v %.17g %.17g %.17g\n", i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1],
            i & 4 ? high[2] : low[2]);
  for (int f = 0; f < 6; f++)
    fprintf(file, "f %d %d %d %d\n", *count + 1 + FACES[f][0], *count + 1 + FACES[f][1],
            *count + 1 + FACES[f][2], *count + 1 + FACES[f][3]);
  *count += 8;
}

/* An L: a plate of 2 x 2 x 0.2 with its top at z = 0, and a wall of 0.2 x 2 x 1 on its edge. */
static void write_files(void) {
  const double plate[2][3] = {{-1, -1, -0.2}, {1, 1, 0}}, wall[2][3] = {{-1, -1, 0}, {-0.8, 1, 1}};
  const char* const names[3][3] = {
      {"objects.obj", "mtllib l.mtl\no plate\ng x\nusemtl red", "o wall\nusemtl none\ng y"},
      {"groups.obj", "g plate", "g wall"},
      {"whole.obj", "", ""}};
  char path[128];
  for (int i = 0; i < 3; i++) {
    int count = 0;
    snprintf(path, sizeof path, "%s/%s", folder, names[i][0]);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    write_box(file, names[i][1], plate[0], plate[1], &count);
    write_box(file, names[i][2], wall[0], wall[1], &count);
    if (i == 2) fprintf(file, "o corner\nf 1 2 3\n");
    fclose(file);
  }
  snprintf(path, sizeof path, "%s/l.mtl", folder);
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs("# colours\nnewmtl red\nKa 0 0 0\nKd 1 0 0.2\nd 0.6\nillum 2\n", file);
  fclose(file);
}

static int set_up(void** state) {
  (void)state;
  strcpy(folder, "/tmp/carom_objects_XXXXXX");
  if (!mkdtemp(folder)) return -1;
  write_files();
  return 0;
}

static int tear_down(void** state) {
  (void)state;
  static const char* const NAMES[] = {"objects.obj", "groups.obj", "whole.obj",
                                      "l.mtl",       "out.urdf",   "out.xml"};
  char path[128];
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, NAMES[i]);
    unlink(path);
  }
  for (int i = 0; i < 8; i++) {
    snprintf(path, sizeof path, "%s/out_mesh%d.obj", folder, i);
    unlink(path);
  }
  return rmdir(folder);
}

/* A world of SDF in which an L stands still and a ball of 0.1 m falls into its corner. */
static char* sdf(const char* mesh, const char* inertial, bool is_static) {
  static char text[2000];
  snprintf(text, sizeof text,
           "<sdf version='1.9'><world name='w'><model name='l'><static>%s</static><link name='a'>%s"
           "<collision name='c'><geometry><mesh>%s</mesh></geometry></collision></link></model>"
           "<model name='b'><pose>-0.3 0 0.2 0 0 0</pose><link name='b'><inertial auto='true'/>"
           "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry>"
           "</collision></link></model></world></sdf>",
           is_static ? "true" : "false", inertial, mesh);
  return text;
}

static char* uri(const char* file, const char* rest) {
  static char text[300];
  snprintf(text, sizeof text, "<uri>%s/%s</uri>%s", folder, file, rest);
  return text;
}

static int count_shapes(const char* text) {
  carom_model* model = scene_load(text);
  int count = carom_model_get_sizes(model).num_geoms - 1;
  carom_model_destroy(model);
  return count;
}

static void test_which_files_are_kept_apart(void** state) {
  (void)state;
  assert_int_equal(count_shapes(sdf(uri("objects.obj", ""), "", true)), 2);
  assert_int_equal(count_shapes(sdf(uri("groups.obj", ""), "", true)), 2);
  assert_int_equal(count_shapes(sdf(uri("whole.obj", ""), "", true)), 1);
  assert_int_equal(count_shapes(sdf(uri("objects.obj", "<drake:declare_convex/>"), "", true)), 1);
  carom_model* model = scene_load(sdf(uri("objects.obj", ""), "", true));
  scene_expect_note(model,
                    "scene.xml:1: mesh: collides as the convex parts that its file keeps apart");
  carom_model_destroy(model);
}

/* 1000 kg/m³ times 0.8 m³ and 0.4 m³; the hull of both together has more. */
static void test_mass(void** state) {
  (void)state;
  static const char AUTO[] = "<inertial auto='true'/>";
  carom_model* model = scene_load(sdf(uri("objects.obj", ""), AUTO, false));
  carom_body_info body = carom_model_get_body(model, carom_model_find_body(model, "l::a"));
  check_near(body.mass, 1200, 1e-9);
  check_near(body.com[0], (800 * 0 + 400 * -0.9) / 1200, 1e-12);
  check_near(body.com[2], (800 * -0.1 + 400 * 0.5) / 1200, 1e-12);
  carom_model_destroy(model);
}

/* The ball comes to rest on the plate; on the hull of all it would lie on the slope, from the top
 * of the wall down to the far edge, at x = -0.3 and z = 0.65 and more. */
static void test_ball_lies_in_the_corner(void** state) {
  (void)state;
  carom_model* model = scene_load(sdf(uri("objects.obj", ""), "", true));
  carom_sim* sim;
  carom_error error;
  carom_step_report report;
  double poses[7 * 8];
  check_ok(carom_sim_create(model, NULL, &sim, &error), &error);
  for (int i = 0; i < 1000; i++) check_ok(carom_sim_step(sim, &report, &error), &error);
  carom_sim_compute_poses(sim, poses);
  const double* ball = poses + 7 * carom_model_find_body(model, "b::b");
  check_near(ball[2], 0.1, 1e-6);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
}

static void test_object_is_picked(void** state) {
  (void)state;
  static const char AUTO[] = "<inertial auto='true'/>";
  const char* wall = "<submesh><name>wall</name></submesh>";
  const char* centred = "<submesh><name>wall</name><center>true</center></submesh>";
  carom_model* model = scene_load(sdf(uri("objects.obj", wall), AUTO, false));
  carom_body_info body = carom_model_get_body(model, carom_model_find_body(model, "l::a"));
  check_near(body.mass, 400, 1e-9);
  check_near(body.com[2], 0.5, 1e-12);
  carom_model_destroy(model);
  model = scene_load(sdf(uri("objects.obj", centred), AUTO, false));
  body = carom_model_get_body(model, carom_model_find_body(model, "l::a"));
  for (int k = 0; k < 3; k++) check_near(body.com[k], 0, 1e-12);
  carom_model_destroy(model);
  char sentence[300];
  snprintf(sentence, sizeof sentence,
           "scene.xml:1: mesh: %s/objects.obj: there is no object or group 'roof' with faces",
           folder);
  scene_expect_error(sdf(uri("objects.obj", "<submesh><name>roof</name></submesh>"), "", true),
                     CAROM_ERROR_BAD_INPUT, sentence);
}

/* --- URDF ---------------------------------------------------------------------------------------
 */

static char* urdf(const char* rest) {
  static char text[1500];
  snprintf(text, sizeof text,
           "<robot name='r'><link name='a'><inertial><mass value='3'/><inertia ixx='1' iyy='1' "
           "izz='1'/></inertial><visual><geometry><mesh filename='%s/objects.obj'/></geometry>"
           "</visual><collision><geometry><mesh filename='%s/objects.obj' scale='2 1 1'>%s</mesh>"
           "</geometry></collision></link></robot>",
           folder, folder, rest);
  return text;
}

static int count_colliding(const carom_model* model) {
  int count = 0;
  for (int i = 0; i < model->geom.num_geoms; i++) count += model->geom.contype[i] != 0;
  return count;
}

static void reload(const carom_builder* builder, const char* name) {
  char path[128];
  carom_error error;
  carom_model* again;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  check_ok(carom_builder_write(builder, path, NULL, &error), &error);
  check_ok(carom_model_load(path, NULL, &again, &error), &error);
  assert_int_equal(count_colliding(again), 2);
  carom_mesh_info mesh = carom_model_get_mesh(again, carom_model_get_geom(again, 0).mesh);
  assert_true(mesh.num_vertices >= 8);
  carom_model_destroy(again);
}

static void test_round_trip(void** state) {
  (void)state;
  carom_builder* builder;
  carom_error error;
  char path[128];
  snprintf(path, sizeof path, "%s/in.urdf", folder);
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs(urdf(""), file);
  fclose(file);
  check_ok(carom_builder_load(path, NULL, &builder, &error), &error);
  unlink(path);
  reload(builder, "out.xml");
  reload(builder, "out.urdf");
  carom_builder_destroy(builder);
}

/* The red one first, as in the file; the other has no material of that name and keeps the default.
 */
static void test_colours(void** state) {
  (void)state;
  carom_model* model = scene_load(urdf("<drake:declare_convex/>"));
  assert_int_equal(count_colliding(model), 1);
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 3);
  carom_geom_info red = carom_model_get_geom(model, 0), other = carom_model_get_geom(model, 1);
  const double expected[4] = {1, 0, 0.2, 0.6};
  for (int k = 0; k < 4; k++) check_near((double)red.rgba[k], expected[k], 0.5 / 255 + 1e-7);
  carom_geom_def def = carom_geom_def_default();
  assert_memory_equal(other.rgba, def.rgba, sizeof def.rgba);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_which_files_are_kept_apart),
      cmocka_unit_test(test_mass),
      cmocka_unit_test(test_ball_lies_in_the_corner),
      cmocka_unit_test(test_object_is_picked),
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_colours),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
