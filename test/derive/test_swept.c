/* Derivatives of steps in which bodies meet that are so fast that a sweep finds where, against
 * differences of steps. */
#include "support/parameter_differences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What flies at a plate, which a hinge holds; beside it a free block, which it does not touch. */
#define FLIGHT(FLYING)                                                                     \
  "<mujoco><option timestep='0.005'/><default><geom friction='0.4'/></default><worldbody>" \
  "<body name='plate' pos='0 0 0.1' euler='0 10 0'><joint axis='0 1 0.2' damping='0.1'/>"  \
  "<geom name='plate' type='box' size='0.01 0.2 0.2'/></body>"                             \
  "<body name='ball' pos='-0.04 0.03 0.12'><freejoint/>" FLYING "</body>"                  \
  "<body pos='0 2 0'><freejoint/><geom type='box' size='0.1 0.1 "                          \
  "0.1'/></body></worldbody></mujoco>"

static const char A_BALL[] = FLIGHT("<geom name='flying' friction='0.5' size='0.015'/>");
static const char A_CAPSULE[] =
    FLIGHT("<geom name='flying' friction='0.5' type='capsule' size='0.01 0.03' euler='40 50 10'/>");
static const char A_BOX[] = FLIGHT(
    "<geom name='flying' friction='0.5' type='box' size='0.01 0.015 0.02' euler='30 20 10'/>");

#define CARD(POS, EULER) "<body pos='" POS "' euler='" EULER "'><freejoint/><geom/></body>"

/* Two boards that lean against each other, a third one across, and two more on that. */
static const char CARDS[] =
    "<mujoco><option timestep='0.006'/><default><geom type='box' size='0.01 0.3 0.45' "
    "friction='0.6' mass='0.2'/></default><worldbody><geom type='plane' size='1 1 1'/>" CARD(
        "-.163306 0 .426282", "0 20 0") CARD(".163306 0 .426282", "0 -20 0")
        CARD("0 0 .862564", "0 90 0") CARD("-.163306 0 1.298846", "0 20 0")
            CARD(".163306 0 1.298846", "0 -20 0") "</worldbody></mujoco>";

/* It moves by several thicknesses in the step, and stays before the plate. */
static void expect_swept(const step_differences* d, double before) {
  double x = carom_sim_coordinates(d->sim)[1];
  assert_int_equal(carom_sim_step(d->sim, NULL, NULL), 0);
  double moved = carom_sim_coordinates(d->sim)[1] - x;
  assert_true(before * 0.005 > 0.06 && moved < 0.05);
}

/* A flight, and how many of the parameters move it. */
typedef struct flight {
  const char* text;
  double v[7]; /* of the plate's hinge, m/s and rad/s */
  int num_names;
} flight;

static int expect(const flight* run, carom_scheme scheme, carom_friction friction) {
  static const char* const NAMES[] = {"body.plate.position", "body.plate.mass",
                                      "geom.flying.friction"};
  carom_sim_def def = carom_sim_def_default();
  def.scheme = scheme, def.friction = friction, def.tolerance = 1e-13, def.sleep_share = 0;
  step_differences d = step_differences_create(run->text, &def, 0);
  double v[13] = {0};
  for (int i = 0; i < 7; i++) v[i] = run->v[i];
  assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
  bool is_smooth = !step_differences_has_kink(&d) && d.found.num_held == 0; /* no frozen slip */
  if (is_smooth) {
    step_differences_expect(&d, 4e-4, 1e-7); /* impulses turn at up to 2000 rad/s */
    parameter_differences_expect(&d, NAMES, run->num_names, 1e-3);
  }
  assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
  expect_swept(&d, v[1]);
  step_differences_destroy(&d);
  return is_smooth;
}

/* At `least` of three schemes. */
static void expect_all(const flight* run, int least) {
  static const carom_scheme SCHEMES[] = {CAROM_MIDPOINT, CAROM_SYMPLECTIC, CAROM_IMPLICIT};
  int compared = 0;
  for (int i = 0; i < 3; i++)
    compared += expect(run, SCHEMES[i], i ? CAROM_FRICTION_COULOMB : CAROM_FRICTION_CONVEX);
  assert_true(compared >= least);
}

static void test_ball(void** state) {
  (void)state;
  expect_all(&(flight){A_BALL, {0.1, 15, 1, -0.5, 10, 5, -10}, 2}, 3);
  expect_all(&(flight){A_BALL, {-1, 13, 5, 2, 5, 10, -8}, 2}, 3);
}

static void test_capsule(void** state) {
  (void)state;
  expect_all(&(flight){A_CAPSULE, {0.1, 15, 1, -1, 10, 12, -20}, 3}, 3);
}

static void test_box(void** state) {
  (void)state;
  expect_all(&(flight){A_BOX, {0.3, 35, -3, -1, 30, -20, 10}, 3}, 1);
}

/* Thrown, they turn away from each other at a hair's distance, or touch later in the step. */
static void test_cards(void** state) {
  (void)state;
  check_random random = {3};
  int compared = 0;
  for (int k = 0; k < 24; k++) {
    carom_sim_def def = carom_sim_def_default();
    def.scheme = step_schemes[k % 4], def.tolerance = 1e-13, def.sleep_share = 0;
    step_differences d = step_differences_create(CARDS, &def, 0);
    double v[30];
    for (int i = 0; i < 30; i++) v[i] = (i % 6 < 3 ? 1 : 4) * check_random_normal(&random);
    assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
    for (int i = 0; i < 2 + k; i++) assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    carom_sim_forget_motion(d.sim);
    bool is_smooth = !step_differences_has_kink(&d) && d.found.num_held == 0;
    if (is_smooth) step_differences_expect(&d, 1.6e-6, 3e-7); /* a hair is 2e-6 m */
    compared += is_smooth;
    step_differences_destroy(&d);
  }
  assert_true(compared >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball),
      cmocka_unit_test(test_capsule),
      cmocka_unit_test(test_box),
      cmocka_unit_test(test_cards),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
