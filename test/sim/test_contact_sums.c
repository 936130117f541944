/* Contacts summed between bodies: what acts on a body is what its momentum asks for; centres of
 * pressure and areas in closed form. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define G 9.81

static const char PILE[] =
    "<mujoco><option gravity='0 0 -9.81'/><default><geom %s/></default><worldbody>"
    "<geom type='plane' size='9 9 1'/>"
    "<body pos='0 0 .05'><freejoint/><geom type='box' size='.1 .1 .05' mass='2'/></body>"
    "<body pos='.03 0 .15' euler='0 0 20'><freejoint/><geom type='box' size='.1 .05 .05' mass='1'/>"
    "</body><body pos='.05 .01 .27'><freejoint/><geom type='cylinder' size='.04 .06' mass='3'/>"
    "</body><body pos='-.3 0 .12'><freejoint/><geom size='.1' mass='1'/></body></worldbody>"
    "</mujoco>";

#define BODIES 4
static const double MASS[BODIES] = {2, 1, 3, 1};

/* On any two bodies the forces are opposite, and those of all others sum to what there is.
 * @param scale of forces, N */
static void check_parts(carom_sim* sim, int body, const double force[3], double scale) {
  double parts[3] = {0};
  for (int k = 0; k <= BODIES; k++) {
    carom_contact_sum on = carom_sim_sum_contacts(sim, k, body);
    carom_contact_sum back = carom_sim_sum_contacts(sim, body, k);
    for (int i = 0; i < 3 && k != body; i++) {
      parts[i] += on.force[i];
      assert_true(on.force[i] == -back.force[i] && on.count == back.count);
    }
  }
  for (int i = 0; i < 3; i++) check_near(parts[i], force[i], 1e-13 * scale);
}

/* m (v1 - v0) / dt - m g of each body is the sum of what the others do to it, in impacts, sliding
 * and at rest: to round-off, at whatever tolerance, and under every law.
 * @param surface attributes of the geometries
 * @param accuracy of forces, relative to the sum of all */
static void check_momentum(const char* surface, carom_sim_def def, double accuracy) {
  char text[2048];
  snprintf(text, sizeof text, PILE, surface);
  def.sleep_share = 0;
  simulation s = simulation_create(text, &def);
  carom_error error;
  double v0[6 * BODIES] = {0};
  v0[18] = 1, v0[7] = 0.4;
  check_ok(carom_sim_set_state(s.sim, 0, NULL, v0, &error), &error);
  int whole = 0, num_steps = 4 * check_repeats(50);
  for (int step = 0; step < num_steps; step++) {
    memcpy(v0, carom_sim_velocities(s.sim), sizeof v0);
    carom_step_report report;
    check_ok(carom_sim_step(s.sim, &report, &error), &error);
    if (report.substeps > 1) continue;
    whole++;
    const double* v = carom_sim_velocities(s.sim);
    double scale = carom_sim_sum_contacts(s.sim, -1, -1).normal + 7 * G;
    for (int b = 0; b < BODIES; b++) {
      carom_contact_sum sum = carom_sim_sum_contacts(s.sim, -1, b + 1);
      check_parts(s.sim, b + 1, sum.force, scale);
      for (int i = 0; i < 3; i++) {
        double asked = MASS[b] * ((v[6 * b + i] - v0[6 * b + i]) / def.dt + (i == 2 ? G : 0));
        check_near(sum.force[i], asked, accuracy * scale);
      }
    }
  }
  assert_true(4 * whole > 3 * num_steps);
  simulation_destroy(&s);
}

static void test_tolerances(void** state) {
  (void)state;
  const double tolerances[] = {1e-2, 1e-4, 1e-6, 1e-9, 1e-12};
  for (int k = 0; k < 5; k++) {
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, 2e-3);
    def.tolerance = tolerances[k];
    check_momentum("", def, 1e-13);
  }
}

static void test_laws(void** state) {
  (void)state;
  static const char* const SURFACES[] = {"", "condim='6' friction='.6 .005 .001'", "condim='1'",
                                         "carom:stiffness='1e5' carom:dissipation='.5'"};
  for (int k = 0; k < 4; k++)
    for (int friction = CAROM_FRICTION_COULOMB; friction <= CAROM_FRICTION_ANCHORED; friction++) {
      carom_sim_def def = simulation_def(CAROM_MIDPOINT, 2e-3);
      double accuracy = k == 2 ? 1e-12 : 1e-13; /* 1e-12 where nothing rubs */
      def.friction = (carom_friction)friction;
      check_momentum(SURFACES[k], def, accuracy);
      def.sigma = 1e-3, def.beta = 1;
      check_momentum(SURFACES[k], def, accuracy);
      def.patches = CAROM_PATCHES_AREA;
      check_momentum(SURFACES[k], def, accuracy);
    }
}

static void test_solvers(void** state) {
  (void)state;
  for (int solver = CAROM_SOLVER_NEWTON; solver <= CAROM_SOLVER_IPM; solver++) {
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, 2e-3);
    def.solver = (carom_solver)solver;
    check_momentum("", def, 1e-13);
  }
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
      cmocka_unit_test(test_tolerances),
      cmocka_unit_test(test_laws),
      cmocka_unit_test(test_solvers),
      cmocka_unit_test(test_center),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
