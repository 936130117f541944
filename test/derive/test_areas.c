/* Derivatives of steps whose contacts stand for areas, against differences of steps and closed
 * forms. */
#include "support/step_differences.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FREE(pos, geom) "<body pos='" pos "'><freejoint/><geom " geom "/></body>"
#define BOX             FREE("0 0 0.1", "type='box' size='0.2 0.15 0.1'")
#define TURNED                                                                                \
  BOX "<body pos='0.03 0.02 0.3' euler='0 0 20'><freejoint/><geom type='box' size='0.2 0.15 " \
      "0.1'/>"                                                                                \
      "</body>"
#define STANDS FREE("0 0 0.1", "type='cylinder' size='0.2 0.1'")
#define PRISM  FREE("0 0 0.1", "type='mesh' mesh='prism'")
#define SLIDES "priority='1' friction='0.02'"
#define LIES   FREE("0 0 0.1", "type='cylinder' size='0.1 0.2' euler='90 0 0'")

/* Six-sided, and not regular. */
#define ASSET                                                                             \
  "<asset><mesh name='prism' vertex='0.2 0 -0.1 0.08 0.15 -0.1 -0.1 0.17 -0.1 -0.2 0.02 " \
  "-0.1 -0.09 -0.16 -0.1 0.1 -0.14 -0.1 0.2 0 0.1 0.08 0.15 0.1 -0.1 0.17 0.1 -0.2 0.02 " \
  "0.1 -0.09 -0.16 0.1 0.1 -0.14 0.1'/></asset>"

/* An L, whose faces do not fill their outlines. */
#define ANGLE                                                                                     \
  "<asset><mesh name='angle' vertex='-.15 -.1 -.05 .25 -.1 -.05 .25 .05 -.05 0 .05 -.05 0 .2 "    \
  "-.05 -.15 .2 -.05 -.15 -.1 .05 .25 -.1 .05 .25 .05 .05 0 .05 .05 0 .2 .05 -.15 .2 .05' "       \
  "face='0 2 1 6 7 8 0 3 2 6 8 9 0 4 3 6 9 10 0 5 4 6 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 " \
  "3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11'/></asset>"
#define L(pos) FREE(pos, "type='mesh' mesh='angle'")

/* How often a comparison was made. */
static int num_compared;

/* Both ways, where there is no kink within a few h. */
static void compare(step_differences* d, double h, double tolerance) {
  if (step_differences_has_kink(d)) return;
  if (tolerance > 1e-6 && d->found.nearest_kink < 3 * h) return;
  step_differences_expect(d, h, tolerance);
  carom_linearization wanted = {.A = d->A, .B = d->B};
  step_differences_expect_transpose(d, &wanted);
  num_compared++;
}

/* From random pushes under heavy weight, some steps later.
 * @param stiff what geometries are like
 * @param times how hard the push is */
static void expect(const char* body, const char* stiff, double times, double h, double tolerance) {
  static const carom_friction LAWS[] = {CAROM_FRICTION_COULOMB, CAROM_FRICTION_CONVEX};
  char text[2000];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.002' gravity='0 0 -200'/><default><geom friction='0.6' %s/>"
           "</default>%s<worldbody><geom type='plane' size='5 5 1'/>%s</worldbody></mujoco>",
           stiff, strstr(body, "angle") ? ANGLE : ASSET, body);
  num_compared = 0;
  int seeds = check_repeats(2), states = 0; /* each scheme once under sanitizers */
  for (int i = 0; i < 6; i += 3 - seeds) {
    carom_sim_def def = step_differences_def(step_schemes[i / 2], LAWS[i % 2]);
    for (int seed = 1; seed <= seeds; seed++, states++) {
      step_differences d = step_differences_create(text, &def, seed);
      step_differences_push(&d, times, 30);
      compare(&d, h, tolerance);
      step_differences_destroy(&d);
    }
  }
  assert_true(2 * num_compared > states);
}

static void test_rigid(void** state) {
  (void)state;
  expect(BOX, "", 0.5, 2e-4, 3e-7);
  expect(STANDS, "", 0.5, 2e-4, 3e-7);
  expect(LIES, "", 0.5, 2e-4, 3e-7);
  expect(TURNED, "", 0.5, 2e-4, 3e-7);
}

static void test_prism(void** state) {
  (void)state;
  expect(PRISM, "", 0.5, 2e-4, 3e-7);
}

/* On a plane, over two edges of a table, turned on a box and on one another. */
static void test_angle(void** state) {
  (void)state;
  const char* const stiff = "carom:stiffness='1e5' carom:dissipation='0.05'";
  static const char* const bodies[] = {
      L("0 0 0.05"),
      "<geom type='box' size='0.2 0.15 0.1'/>" L("0.03 0.02 0.15"),
      BOX "<body pos='0.03 0.02 0.25' euler='0 0 20'><freejoint/><geom type='mesh' mesh='angle'/>"
          "</body>",
      L("0 0 0.05") "<body pos='0.02 0.03 0.15' euler='0 0 30'><freejoint/><geom type='mesh' "
                    "mesh='angle'/></body>",
  };
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    expect(bodies[i], "", 0.5, 1e-5, 3e-6);
    expect(bodies[i], stiff, 0.5, 1e-5, 3e-6);
  }
}

/* What two boxes share has weights that move; some 4e-5 on its points come off each other, so that
 * differences are over less, and not as good. */
static void test_compliant(void** state) {
  (void)state;
  const char* const stiff = "carom:stiffness='1e5' carom:dissipation='0.05'";
  expect(BOX, stiff, 0.5, 1e-5, 3e-6);
  expect(LIES, stiff, 0.5, 1e-5, 3e-6);
  expect(TURNED, stiff, 0.5, 1e-5, 3e-6);
  expect(TURNED, "carom:stiffness='1e5'", 0.5, 1e-5, 3e-6);
}

/* Bodies still slide and spin. Steps of rigid ones are not solved well enough for differences. */
static void test_sliding(void** state) {
  (void)state;
  const char* const stiff = "carom:stiffness='1e5' carom:dissipation='0.05'";
  expect(FREE("0 0 0.1", "type='box' size='0.2 0.15 0.1' " SLIDES), stiff, 2, 1e-5, 3e-7);
  expect(FREE("0 0 0.1", "type='cylinder' size='0.2 0.1' " SLIDES), stiff, 2, 1e-5, 3e-7);
  expect(FREE("0 0 0.1", "type='mesh' mesh='prism' " SLIDES), stiff, 2, 1e-5, 3e-7);
}

static void test_anchored(void** state) {
  (void)state;
  char text[2000];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.002' gravity='0 0 -200'/><default><geom friction='0.6'"
           " carom:stiffness='1e5' carom:dissipation='0.05'/></default><worldbody>"
           "<geom type='plane' size='5 5 1'/>%s</worldbody></mujoco>",
           TURNED);
  carom_sim_def def = step_differences_def(CAROM_MIDPOINT, CAROM_FRICTION_ANCHORED);
  step_differences d = step_differences_create(text, &def, 1);
  d.keeps_memory = true;
  step_differences_push(&d, 0.05, 40);
  num_compared = 0;
  compare(&d, 1e-5, 3e-6);
  assert_int_equal(num_compared, 1);
  step_differences_destroy(&d);
}

/* By the published model: R_n of the area, and R_t of each point's mobility. */
static void test_regularized(void** state) {
  (void)state;
  static const carom_friction LAWS[] = {CAROM_FRICTION_COULOMB, CAROM_FRICTION_CONVEX};
  const char* text = "<mujoco><option timestep='0.002' gravity='0 0 -200'/><default>"
                     "<geom friction='0.6'/></default><worldbody>"
                     "<geom type='plane' size='5 5 1'/>" BOX "</worldbody></mujoco>";
  num_compared = 0;
  for (int i = 0; i < 6; i++) {
    carom_sim_def def = step_differences_def(step_schemes[i / 2], LAWS[i % 2]);
    def.sigma = 1e-3, def.beta = 1;
    step_differences d = step_differences_create(text, &def, 1);
    step_differences_push(&d, 0.5, 30);
    assert_int_equal(d.found.num_held, 0);
    compare(&d, 1e-5, 3e-7);
    step_differences_destroy(&d);
  }
  assert_true(num_compared > 3);
}

/* --- Closed forms -------------------------------------------------------------------------------
 */

/* d omega / d theta of a step of a body that spins on a floor, in units of dt g / I. */
static double find_slope(const char* geom, const char* parameter) {
  char text[1000];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.001'/><worldbody>"
           "<geom name='floor' type='plane' size='5 5 1' friction='0.5'/>"
           "<body pos='0 0 0.1'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 0.1'/>"
           "<geom name='foot' %s friction='0.1'/></body></worldbody></mujoco>",
           geom);
  carom_sim_def def = carom_sim_def_default();
  def.dt = 0.001, def.patches = CAROM_PATCHES_AREA, def.tolerance = 1e-8;
  step_differences d = step_differences_create(text, &def, 0);
  const double v[6] = {0, 0, 0, 0, 0, 20};
  for (int i = 0; i < 5; i++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
  assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
  assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
  carom_parameter p;
  carom_error error;
  double C[3 * 12];
  if (carom_builder_find_parameter(carom_model_get_description(d.model), parameter, &p, &error))
    fail_msg("%s", error.message);
  carom_linearization out = {.C = C, .parameters = &p, .num_parameters = 1};
  if (carom_sim_linearize(d.sim, &out, &error)) fail_msg("%s", error.message);
  double slope = C[11 * p.count] * 0.1 / (0.001 * 9.81);
  step_differences_destroy(&d);
  return slope;
}

/* Under uniform pressure the moment of friction is mu N times the mean distance: 2/3 R of a disc,
 * (√2 + asinh 1) / 3 a of a square of half width a, which has half of that by each of its sides. */
static void test_spin(void** state) {
  (void)state;
  const char *disc = "type='cylinder' size='0.2 0.1'", *square = "type='box' size='0.2 0.2 0.1'";
  const double of_square = (M_SQRT2 + asinh(1)) / 3;
  check_near(find_slope(disc, "geom.floor.friction"), -2.0 / 3 * 0.2, 1e-5);
  check_near(find_slope(disc, "geom.foot.size"), -0.5 * 2 / 3, 1e-4);
  check_near(find_slope(square, "geom.floor.friction"), -of_square * 0.2, 1e-5);
  check_near(find_slope(square, "geom.foot.size"), -0.5 * of_square / 2, 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rigid),     cmocka_unit_test(test_prism),
      cmocka_unit_test(test_angle),     cmocka_unit_test(test_sliding),
      cmocka_unit_test(test_compliant), cmocka_unit_test(test_regularized),
      cmocka_unit_test(test_anchored),  cmocka_unit_test(test_spin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
