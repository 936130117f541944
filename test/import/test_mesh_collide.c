/* Meshes of URDF and SDF that are not convex: bowls hold balls, nuts go down pegs; what nearly is
 * its hull, or cannot be a surface, collides as that; convex parts that the caller makes. */
#include "support/check.h"
#include "support/scene.h"

#include "carom/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIDES 16

static char folder[64];

/* --- Files of meshes ----------------------------------------------------------------------------
 */

/* What is wrong with a file. */
typedef enum fault { NONE, OPEN, TURNED, INVERTED, ROUNDED } fault;

/* A vertex on a polygon about z; one that is rounded is off by 3e-9 m for each triangle. */
static void write_vertex(FILE* file, const double p[2], int side, double off) {
  double angle = 2 * M_PI * (side % SIDES) / SIDES;
  fprintf(file, "v %.17g %.17g %.17g\n", p[0] * cos(angle) + off, p[0] * sin(angle), p[1]);
}

static void write_triangle(FILE* file, int* count, bool turned) {
  *count += 3;
  fprintf(file, "f %d %d %d\n", *count - 2, turned ? *count : *count - 1,
          turned ? *count - 1 : *count);
}

/* The solid that a line of radii and heights (m) sweeps about z, each triangle with corners of its
 * own. */
static void write_turned(const char* name, const double line[][2], int num_points, fault wrong) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  int count = 0;
  for (int i = 0; i + 1 < num_points; i++)
    for (int s = 0; s < SIDES; s++)
      for (int k = 0; k < 2; k++) {
        const double *p = line[i], *q = line[i + 1];
        bool is_flat = (k == 0 ? p : q)[0] == 0, is_first = count == 0;
        if (is_flat || (wrong == OPEN && i == 2 && s == 0)) continue;
        double off = wrong == ROUNDED ? 3e-9 * (count % 7) : 0;
        write_vertex(file, p, s, off);
        write_vertex(file, k == 0 ? p : q, s + 1, off);
        write_vertex(file, q, s + (k == 0), off);
        write_triangle(file, &count, wrong == INVERTED || (wrong == TURNED && is_first));
      }
  fclose(file);
}

/* A bowl of 0.1 m: outer radius 0.1, inner 0.08, its floor 0.02 thick. */
static const double BOWL[6][2] = {{0, 0},      {0.1, 0},     {0.1, 0.1},
                                  {0.08, 0.1}, {0.08, 0.02}, {0, 0.02}};
/* A tray: 5 % of its hull are hollow. */
static const double TRAY[6][2] = {{0, 0},      {0.1, 0},      {0.1, 0.1},
                                  {0.09, 0.1}, {0.09, 0.094}, {0, 0.094}};
static const double DISC[4][2] = {{0, 0}, {0.1, 0}, {0.1, 0.1}, {0, 0.1}};
static const double NUT[5][2] = {{0.022, 0}, {0.04, 0}, {0.04, 0.02}, {0.022, 0.02}, {0.022, 0}};
/* A bowl whose inner wall bulges out through the outer one. */
static const double KNOT[7][2] = {{0, 0},       {0.1, 0},     {0.1, 0.1}, {0.08, 0.1},
                                  {0.12, 0.05}, {0.08, 0.02}, {0, 0.02}};

static const struct file {
  const char* name;
  const double (*line)[2];
  int count;
  fault wrong;
} FILES[] = {
    {"bowl.obj", BOWL, 6, NONE},       {"tray.obj", TRAY, 6, NONE},
    {"disc.obj", DISC, 4, NONE},       {"nut.obj", NUT, 5, NONE},
    {"knot.obj", KNOT, 7, NONE},       {"open.obj", BOWL, 6, OPEN},
    {"turned.obj", BOWL, 6, TURNED},   {"inverted.obj", BOWL, 6, INVERTED},
    {"rounded.obj", BOWL, 6, ROUNDED},
};
#define NUM_FILES (sizeof FILES / sizeof FILES[0])

static int set_up(void** state) {
  (void)state;
  strcpy(folder, "/tmp/carom_collide_XXXXXX");
  if (!mkdtemp(folder)) return -1;
  for (size_t i = 0; i < NUM_FILES; i++)
    write_turned(FILES[i].name, FILES[i].line, FILES[i].count, FILES[i].wrong);
  return 0;
}

static int tear_down(void** state) {
  (void)state;
  char path[128];
  for (size_t i = 0; i < NUM_FILES; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, FILES[i].name);
    unlink(path);
  }
  return rmdir(folder);
}

/* --- Scenes -------------------------------------------------------------------------------------
 */

/* A link 'a' of a mesh, with more in the robot. */
static char* urdf(const char* name, const char* inside, const char* rest) {
  static char text[3000];
  snprintf(text, sizeof text,
           "<robot name='r'><link name='world'/><joint name='f' type='fixed'><parent link='world'/>"
           "<child link='a'/></joint><link name='a'><inertial><mass value='3'/><inertia ixx='1' "
           "iyy='1' izz='1'/></inertial><collision><geometry>"
           "<mesh filename='%s/%s'>%s</mesh></geometry></collision></link>%s</robot>",
           folder, name, inside, rest);
  return text;
}

static char* sdf(const char* name, const char* attribute, const char* rest, bool is_static) {
  static char text[3000];
  snprintf(text, sizeof text,
           "<sdf version='1.9'><world name='w'><model name='m'><static>%s</static><link name='a'>"
           "<inertial auto='true'/><collision name='c'><geometry><mesh %s><uri>%s/%s</uri></mesh>"
           "</geometry></collision></link></model>%s</world></sdf>",
           is_static ? "true" : "false", attribute, folder, name, rest);
  return text;
}

#define BALL_SDF                                                                        \
  "<model name='b'><pose>0.02 0 0.2 0 0 0</pose><link name='b'><inertial auto='true'/>" \
  "<collision name='c'><geometry><sphere><radius>0.03</radius></sphere></geometry>"     \
  "</collision></link></model>"
#define GROUND                                                                              \
  "<model name='g'><static>1</static><link name='g'><collision name='c'><geometry><plane/>" \
  "</geometry></collision></link></model>"
#define BALL_URDF                                                                           \
  "<link name='b'><inertial><mass value='0.1'/><inertia ixx='4e-5' iyy='4e-5' izz='4e-5'/>" \
  "</inertial><collision><geometry><sphere radius='0.03'/></geometry></collision></link>"   \
  "<joint name='j' type='floating'><parent link='world'/><child link='b'/>"                 \
  "<origin xyz='0.02 0 0.2'/></joint>"

/* Where a body is after so many steps of 2 ms. */
static void simulate(const carom_model* model, const char* name, int steps, double at[7]) {
  carom_sim* sim;
  carom_error error;
  carom_step_report report;
  double poses[7 * 8];
  check_ok(carom_sim_create(model, NULL, &sim, &error), &error);
  for (int i = 0; i < steps; i++) check_ok(carom_sim_step(sim, &report, &error), &error);
  carom_sim_compute_poses(sim, poses);
  memcpy(at, poses + 7 * carom_model_find_body(model, name), 7 * sizeof *at);
  carom_sim_destroy(sim);
}

/* The model's first mesh: whether it is a surface. */
static bool is_surface(const carom_model* model) {
  for (int i = 0; i < model->geom.num_geoms; i++)
    if (model->geom.shape[i].type == CAROM_GEOM_MESH) return model->geom.shape[i].surface != NULL;
  fail_msg("there is no mesh");
  return false;
}

static void expect(const char* text, const carom_load_def* def, bool surface, const char* note) {
  carom_model* model = scene_load_with(text, def);
  assert_int_equal(is_surface(model), surface);
  char sentence[200];
  snprintf(sentence, sizeof sentence, "scene.xml:1: mesh filename: %s", note);
  scene_expect_note(model, sentence);
  carom_model_destroy(model);
}

/* --- What a mesh collides as --------------------------------------------------------------------
 */

#define SURFACE "collides as the surface that it is, which is not convex"
#define HULL    "collides as its convex hull"

static void test_form(void** state) {
  (void)state;
  static const struct {
    const char *file, *inside, *note;
    bool surface;
  } CASES[] = {
      {"bowl.obj", "", SURFACE, true},
      {"inverted.obj", "", SURFACE, true},
      {"rounded.obj", "", SURFACE, true},
      {"nut.obj", "", SURFACE, true},
      {"disc.obj", "", HULL, false},
      {"tray.obj", "", HULL, false},
      {"bowl.obj", "<drake:declare_convex/>", HULL, false},
      {"open.obj", "", HULL ": its surface is open", false},
      {"turned.obj", "", HULL ": its faces look to different sides", false},
      {"knot.obj", "", HULL ": its surface runs through itself", false},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
    expect(urdf(CASES[i].file, CASES[i].inside, ""), NULL, CASES[i].surface, CASES[i].note);
}

static void test_options(void** state) {
  (void)state;
  carom_load_def def = carom_load_def_default();
  def.mesh = CAROM_MESH_SHAPE_HULL;
  expect(urdf("bowl.obj", "", ""), &def, false, HULL);
  def.mesh = CAROM_MESH_SHAPE_SURFACE;
  expect(urdf("tray.obj", "", ""), &def, true, SURFACE);
  expect(urdf("disc.obj", "", ""), &def, false, HULL);
  expect(urdf("open.obj", "", ""), &def, true, SURFACE);
  expect(urdf("bowl.obj", "<drake:declare_convex/>", ""), &def, false, HULL);
  char* text = urdf("tray.obj", "", "");
  memcpy(strstr(text, "<collision>"), "<collision ", 11);
  char* after = strstr(text, "<collision ") + 11;
  memmove(after + 14, after, strlen(after) + 1);
  memcpy(after, "concave='yes'>", 14);
  expect(text, NULL, true, SURFACE);
  carom_model* model = scene_load(sdf("bowl.obj", "optimization='convex_hull'", "", true));
  assert_false(is_surface(model));
  carom_model_destroy(model);
}

/* --- What it holds ------------------------------------------------------------------------------
 */

static void test_bowl_holds_a_ball(void** state) {
  (void)state;
  double at[7];
  carom_model* model = scene_load(urdf("bowl.obj", "", BALL_URDF));
  simulate(model, "b", 1000, at);
  check_near(at[2], 0.05, 1e-6);
  carom_model_destroy(model);
  model = scene_load(sdf("bowl.obj", "", BALL_SDF, true));
  simulate(model, "b::b", 1000, at);
  check_near(at[2], 0.05, 1e-6);
  carom_model_destroy(model);
  model = scene_load(sdf("bowl.obj", "optimization='convex_hull'", BALL_SDF, true));
  simulate(model, "b::b", 300, at);
  assert_true(at[2] > 0.1);
  carom_model_destroy(model);
}

/* A bowl that moves: the mass is that of the solid, and it stands on the ground with the ball in
 * it. */
static void test_moving_bowl(void** state) {
  (void)state;
  double at[7], area = SIDES / 2.0 * sin(2 * M_PI / SIDES);
  carom_model* model = scene_load(sdf("bowl.obj", "", BALL_SDF GROUND, false));
  carom_body_info body = carom_model_get_body(model, carom_model_find_body(model, "m::a"));
  double whole = area * 0.01 * 0.1, hollow = area * 0.0064 * 0.08;
  check_near(body.mass, 1000 * (whole - hollow), 1e-9);
  check_near(body.com[2], (whole * 0.05 - hollow * 0.06) / (whole - hollow), 1e-12);
  simulate(model, "m::a", 1000, at);
  check_near(at[2], 0, 1e-6);
  simulate(model, "b::b", 1000, at);
  check_near(at[2], 0.05, 1e-6);
  carom_model_destroy(model);
}

static void test_nut_goes_down_a_peg(void** state) {
  (void)state;
  double at[7];
  static const char PEG[] =
      "<model name='p'><static>1</static><pose>0 0 -0.05 0 0 0</pose><link name='p'><collision "
      "name='c'><geometry><cylinder><radius>0.02</radius><length>0.2</length></cylinder></geometry>"
      "</collision></link></model>" GROUND;
  char* text = sdf("nut.obj", "", PEG, false);
  char* place = strstr(text, "<static>false</static>");
  char moved[3000];
  snprintf(moved, sizeof moved, "%.*s<pose>0.0005 0 0.025 0.02 0 0</pose>%s", (int)(place - text),
           text, place + strlen("<static>false</static>"));
  carom_model* model = scene_load(moved);
  assert_true(is_surface(model));
  simulate(model, "m::a", 500, at);
  check_near(at[2], 0, 1e-5);
  assert_true(hypot(at[0], at[1]) < 0.0021);
  carom_model_destroy(model);
}

/* --- Links of one robot meet as hulls ------------------------------------------------------------
 */

#define LINK(name, x, parent)                                                                    \
  "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"          \
  "</inertial><collision><geometry><mesh filename='%s/bowl.obj'/></geometry></collision></link>" \
  "<joint name='j" name "' type='continuous'><parent link='" parent "'/><child link='" name      \
  "'/><axis xyz='0 0 1'/><origin xyz='" x "'/></joint>"

/* A bowl on a bowl on a third one, whose rim is in the first: as hulls they overlap. */
static void test_links_of_a_robot(void** state) {
  (void)state;
  char rest[1200];
  static const char OVERLAP[] =
      "links that overlap at the reference configuration do not collide: a and c";
  snprintf(rest, sizeof rest, LINK("b", "1 0 0", "a") LINK("c", "-1 0 0.03", "b"), folder, folder);
  carom_load_def def = carom_load_def_default();
  carom_model* model = scene_load(urdf("bowl.obj", "", rest));
  assert_int_equal(model->geom.shape[0].family, model->geom.shape[2].family);
  scene_expect_note(model, OVERLAP);
  carom_model_destroy(model);
  def.mesh = CAROM_MESH_SHAPE_SURFACE;
  model = scene_load_with(urdf("bowl.obj", "", rest), &def);
  assert_int_equal(model->geom.shape[0].family, 0);
  carom_model_destroy(model);
}

/* --- Parts that the caller makes ----------------------------------------------------------------
 */

typedef struct splitter {
  int calls, num_parts, most_parts, num_triangles;
  carom_status status;
} splitter;

/* Tetrahedra side by side. */
static carom_status split(void* user, const carom_decompose_input* mesh, carom_convex_parts* parts,
                          carom_error* error) {
  splitter* s = user;
  s->calls++, s->most_parts = mesh->most_parts, s->num_triangles = mesh->num_triangles;
  for (int i = 0; i < s->num_parts; i++) {
    const double x = 0.1 * i, part[12] = {x, 0, 0, x + 0.1, 0, 0, x, 0.1, 0, x, 0, 0.1};
    carom_status status = carom_convex_parts_add(parts, part, 4, error);
    if (status != CAROM_OK) return status;
  }
  if (s->status != CAROM_OK) snprintf(error->message, sizeof error->message, "no knife");
  return s->status;
}

static void test_parts(void** state) {
  (void)state;
  splitter s = {.num_parts = 3};
  carom_load_def def = carom_load_def_default();
  def.decompose = split, def.decompose_user = &s;
  char* text = sdf("bowl.obj", "optimization='convex_decomposition'", "", false);
  carom_model* model = scene_load_with(text, &def);
  assert_int_equal(model->geom.num_geoms, 3);
  assert_false(is_surface(model));
  carom_body_info body = carom_model_get_body(model, carom_model_find_body(model, "m::a"));
  check_near(body.mass, 3 * 1000 * 1e-3 / 6, 1e-12);
  scene_expect_note(model, "scene.xml:1: mesh: collides as convex parts that were made of it");
  carom_model_destroy(model);
  assert_int_equal(s.calls, 1);
  assert_int_equal(s.num_triangles, 6 * SIDES + 2 * SIDES);
  carom_model_destroy(scene_load_with(urdf("disc.obj", "", ""), &def));
  carom_model_destroy(scene_load_with(urdf("bowl.obj", "<drake:declare_convex/>", ""), &def));
  assert_int_equal(s.calls, 1);
  carom_model_destroy(scene_load_with(urdf("open.obj", "", ""), &def));
  assert_int_equal(s.calls, 2);
}

static void expect_failure(const char* text, const carom_load_def* def, carom_status wanted,
                           const char* message) {
  carom_model* model;
  carom_error error;
  carom_status status =
      carom_model_load_string(text, strlen(text), "scene.xml", def, &model, &error);
  assert_int_equal(status, wanted);
  assert_string_equal(error.message, message);
}

static void test_parts_that_fail(void** state) {
  (void)state;
  splitter s = {.status = CAROM_ERROR_FILE};
  carom_load_def def = carom_load_def_default();
  carom_error error;
  def.decompose = split, def.decompose_user = &s;
  expect_failure(urdf("bowl.obj", "", ""), &def, CAROM_ERROR_FILE, "scene.xml:1: mesh: no knife");
  s.status = CAROM_OK;
  expect_failure(urdf("bowl.obj", "", ""), &def, CAROM_ERROR_BAD_INPUT,
                 "scene.xml:1: mesh: its decomposition has no part that encloses a volume");
  assert_int_equal(carom_convex_parts_add(NULL, NULL, 4, &error), CAROM_ERROR_INVALID_ARGUMENT);
}

/* The wish of a file without a program that could meet it. */
static void test_wish_for_parts(void** state) {
  (void)state;
  splitter s = {.num_parts = 1};
  carom_load_def def = carom_load_def_default();
  char* text = sdf("bowl.obj", "optimization='convex_decomposition'", "", true);
  carom_model* model = scene_load(text);
  assert_true(is_surface(model));
  scene_expect_note(model, "scene.xml:1: mesh optimization: convex_decomposition is made where "
                           "that is asked for (--decompose)");
  carom_model_destroy(model);
  char wish[3000];
  char* end = strstr(text, "</mesh>");
  snprintf(wish, sizeof wish,
           "%.*s<convex_decomposition><max_convex_hulls>7</max_convex_hulls>"
           "</convex_decomposition>%s",
           (int)(end - text), text, end);
  def.decompose = split, def.decompose_user = &s;
  carom_model_destroy(scene_load_with(wish, &def));
  assert_int_equal(s.most_parts, 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_form),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_bowl_holds_a_ball),
      cmocka_unit_test(test_moving_bowl),
      cmocka_unit_test(test_nut_goes_down_a_peg),
      cmocka_unit_test(test_links_of_a_robot),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_parts_that_fail),
      cmocka_unit_test(test_wish_for_parts),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
