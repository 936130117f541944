/* Meshes that the format makes: masses and inertias of MuJoCo. */
#include "support/scene.h"

#include <math.h>
#include <stdio.h>

#define MESH                                                                                     \
  "<mujoco><asset><mesh name='m' builtin='%s' params='%s' scale='.1 .2 .3'/></asset><worldbody>" \
  "<body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"

/* body_mass, body_ipos, and body_inertia turned back into the body's axes, of MuJoCo 4.0.0, which
 * keeps vertices as floats: eight digits, right to some 1e-7. */
static const struct {
  const char *builtin, *params;
  double mass, com[3], inertia[6];
} ROWS[] = {
    {"sphere", "0", 15.216903, {0, 0, 0}, {0.28628739, 0.22022107, 0.11011054, 0, 0, 0}},
    {"sphere", "2", 24.282268, {0, 0, 0}, {0.61704608, 0.47465083, 0.23732542, 0, 0, 0}},
    {"sphere", "4", 25.078434, {0, 0, 0}, {0.65109977, 0.50084598, 0.25042299, 0, 0, 0}},
    {"hemisphere", "0", 4, {0, 0, 0.075}, {0.0295, 0.0175, 0.02, 0, 0, 0}},
    {"hemisphere",
     "3",
     11.458462,
     {0, 0, 0.10878183},
     {0.14472538, 0.080036391, 0.10781498, 0, 0, 0}},
    {"hemisphere",
     "10",
     12.409852,
     {0, 0, 0.1119812},
     {0.16435849, 0.090518005, 0.12306747, 0, 0, 0}},
    {"cone", "7 0", 10.945641, {0, 0, -0.15}, {0.2051977, 0.16212404, 0.071789441, 0, 0, 0}},
    {"cone",
     "5 .4",
     14.836482,
     {0, 0, -0.080769232},
     {0.4412996, 0.38696164, 0.090563277, 0, 0, 0}},
    {"cone", "6 1", 31.176914, {0, 0, 0}, {1.195115, 1.0002593, 0.32475951, 0, 0, 0}},
    {"supersphere",
     "12 .5 1.5",
     20.223529,
     {0, 0, 0},
     {0.41652235, 0.29643641, 0.20014324, 0, 0, 0}},
    {"supersphere", "9 1 1", 22.442587, {0, 0, 0}, {0.55798967, 0.43631802, 0.20278608, 0, 0, 0}},
    {"supersphere", "8 2 .3", 22.121565, {0, 0, 0}, {0.73507055, 0.63061361, 0.17409491, 0, 0, 0}},
    {"supertorus",
     "10 .3 1 1",
     15.752349,
     {0, 0, 0},
     {0.25484246, 0.083677532, 0.28527488, 0, 0, 0}},
    {"supertorus",
     "15 .4 .5 1.5",
     22.137424,
     {0.00010710859, 0, 0},
     {0.41673263, 0.16671977, 0.41682402, 0, 0, 0}},
    {"wedge",
     "5 4 60 45 0",
     2.4357994,
     {0, 0, -0.21341161},
     {0.01040469, 0.0048496528, 0.010870162, 0, 0, 0}},
    {"wedge",
     "7 6 120 30 .4",
     6.2605098,
     {0, 0, -0.1226531},
     {0.04872662, 0.051019768, 0.024365238, 0, 0, 0}},
};

static void test_masses(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
    char text[400];
    snprintf(text, sizeof text, MESH, ROWS[i].builtin, ROWS[i].params);
    carom_model* model = scene_load(text);
    carom_body_info b = carom_model_get_body(model, 1);
    double mass = ROWS[i].mass, largest = ROWS[i].inertia[0];
    check_near(b.mass, mass, 3e-7 * mass);
    check_near_array(b.com, ROWS[i].com, 3, 1e-7);
    check_near_array(b.inertia, ROWS[i].inertia, 6, 5e-7 * largest);
    carom_model_destroy(model);
  }
}

static void test_mistakes(void** state) {
  (void)state;
  static const struct {
    const char *builtin, *params, *message;
    carom_status status;
  } BAD[] = {
      {"sphere", "1 2", "params has 2 numbers, a sphere takes 1", CAROM_ERROR_BAD_INPUT},
      {"sphere", "5", "subdivision of params is 5, must be a whole number from 0 to 4",
       CAROM_ERROR_BAD_INPUT},
      {"cone", "3.5 1", "nvert of params is 3.5, must be a whole number from 3 to 1000",
       CAROM_ERROR_BAD_INPUT},
      {"cone", "3 -1", "radius of params is -1, must be from 0 to 1", CAROM_ERROR_BAD_INPUT},
      {"supertorus", "9 0 1 1", "radius of params is 0, must be above 0 to 1",
       CAROM_ERROR_BAD_INPUT},
      {"supersphere", "9 -1 1", "e of params is -1, must be zero or positive",
       CAROM_ERROR_BAD_INPUT},
      {"plate", "3 2",
       "a plate has no volume, so that it touches nothing: give what names it contype and "
       "conaffinity 0, or make it a box",
       CAROM_ERROR_UNSUPPORTED},
      {"plate", "2 1", "res_y of params is 1, must be a whole number from 2 to 1000",
       CAROM_ERROR_BAD_INPUT},
      {"wedge", "5 4 200 45 0", "fov_phi of params is 200, must be above 0 to 180",
       CAROM_ERROR_BAD_INPUT},
  };
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    char text[400], message[300];
    snprintf(text, sizeof text, MESH, BAD[i].builtin, BAD[i].params);
    snprintf(message, sizeof message, "scene.xml:1: mesh 'm': %s", BAD[i].message);
    scene_expect_error(text, BAD[i].status, message);
  }
}

/* What only a tactile sensor names is drawn. */
static void test_plate(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><asset><mesh name='m' builtin='plate' params='5 4' scale='.1 .2 .3'/></asset>"
      "<worldbody><body><freejoint/><geom size='.1'/><geom type='mesh' mesh='m' mass='0' "
      "contype='0' conaffinity='0'/></body></worldbody></mujoco>");
  carom_mesh_info mesh = carom_model_get_mesh(model, 0);
  assert_int_equal(mesh.num_vertices, 20);
  assert_int_equal(mesh.num_triangles, 24);
  check_near(v3_norm(v3_load(mesh.vertices)), 0.17, 1e-15); /* a corner, from its middle */
  carom_model_destroy(model);
}

/* An open surface weighs as the cones of its triangles to its centre, as in MuJoCo 4.0. */
static void test_open(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><asset><mesh name='p' vertex='0 0 0  1 0 0  0 1 0  0 0 1' face='0 2 1 0 3 2 1 2 3' "
      "inertia='exact'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='p'/></body>"
      "</worldbody></mujoco>");
  carom_body_info body = carom_model_get_body(model, 1);
  check_near(body.mass, 1000 / 9., 1e-12);
  check_near(body.com[0], 0.21949788, 1e-8);
  check_near(body.com[1], 1 / 3., 1e-14);
  scene_expect_note(
      model, "scene.xml:1: mesh p: the surface is open: 3 sides have no neighbour, the first "
             "at face 1: its mass is read as that of its triangles' cones");
  carom_model_destroy(model);
}

/* What is flat and does not collide weighs by its area, as MuJoCo 4.0 has it: a sheet of 2 x 1, and
 * a plate of 4/3 x 8/5 about its middle. */
static void test_sheets(void** state) {
  (void)state;
  carom_model* model = scene_load(
      "<mujoco><asset><mesh name='p' vertex='0 0 0  2 0 0  2 1 0  0 1 0' face='0 1 2 0 2 3' "
      "inertia='shell'/><mesh name='q' builtin='plate' params='3 5'/></asset><worldbody>"
      "<body><freejoint/><geom type='mesh' mesh='p' density='3' contype='0' conaffinity='0' "
      "pos='1 2 3' euler='90 0 0'/><geom size='.1' mass='1'/></body><body><freejoint/><geom "
      "type='mesh' mesh='q' mass='2' contype='0' conaffinity='0'/></body></worldbody></mujoco>");
  carom_body_info sheet = carom_model_get_body(model, 1), plate = carom_model_get_body(model, 2);
  check_near(sheet.mass, 7, 1e-14);
  check_near(sheet.com[0], 12. / 7, 1e-14);
  check_near(sheet.com[2], 3, 1e-14);
  check_near(plate.mass, 2, 1e-15);
  check_near(plate.inertia[2], 2 / 12. * (16 / 9. + 64 / 25.), 1e-14);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_masses), cmocka_unit_test(test_plate),    cmocka_unit_test(test_open),
      cmocka_unit_test(test_sheets), cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
