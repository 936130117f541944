/* Meshes of <visual> and of geometries that only serve to be drawn: read from files beside the
 * model's, one geometry for each colour, never an error. */
#include "model/model.h"
#include "support/scene.h"

#include "carom/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Files in a folder of their own */

static char folder[40];

static int make_folder(void** state) {
  (void)state;
  strcpy(folder, "/tmp/carom-drawn-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void** state) {
  (void)state;
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static void write_file(const char* name, const char* text) {
  char path[100];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static carom_model* load(const char* name, const char* text) {
  char path[100];
  carom_error error;
  carom_model* model;
  write_file(name, text);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  check_ok(carom_model_load(path, NULL, &model, &error), &error);
  return model;
}

static void expect_note(const carom_model* model, const char* end) {
  for (int i = 0; i < carom_model_get_sizes(model).num_notes; i++) {
    const char* note = carom_model_get_note(model, i);
    if (!strstr(note, end)) continue;
    assert_int_equal(carom_model_get_note_kind(model, i), CAROM_NOTE_UNUSED);
    return;
  }
  fail_msg("no note has '%s'", end);
}

/* A corner of three sheets that is not convex, and encloses nothing. */
static const char SHEETS[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\n";

/* Two triangles, of two materials. */
static const char COLLADA[] =
    "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset/>"
    "<library_effects><effect id='re'><profile_COMMON><technique sid='t'><phong><diffuse><color>1 "
    "0 "
    "0 1</color></diffuse></phong></technique></profile_COMMON></effect><effect id='ge'>"
    "<profile_COMMON><technique sid='t'><phong><diffuse><color>0 1 0 1</color></diffuse></phong>"
    "</technique></profile_COMMON></effect></library_effects><library_materials><material id='rm'>"
    "<instance_effect url='#re'/></material><material id='gm'><instance_effect "
    "url='#ge'/></material>"
    "</library_materials><library_geometries><geometry id='g'><mesh><source id='p'><float_array "
    "id='pa' count='12'>0 0 0 2 0 0 2 1 0 0 0 4</float_array><technique_common><accessor "
    "source='#pa' count='4' stride='3'><param name='X' type='float'/><param name='Y' type='float'/>"
    "<param name='Z' type='float'/></accessor></technique_common></source><vertices id='v'><input "
    "semantic='POSITION' source='#p'/></vertices><triangles material='r' count='1'><input "
    "semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles><triangles material='s' "
    "count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 3</p></triangles></mesh>"
    "</geometry></library_geometries><library_visual_scenes><visual_scene id='s'><node id='n'>"
    "<instance_geometry url='#g'><bind_material><technique_common><instance_material symbol='r' "
    "target='#rm'/><instance_material symbol='s' target='#gm'/></technique_common></bind_material>"
    "</instance_geometry></node></visual_scene></library_visual_scenes><scene>"
    "<instance_visual_scene url='#s'/></scene></COLLADA>";

/* ---- Robots */

#define URDF(visual)                                                                             \
  "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>" \
  "</inertial><visual name='v'><origin xyz='0 0 5'/><geometry>" visual "</visual><collision>"    \
  "<geometry><box size='1 1 1'/></geometry></collision></link></robot>"
#define SDF(visual)                                                                             \
  "<sdf version='1.7'><model name='r'><link name='a'><visual name='v'><pose>0 0 5 0 0 0</pose>" \
  "<geometry>" visual "</visual><collision name='c'><geometry><box><size>1 1 1</size></box>"    \
  "</geometry></collision></link></model></sdf>"

/* One drawn sheet of three triangles in front of a box, whose groups tell which is seen. */
static void check_sheets(carom_model* model, const char* name, double half) {
  carom_geom_info drawn = carom_model_get_geom(model, 0), box = carom_model_get_geom(model, 1);
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 2);
  assert_true(drawn.type == CAROM_GEOM_MESH && drawn.group == 1 && box.group == 3);
  assert_string_equal(drawn.name, name);
  check_near(drawn.size[2], half, 0);
  check_near(drawn.position[2], 5 + half, 0);
  assert_int_equal(carom_model_get_mesh(model, drawn.mesh).num_triangles, 3);
  assert_true(model->geom.contype[0] == 0 && model->geom.conaffinity[0] == 0);
  check_near(carom_model_get_body(model, 1).mass, 1, 0);
  carom_model_destroy(model);
}

static void test_sheets(void** state) {
  (void)state;
  write_file("s.obj", SHEETS);
  check_sheets(load("r.urdf", URDF("<mesh filename='s.obj' scale='2 2 2'/></geometry>")), "v", 1);
  check_sheets(load("r.sdf", SDF("<mesh><uri>s.obj</uri></mesh></geometry>")), "a::v", 0.5);
}

static void check_colours(const carom_model* model, int count, const float (*rgb)[3]) {
  assert_int_equal(carom_model_get_sizes(model).num_geoms, count + 1);
  for (int i = 0; i < count; i++) {
    carom_geom_info geom = carom_model_get_geom(model, i);
    assert_int_equal(carom_model_get_mesh(model, geom.mesh).num_triangles, 3 - count);
    for (int k = 0; k < 3; k++) assert_true(geom.rgba[k] == rgb[i][k]);
  }
}

/* The file's colours, unless the robot's file has one. */
static void test_colours(void** state) {
  (void)state;
  static const float OWN[2][3] = {{1, 0, 0}, {0, 1, 0}}, BLUE[1][3] = {{0, 0, 1}};
  if (!strstr(carom_mesh_formats(), "dae")) skip();
  write_file("c.dae", COLLADA);
  carom_model* model = load("r.urdf", URDF("<mesh filename='c.dae'/></geometry>"));
  check_colours(model, 2, OWN);
  assert_string_equal(carom_model_get_geom(model, 0).name, "v");
  assert_string_equal(carom_model_get_geom(model, 1).name, "");
  carom_model_destroy(model);
  model = load("r.urdf", URDF("<mesh filename='c.dae'/></geometry><material name='b'><color "
                              "rgba='0 0 1 1'/></material>"));
  check_colours(model, 1, BLUE);
  carom_model_destroy(model);
  model = load("r.sdf", SDF("<mesh><uri>c.dae</uri></mesh></geometry>"));
  check_colours(model, 2, OWN);
  carom_model_destroy(model);
  model = load("r.sdf", SDF("<mesh><uri>c.dae</uri></mesh></geometry><material><diffuse>0 0 1 1"
                            "</diffuse></material>"));
  check_colours(model, 1, BLUE);
  carom_model_destroy(model);
}

/* What cannot be drawn leaves what collides in sight. */
static void test_missing(void** state) {
  (void)state;
  static const struct {
    const char *name, *text, *note;
  } CASES[] = {
      {"r.urdf", URDF("<mesh filename='none.obj'/></geometry>"),
       "not drawn: there is no such file"},
      {"r.urdf", URDF("<mesh filename='bad.obj'/></geometry>"), "bad.obj:1: the word 'what'"},
      {"r.urdf", URDF("<mesh filename='bad.ply'/></geometry>"),
       "not drawn: its format is not read"},
      {"r.urdf", URDF("<mesh filename='points.obj'/></geometry>"), "points.obj has 0 triangles"},
      {"r.sdf", SDF("<mesh><uri>none.obj</uri></mesh></geometry>"),
       "not drawn: there is no such file"},
      {"r.sdf", SDF("<mesh><uri>bad.obj</uri></mesh></geometry>"), "not drawn: "}};
  write_file("bad.obj", "what\n");
  write_file("bad.ply", "ply\n");
  write_file("points.obj", "v 0 0 0\n");
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    carom_model* model = load(CASES[i].name, CASES[i].text);
    assert_int_equal(carom_model_get_sizes(model).num_geoms, 1);
    assert_int_equal(carom_model_get_geom(model, 0).group, 0);
    expect_note(model, CASES[i].note);
    carom_model_destroy(model);
  }
}

/* ---- MJCF */

/* One asset that collides and is drawn is two meshes here: a hull of 4 faces, and 3 triangles. */
static void test_mjcf(void** state) {
  (void)state;
  write_file("s.obj", SHEETS);
  carom_model* model = load(
      "m.xml", "<mujoco><asset><mesh name='s' file='s.obj' inertia='convex'/><mesh name='n' "
               "file='none.obj'/><mesh name='p' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/><material "
               "name='red' rgba='1 0 0 1'/></asset><worldbody><body><freejoint/><geom name='hull' "
               "type='mesh' mesh='s'/><geom name='seen' type='mesh' mesh='s' contype='0' "
               "conaffinity='0' mass='0' group='2' material='red'/><geom type='mesh' mesh='n' "
               "contype='0' conaffinity='0' mass='0'/><geom type='mesh' mesh='p' contype='0' "
               "conaffinity='0' mass='0'/></body></worldbody></mujoco>");
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 3);
  static const int TRIANGLES[] = {4, 3, 4};
  for (int i = 0; i < 3; i++)
    assert_int_equal(carom_model_get_mesh(model, carom_model_get_geom(model, i).mesh).num_triangles,
                     TRIANGLES[i]);
  carom_geom_info seen = carom_model_get_geom(model, 1);
  assert_true(seen.group == 2 && seen.rgba[0] == 1 && seen.rgba[1] == 0);
  assert_string_equal(seen.name, "seen");
  check_near(carom_model_get_body(model, 1).mass, 1000.0 / 6, 1e-9);
  expect_note(model, "none.obj' cannot be opened: No such file or directory: not drawn");
  carom_model_destroy(model);
}

/* What names a drawn geometry is told so, as for all that is left out. */
static void test_references(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco><asset><mesh name='p' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><geom "
      "name='g' type='mesh' mesh='p' contype='0' conaffinity='0'/><body><freejoint/><geom "
      "name='b' size='1'/></body></worldbody><contact>\n<pair geom1='g' geom2='b'/></contact>"
      "</mujoco>";
  scene_expect_error(TEXT, CAROM_ERROR_UNSUPPORTED,
                     "scene.xml:2: pair: geom1 is 'g', which is left out of the model");
  carom_model* model = scene_load_permissive(TEXT);
  assert_int_equal(carom_model_get_sizes(model).num_geoms, 2);
  scene_expect_note(model, "scene.xml:2: pair: left out, because a part that it names is left out");
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_sheets, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_colours, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_missing, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_mjcf, make_folder, remove_folder),
      cmocka_unit_test(test_references),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
