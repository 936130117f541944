/* Points that keep their distance: a mass on a massless rod is the conical pendulum of the
 * textbooks, and a rod between two cranks the four-bar linkage that a body with hinges makes. */
#include "math/vec3.h"
#include "support/world.h"

#include "carom/scene.h"

#include <math.h>
#include <string.h>

#define LENGTH 0.8
#define TILT   0.5 /* rad from the vertical */

#define BOB                                                                                      \
  "<mujoco><worldbody><body name='bob'><freejoint/><inertial pos='0 0 0' mass='2' diaginertia='" \
  "1e-3 1e-3 1e-3'/></body></worldbody><equality><carom:distance body1='bob' anchor='0 0 0' "    \
  "carom:anchor2='0 0 1' distance='0.8'/></equality></mujoco>"

/* Turns about the vertical at omega^2 = g / (l cos tilt), at a constant height. */
static void test_conical_pendulum(void** state) {
  (void)state;
  carom_sim_def def = world_def(0.001, CAROM_MIDPOINT);
  world w = world_create(BOB, &def);
  const double omega = sqrt(9.81 / (LENGTH * cos(TILT))), r = LENGTH * sin(TILT);
  const double height = 1 - LENGTH * cos(TILT), speed = omega * r;
  const double sag = speed * speed * 1e-6 / LENGTH; /* what a step along a tangent leaves */
  world_set(&w, (double[]){r, 0, height, 1, 0, 0, 0}, (double[]){0, omega * r, 0, 0, 0, 0});
  double energy = world_energy(&w);
  for (int i = 1; i <= 2000; i++) {
    world_step(&w);
    const double* q = world_q(&w);
    v3 arm = v3_make(q[0], q[1], q[2] - 1);
    check_near(v3_norm(arm), LENGTH, sag);
    check_near(q[2], height, sag);
  }
  /* The scheme is of order 2: its phase errs by about (omega dt)² / 12 of the angle. */
  double angle = 2 * omega, bound = 1.5 * angle * pow(omega * 0.001, 2);
  check_near(remainder(atan2(world_q(&w)[1], world_q(&w)[0]) - angle, 2 * M_PI), 0, bound + 1e-6);
  check_near(world_energy(&w), energy, 2 * 9.81 * sag);
  assert_int_equal(carom_model_get_equality(w.model, 0).type, CAROM_EQUALITY_DISTANCE);
  world_destroy(&w);
}

/* Two cranks of 0.3 and 0.5 m, 0.6 m apart, and a coupler of 0.7 m. */
#define CRANKS(coupler, equality)                                                                \
  "<mujoco><worldbody><body name='a'><joint axis='0 1 0' damping='.1'/><inertial pos='.15 0 0' " \
  "mass='1' diaginertia='.01 .01 .01'/>" coupler "</body><body name='b' pos='.6 0 0'>"           \
  "<joint axis='0 1 0'/><inertial pos='0 0 .25' mass='2' diaginertia='.04 .04 .04'/></body>"     \
  "</worldbody><equality>" equality "</equality></mujoco>"

#define LINK(mass)                                                                                \
  CRANKS("<body name='c' pos='.3 0 0' xyaxes='0.5144957554275265 0 0.8574929257125442 0 1 0'>"    \
         "<joint axis='0 1 0'/><inertial pos='0 0 0' mass='" mass "' diaginertia='" mass " " mass \
         " " mass "'/></body>",                                                                   \
         "<connect body1='c' body2='b' anchor='0.58309518948453 0 0'/>")

/* A coupler that is hinged to one crank and connected to the other moves the cranks as a distance
 * does, but for its mass m: of its effect what is left of 2 q(m) - q(2m) is of order m². */
static void test_four_bar(void** state) {
  (void)state;
  static const char ROD[] =
      CRANKS("", "<carom:distance body1='a' body2='b' anchor='.3 0 0' carom:anchor2='0 0 .5'/>");
  carom_sim_def def = world_def(0.0005, CAROM_MIDPOINT);
  world rod = world_create(ROD, &def);
  world light = world_create(LINK("1e-4"), &def), heavy = world_create(LINK("2e-4"), &def);
  for (int i = 0; i < 1000; i++) {
    world_step(&rod), world_step(&light), world_step(&heavy);
    for (int k = 0; k < 2; k++) {
      double limit = 2 * world_q(&light)[2 * k] - world_q(&heavy)[2 * k];
      check_near(world_q(&rod)[k], limit, 5e-6);
    }
  }
  assert_true(fabs(world_q(&rod)[0]) > 0.1);
  world_destroy(&rod);
  world_destroy(&light);
  world_destroy(&heavy);
}

/* Points at one place have no direction. */
static void test_refusals(void** state) {
  (void)state;
  static const char* const TEXTS[] = {
      "<mujoco><worldbody><body name='a'><freejoint/><geom size='.1'/></body></worldbody><equality>"
      "<carom:distance body1='a' anchor='0 0 0'/></equality></mujoco>",
      "<mujoco><worldbody><body name='a'><freejoint/><geom size='.1'/></body></worldbody><equality>"
      "<carom:distance body1='a' anchor='0 0 1' distance='-1'/></equality></mujoco>"};
  static const char* const SENTENCES[] = {
      "s.xml:1: equality: its points coincide at the reference configuration, so that their "
      "distance has no direction; connect them",
      "s.xml:1: carom:distance: distance is -1, must be positive"};
  for (int i = 0; i < 2; i++) {
    carom_model* model;
    carom_error error;
    assert_int_equal(
        carom_model_load_string(TEXTS[i], strlen(TEXTS[i]), "s.xml", NULL, &model, &error),
        CAROM_ERROR_BAD_INPUT);
    assert_string_equal(error.message, SENTENCES[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conical_pendulum),
      cmocka_unit_test(test_four_bar),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
