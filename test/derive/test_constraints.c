/* Derivatives of steps with limits, equalities, dry friction and limited actuators, against
 * differences of steps. */
#include "support/step_differences.h"

#include <math.h>
#include <stdio.h>

#define WORLD(option, body, rest) \
  "<mujoco><option timestep='0.002'" option "/><worldbody>" body "</worldbody>" rest "</mujoco>"

#define LINK(name, joint)                                       \
  "<body name='" name "' pos='0.3 0 0' euler='20 30 70'>" joint \
  "<geom type='box' size='0.15 0.05 0.04' pos='0.15 0 0'/>"

/* Both schemes of the default and one whose configuration is known. */
static void expect_to(double tolerance, const char* text, int seeds, double h) {
  for (int i = 0; i < 3; i++)
    for (int seed = 1; seed <= seeds; seed++) {
      carom_sim_def def = carom_sim_def_default();
      def.scheme = step_schemes[i], def.tolerance = tolerance;
      def.recovery_speed = 1e3; /* beyond what a difference asks for: its bounds are kinks */
      step_differences d = step_differences_create(text, &def, seed);
      carom_sim_set_state(d.sim, 0, d.model->q_reference, NULL, NULL);
      for (int k = 0; k < 20; k++) carom_sim_step(d.sim, NULL, NULL);
      step_differences_expect(&d, h, 1e-7);
      step_differences_destroy(&d);
    }
}

static void expect(const char* text, int seeds, double h) { expect_to(1e-12, text, seeds, h); }

/* Loops that are closed, of joints with several axes. */
static void test_loops(void** state) {
  (void)state;
  static const char CHAIN[] = LINK("a", "<joint type='ball'/>") LINK("b", "<joint axis='0 1 0'/>")
      LINK("c", "<joint type='ball'/>") "</body></body></body>";
  char text[4096];
  static const char* EQUALITIES[] = {
      "<connect body1='c' anchor='0.3 0 0'/>",
      "<weld body1='c'/>",
      "<connect body1='a' body2='c' anchor='0.1 0.2 0'/>",
  };
  for (int i = 0; i < 3; i++) {
    snprintf(text, sizeof text, WORLD("", "%s", "<equality>%s</equality>"), CHAIN, EQUALITIES[i]);
    expect(text, 4, 3e-4);
  }
}

/* Two free bodies that hang on each other. */
static void test_free_bodies(void** state) {
  (void)state;
  expect(
      WORLD(
          "",
          "<body name='a' pos='0 0 1'><freejoint/><geom type='box' size='0.1 0.2 0.3'"
          " pos='0.1 0 0.05'/></body>"
          "<body name='b' pos='0.5 0.1 1'><freejoint/><geom type='box' size='0.2 0.1 0.1'/></body>",
          "<equality><weld body1='a' body2='b'/></equality>"),
      4, 3e-4);
}

/* A polynomial between joints. */
static void test_coupling(void** state) {
  (void)state;
  expect(WORLD("",
               LINK("a", "<joint name='j' axis='0 1 0'/>")
                   LINK("b", "<joint name='k' axis='0 1 1'/>") "</body></body>",
               "<equality><joint joint1='k' joint2='j' polycoef='0 0.7 0.3 0 0'/></equality>"),
         4, 3e-4);
}

/* Limits that hold: gravity drives the links into them. */
static void test_limits(void** state) {
  (void)state;
  expect(WORLD("",
               LINK("a", "<joint axis='0 1 0' limited='true' range='-180 0'/>")
                   LINK("b", "<joint axis='0 1 0' limited='true' range='-90 0'/>") "</body></body>",
               ""),
         3, 5e-6);
}

/* Joints that dry friction holds, and such that it brakes. What is held moves by the tolerance,
 * over h in a difference. */
static void test_dry_friction(void** state) {
  (void)state;
  expect_to(1e-14,
            WORLD("",
                  LINK("a", "<joint axis='0 1 0' frictionloss='100'/>")
                      LINK("b", "<joint axis='0 1 1' frictionloss='0.01'/>") LINK(
                          "c", "<joint axis='1 0 0' frictionloss='0.3'/>") "</body></body></body>",
                  ""),
            4, 3e-4);
}

/* Servos within their range, and such that ask for more. */
static void test_limited_servos(void** state) {
  (void)state;
  expect(WORLD("",
               LINK("a", "<joint name='j' axis='0 1 0'/>")
                   LINK("b", "<joint name='k' axis='0 1 1'/>") "</body></body>",
               "<actuator><position joint='j' kp='200' kv='2' forcerange='-40 40'/>"
               "<position joint='k' kp='20' kv='0.1' forcerange='-0.3 0.3'/></actuator>"),
         4, 3e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loops),        cmocka_unit_test(test_free_bodies),
      cmocka_unit_test(test_coupling),     cmocka_unit_test(test_limits),
      cmocka_unit_test(test_dry_friction), cmocka_unit_test(test_limited_servos),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
