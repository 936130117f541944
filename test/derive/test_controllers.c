/* Derivatives of steps with controllers and motors that have states of their own, against
 * differences of steps; activations are part of the state. */
#include "support/step_differences.h"

#include <stdio.h>

#define LINK(name, joint)                                                               \
  "<body name='" name "' pos='0.3 0 0' euler='20 30 70'>" joint                         \
  "<geom type='box' size='0.15 0.05 0.04' pos='0.15 0 0' contype='0' conaffinity='0'/>" \
  "<site name='s" name "' pos='0.12 0.06 0.02'/>"

/* Laws on a hinge, a slide, tendons and a ball; `loss` of dry friction, which makes a row. */
static const char ROBOT[] =
    "<mujoco><option timestep='0.002'/><worldbody><site name='w' pos='0 0.2 0.4'/>" LINK(
        "a", "<joint name='ja' axis='0 1 0'/>")
        LINK("b", "<joint name='jb' type='slide' axis='1 0 0' frictionloss='%s'/>")
            LINK("c", "<joint name='jc' type='ball'/>") "</body></body></body></worldbody><tendon>"
                                                        "<spatial name='p'><site site='w'/><site "
                                                        "site='sb'/></spatial><fixed name='f'>"
                                                        "<joint joint='ja' coef='0.7'/><joint "
                                                        "joint='jb' coef='-1.2'/></fixed></tendon>"
                                                        "<actuator>%s</actuator></mujoco>";

/* Where no kink is nearer than `apart`, relative to what decides it. */
static void expect_apart(const char* laws, double h, double apart) {
  static const char* const LOSS[] = {"0", "0.05"};
  char text[4096];
  int compared = 0;
  for (int i = 0; i < 24; i++) {
    snprintf(text, sizeof text, ROBOT, LOSS[i / 4 % 2], laws);
    carom_sim_def def = step_differences_def(step_schemes[i % 4], CAROM_FRICTION_COULOMB);
    step_differences d = step_differences_create(text, &def, 1 + i);
    bool is_plain = !step_differences_has_kink(&d) && d.found.nearest_kink > apart;
    if (is_plain && d.found.num_held == 0) { /* bristles may be stiff dampers */
      step_differences_expect(&d, h, 1e-7);
      compared++;
    }
    step_differences_destroy(&d);
  }
  assert_true(compared > 6);
}

static void expect(const char* laws, double h) { expect_apart(laws, h, 0.1); }

static void test_voltage(void** state) {
  (void)state;
  expect("<dcmotor joint='ja' motorconst='0.5' resistance='2' input='voltage' gear='2'/>", 1e-5);
  expect("<dcmotor tendon='p' motorconst='0.5' resistance='2' input='voltage' gear='2'/>", 1e-5);
}

static void test_current(void** state) {
  (void)state;
  expect("<dcmotor joint='ja' motorconst='0.5' resistance='2' inductance='0.02' input='voltage'/>"
         "<dcmotor tendon='f' motorconst='0.3' resistance='1' inductance='0.01' input='voltage'/>",
         1e-5);
}

static void test_heat(void** state) {
  (void)state;
  expect("<dcmotor joint='ja' motorconst='0.5' resistance='2' thermal='2 5 0 0.04 25 20'"
         " input='voltage'/><dcmotor joint='jb' motorconst='0.3' resistance='1' inductance='0.01'"
         " thermal='2 5 0 0.04 25 20' input='voltage'/>",
         1e-5);
}

/* The damping of friction in A is a difference, whose round-off differences over less would see. */
static void test_friction(void** state) {
  (void)state;
  expect("<dcmotor joint='ja' motorconst='0.5' resistance='2' cogging='0.1 8 0.3'"
         " lugre='50 0.3 0.2 0.3 0.1' input='voltage'/>",
         1e-3);
  expect("<dcmotor tendon='p' motorconst='0.5' resistance='2' cogging='0.1 8 0.3'"
         " lugre='50 0.3 0.2 0.3 0.1' input='voltage'/>",
         1e-3);
}

static void test_servo_motor(void** state) {
  (void)state;
  expect("<dcmotor joint='ja' motorconst='0.5' resistance='2' inductance='0.02'"
         " controller='8 3 0.2' input='pos vel ff voltage'/><dcmotor tendon='f' motorconst='0.5'"
         " resistance='2' controller='8 3 0.2' input='pos' thermal='2 5 0 0.04 25 20'/>",
         1e-5);
}

static void test_pid(void** state) {
  (void)state;
  expect("<pid joint='ja' kp='8' ki='30' kv='0.1' input='pos vel ff'/>"
         "<pid tendon='f' kp='5' ki='20' kv='0.1' slewmax='100' input='pos'/>"
         "<pid joint='jb' kp='5' kv='0.1' forcerange='-3 3' input='pos ff'/>",
         1e-5);
}

/* Integrals along lines that bend: of a string, and of a wrench between sites. */
static void test_bent_pid(void** state) {
  (void)state;
  expect("<pid tendon='p' kp='8' ki='300' kv='0.1' gear='1.5' input='pos vel ff'/>"
         "<pid site='sc' refsite='w' gear='0 0.5 1 0.1 0.2 0' kp='5' ki='200' kv='0.1'"
         " input='pos'/>",
         1e-4);
}

/* Integrals where the force has bounds, far off and near by. */
static void test_bounded_pid(void** state) {
  (void)state;
  expect("<pid joint='ja' kp='8' ki='3000' kv='0.1' gear='1.5' forcerange='-9000 9000' input='pos "
         "vel ff'/>"
         "<pid joint='jb' kp='5' ki='20' kv='0.1' forcerange='-1 1' imax='0.5' input='pos ff'/>",
         1e-5);
  /* Forces of lines with bounds are rows, whose kinks are relative to the bounds. */
  expect_apart("<pid tendon='p' kp='8' ki='300' kv='0.1' gear='1.5' forcerange='-60 60'"
               " input='pos vel ff'/>"
               "<pid tendon='f' kp='5' ki='20' kv='0.1' forcerange='-1 1' input='pos ff'/>",
               1e-5, 1e-4);
  expect_apart("<pid site='sc' refsite='w' gear='0 0.5 1 0.1 0.2 0' kp='5' ki='200' kv='0.1'"
               " forcerange='-30 30' input='pos'/>",
               1e-5, 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_voltage),     cmocka_unit_test(test_current),
      cmocka_unit_test(test_heat),        cmocka_unit_test(test_friction),
      cmocka_unit_test(test_servo_motor), cmocka_unit_test(test_pid),
      cmocka_unit_test(test_bounded_pid), cmocka_unit_test(test_bent_pid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
