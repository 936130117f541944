/* Derivatives of steps in which bodies meet that are so fast that a sweep finds where, against
 * differences of steps. */
#include "support/parameter_differences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What flies at a plate, which a hinge holds; beside it a free block, which it does not touch. */
#define THROWN(ASSET, PLATE, POS, FLYING)                                                  \
  "<mujoco><option timestep='0.005'/><default><geom friction='0.4'/></default>" ASSET      \
  "<worldbody><body name='plate' pos='0 0 0.1' euler='0 10 0'><joint axis='0 1 0.2' "      \
  "damping='0.1'/><geom name='plate' " PLATE "/></body><body name='ball' pos='" POS        \
  "'><freejoint/><geom name='flying' friction='0.5' " FLYING "/></body><body pos='0 2 0'>" \
  "<freejoint/><geom type='box' size='0.1 0.1 0.1'/></body></worldbody></mujoco>"
#define FLIGHT(FLYING) THROWN("", "type='box' size='0.01 0.2 0.2'", "-0.04 0.03 0.12", FLYING)

static const char A_BALL[] = FLIGHT("size='0.015'");
static const char A_CAPSULE[] = FLIGHT("type='capsule' size='0.01 0.03' euler='40 50 10'");
static const char A_BOX[] = FLIGHT("type='box' size='0.01 0.015 0.02' euler='30 20 10'");

/* The same at a groove between two walls, whose normals are several. */
#define MESHES                                                                                    \
  "<asset><mesh name='groove' carom:convex='false' inertia='exact' vertex='-.2 -.2 -.2 0 0 -.2 "  \
  "-.2 .2 -.2 .03 0 -.2 -.2 -.2 .2 0 0 .2 -.2 .2 .2 .03 0 .2' face='0 4 5 0 5 1 1 5 6 1 6 2 0 3 " \
  "7 0 7 4 2 6 7 2 7 3 0 1 3 1 2 3 4 7 5 5 7 6'/><mesh name='angle' carom:convex='false' "        \
  "inertia='exact' vertex='-.015 -.01 -.005 .025 -.01 -.005 .025 .005 -.005 0 .005 -.005 0 .02 "  \
  "-.005 -.015 .02 -.005 -.015 -.01 .005 .025 -.01 .005 .025 .005 .005 0 .005 .005 0 .02 .005 "   \
  "-.015 .02 .005' face='0 2 1 0 3 2 0 4 3 0 5 4 6 7 8 6 8 9 6 9 10 6 10 11 0 1 7 0 7 6 1 2 8 "   \
  "1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11'/></asset>"
#define AT_GROOVE(POS, FLYING) THROWN(MESHES, "type='mesh' mesh='groove'", POS, FLYING)

#define CARD(POS, EULER)       "<body pos='" POS "' euler='" EULER "'><freejoint/><geom/></body>"

/* Two boards that lean against each other, a third one across, and two more on that. */
static const char CARDS[] =
    "<mujoco><option timestep='0.006'/><default><geom type='box' size='0.01 0.3 0.45' "
    "friction='0.6' mass='0.2'/></default><worldbody><geom type='plane' size='1 1 1'/>" CARD(
        "-.163306 0 .426282", "0 20 0") CARD(".163306 0 .426282", "0 -20 0")
        CARD("0 0 .862564", "0 90 0") CARD("-.163306 0 1.298846", "0 20 0")
            CARD(".163306 0 1.298846", "0 -20 0") "</worldbody></mujoco>";

/* It would move by several thicknesses in the step, and is struck. */
static void expect_swept(const step_differences* d, double before) {
  assert_int_equal(carom_sim_step(d->sim, NULL, NULL), 0);
  double change = carom_sim_velocities(d->sim)[1] - before;
  assert_true(before * 0.005 > 0.05 && fabs(change) > 0.5);
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
    step_differences_expect(&d, 4e-4, 3e-7); /* impulses turn at up to 2000 rad/s */
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

static void test_surfaces(void** state) {
  (void)state;
  static const carom_scheme SCHEMES[] = {CAROM_MIDPOINT, CAROM_SYMPLECTIC, CAROM_IMPLICIT};
  static const char* const AT[] = {
      AT_GROOVE("-.075 .03 .12", "size='0.015'"),
      AT_GROOVE("-.075 .03 .12", "type='capsule' size='0.01 0.03' euler='40 50 10'"),
      AT_GROOVE("-.075 .03 .12", "type='box' size='0.01 0.015 0.02' euler='30 20 10'"),
      AT_GROOVE("-.075 .03 .12", "type='cylinder' size='0.01 0.015' euler='30 20 10'"),
      AT_GROOVE("-.075 .03 .12", "type='ellipsoid' size='0.01 0.015 .012' euler='30 20 10'"),
      AT_GROOVE("-.075 .03 .12", "type='mesh' mesh='angle' euler='30 20 10'")};
  for (int i = 0; i < 6; i++) {
    const flight run = {AT[i], {0.3, 11, -3, -1, 10, -20, 10}, 3};
    carom_friction friction = i % 2 ? CAROM_FRICTION_COULOMB : CAROM_FRICTION_CONVEX;
    assert_true(expect(&run, SCHEMES[i % 3], friction));
  }
}

/* A slow one, between both walls at once. */
static void test_wedged(void** state) {
  (void)state;
  const double v[13] = {0.1, 1, 0, 2, 0, 1, 2};
  for (int k = 0; k < 4; k++) {
    carom_sim_def def = carom_sim_def_default();
    def.scheme = step_schemes[k], def.tolerance = 1e-13, def.sleep_share = 0;
    step_differences d =
        step_differences_create(AT_GROOVE("-.04 .001 .12", "size='0.015'"), &def, 0);
    assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
    carom_step_report report = {0};
    for (int i = 0; i < 7; i++) assert_int_equal(carom_sim_step(d.sim, &report, NULL), 0);
    assert_int_equal(report.contacts, 2);
    step_differences_save(&d);
    step_differences_move(&d, 0, 0); /* of contacts it knows no more */
    step_differences_expect(&d, 1.5e-6, 1e-6);
    step_differences_destroy(&d);
  }
}

#define PLATE   "type='box' size='0.01 0.2 0.2' "
#define BELT    PLATE "surfacevel='0.3 2 1 1 2 3'"
#define SLOWED  " carom:static_friction='0.9' carom:stribeck_speed='5'"
#define SOFT    " carom:stiffness='1e6' carom:dissipation='0.004'"
#define BALL_AT "-0.04 0.03 0.12"

/* Friction that takes over from the last step, belts, friction that falls with slip, pressure
 * fields, which are struck as rigid. */
static void test_friction(void** state) {
  (void)state;
  static const struct {
    const char* text;
    carom_friction friction;
  } OF[] = {
      {THROWN("", BELT, BALL_AT, "size='0.015'"), CAROM_FRICTION_COULOMB},
      {THROWN("", BELT, BALL_AT, "type='capsule' size='0.01 0.03' euler='40 50 10'"),
       CAROM_FRICTION_CONVEX},
      {THROWN("", PLATE SLOWED, BALL_AT, "size='0.015'"), CAROM_FRICTION_COULOMB},
      {THROWN("", PLATE, BALL_AT, "size='0.015' carom:modulus='1e6'"), CAROM_FRICTION_COULOMB},
      {THROWN("", PLATE SLOWED, BALL_AT, "type='capsule' size='0.01 0.03' euler='40 50 10'"),
       CAROM_FRICTION_COULOMB},
      {THROWN("", PLATE, BALL_AT, "size='0.015'"), CAROM_FRICTION_LAGGED},
      {THROWN("", PLATE, BALL_AT, "type='capsule' size='0.01 0.03' euler='40 50 10'"),
       CAROM_FRICTION_LAGGED},
      {THROWN("", PLATE, BALL_AT, "size='0.015'" SOFT), CAROM_FRICTION_ANCHORED},
      {THROWN("", PLATE, BALL_AT, "type='capsule' size='0.01 0.03' euler='40 50 10'" SOFT),
       CAROM_FRICTION_ANCHORED},
  };
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++) {
      const flight run = {OF[i].text, {0.1, 15, 1, -0.5, 10, 5, -10}, 2};
      assert_true(expect(&run, step_schemes[k], OF[i].friction));
    }
}

/* At a plate that moves and turns as prescribed. */
static void test_driven(void** state) {
  (void)state;
  static const char* const FLYING[] = {"size='0.015'",
                                       "type='capsule' size='0.01 0.03' euler='40 50 10'"};
  static const double WAY[3] = {-2, 0.5, 0.3}, TURN[3] = {1, 4, -3};
  for (int i = 0; i < 6; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='0.005'/><worldbody><body name='plate' mocap='true' "
             "pos='0 0 0.1' euler='0 10 0'><geom " PLATE "/></body><body pos='" BALL_AT
             "'><freejoint/><geom %s friction='0.5'/></body></worldbody></mujoco>",
             FLYING[i % 2]);
    const carom_sim_def def = step_differences_def(step_schemes[i % 3], CAROM_FRICTION_COULOMB);
    step_differences d = step_differences_create(text, &def, 0);
    const double v[6] = {15, 1, -0.5, 10, 5, -10};
    assert_int_equal(carom_sim_set_motion(d.sim, 1, WAY, TURN, NULL), 0);
    assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
    step_differences_expect(&d, 4e-4, 1e-7);
    step_differences_destroy(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball),     cmocka_unit_test(test_capsule),
      cmocka_unit_test(test_box),      cmocka_unit_test(test_cards),
      cmocka_unit_test(test_surfaces), cmocka_unit_test(test_wedged),
      cmocka_unit_test(test_friction), cmocka_unit_test(test_driven),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
