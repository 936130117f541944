/* Contacts summed between bodies: what acts on a body is what its momentum asks for; centres of
 * pressure and areas in closed form. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define G 9.81

static const char PILE[] =
    "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom type='plane' size='9 9 1'/>"
    "<body pos='0 0 .05'><freejoint/><geom type='box' size='.1 .1 .05' mass='2'/></body>"
    "<body pos='.03 0 .15' euler='0 0 20'><freejoint/><geom type='box' size='.1 .05 .05' mass='1'/>"
    "</body><body pos='.05 .01 .27'><freejoint/><geom type='cylinder' size='.04 .06' mass='3'/>"
    "</body><body pos='-.3 0 .12'><freejoint/><geom size='.1' mass='1'/></body></worldbody>"
    "</mujoco>";

/* m (v1 - v0) / dt - m g of each body is the sum of what the others do to it, in impacts, sliding
 * and at rest; of any two the force on one is the opposite of that on the other. */
static void check_momentum(carom_patches patches) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 2e-3);
  def.patches = patches;
  def.tolerance = 1e-12;
  def.sleep_share = 0;
  simulation s = simulation_create(PILE, &def);
  carom_error error;
  double v0[24] = {0};
  v0[18] = 1, v0[7] = 0.4;
  check_ok(carom_sim_set_state(s.sim, 0, NULL, v0, &error), &error);
  const double mass[4] = {2, 1, 3, 1};
  for (int step = 0; step < 200; step++) {
    memcpy(v0, carom_sim_velocities(s.sim), sizeof v0);
    carom_step_report report;
    check_ok(carom_sim_step(s.sim, &report, &error), &error);
    if (report.substeps > 1) continue;
    const double* v = carom_sim_velocities(s.sim);
    double scale = carom_sim_sum_contacts(s.sim, -1, -1).normal + 7 * G;
    for (int b = 0; b < 4; b++) {
      carom_contact_sum sum = carom_sim_sum_contacts(s.sim, -1, b + 1);
      double parts[3] = {0};
      for (int k = 0; k < 5; k++) {
        carom_contact_sum on = carom_sim_sum_contacts(s.sim, k, b + 1);
        carom_contact_sum back = carom_sim_sum_contacts(s.sim, b + 1, k);
        for (int i = 0; i < 3 && k != b + 1; i++) {
          parts[i] += on.force[i];
          assert_true(on.force[i] == -back.force[i] && on.count == back.count);
        }
      }
      for (int i = 0; i < 3; i++) {
        double asked = mass[b] * ((v[6 * b + i] - v0[6 * b + i]) / 2e-3 + (i == 2 ? G : 0));
        check_near(sum.force[i], asked,
                   2e-9 * scale); /* round-off over the least proximal weight */
        check_near(parts[i], sum.force[i], 1e-13 * scale);
      }
    }
  }
  simulation_destroy(&s);
}

static void test_momentum(void** state) {
  (void)state;
  check_momentum(CAROM_PATCHES_CORNERS);
  check_momentum(CAROM_PATCHES_AREA);
}

/* A box on the ground that a force pushes sideways at its middle, h over the ground: the centre of
 * pressure is ahead by h F / m g; pressure times area is the weight, the area that of the face. */
static void test_center(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 2e-3);
  def.patches = CAROM_PATCHES_AREA;
  def.tolerance = 1e-9;
  simulation s = simulation_create(
      "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom type='plane' size='9 9 1'/>"
      "<body pos='.5 0 .1'><freejoint/><geom type='box' size='.1 .2 .1' mass='2'/></body>"
      "</worldbody></mujoco>",
      &def);
  carom_error error;
  const double force[3] = {6, 0, 0}, none[3] = {0};
  check_ok(carom_sim_set_wrench(s.sim, 1, force, none, &error), &error);
  simulation_run_until(&s, 0.1);
  carom_contact_sum sum = carom_sim_sum_contacts(s.sim, 0, 1);
  double x = carom_sim_coordinates(s.sim)[0];
  const double on[3] = {-6, 0, 2 * G};
  const double center[3] = {x + 0.1 * 6 / (2 * G), 0, 0};
  check_near_array(sum.force, on, 3, 1e-5);
  check_near_array(sum.center, center, 3, 1e-6);
  check_near_array(sum.moment, none, 3, 1e-5);
  check_near(sum.normal, 2 * G, 1e-5);
  check_near(sum.area, 0.2 * 0.4, 1e-9);
  int count;
  const carom_contact* contacts = carom_sim_contacts(s.sim, &count);
  double pressed = 0;
  for (int i = 0; i < count; i++) {
    assert_true(contacts[i].area > 0);
    double pressure = contacts[i].impulse[2] / 2e-3 / contacts[i].area;
    pressed += pressure * contacts[i].area;
  }
  check_near(pressed, 2 * G, 1e-5);
  assert_int_equal(carom_sim_sum_contacts(s.sim, 1, 1).count, 0);
  assert_true(isnan(carom_sim_sum_contacts(s.sim, 1, 1).center[0]));
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_momentum),
      cmocka_unit_test(test_center),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
