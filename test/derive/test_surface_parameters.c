/* Derivatives of steps with respect to what surfaces are made of beside friction, and how
 * geometries stand on their bodies, against differences of steps of models that were compiled with
 * them. */
#include "support/parameter_differences.h"

#include "carom/parameter.h"

#include <math.h>
#include <string.h>

/* A ball that slides, spins and rolls on a floor. */
#define ROLLING(FLOOR, OWN)                                                                       \
  "<mujoco><option timestep='0.002' gravity='0 0 -200'/><worldbody>"                              \
  "<geom name='floor' type='plane' size='5 5 1' friction='0.4 0.005 0.003'" FLOOR "/>"            \
  "<body pos='0 0 0.1'><freejoint/><inertial pos='0 0 0' mass='4' diaginertia='0.015 0.016 0.02'" \
  "/><geom name='ball' type='sphere' size='0.1' friction='0.6 0.008 0.002'" OWN                   \
  "/></body></worldbody></mujoco>"

static const carom_friction LAWS[] = {CAROM_FRICTION_COULOMB, CAROM_FRICTION_CONVEX,
                                      CAROM_FRICTION_ANCHORED, CAROM_FRICTION_LAGGED};

static void expect_ball(const char* text, double h, const char* const* names, int count) {
  for (int k = 0; k < 4; k++) {
    carom_sim_def def = carom_sim_def_default();
    def.tolerance = 1e-13, def.friction = LAWS[k], def.sleep_share = 0;
    step_differences d = step_differences_create(text, &def, 0);
    const double v[6] = {3, 0.5, 0, 0.1, 0.2, 5};
    assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
    assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    if (h > 0 && k < 2) step_differences_expect(&d, h, 2e-7);
    parameter_differences_expect(&d, names, count, 1e-2);
    step_differences_destroy(&d);
  }
}

static void test_moments(void** state) {
  (void)state;
  static const char* const NAMES[] = {"geom.floor.torsional_friction",
                                      "geom.floor.rolling_friction",
                                      "geom.floor.friction",
                                      "geom.ball.torsional_friction",
                                      "geom.ball.rolling_friction",
                                      "geom.ball.friction",
                                      "model.gravity"};
  expect_ball(ROLLING(" condim='6'", " condim='6'"), 0, NAMES, 7);
  expect_ball(ROLLING("", " condim='4' carom:stiffness='2e6' carom:dissipation='0.01'"), 1e-6,
              NAMES, 7);
}

/* Friction that is more at rest, whose coefficient goes with the slip. */
static void test_slip(void** state) {
  (void)state;
  static const char* const NAMES[] = {"geom.floor.static_friction",
                                      "geom.floor.stribeck_speed",
                                      "geom.floor.friction",
                                      "geom.ball.static_friction",
                                      "geom.ball.stribeck_speed",
                                      "geom.ball.friction",
                                      "body.1.mass"};
  expect_ball(ROLLING(" carom:static_friction='0.8' carom:stribeck_speed='2'",
                      " carom:static_friction='0.9' carom:stribeck_speed='3'"
                      " carom:stiffness='2e6' carom:dissipation='0.01'"),
              1e-6, NAMES, 7);
  expect_ball(ROLLING(" condim='4' carom:static_friction='0.8' carom:stribeck_speed='2'",
                      " carom:static_friction='0.9' carom:stribeck_speed='3' condim='3'"),
              0, NAMES, 7);
}

/* Hunt-Crossley's dissipation, on one side and on both. */
static void test_hunt_crossley(void** state) {
  (void)state;
  static const char* const NAMES[] = {"geom.ball.hunt_crossley", "geom.ball.stiffness",
                                      "geom.ball.friction"};
  static const char* const BOTH[] = {"geom.floor.hunt_crossley", "geom.ball.hunt_crossley",
                                     "geom.ball.stiffness", "geom.floor.stiffness"};
  expect_ball(ROLLING("", " carom:hunt_crossley='3' carom:stiffness='2e6'"), 1e-6, NAMES, 3);
  expect_ball(ROLLING(" carom:hunt_crossley='5' carom:stiffness='3e6'",
                      " carom:hunt_crossley='3' carom:stiffness='2e6'"),
              1e-6, BOTH, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moments),
      cmocka_unit_test(test_slip),
      cmocka_unit_test(test_hunt_crossley),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
