/* Derivatives of steps in which joints bound what their actuators do together, on joints and on
 * tendons, and of actuators that bear weight, against differences of steps. */
#include "support/parameter_differences.h"

#include <stdio.h>

#define LIMB(name, joint, more)                                                            \
  "<body name='" name "' pos='0.3 0 0' euler='20 30 70' gravcomp='0.6'>" joint             \
  "<geom type='box' size='0.15 0.05 0.04' pos='0.15 0.02 0' contype='0' conaffinity='0'/>" \
  "<site name='s" name "' pos='0.12 0.06 0.02'/>" more "</body>"

/* `range` of what actuators may do to each joint. */
static const char ROBOT[] =
    "<mujoco><option timestep='0.002'/><worldbody><site name='w' pos='0 0.3 0.5'/>" LIMB(
        "a", "<joint name='ja' axis='0 1 0' actuatorfrcrange='%s' actuatorgravcomp='%s'/>",
        LIMB("b",
             "<joint name='jb' axis='1 0 1' actuatorfrcrange='%s' actuatorgravcomp='%s'"
             " frictionloss='%s'/>",
             LIMB("c", "<joint name='jc' type='slide' axis='1 0 0'/>",
                  ""))) "</worldbody><tendon><spatial name='p' stiffness='20' damping='0.1'><site "
                        "site='w'/>"
                        "<site site='sc'/></spatial><fixed name='f'><joint joint='ja' coef='0.7'/>"
                        "<joint joint='jb' coef='-1.2'/></fixed></tendon><actuator><motor "
                        "joint='ja' gear='3'/>"
                        "<position joint='jb' kp='20' kv='0.1'/><position name='pull' tendon='p' "
                        "kp='15' "
                        "kv='0.3'/>"
                        "<motor tendon='f' gear='2'/><general name='bent' tendon='f' gainprm='5 1 "
                        "0.1' "
                        "gaintype='affine'"
                        " biastype='affine' biasprm='0.3 -4 -0.1'/></actuator></mujoco>";

static const char* const RANGE[] = {"-0.5 0.5", "-1000 1000"};
static const char* const TRUTH[] = {"false", "true"};

static void write_text(char* text, size_t size, int k, const char* loss) {
  snprintf(text, size, ROBOT, RANGE[k % 2], TRUTH[k / 4 % 2], RANGE[k / 2 % 2], TRUTH[k / 4 % 2],
           loss);
}

static void test_steps(void** state) {
  (void)state;
  static const char* const LOSS[] = {"0", "0.05"};
  char text[4096];
  int compared = 0;
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 8; i++) {
      write_text(text, sizeof text, k, LOSS[i / 4]);
      carom_sim_def def = carom_sim_def_default();
      def.scheme = step_schemes[i % 4], def.tolerance = 1e-13;
      step_differences d = step_differences_create(text, &def, 1 + k + 8 * i);
      bool is_plain = !step_differences_has_kink(&d) && d.found.nearest_kink > 1e-3;
      if (is_plain && d.found.num_held == 0) { /* dampers along lines may be stiff */
        step_differences_expect(&d, 1e-5, 1e-7);
        compared++;
      }
      step_differences_destroy(&d);
    }
  assert_true(compared > 40);
}

static void test_parameters(void** state) {
  (void)state;
  static const char* const NAMES[] = {"model.gravity",      "body.b.mass",
                                      "body.b.com",         "body.c.gravity_compensation",
                                      "actuator.pull.gain", "actuator.pull.bias",
                                      "actuator.bent.gain", "actuator.bent.gain_feedback",
                                      "actuator.bent.bias"};
  char text[4096];
  for (int k = 0; k < 16; k++) {
    write_text(text, sizeof text, k % 8, k < 8 ? "0" : "0.05");
    carom_sim_def def = carom_sim_def_default();
    def.tolerance = 1e-13;
    step_differences d = step_differences_create(text, &def, 1 + k);
    parameter_differences_expect(&d, NAMES, 9, 1e-3);
    step_differences_destroy(&d);
  }
}

/* A servo with limits is a row of the problem. */
static void test_servo(void** state) {
  (void)state;
  static const char* const NAMES[] = {"actuator.s.gain", "actuator.s.bias", "actuator.l.gain",
                                      "actuator.l.bias"};
  static const char TEXT[] = "<mujoco><option timestep='0.002'/><worldbody>" LIMB(
      "a", "<joint name='ja' axis='0 1 0'/>",
      LIMB("b", "<joint name='jb' axis='1 0 1'/>",
           "")) "</worldbody><tendon><fixed name='f'>"
                "<joint joint='ja' coef='0.7'/><joint joint='jb' "
                "coef='-1.2'/></fixed></tendon><actuator>"
                "<position name='s' joint='ja' kp='20' kv='1' forcerange='-30 30'/>"
                "<position name='l' tendon='f' kp='20' kv='1' forcerange='-30 "
                "30'/></actuator></mujoco>";
  for (int seed = 1; seed < 5; seed++) {
    carom_sim_def def = carom_sim_def_default();
    def.tolerance = 1e-13;
    step_differences d = step_differences_create(TEXT, &def, seed);
    parameter_differences_expect(&d, NAMES, 4, 1e-3);
    step_differences_destroy(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps),
                                     cmocka_unit_test(test_parameters),
                                     cmocka_unit_test(test_servo)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
