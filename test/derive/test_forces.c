/* Derivatives of steps with forces along lines, between points and of joints that are no straight
 * lines, against differences of steps: with nothing else in the free motion, and with rows of
 * constraints, where their terms of the matrix count. */
#include "support/step_differences.h"

#include <math.h>
#include <stdio.h>

#define WORLD(option, body, rest) \
  "<mujoco><option timestep='0.002'" option "/><worldbody>" body "</worldbody>" rest "</mujoco>"

#define LINK(name, joint)                                                               \
  "<body name='" name "' pos='0.3 0 0' euler='20 30 70'>" joint                         \
  "<geom type='box' size='0.15 0.05 0.04' pos='0.15 0 0' contype='0' conaffinity='0'/>" \
  "<site name='s" name "' pos='0.12 0.06 0.02'/><site name='t" name "' pos='0.05 -0.03 0.06'/>"

/* Two limbs that share no tree, and one with a ball. */
#define LIMBS                                                                                      \
  "<site name='w' pos='0 0.2 0.4'/>" LINK("a", "<joint name='ja' axis='0 1 0'/>") LINK(            \
      "b",                                                                                         \
      "<joint name='jb' axis='0 1 1' frictionloss='0.05'/>") "</body></body>"                      \
                                                             "<body pos='0.2 0.6 0.1'>" LINK(      \
                                                                 "c",                              \
                                                                 "<joint name='jc' type='ball'/>") \
                                                                 LINK("d",                         \
                                                                      "<joint name='jd' "          \
                                                                      "type='slide' axis='1 0 "    \
                                                                      "0'/>") "</body></body></"   \
                                                                              "body>"              \
                                                                              "<body name='e' "    \
                                                                              "pos='0.1 0.3 "      \
                                                                              "0.6'><freejoint "   \
                                                                              "name='je'/><site "  \
                                                                              "name='se' "         \
                                                                              "pos='0.1 0 0'/>"    \
                                                                              "<site name='te' "   \
                                                                              "pos='0 0.1 0'/>"    \
                                                                              "<geom type='box' "  \
                                                                              "size='0.1 0.05 "    \
                                                                              "0.04' pos='0.02 0 " \
                                                                              "0.01' contype='0' " \
                                                                              "conaffinity='0'/"   \
                                                                              "></body>"

/* After some steps from the reference; bounds of recovery are kinks, and dry friction has them
 * near. Stiff rows beside soft ones end within the solver's tolerance before their derivatives do.
 */
static void expect_settled(const char* text) {
  for (int i = 0; i < 3; i++)
    for (int seed = 1; seed <= 4; seed++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = step_schemes[i], def.tolerance = 1e-13, def.recovery_speed = 1e3;
      step_differences d = step_differences_create(text, &def, seed);
      carom_sim_set_state(d.sim, 0, d.model->q_reference, NULL, NULL);
      for (int k = 0; k < 20; k++) carom_sim_step(d.sim, NULL, NULL);
      step_differences_expect(&d, 1e-6, 4e-7);
      step_differences_destroy(&d);
    }
}

/* Tendons with springs and dampers, straight ones and such with powers beyond the first. */
static void test_fixed_tendons(void** state) {
  (void)state;
  step_differences_expect_all(
      WORLD("", LIMBS,
            "<tendon><fixed name='f' stiffness='20 5 3' damping='0.5 0.1 0.2'"
            " springlength='0.1'><joint joint='ja' coef='0.7'/><joint joint='jd' coef='-1.2'/>"
            "</fixed><fixed name='g' armature='0.02' damping='0.1'><joint joint='jb' coef='0.4'/>"
            "<joint joint='ja' coef='0.4'/></fixed></tendon>"),
      3, 2e-4, 1e-7);
}

static void test_strings(void** state) {
  (void)state;
  step_differences_expect_all(
      WORLD("", LIMBS,
            "<tendon><spatial name='p' stiffness='30' damping='0.4' springlength='0.3'>"
            "<site site='w'/><site site='sb'/><site site='td'/></spatial>"
            "<spatial name='q' stiffness='20' damping='0.3'><site site='sa'/><site site='se'/>"
            "<pulley divisor='2'/><site site='sb'/><site site='sc'/></spatial></tendon>"),
      3, 2e-4, 1e-7);
}

/* Strings with an inertia, which their length's acceleration works against. */
static void test_heavy_strings(void** state) {
  (void)state;
  step_differences_expect_all(
      WORLD("", LIMBS,
            "<tendon><spatial name='p' armature='0.4' damping='0.4'>"
            "<site site='w'/><site site='sb'/><site site='td'/></spatial>"
            "<spatial name='q' stiffness='20' armature='0.2'><site site='sa'/><site site='se'/>"
            "<pulley divisor='2'/><site site='sb'/><site site='sc'/></spatial></tendon>"),
      3, 2e-4, 1e-7);
}

/* Dampers that are stiff beside what they work on, whose weights move with its mass. */
static void test_stiff_lines(void** state) {
  (void)state;
  step_differences_expect_all(
      WORLD("", LIMBS,
            "<tendon><spatial name='p' stiffness='300' damping='700' springlength='0.3'>"
            "<site site='w'/><site site='sb'/><site site='td'/></spatial>"
            "<spatial name='q' damping='2000'><site site='sa'/><site site='se'/></spatial>"
            "<fixed name='f' stiffness='20' damping='900'><joint joint='ja' coef='0.7'/>"
            "<joint joint='jd' coef='-1.2'/></fixed></tendon><actuator>"
            "<position tendon='f' kp='20' kv='300'/><position tendon='p' kp='20' kv='900'"
            " forcerange='-9000 9000'/><position site='te' refsite='sd' kp='10' kv='3000'"
            " gear='1 0.3 0.2 0.1 0.2 0.1'/></actuator>"),
      3, 2e-5, 1e-7);
}

/* A servo that a bound holds where its damper, which was weighed without it, is stiff. */
static void test_held_servo(void** state) {
  (void)state;
  int compared = 0;
  for (int seed = 1; seed <= 40; seed++) {
    carom_sim_def def = carom_sim_def_default();
    def.scheme = CAROM_EXPLICIT, def.tolerance = 1e-13;
    step_differences d = step_differences_create(
        WORLD("",
              LINK("a", "<joint axis='0 1 0'/>")
                  LINK("b", "<joint name='jb' axis='0 1 1'/>") "</body></body>",
              "<actuator><position joint='jb' kp='6000' kv='50' forcerange='-180 180'/>"
              "</actuator>"),
        &def, seed);
    const double q[2] = {0.3, 0.01 * (seed % 5)}, v[2] = {1, 0.4 * (seed - 20)};
    assert_int_equal(carom_sim_set_state(d.sim, 0, q, v, NULL), 0);
    carom_sim_controls(d.sim)[0] = 0.02 * (seed % 7);
    if (!step_differences_has_kink(&d) && d.found.num_held == 0) {
      step_differences_expect(&d, 1e-6, 1e-7);
      compared++;
    }
    step_differences_destroy(&d);
  }
  assert_true(compared > 10);
}

/* Around spheres and cylinders, from either side and within. */
static void test_wrapped(void** state) {
  (void)state;
  static const char* WRAPS[] = {"<geom geom='ball'/>",
                                "<geom geom='ball' sidesite='side'/>",
                                "<geom geom='roll'/>",
                                "<geom geom='roll' sidesite='side'/>",
                                "<geom geom='ring' sidesite='inner'/>",
                                "<geom geom='shell' sidesite='inner'/>"};
  char text[4096];
  for (int i = 0; i < 6; i++) {
    snprintf(
        text, sizeof text,
        WORLD(
            "",
            LINK("a", "<joint type='ball'/>") "<geom name='ball' type='sphere' size='0.08'"
                                              " contype='0' conaffinity='0' pos='0.3 0 0'/><site "
                                              "name='side' pos='0.3 0.3 0.1'/>"
                                              "<geom name='roll' type='cylinder' size='0.07 0.2' "
                                              "euler='20 0 10'"
                                              " contype='0' conaffinity='0' pos='0.3 0 0'/><site "
                                              "name='inner' pos='0.32 0.01 0'/>"
                                              "<geom name='ring' type='cylinder' size='0.1 0.2' "
                                              "euler='20 0 10' pos='0.3 0 0'"
                                              " contype='0' conaffinity='0'/><geom name='shell' "
                                              "type='sphere' size='0.1'"
                                              " contype='0' conaffinity='0' pos='0.3 0 0'/>" LINK(
                                                  "b",
                                                  "<joint name='jb' axis='0 1 1' "
                                                  "frictionloss='0.05'/>") "<site name='far' "
                                                                           "pos='0.2 -0.2 "
                                                                           "0.05'/></body></body>",
            "<tendon><spatial stiffness='30' damping='0.4'><site site='sa'/>%s"
            "<site site='far'/></spatial></tendon>"),
        WRAPS[i]);
    step_differences_expect_all(text, 4, 1e-4, 1e-7);
  }
}

/* Springs between points, on other trees and on the ground. */
static void expect_springs(double damping) {
  const carom_spring_def springs[] = {
      {.body1 = {2}, .body2 = {5}, .rest_length = 0.4, .damping = damping},
      {.body1 = {4}, .body2 = {0}, .rest_length = 0, .damping = damping},
      {.body1 = {1}, .body2 = {2}, .rest_length = 0.1, .damping = damping}};
  for (int i = 0; i < 3; i++)
    for (int seed = 1; seed <= 3; seed++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = step_schemes[i], def.tolerance = 1e-13;
      carom_model* model = scene_load_springs(WORLD("", LIMBS, ""), springs, 3);
      step_differences d = step_differences_of(model, &def, seed);
      step_differences_expect(&d, 1e-4, 1e-7);
      assert_int_equal(d.found.num_held, 0);
      step_differences_destroy(&d);
    }
}

static void test_springs(void** state) {
  (void)state;
  expect_springs(0.3);
  expect_springs(900);
}

/* Springs and dampers of joints with powers beyond the first. */
static void test_powers(void** state) {
  (void)state;
  step_differences_expect_all(
      WORLD("",
            LINK("a", "<joint axis='1 0 0' stiffness='5 2 1' damping='0.01 0.02 0.03'/>")
                LINK("b", "<joint axis='0 1 1' stiffness='1 2 3' damping='0.01 0.02 0.01'/>")
                    LINK("c", "<joint axis='1 0 1' frictionloss='0.05'/>") "</body></body></body>",
            ""),
      3, 1e-4, 1e-7);
}

/* Muscles on joints and on tendons, and their activations. */
static void test_muscles(void** state) {
  (void)state;
  step_differences_expect_all(
      WORLD("", LIMBS,
            "<tendon><spatial name='p'><site site='w'/><site site='sb'/></spatial></tendon>"
            "<actuator><muscle name='m' tendon='p' force='30' lengthrange='0.1 1.5'"
            " timeconst='0.01 0.04' tausmooth='0.3'/><muscle name='n' joint='jb' force='20'"
            " lengthrange='-2 2' timeconst='0.02 0.03'/></actuator>"),
      4, 1e-5, 1e-7);
}

/* Actuators on lines: strings, wrenches at sites, torques of balls and free joints, cranks. */
static void test_actuators(void** state) {
  (void)state;
  step_differences_expect_all(
      WORLD("", LIMBS,
            "<tendon><spatial name='p'><site site='w'/><site site='sb'/></spatial>"
            "<fixed name='f'><joint joint='ja' coef='0.7'/><joint joint='jb' coef='-1.2'/>"
            "</fixed></tendon><actuator><motor tendon='p' gear='3'/>"
            "<position tendon='f' kp='20' kv='0.5'/><motor tendon='f' gear='2'/>"
            "<general tendon='p' gainprm='5 1 0.5' gaintype='affine' biastype='affine'"
            " biasprm='0.3 -4 -0.3'/><motor site='sb' gear='1 2 0.5 0.1 0.2 0.3'/>"
            "<position site='te' refsite='sd' gear='1 0.3 0.2 0.1 0.2 0.1' kp='10'/>"
            "<general joint='jc' gear='0.1 0.3 0.2' gainprm='5 1 0.5' gaintype='affine'/>"
            "<motor jointinparent='jc' gear='0.1 0.3 0.2'/><motor joint='je'"
            " gear='1 2 3 0.1 0.2 0.3'/><general cranksite='sd' slidersite='tc'"
            " cranklength='0.9' gainprm='3' biastype='affine' biasprm='0 -2 -0.1'/></actuator>"),
      3, 1e-4, 1e-7);
}

/* Limits, equalities, dry friction and limited servos of tendons, near what they ask for. */
static void test_tendon_rows(void** state) {
  (void)state;
  expect_settled(
      WORLD("", LIMBS,
            "<tendon><spatial name='p' limited='true' range='0 0.45'><site site='w'/>"
            "<site site='sb'/></spatial><spatial name='q' frictionloss='0.05'><site site='se'/>"
            "<site site='sd'/></spatial><fixed name='f'><joint joint='ja' coef='0.7'/>"
            "<joint joint='jd' coef='-1.2'/></fixed><spatial name='r'><site site='w'/>"
            "<site site='sa'/></spatial></tendon><equality><tendon tendon1='f' tendon2='r'"
            " polycoef='0 0.5 0.2 0.1'/></equality><actuator><position tendon='q' kp='20'"
            " kv='1' forcerange='-2 2'/><position tendon='p' kp='20' kv='1'"
            " forcerange='-200 200'/></actuator>"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fixed_tendons), cmocka_unit_test(test_strings),
      cmocka_unit_test(test_heavy_strings), cmocka_unit_test(test_stiff_lines),
      cmocka_unit_test(test_held_servo),    cmocka_unit_test(test_wrapped),
      cmocka_unit_test(test_springs),       cmocka_unit_test(test_powers),
      cmocka_unit_test(test_muscles),       cmocka_unit_test(test_actuators),
      cmocka_unit_test(test_tendon_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
