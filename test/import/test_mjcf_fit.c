/* Primitives fitted to meshes: sizes and places of MuJoCo. */
#include "model/model.h"
#include "support/scene.h"

#include <stdio.h>

#define MESH  " vertex='0 0 0 .3 0 0 0 .2 0 0 0 .1 .3 .1 .05 -.1 .05 .07'/>"
#define PLACE "pos='.1 .2 .3' euler='10 20 30'"
#define FITTED(compiler)                                                                          \
  "<mujoco>" compiler "<asset><mesh name='w'" MESH "<mesh name='s' inertia='shell'" MESH          \
  "</asset><worldbody><body><joint/><geom type='sphere' mesh='w' " PLACE "/>"                     \
  "<geom type='capsule' mesh='w' " PLACE "/><geom type='cylinder' mesh='w' fitscale='1.5' " PLACE \
  "/><geom type='box' mesh='w' surfacevel='1 2 3 4 5 6' " PLACE "/>"                              \
  "<geom type='ellipsoid' mesh='s' mass='2' " PLACE "/></body></worldbody></mujoco>"

/* geom_size, geom_pos, geom_quat and geom_surfacevel of MuJoCo 4.0.0, which keeps vertices as
 * floats, with 9 decimals. */
typedef struct fit {
  double size[3], position[3], quaternion[4];
} fit;

static void expect(const char* text, const fit* fits, const double* velocity) {
  carom_model* model = scene_load(text);
  for (int i = 0; i < 5; i++) {
    carom_geom_info g = carom_model_get_geom(model, i);
    double sign = g.quaternion[1] < 0 ? -1 : 1;
    check_near_array(g.size, fits[i].size, 3, 2e-8);
    check_near_array(g.position, fits[i].position, 3, 2e-8);
    for (int k = 0; k < 4; k++) check_near(sign * g.quaternion[k], fits[i].quaternion[k], 2e-8);
  }
  check_near_array(model->contact.velocity + 18, velocity, 6, 1e-7);
  carom_model_destroy(model);
}

#define AXES \
  { -0.207234607, 0.775830932, 0.171337261, 0.570774672 }
#define SHELL \
  { -0.195833626, 0.782761997, 0.156408054, 0.569622128 }

static void test_box_of_inertia(void** state) {
  (void)state;
  static const fit FITS[5] = {
      {{0.082060718}, {0.157439341, 0.296586074, 0.331307254}, AXES},
      {{0.050766029, 0.119267079}, {0.157439341, 0.296586074, 0.331307254}, AXES},
      {{0.076149044, 0.216975141}, {0.157439341, 0.296586074, 0.331307254}, AXES},
      {{0.032346901, 0.069185158, 0.144650094}, {0.157439341, 0.296586074, 0.331307254}, AXES},
      {{0.044148087, 0.088205244, 0.175219783}, {0.158208048, 0.303945709, 0.331535367}, SHELL},
  };
  static const double VELOCITY[6] = {3.240998539, -1.859368957, 0.553119677,
                                     7.065392979, -3.854776669, 3.495843086};
  expect(FITTED(""), FITS, VELOCITY);
}

static void test_bounds(void** state) {
  (void)state;
  static const fit FITS[5] = {
      {{0.20232018}, {0.148909774, 0.327162107, 0.332494788}, AXES},
      {{0.107778225, 0.094541955}, {0.148909774, 0.327162107, 0.332494788}, AXES},
      {{0.161667338, 0.30348027}, {0.148909774, 0.327162107, 0.332494788}, AXES},
      {{0.04898114, 0.107778225, 0.20232018}, {0.148909774, 0.327162107, 0.332494788}, AXES},
      {{0.049086168, 0.107251641, 0.202819278}, {0.152884585, 0.325250384, 0.331880537}, SHELL},
  };
  static const double VELOCITY[6] = {3.314968808, -1.921329386, 0.335297361,
                                     7.065392979, -3.854776669, 3.495843086};
  expect(FITTED("<compiler fitaabb='true'/>"), FITS, VELOCITY);
}

static void test_mistakes(void** state) {
  (void)state;
  static const char HEAD[] = "<mujoco><asset><mesh name='w'" MESH "</asset><worldbody>";
  static const struct {
    const char *geom, *message;
  } ROWS[] = {
      {"<geom type='box' mesh='v'/>", "scene.xml:1: geom: mesh is 'v', no mesh has this name"},
      {"<geom type='plane' mesh='w'/>", "scene.xml:1: geom: planes are not fitted to meshes"},
      {"<geom type='box' mesh='w' fromto='0 0 0 1 1 1'/>",
       "scene.xml:1: geom: fromto and mesh are both given"},
      {"<geom type='box' mesh='w' fitscale='0'/>",
       "scene.xml:1: geom: fitscale is 0, must be positive"},
  };
  for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
    char text[400];
    snprintf(text, sizeof text, "%s%s</worldbody></mujoco>", HEAD, ROWS[i].geom);
    scene_expect_error(text, CAROM_ERROR_BAD_INPUT, ROWS[i].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_box_of_inertia),
      cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
