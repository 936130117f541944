/* Derivatives of steps whose bodies have a pressure inside, against differences of steps and closed
 * forms. */
#include "support/parameter_differences.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SOFT            "carom:modulus='1e6' "
#define FREE(pos, geom) "<body pos='" pos "'><freejoint/><geom " geom "/></body>"
#define PLANE           "<geom type='plane' size='5 5 1'/>"
#define GIVES \
  "<geom name='floor' type='plane' size='5 5 1' carom:modulus='1e6' carom:layer='0.05'/>"
#define TABLE "<geom type='box' size='1 1 0.1' pos='0 0 -0.1' carom:modulus='3e6'/>"
#define ROUND "type='sphere' size='0.1' "
#define BLOCK "type='box' size='0.2 0.15 0.1' "

/* Six-sided, and not regular. */
#define ASSET                                                                             \
  "<asset><mesh name='prism' vertex='0.2 0 -0.1 0.08 0.15 -0.1 -0.1 0.17 -0.1 -0.2 0.02 " \
  "-0.1 -0.09 -0.16 -0.1 0.1 -0.14 -0.1 0.2 0 0.1 0.08 0.15 0.1 -0.1 0.17 0.1 -0.2 0.02 " \
  "0.1 -0.09 -0.16 0.1 0.1 -0.14 0.1'/>" ANGLE "</asset>"

/* An L. */
#define ANGLE                                                                                     \
  "<mesh name='angle' vertex='-.15 -.1 -.05 .25 -.1 -.05 .25 .05 -.05 0 .05 -.05 0 .2 "           \
  "-.05 -.15 .2 -.05 -.15 -.1 .05 .25 -.1 .05 .25 .05 .05 0 .05 .05 0 .2 .05 -.15 .2 .05' "       \
  "face='0 2 1 6 7 8 0 3 2 6 8 9 0 4 3 6 9 10 0 5 4 6 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 " \
  "3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11'/>"
#define L      "type='mesh' mesh='angle' "
#define RIGID  "<geom pos='0 0 -0.05' " L "/>"
#define BENCH  "<geom pos='0 0 -0.05' " L "carom:modulus='3e6'/>"
#define LYING  "type='capsule' size='0.1 0.1' euler='90 0 0' "
#define ROLLER "type='cylinder' size='0.1 0.1' euler='90 0 0' "
#define EGG    "type='ellipsoid' size='0.1 0.08 0.06' "

static int num_compared;

/* Contacts are forgotten where q changes, as it does in differences. */
static void forget(step_differences* d) {
  double q[14];
  memcpy(q, carom_sim_coordinates(d->sim), sizeof(double) * (size_t)d->model->num_q);
  for (int sign = 1; sign > -2; sign -= 2) {
    q[0] += sign;
    assert_int_equal(carom_sim_set_state(d->sim, 0, q, carom_sim_velocities(d->sim), NULL), 0);
  }
}

/* Where there is contact, and no kink within a few h. */
static void compare(step_differences* d, double h, double tolerance) {
  carom_step_report report;
  forget(d);
  if (step_differences_has_kink(d) || d->found.nearest_kink < 3 * h) return;
  assert_int_equal(d->found.num_held, 0);
  step_differences_expect(d, h, tolerance);
  assert_int_equal(carom_sim_restore(d->sim, d->state, d->size, NULL), 0);
  assert_int_equal(carom_sim_step(d->sim, &report, NULL), 0);
  num_compared += report.contacts >= 10;
}

/* From random pushes, some steps later.
 * @param push how hard */
static void expect(const char* world, const char* options, double push, int steps, double h) {
  static const carom_friction LAWS[] = {CAROM_FRICTION_COULOMB, CAROM_FRICTION_CONVEX};
  char text[3000];
  double worst = 0;
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.002' gravity='0 0 -50'/><default><geom friction='0.6' "
           "%s/></default>" ASSET "<worldbody>%s</worldbody></mujoco>",
           options, world);
  int seeds = check_repeats(2), states = 0; /* each scheme once under sanitizers */
  num_compared = 0;
  for (int i = 0; i < 6; i += 3 - seeds) {
    carom_sim_def def = step_differences_def(step_schemes[i / 2], LAWS[i % 2]);
    for (int seed = 1; seed <= seeds; seed++, states++) {
      step_differences d = step_differences_create(text, &def, seed);
      step_differences_push(&d, push, steps);
      compare(&d, h, 1e-7);
      worst = fmax(worst, d.worst);
      step_differences_destroy(&d);
    }
  }
  print_message("%d states, off by %.1e at most: %s\n", num_compared, worst, world);
  assert_true(3 * num_compared >= states);
}

static void test_balls(void** state) {
  (void)state;
  expect(PLANE FREE("0 0 0.099", ROUND SOFT), "", 0.3, 30, 1e-5);
  expect(GIVES FREE("0 0 0.099", ROUND), "", 0.3, 30, 1e-5);
  expect(PLANE FREE("0 0 0.099", ROUND SOFT) FREE("0.02 0.03 0.294", ROUND SOFT), "", 0.1, 30,
         1e-4);
}

static void test_boxes(void** state) {
  (void)state;
  expect(PLANE FREE("0 0 0.099", BLOCK SOFT), "", 0.3, 30, 1e-5);
  expect(GIVES FREE("0 0 0.099", BLOCK), "", 0.3, 30, 1e-5);
  expect(TABLE FREE("0 0 0.099", BLOCK SOFT), "", 0.3, 30, 1e-5);
  expect(PLANE FREE("0 0 0.099", "type='mesh' mesh='prism' " SOFT), "", 0.3, 30, 1e-5);
}

static void test_round(void** state) {
  (void)state;
  expect(PLANE FREE("0 0 0.099", LYING SOFT), "", 0.3, 30, 1e-5);
  expect(PLANE FREE("0 0 0.099", ROLLER SOFT), "", 0.3, 30, 1e-5);
  expect(PLANE FREE("0 0 0.099", "type='cylinder' size='0.2 0.1' " SOFT), "", 0.3, 30, 1e-5);
  expect(TABLE FREE("0 0 0.099", ROUND), "", 0.3, 30, 1e-5);
  expect(TABLE FREE("0 0 0.099", ROUND SOFT), "", 0.3, 30, 1e-5);
  expect(PLANE FREE("0 0 0.059", EGG SOFT), "", 0.3, 30, 1e-5);
}

static void test_surfaces(void** state) {
  (void)state;
  expect(PLANE FREE("0 0 0.049", L SOFT), "", 0.3, 30, 1e-5);
  expect(GIVES FREE("0 0 0.049", L), "", 0.3, 30, 1e-5);
  expect(TABLE FREE("0 0 0.049", L), "", 0.3, 30, 1e-5);
  expect(TABLE FREE("0 0 0.049", L SOFT), "", 0.3, 30, 1e-5);
  expect(BENCH FREE("0.02 0.03 0.099", ROUND), "", 0.3, 30, 1e-5);
  expect(BENCH FREE("0.02 0.03 0.099", ROUND SOFT), "", 0.3, 30, 1e-5);
  expect(BENCH FREE("0.02 0.03 0.099", LYING SOFT), "", 0.3, 30, 1e-5);
  expect(RIGID FREE("0.02 0.03 0.099", ROLLER SOFT), "", 0.3, 30, 1e-5);
  expect(RIGID FREE("0.02 0.03 0.059", EGG SOFT), "", 0.3, 30, 1e-5);
}

/* What comes deep within the step is looked at on the way. */
static void test_fast(void** state) {
  (void)state;
  expect(PLANE FREE("0 0 0.099", ROUND SOFT), "", 1, 1, 1e-5);
  expect(PLANE FREE("0 0 0.099", BLOCK SOFT), "", 1, 1, 1e-5);
  expect(TABLE FREE("0 0 0.099", BLOCK SOFT), "", 1, 1, 1e-5);
}

/* On what moves as prescribed, up and turning, so fast that they are looked at on the way. */
static void test_driven(void** state) {
  (void)state;
  static const char* const shapes[] = {ROUND, BLOCK "euler='2 3 0' "};
  static const char* const heights[] = {"0.201", "0.2163"};
  num_compared = 0;
  for (int i = 0; i < 6; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='0.002'/><worldbody>"
             "<body name='m' mocap='true'><geom type='box' size='1 1 0.1' friction='0.6'/></body>"
             "<body pos='0.03 0.01 %s'><freejoint/><geom %s carom:modulus='1e6'/></body>"
             "</worldbody></mujoco>",
             heights[i / 3], shapes[i / 3]);
    carom_sim_def def = step_differences_def(step_schemes[i % 3], CAROM_FRICTION_COULOMB);
    step_differences d = step_differences_create(text, &def, 0);
    const double way[3] = {0.1, 0.2, 1.5}, turn[3] = {0, 0, 1};
    assert_int_equal(carom_sim_set_motion(d.sim, 1, way, turn, NULL), 0);
    compare(&d, 1e-5, 1e-7);
    step_differences_destroy(&d);
  }
  assert_int_equal(num_compared, 6);
}

/* Of a pair on a rigid and on a soft floor. */
static void test_parameters(void** state) {
  (void)state;
  static const char* const NAMES[] = {
      "geom.floor.friction", "geom.foot.friction",      "geom.foot.dissipation",
      "geom.foot.position",  "geom.foot.hunt_crossley", "geom.foot.stiffness",
      "body.1.mass",         "model.gravity",           "geom.foot.modulus",
      "geom.floor.modulus",  "geom.floor.dissipation"};
  static const char* const shapes[] = {ROUND, BLOCK, ROLLER};
  for (int i = 0; i < 6; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='0.002' gravity='0 0 -50'/><worldbody>"
             "<geom name='floor' type='plane' size='5 5 1' friction='0.4' %s/>"
             "<body pos='0 0 0.095'>"
             "<freejoint/><inertial pos='0 0 0' mass='10' diaginertia='0.1 0.2 0.3'/>"
             "<geom name='foot' %s carom:modulus='1e6' friction='0.6' carom:dissipation='0.01'"
             " carom:hunt_crossley='2'/></body></worldbody></mujoco>",
             i % 2 ? "carom:modulus='2e6' carom:layer='0.1' carom:dissipation='0.02'" : "",
             shapes[i / 2]);
    carom_sim_def def = step_differences_def(CAROM_MIDPOINT, CAROM_FRICTION_COULOMB);
    step_differences d = step_differences_create(text, &def, 0);
    const double v[6] = {3, 0.5, 0, 0.1, 0.2, 5};
    assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
    assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    parameter_differences_expect(&d, NAMES, i % 2 ? 11 : 9, 1e-3);
    step_differences_destroy(&d);
  }
}

/* Sizes of what has a pressure, with a layer of its own and without, and of what touches it, whose
 * masses follow from them or do not. */
static void expect_sizes(const char* world, const char* const* names, int count) {
  static const char* const MASS[] = {"", "mass='10'"};
  for (int i = 0; i < 8; i++) {
    char text[3000], body[500];
    snprintf(body, sizeof body, world, MASS[i / 4]);
    snprintf(text, sizeof text,
             "<mujoco><option timestep='0.002' gravity='0 0 -50'/>"
             "<default><geom friction='0.6' carom:dissipation='0.01'/></default>" ASSET
             "<worldbody>%s</worldbody></mujoco>",
             body);
    carom_sim_def def = step_differences_def(step_schemes[i % 4], CAROM_FRICTION_COULOMB);
    step_differences d = step_differences_create(text, &def, 0);
    const double v[6] = {0.3, 0.1, 0, 0.02, 0.04, 0.5};
    assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
    assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    parameter_differences_expect(&d, names, count, 1e-3);
    step_differences_destroy(&d);
  }
}

#define FOOT(pos, turn, geom) \
  "<body pos='" pos "' euler='" turn "'><freejoint/><geom name='foot' " geom " %s/></body>"
#define FLOOR(options) "<geom name='floor' type='plane' size='5 5 1' " options "/>"
#define DAMPED         "carom:modulus='1e6' carom:layer='0.05' carom:dissipation='0.02' "

static void test_sizes(void** state) {
  (void)state;
  static const char* const NAMES[] = {"geom.foot.size", "geom.foot.layer", "geom.foot.modulus"};
  static const char* const FLOOR_TOO[] = {"geom.foot.size", "geom.floor.layer"};
  static const char* const shapes[] = {
      ROUND,
      BLOCK,
      "type='capsule' size='0.1 0.1' ",
      "type='cylinder' size='0.1 0.12' ",
      "type='ellipsoid' size='0.1 0.09 0.098' ",
  };
  static const char* const turn[] = {"10 5 0", "2.5 3 0", "80 5 0", "80 5 0", "10 5 0"};
  static const struct {
    const char *floor, *foot, *const *names;
    int count;
  } pairs[] = {{FLOOR(""), SOFT, NAMES, 1},
               {FLOOR(""), DAMPED, NAMES, 3},
               {FLOOR(DAMPED), "", FLOOR_TOO, 2},
               {FLOOR(DAMPED), SOFT, FLOOR_TOO, 2}};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 4; k++) {
      char text[500];
      snprintf(text, sizeof text,
               "%s<body pos='0 0 0.095' euler='%s'><freejoint/><geom name='foot' %s%s%%s/></body>",
               pairs[k].floor, turn[i], shapes[i], pairs[k].foot);
      expect_sizes(text, pairs[k].names, pairs[k].count);
    }
}

/* Of convex bodies on each other, and on one that is not convex. */
static void test_sizes_of_pairs(void** state) {
  (void)state;
  static const char* const NAMES[] = {"geom.foot.size", "geom.floor.size"};
#define SLAB "<geom name='floor' type='box' size='0.15 0.12 0.1' pos='0 0 -0.1' "
  expect_sizes(SLAB "carom:modulus='3e6'/>" FOOT("0.135 0 0.095", "10 5 0", ROUND), NAMES, 1);
  expect_sizes(SLAB "carom:modulus='3e6'/>" FOOT("0 0 0.095", "3 2 0", BLOCK SOFT), NAMES, 2);
  expect_sizes(
      "<geom name='floor' type='sphere' size='0.3' pos='0.02 0 -0.3' carom:modulus='3e6'/>" FOOT(
          "0 0 0.095", "2 1 0", ROUND SOFT),
      NAMES, 2);
  expect_sizes(BENCH FOOT("0.02 0.03 0.095", "10 5 0", ROUND), NAMES, 1);
  expect_sizes(BENCH FOOT("0.02 0.03 0.095", "2 1 0", BLOCK SOFT), NAMES, 1);
  expect_sizes(BENCH FOOT("0.02 0.03 0.095", "85 5 0", "type='capsule' size='0.1 0.1' " SOFT),
               NAMES, 1);
  expect_sizes(RIGID FOOT("0.02 0.03 0.095", "85 5 0", "type='cylinder' size='0.1 0.12' " SOFT),
               NAMES, 1);
  expect_sizes(
      RIGID FOOT("0.02 0.03 0.095", "5 2 0", "type='ellipsoid' size='0.2 0.16 0.098' " SOFT), NAMES,
      1);
}

/* --- Closed forms -------------------------------------------------------------------------------
 */

/* A rigid ball of the radius R in half a space of E per layer L bears F(d) = E / L π d² (R - d / 3)
 * at the depth d: where nothing damps, dv / dz = -dt F'(d) / m (1 + O(dt² F' / m)), and where R
 * grows and the ball stays F grows by E / L 2 π d R, with L by -F / L. */
static void test_stiffness(void** state) {
  (void)state;
  const double R = 0.1, slope = 1e6 / 0.05, depth = 4e-3, mass = 5;
  carom_parameter p[2];
  double C[12 * 2];
  step_differences d = step_differences_create(
      "<mujoco><option timestep='1e-6'/><default><geom carom:dissipation='0'/></default>"
      "<worldbody>" GIVES
      "<body pos='0 0 0.096'><freejoint/><inertial pos='0 0 0' mass='5' diaginertia='1 1 1'/>"
      "<geom name='ball' type='sphere' size='0.1'/></body></worldbody></mujoco>",
      NULL, 0);
  carom_linearization out = {.A = d.A, .C = C, .parameters = p, .num_parameters = 2};
  const carom_builder* all = carom_model_get_description(d.model);
  assert_int_equal(carom_builder_find_parameter(all, "geom.ball.size", &p[0], NULL), 0);
  assert_int_equal(carom_builder_find_parameter(all, "geom.floor.layer", &p[1], NULL), 0);
  p[0].count = 1;
  assert_int_equal(carom_sim_linearize(d.sim, &out, NULL), 0);
  double stiffness = slope * M_PI * depth * (2 * R - depth);
  check_near(-mass / 1e-6 * d.A[8 * 12 + 2] / stiffness, 1, 1e-6);
  double force = slope * M_PI * depth * depth * (R - depth / 3);
  check_near(mass / 1e-6 * C[8 * 2] / (slope * 2 * M_PI * depth * R), 1, 1e-6);
  check_near(-mass / 1e-6 * C[8 * 2 + 1] / (force / 0.05), 1, 1e-6);
  step_differences_destroy(&d);
}

/* --- What is refused ----------------------------------------------------------------------------
 */

static void expect_refusal(const char* geom, const char* parameter, const char* sentence) {
  char text[1000];
  carom_parameter p;
  carom_error error;
  double C[12 * 3];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 0.09'><freejoint/>"
           "<geom name='foot' %s carom:modulus='1e6'/></body></worldbody></mujoco>",
           geom);
  step_differences d = step_differences_create(text, NULL, 0);
  carom_linearization out = {.A = d.A, .C = C, .parameters = &p, .num_parameters = 1};
  if (!parameter) out.C = NULL, out.num_parameters = 0;
  if (parameter)
    check_ok(
        carom_builder_find_parameter(carom_model_get_description(d.model), parameter, &p, &error),
        &error);
  assert_int_equal(carom_sim_linearize(d.sim, &out, &error), CAROM_ERROR_UNSUPPORTED);
  if (!strstr(error.message, sentence)) fail_msg("%s", error.message);
  step_differences_destroy(&d);
}

static void test_refusals(void** state) {
  (void)state;
  expect_refusal(BLOCK, "geom.foot.layer", "it is half the thickness of its body; give it");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_balls),          cmocka_unit_test(test_boxes),
      cmocka_unit_test(test_round),          cmocka_unit_test(test_surfaces),
      cmocka_unit_test(test_fast),           cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_driven),         cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_sizes_of_pairs), cmocka_unit_test(test_stiffness),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
