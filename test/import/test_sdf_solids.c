/* SDF's <polyline> and <heightmap>: mass of a prism in closed form, a notch that a hull would not
 * have, a slope that a ball slides down, and the sentence for each way in which they can be wrong.
 */
#include "support/scene.h"
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MODEL(body)         "<sdf version='1.9'><model name='m'>" body "</model></sdf>"
#define POINT(xy)           "<point>" xy "</point>"
#define COLLISION(geometry) "<collision name='c'><geometry>" geometry "</geometry></collision>"

/* ---- Polygons */

/* A right triangle with legs 3 and 2: m b²/18, m a²/18 and m a b/36 about its centre; however its
 * points run and repeat. */
static void test_prism(void** state) {
  (void)state;
  static const char* const POINTS[] = {
      POINT("0 0") POINT("3 0") POINT("0 2"),
      POINT("0 0") POINT("0 2") POINT("3 0") POINT("0 0"),
      POINT("1 0") POINT("3 0") POINT("3 0") POINT("0 2") POINT("0 1") POINT("0 0"),
  };
  const double m = 30, inertia[6] = {m * (4.0 / 18 + 1.0 / 12),
                                     m * (9.0 / 18 + 1.0 / 12),
                                     m * 13 / 18,
                                     m * 6 / 36,
                                     0,
                                     0};
  for (int i = 0; i < 3; i++) {
    char text[1000];
    snprintf(
        text, sizeof text,
        MODEL("<link name='l'><inertial auto='true'><density>10</density></inertial>" COLLISION(
            "<polyline>%s<height>1</height></polyline>") "</link>"),
        POINTS[i]);
    carom_model* model = scene_load(text);
    carom_body_info body = carom_model_get_body(model, 1);
    check_near(body.mass, m, 1e-12);
    check_near_array(body.com, ((double[]){1, 2.0 / 3, 0.5}), 3, 1e-14);
    check_near_array(body.inertia, inertia, 6, 1e-12);
    carom_model_destroy(model);
  }
}

#define NOTCH POINT("0 0") POINT("2 0") POINT("2 1") POINT("1 1") POINT("1 2") POINT("0 2")

/* The mass of three quarters of a box, whose centre is not that of its hull. */
static void test_notch_mass(void** state) {
  (void)state;
  carom_model* model = scene_load(
      MODEL("<link name='l'><inertial auto='true'><density>2</density></inertial>" COLLISION(
          "<polyline>" NOTCH "<height>4</height></polyline>") "</link>"));
  carom_body_info body = carom_model_get_body(model, 1);
  check_near(body.mass, 2 * 3 * 4, 1e-12);
  check_near_array(body.com, ((double[]){2.5 / 3, 2.5 / 3, 2}), 3, 1e-14);
  carom_model_destroy(model);
}

/* A ball that falls into the notch, turned upwards, lies on its floor at z = 1; on the hull it
 * would meet the slope from (2, 1) to (1, 2) and lie at z > 1.5. */
static void test_notch_holds(void** state) {
  (void)state;
  simulation s = simulation_create_from_model(
      scene_load("<sdf version='1.9'><world name='w'><model name='f'><static>true</static>"
                 "<link name='l'><pose>0 0 0 1.5707963267948966 0 0</pose>" COLLISION(
                     "<polyline>" NOTCH
                     "</polyline>") "</link></model>"
                                    "<model name='b'><pose>1.5 -0.5 1.21 0 0 0</pose><link "
                                    "name='l'>" COLLISION(
                                        "<sphere><radius>0.2</radius></sphere>") "</link></model></"
                                                                                 "world></sdf>"),
      NULL);
  double frame[7];
  simulation_run_until(&s, 1);
  simulation_compute_pose(&s, simulation_find_body(&s, "b::l"), frame);
  check_near_array(frame, ((double[]){1.5, -0.5, 1.2}), 3, 1e-8);
  simulation_destroy(&s);
}

/* Writes an outline of n points about (x, y), regular or, as a star, half as far at every second.
 */
static size_t write_outline(char* out, size_t size, int n, const double place[3], bool is_star) {
  size_t at = (size_t)snprintf(out, size, "<polyline><height>2</height>");
  for (int i = 0; i < n; i++) {
    double r = place[2] * (is_star && i % 2 ? 0.5 : 1), angle = 2 * M_PI * i / n;
    at += (size_t)snprintf(out + at, size - at, "<point>%.17g %.17g</point>",
                           place[0] + r * cos(angle), place[1] + r * sin(angle));
  }
  return at + (size_t)snprintf(out + at, size - at, "</polyline>");
}

/* A disc with two holes and a star cut out, an island in one hole, and another disc beside it, in
 * any order: areas add with their signs, as moments do; n r² sin(2 pi / n) / 2 is that of n points,
 * half of it that of the star. */
static void test_holes(void** state) {
  (void)state;
  static const struct {
    int n;
    double place[3], sign;
    bool is_star;
  } OUTLINES[] = {{40, {0, 0, 5}, 1, false},    {4, {2, 0, 1.5}, -1, false},
                  {16, {-2, 1, 1}, -1, false},  {10, {-1, -2.5, 1.5}, -1, true},
                  {6, {2, 0.2, 0.5}, 1, false}, {3, {12, 1, 2}, 1, false}};
  enum { COUNT = sizeof OUTLINES / sizeof *OUTLINES };
  for (int order = 0; order < COUNT; order++) {
    char text[12000];
    double mass = 0, x = 0, y = 0;
    size_t at = (size_t)snprintf(text, sizeof text, "%s",
                                 "<sdf version='1.9'><model name='m'><link name='l'><inertial "
                                 "auto='true'><density>3</density></inertial><collision "
                                 "name='c'><geometry>");
    for (int i = 0; i < COUNT; i++) {
      int k = (i + order) % COUNT, n = OUTLINES[k].n;
      const double* place = OUTLINES[k].place;
      double area = 0.5 * n * place[2] * place[2] * sin(2 * M_PI / n);
      double part = 3 * 2 * OUTLINES[k].sign * area * (OUTLINES[k].is_star ? 0.5 : 1);
      mass += part, x += part * place[0], y += part * place[1];
      at += write_outline(text + at, sizeof text - at, n, place, OUTLINES[k].is_star);
    }
    snprintf(text + at, sizeof text - at, "</geometry></collision></link></model></sdf>");
    carom_model* model = scene_load(text);
    carom_body_info body = carom_model_get_body(model, 1);
    check_near(body.mass, mass, 1e-12 * mass);
    check_near_array(body.com, ((double[]){x / mass, y / mass, 1}), 3, 1e-12);
    carom_model_destroy(model);
  }
}

/* A ball of radius 0.4 falls through a square hole of side 1, one of 0.6 stays in it, where its
 * middle is √(0.6² - 0.5²) above the rim. */
static void test_hole_lets_through(void** state) {
  (void)state;
  static const double RADII[] = {0.4, 0.6};
  for (int i = 0; i < 2; i++) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "<sdf version='1.9'><world name='w'><model name='f'><static>true</static>"
        "<link name='l'>" COLLISION(
            "<polyline><height>0.5</height><point>-2 -2</point><point>2 -2</point>"
            "<point>2 2</point><point>-2 2</point></polyline><polyline>"
            "<point>-0.5 -0.5</point><point>0.5 -0.5</point><point>0.5 0.5</point>"
            "<point>-0.5 0.5</point></polyline>") "</link></model><model name='b'><pose>0 0 "
                                                  "%g 0 0 0</pose><link name='l'>" COLLISION(
                                                      "<sphere><radius>%g</radius></sphere>") "</"
                                                                                              "link"
                                                                                              "></"
                                                                                              "mode"
                                                                                              "l></"
                                                                                              "worl"
                                                                                              "d></"
                                                                                              "sdf"
                                                                                              ">",
        0.55 + RADII[i], RADII[i]);
    simulation s = simulation_create_from_model(scene_load(text), NULL);
    double frame[7];
    simulation_run_until(&s, 1);
    simulation_compute_pose(&s, simulation_find_body(&s, "b::l"), frame);
    if (i == 0)
      assert_true(frame[2] < -2);
    else
      check_near(frame[2], 0.5 + sqrt(0.6 * 0.6 - 0.5 * 0.5), 1e-6);
    simulation_destroy(&s);
  }
}

/* ---- Heights */

/* Two columns and two rows of grey: 60 100, below them 0 40: a plane whose height is 0.4 of the
 * whole along x and 0.6 along y. */
static const unsigned char PICTURE[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00, 0x00, 0x57,
    0xdd, 0x52, 0xf8, 0x00, 0x00, 0x00, 0x0e, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xb0,
    0x49, 0x61, 0x60, 0xd0, 0x00, 0x00, 0x02, 0xea, 0x00, 0xc9, 0x66, 0xd5, 0xa9, 0x65, 0x00,
    0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
#define PICTURE_FILE CR_BINARY_DIR "/test_sdf_slope.png"

static void write_picture(void) {
  FILE* file = fopen(PICTURE_FILE, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(PICTURE, 1, sizeof PICTURE, file), sizeof PICTURE);
  assert_int_equal(fclose(file), 0);
}

#define SLOPE                                                                              \
  "<heightmap><uri>" PICTURE_FILE "</uri><size>4 4 5</size><pos>10 20 5</pos></heightmap>" \
  "</geometry><surface><friction><ode><mu>0</mu></ode></friction></surface>"
#define SLOPE_WORLD                                                                             \
  "<sdf version='1.9'><world name='w'><model name='f'><static>true</static><link name='l'>"     \
  "<collision name='c'><geometry>" SLOPE "</collision></link></model><model name='b'>"          \
  "<pose>10 20 %.17g 0 0 0</pose><link name='l'><collision name='c'><geometry><sphere>"         \
  "<radius>0.5</radius></sphere></geometry><surface><friction><ode><mu>0</mu></ode></friction>" \
  "</surface></collision></link></model></world></sdf>"

/* To the tolerance of the contact solver: without friction a ball on a plane of gradient G gains -g
 * G / (1 + G²) along x and y each second. Its middle stands r √(1 + G²) above the plane, which is 5
 * + 5/2 high in the middle. */
static void test_slope(void** state) {
  (void)state;
  char text[2000];
  double t = 0.1, g = 9.8, gx = 0.4 * 5 / 4, gy = 0.6 * 5 / 4, G2 = gx * gx + gy * gy;
  write_picture();
  snprintf(text, sizeof text, SLOPE_WORLD, 7.5 + 0.5 * sqrt(1 + G2));
  simulation s = simulation_create_from_model(scene_load(text), NULL);
  simulation_run_until(&s, t);
  const double *v = s.v, a = -g / (1 + G2);
  check_near_array(v, ((double[]){a * gx * t, a * gy * t, a * G2 * t}), 3, 1e-8);
  simulation_destroy(&s);
}

/* ---- Errors */

#define SHAPE(shape)   MODEL("<link name='l'>" COLLISION(shape) "</link>")
#define POLYLINE(more) SHAPE("<polyline>" more "</polyline>")

static const struct bad {
  const char* text;
  carom_status status;
  const char* message;
} BAD[] = {
    {POLYLINE(POINT("0 0") POINT("1 0")), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: polyline: its points enclose no area: three that are not in line are needed"},
    {POLYLINE(POINT("0 0") POINT("1 1") POINT("2 2") POINT("0.5 0.5")), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: polyline: its points enclose no area: three that are not in line are needed"},
    {POLYLINE(POINT("0 0") POINT("1 1") POINT("1 0") POINT("0 1")), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: polyline: its edges cross or touch each other"},
    {POLYLINE(POINT("0 0") POINT("2 0") POINT("2 2") POINT("1 0") POINT("0 2")),
     CAROM_ERROR_BAD_INPUT, "scene.xml:1: polyline: its edges cross or touch each other"},
    {POLYLINE(POINT("0 0 0")), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: point: its text has 3 numbers, takes 2"},
    {POLYLINE(POINT("0 0") "<height>0</height>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: polyline: height must be positive"},
    {SHAPE("<polyline>" NOTCH "</polyline><polyline/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: polyline: its points enclose no area: three that are not in line are needed"},
    {SHAPE("<polyline>" NOTCH "</polyline><polyline>" NOTCH "</polyline>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: polyline: the edges of its outlines cross or touch"},
    {SHAPE("<heightmap/>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: heightmap: element <uri> is missing"},
    {SHAPE("<heightmap><uri>model://x/y.png</uri></heightmap>"), CAROM_ERROR_FILE,
     "scene.xml:1: heightmap: file 'model://x/y.png' is not found; name the folder that holds "
     "it (--search)"},
    {SHAPE("<heightmap><uri>y.tif</uri></heightmap>"), CAROM_ERROR_UNSUPPORTED,
     "scene.xml:1: heightmap: height maps but PNG pictures are not supported; --permissive makes "
     "it a note"},
    {SHAPE("<heightmap><uri>y.png</uri><size>1 1 -1</size></heightmap>"), CAROM_ERROR_BAD_INPUT,
     "scene.xml:1: heightmap: size[2] is -1, must be positive"},
};

static void test_errors(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
    scene_expect_error(BAD[i].text, BAD[i].status, BAD[i].message);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_prism),
      cmocka_unit_test(test_notch_mass),
      cmocka_unit_test(test_notch_holds),
      cmocka_unit_test(test_holes),
      cmocka_unit_test(test_hole_lets_through),
      cmocka_unit_test(test_slope),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
