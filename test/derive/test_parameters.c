/* Derivatives of steps with respect to parameters, against differences of steps of models that were
 * compiled with them. */
#include "support/parameter_differences.h"

#include "carom/parameter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char ARM[] =
    "<mujoco><option timestep='0.002'/><worldbody>"
    "<body name='upper' pos='0 0 1'><joint name='shoulder' axis='0 1 0' damping='0.2'"
    " armature='0.02' stiffness='2' springref='20' frictionloss='0.1'/>"
    "<inertial pos='0.1 0.02 0' mass='2' fullinertia='0.02 0.03 0.025 0.001 0.002 0.003'/>"
    "<body name='fore' pos='0.3 0 0' gravcomp='0.5'><joint name='elbow' axis='0.2 1 0'"
    " damping='0.05' stiffness='1'/>"
    "<inertial pos='0.1 0 0.05' mass='1' fullinertia='0.01 0.012 0.009 0.001 0 0.002'/>"
    "</body></body></worldbody><actuator>"
    "<general name='servo' joint='elbow' gainprm='5 1 0.5' gaintype='affine' biastype='affine'"
    " biasprm='0.3 -4 -0.3'/></actuator></mujoco>";

static const char* const OF_ARM[] = {
    "model.gravity",
    "body.upper.mass",
    "body.upper.com",
    "body.upper.inertia",
    "body.fore.mass",
    "body.fore.com",
    "body.fore.inertia",
    "joint.shoulder.damping",
    "joint.shoulder.stiffness",
    "joint.elbow.damping",
    "joint.shoulder.armature",
    "joint.shoulder.spring_reference",
    "actuator.servo.gain",
    "actuator.servo.gain_feedback",
    "actuator.servo.bias",
    "joint.shoulder.friction_loss",
    "body.fore.gravity_compensation",
    "body.upper.position",
    "body.fore.position",
    "body.fore.quaternion",
    "joint.shoulder.anchor",
    "joint.elbow.anchor",
    "joint.elbow.axis",
};

static void test_arm(void** state) {
  (void)state;
  parameter_differences_expect_all(ARM, OF_ARM, sizeof OF_ARM / sizeof *OF_ARM, 3e-3);
}

/* Balls that slide on a floor, the second soft. */
static const char SLIDE[] =
    "<mujoco><option timestep='0.002' gravity='0 0 -200'/><worldbody>"
    "<geom name='floor' type='plane' size='5 5 1' friction='0.4'/>"
    "<body name='box' pos='0 0 0.1'><freejoint/>"
    "<inertial pos='0 0 0' mass='4' diaginertia='0.015 0.016 0.02'/>"
    "<geom name='box' size='0.1' friction='0.6'/></body></worldbody></mujoco>";
static const char SOFT[] =
    "<mujoco><option timestep='0.002' gravity='0 0 -200'/><worldbody>"
    "<geom name='floor' type='plane' size='5 5 1' friction='0.4'/>"
    "<body name='box' pos='0 0 0.1'><freejoint/>"
    "<inertial pos='0 0 0' mass='4' diaginertia='0.015 0.016 0.02'/>"
    "<geom name='box' size='0.1' friction='0.6' carom:stiffness='2e6' carom:dissipation='0.01'/>"
    "</body></worldbody></mujoco>";

static void expect_contact(const char* text, const char* const* names, int count) {
  static const carom_friction LAWS[] = {CAROM_FRICTION_COULOMB, CAROM_FRICTION_CONVEX,
                                        CAROM_FRICTION_ANCHORED, CAROM_FRICTION_LAGGED};
  for (int k = 0; k < 4; k++) {
    carom_sim_def def = carom_sim_def_default();
    def.tolerance = 1e-13, def.friction = LAWS[k];
    def.sleep_share = 0;
    step_differences d = step_differences_create(text, &def, 0);
    const double v[6] = {3, 0.5, 0, 0.1, 0.2, 0.3};
    assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
    assert_int_equal(carom_sim_step(d.sim, NULL, NULL), 0);
    parameter_differences_expect(&d, names, count, 3e-3);
    step_differences_destroy(&d);
  }
}

static void test_friction(void** state) {
  (void)state;
  static const char* const NAMES[] = {"geom.floor.friction", "geom.box.friction", "body.box.mass",
                                      "body.box.inertia", "model.gravity"};
  expect_contact(SLIDE, NAMES, 5);
}

static void test_stiffness(void** state) {
  (void)state;
  static const char* const NAMES[] = {"geom.box.stiffness", "geom.box.dissipation",
                                      "geom.box.friction", "body.box.mass"};
  expect_contact(SOFT, NAMES, 4);
}

/* Sizes and places of shapes that slide on each other; a body on joints takes its mass from them.
 */
#define SHAPES(SHAPE, STIFF)                                                                      \
  "<mujoco><option timestep='0.002' gravity='0 0 -200'/><worldbody>"                              \
  "<geom name='floor' type='plane' size='5 5 1' friction='0.4'/>"                                 \
  "<geom name='post' type='sphere' size='0.3' pos='0.1 0.05 -0.28' friction='0.3'/>"              \
  "<body name='b' pos='0 0 0.2'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 " \
  "0'/>"                                                                                          \
  "<joint type='slide' axis='0 0 1'/><joint type='hinge' axis='0.2 1 0.1'/><geom name='s' " SHAPE \
  " friction='0.5'" STIFF "/></body></worldbody></mujoco>"

static void expect_shape(const char* text, const char* const* names, int count) {
  carom_sim_def def = carom_sim_def_default();
  def.tolerance = 1e-13, def.sleep_share = 0;
  step_differences d = step_differences_create(text, &def, 0);
  const double q[4] = {0.02, 0.01, 0, 0.1}, v[4] = {2, 0.5, 0, 0.3};
  assert_int_equal(carom_sim_set_state(d.sim, 0, q, v, NULL), 0);
  carom_step_report report = {0};
  carom_linearization found = {.num_held = 1};
  for (int i = 0; i < 60 && (report.contacts == 0 || found.num_held + found.num_kinks > 0); i++) {
    assert_int_equal(carom_sim_step(d.sim, &report, NULL), 0);
    carom_sim_forget(d.sim);
    assert_int_equal(carom_sim_linearize(d.sim, &found, NULL), 0);
  }
  assert_true(report.contacts > 0);
  step_differences_expect(&d, 1e-6, 2e-7);
  parameter_differences_expect(&d, names, count, 3e-3);
  step_differences_destroy(&d);
}

static void test_shapes(void** state) {
  (void)state;
  static const char* const ONE[] = {"geom.s.size[0]",      "geom.s.position",
                                    "geom.post.size[0]",   "geom.post.position",
                                    "geom.floor.position", "geom.floor.quaternion"};
  static const char* const TWO[] = {"geom.s.size[0]",      "geom.s.size[1]",
                                    "geom.s.position",     "geom.s.quaternion",
                                    "geom.floor.position", "geom.floor.quaternion"};
  static const char* const THREE[] = {"geom.s.size", "geom.s.position", "geom.s.quaternion",
                                      "geom.post.size[0]"};
  expect_shape(SHAPES("type='sphere' size='0.12'", ""), ONE, 6);
  expect_shape(SHAPES("type='sphere' size='0.12' mass='4'",
                      " carom:stiffness='2e6' carom:dissipation='0.01'"),
               ONE, 6);
  expect_shape(SHAPES("type='capsule' size='0.06 0.1' pos='0.01 0 0.02' euler='70 10 0'", ""), TWO,
               6);
  expect_shape(SHAPES("type='cylinder' size='0.06 0.1' euler='50 10 0'", ""), TWO, 6);
  expect_shape(SHAPES("type='box' size='0.1 0.09 0.05' euler='30 20 0'", ""), THREE, 4);
  expect_shape(
      SHAPES("type='box' size='0.1 0.09 0.05'", " carom:stiffness='2e6' carom:dissipation='0.01'"),
      THREE, 4);
  expect_shape(SHAPES("type='ellipsoid' size='0.1 0.09 0.05' euler='30 20 0'", ""), THREE, 4);
}

/* Of a free body, whose moments turn with it. */
static void test_free_shape(void** state) {
  (void)state;
  static const char* const NAMES[] = {"geom.s.quaternion"};
  carom_sim_def def = carom_sim_def_default();
  def.tolerance = 1e-13, def.sleep_share = 0;
  step_differences d = step_differences_create(
      "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 1'/>"
      "<body pos='0 0 0.11' euler='20 10 5'><freejoint/><geom name='s' type='ellipsoid'"
      " size='0.1 0.2 0.15' euler='40 10 20' carom:stiffness='2e5' carom:dissipation='0.01'/>"
      "</body></worldbody></mujoco>",
      &def, 0);
  const double v[6] = {1, 0.5, 0, 0.5, 2, 3};
  assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
  carom_step_report report = {0};
  assert_int_equal(carom_sim_step(d.sim, &report, NULL), 0);
  assert_true(report.contacts > 0);
  carom_sim_forget(d.sim);
  parameter_differences_expect(&d, NAMES, 1, 3e-3);
  step_differences_destroy(&d);
}

/* Places of bodies and joints: a leg of several kinds of joints on a floor, held by a connection
 * and a weld, whose places are given. */
#define LEG(STIFF, EQUALITIES)                                                                    \
  "<mujoco><option timestep='0.002' gravity='0 0 -60'/><default><geom friction='0.6'/></default>" \
  "<worldbody><geom type='plane' size='5 5 1'/><site name='w' pos='0.3 0.1 0.5'/>"                \
  "<body name='hip' pos='0 0 0.45'><joint name='x' type='slide' axis='1 0 0.1'/>"                 \
  "<joint name='z' type='slide' axis='0 0 1' pos='0.1 0 0'/>"                                     \
  "<geom type='box' size='0.1 0.1 0.05' contype='0' conaffinity='0'/>"                            \
  "<body name='thigh' pos='0.02 0.01 0' quat='0.9 0.1 0.3 0.05'>"                                 \
  "<joint name='a' axis='0 1 0' pos='0.01 0 0.02' stiffness='300'/>"                              \
  "<joint name='b' axis='1 0.2 0' pos='0 0.02 0.01' stiffness='300'/>"                            \
  "<geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.03' contype='0' conaffinity='0'/>"       \
  "<body name='shin' pos='0 0 -0.25' euler='0 -70 10'>"                                           \
  "<joint name='k' type='ball' pos='0.01 0.01 0' stiffness='300'/>"                               \
  "<geom type='capsule' fromto='0 0 0 0 0 -0.2' size='0.02' contype='0' conaffinity='0'/>"        \
  "<site name='s' pos='0.02 0 -0.1'/>"                                                            \
  "<body name='foot' pos='0 0 -0.22'><joint name='f' axis='0.1 1 0' pos='0 0 0.02'"               \
  " stiffness='300'/><geom name='sole' pos='0.01 0 -0.03' size='0.03'" STIFF                      \
  "/></body></body></body></body></worldbody>" EQUALITIES "</mujoco>"

#define HELD(BY)                                                                           \
  "<equality><" BY " site1='w' site2='s' carom:stiffness='2e3' carom:dissipation='0.05'/>" \
  "</equality>"

/* The same by what the reference configuration gives. */
#define HELD_THERE(BY) \
  "<equality><" BY " body1='shin' carom:stiffness='2e3' carom:dissipation='0.05'/></equality>"

/* Whose foot touches nothing. */
#define FREE " contype='0' conaffinity='0'"

static const char* const OF_LEG[] = {
    "body.hip.position",    "body.hip.quaternion", "joint.x.axis",          "joint.z.axis",
    "joint.z.anchor",       "body.thigh.position", "body.thigh.quaternion", "joint.a.anchor",
    "joint.a.axis",         "joint.b.anchor",      "joint.b.axis",          "body.shin.position",
    "body.shin.quaternion", "joint.k.anchor",      "joint.k.axis",          "body.foot.position",
    "body.foot.quaternion", "joint.f.anchor",      "joint.f.axis",          "geom.sole.position",
};

static int expect_leg(const char* text, carom_scheme scheme, carom_friction friction) {
  carom_sim_def def = carom_sim_def_default();
  def.tolerance = 1e-13, def.sleep_share = 0, def.scheme = scheme, def.friction = friction;
  def.recovery_speed = 1e3;
  step_differences d = step_differences_create(text, &def, 0);
  int num_v = d.model->num_v, found = 0;
  double v[9];
  for (int i = 0; i < num_v; i++) v[i] = 0.3 * check_random_normal(&d.random);
  assert_int_equal(carom_sim_set_state(d.sim, 0, NULL, v, NULL), 0);
  for (int i = 0; i < 200 && found == 0; i++) {
    carom_step_report report;
    assert_int_equal(carom_sim_step(d.sim, &report, NULL), 0);
    bool is_bare = report.contacts == 0 && d.model->equality.num_equalities == 0;
    if (is_bare || i % 10 > 0) continue;
    carom_sim_forget(d.sim);
    carom_linearization at = {.num_held = 1};
    assert_int_equal(carom_sim_linearize(d.sim, &at, NULL), CAROM_OK);
    if (at.num_held + at.num_kinks > 0) continue;
    parameter_differences_expect(&d, OF_LEG, sizeof OF_LEG / sizeof *OF_LEG, 3e-3);
    found = 1;
  }
  step_differences_destroy(&d);
  return found;
}

static void test_places(void** state) {
  (void)state;
  int found = 0;
  for (int i = 0; i < 3; i++) {
    found += expect_leg(LEG("", ""), step_schemes[i], CAROM_FRICTION_COULOMB);
    found += expect_leg(LEG(" carom:stiffness='2e5'", ""), step_schemes[i], CAROM_FRICTION_CONVEX);
    found += expect_leg(LEG("", HELD("connect")), step_schemes[i], CAROM_FRICTION_COULOMB);
    found += expect_leg(LEG("", HELD("weld")), step_schemes[i], CAROM_FRICTION_COULOMB);
    found += expect_leg(LEG(FREE, HELD_THERE("connect anchor='0.02 0 -0.1'")), step_schemes[i],
                        CAROM_FRICTION_COULOMB);
    found += expect_leg(LEG(FREE, HELD_THERE("weld")), step_schemes[i], CAROM_FRICTION_COULOMB);
    found += expect_leg(
        LEG(FREE, HELD_THERE("carom:distance anchor='0.02 0 -0.1' carom:anchor2='0.3 0.1 0.5'")),
        step_schemes[i], CAROM_FRICTION_COULOMB);
  }
  assert_true(found > 12);
}

/* What limits, couplings, connections and tendons are made of. */
static const char HELD_ARM[] =
    "<mujoco><option timestep='0.002'/><worldbody><site name='w' pos='0.3 0.1 -0.4'/>"
    "<body name='a'><joint name='j' axis='0 1 0' range='-5 60' limited='true'"
    " carom:limit_stiffness='40' carom:limit_dissipation='0.02'/>"
    "<geom size='0.05' pos='0.3 0 0' contype='0' conaffinity='0'/>"
    "<body name='b' pos='0.3 0 0'><joint name='k' axis='0.1 1 0'/>"
    "<geom size='0.05' pos='0.2 0 0.1' contype='0' conaffinity='0'/>"
    "<site name='s' pos='0.2 0.05 0.05'/>"
    "<body name='c' pos='0.2 0 0'><joint name='l' axis='0 0 1'/>"
    "<geom size='0.04' pos='0.1 0 0' contype='0' conaffinity='0'/></body></body></body></worldbody>"
    "<tendon><fixed name='t' limited='true' range='-0.2 0.1' frictionloss='0.05'"
    " carom:limit_stiffness='30' carom:limit_dissipation='0.03'>"
    "<joint joint='k' coef='1'/><joint joint='l' coef='0.5'/></fixed></tendon>"
    "<equality><joint name='e' joint1='k' joint2='l' polycoef='0.1 0.5 0.2 0.1 0'"
    " carom:stiffness='50' carom:dissipation='0.03'/>"
    "<connect name='f' site1='w' site2='s' carom:stiffness='80' carom:dissipation='0.05'/>"
    "</equality></mujoco>";

static void test_rows(void** state) {
  (void)state;
  static const char* const NAMES[] = {
      "joint.j.range",          "joint.j.limit_stiffness",  "joint.j.limit_dissipation",
      "tendon.t.range",         "tendon.t.limit_stiffness", "tendon.t.limit_dissipation",
      "tendon.t.friction_loss", "equality.e.polynomial",    "equality.e.stiffness",
      "equality.e.dissipation", "equality.f.anchor1",       "equality.f.anchor2",
      "equality.f.stiffness",   "equality.f.dissipation"};
  for (int i = 0; i < 3; i++)
    for (int low = 0; low < 2; low++) {
      carom_sim_def def = carom_sim_def_default();
      def.tolerance = 1e-13, def.sleep_share = 0, def.scheme = step_schemes[i];
      step_differences d = step_differences_create(HELD_ARM, &def, 0);
      const double v[3] = {0.3, 0.5, -0.4};
      const double q[2][3] = {{1.2, 0.5, 0.4}, {-0.3, -0.4, -0.3}};
      assert_int_equal(carom_sim_set_state(d.sim, 0, q[low], v, NULL), 0);
      parameter_differences_expect(&d, NAMES, sizeof NAMES / sizeof *NAMES, 3e-4);
      step_differences_destroy(&d);
    }
}

/* What has no derivative is said, with what has. */
static void test_refusal(void** state) {
  (void)state;
  step_differences d = step_differences_create(SLIDE, NULL, 0);
  carom_parameter p;
  carom_error error;
  assert_int_equal(carom_builder_find_parameter(carom_model_get_description(d.model),
                                                "geom.box.margin", &p, NULL),
                   0);
  carom_linearization out = {.parameters = &p, .num_parameters = 1};
  assert_int_equal(carom_sim_linearize(d.sim, &out, &error), CAROM_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "none with respect to geom.margin; there are for geom."));
  assert_int_equal(carom_sim_linearize(d.sim, NULL, &error), CAROM_ERROR_INVALID_ARGUMENT);
  step_differences_destroy(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arm),       cmocka_unit_test(test_friction),
      cmocka_unit_test(test_stiffness), cmocka_unit_test(test_refusal),
      cmocka_unit_test(test_shapes),    cmocka_unit_test(test_free_shape),
      cmocka_unit_test(test_places),    cmocka_unit_test(test_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
