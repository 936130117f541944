/* Surfaces that move while their geometry stays: belts, turntables, tracks. */
#include "support/simulation.h"

#include <math.h>

#define MU 0.5
#define G  9.81

/* A box on a belt of 1.5 m/s. */
static const char BELT[] =
    "<mujoco><worldbody><geom type='box' size='9 1 .1' pos='0 0 -.1' friction='.5' "
    "surfacevel='1.5 0 0 0 0 0'/><body name='b' pos='0 0 .1'><freejoint/>"
    "<geom type='box' size='.1 .1 .1' mass='2' friction='.5'/></body></worldbody></mujoco>";

static simulation start(const char* text, carom_scheme scheme, carom_friction friction) {
  carom_sim_def def = simulation_def(scheme, 0.002);
  def.friction = friction;
  return simulation_create(text, &def);
}

/* It slides at mu g t up to the belt's speed and rides along then; in between the belt's drive does
 * m V V of work, of which half heats the belt and half is the box's kinetic energy. */
static void test_belt(void** state) {
  (void)state;
  static const carom_friction LAWS[] = {CAROM_FRICTION_COULOMB, CAROM_FRICTION_CONVEX,
                                        CAROM_FRICTION_LAGGED, CAROM_FRICTION_ANCHORED};
  for (int k = 0; k < 4 * NUM_SCHEMES; k++) {
    simulation s = start(BELT, SCHEMES[k / 4].scheme, LAWS[k % 4]);
    double drive = 0, lost = 0, unexplained = 0;
    for (int i = 1; i <= 500; i++) {
      simulation_step(&s);
      drive += s.report.actuator_work, lost += s.report.dissipated;
      unexplained = fmax(unexplained, s.report.unexplained_sum);
      double t = 0.002 * i;
      bool floats = LAWS[k % 4] == CAROM_FRICTION_CONVEX; /* and is thrown up at first */
      if (t < 0.3 && !floats) check_near(s.v[0], MU * G * t, 0.02);
      if (i == 100 && k % 4 == 0) check_near(s.v[0], MU * G * t, 1e-6);
    }
    check_near(s.v[0], 1.5, 1e-7);
    check_near(s.q[2], 0.1, 1e-3);
    check_near(drive, 2 * 1.5 * 1.5, 1e-6);
    check_near(lost, 1.5 * 1.5, LAWS[k % 4] == CAROM_FRICTION_CONVEX ? 0.05 : 1e-6); /* its fall */
    assert_true(unexplained < 1e-6);
    simulation_destroy(&s);
  }
}

/* What rides along has stuck: its slip against the belt is none, and its friction nothing. */
static void test_slip(void** state) {
  (void)state;
  simulation s = start(BELT, CAROM_MIDPOINT, CAROM_FRICTION_COULOMB);
  simulation_step(&s);
  int count;
  const carom_contact* c = carom_sim_contacts(s.sim, &count);
  assert_int_equal(count, 7);
  assert_int_equal(c[0].state, CAROM_SLIDING);
  check_near(c[0].slip, 1.5 - MU * G * 0.002, 1e-6);
  simulation_run_until(&s, 0.6);
  c = carom_sim_contacts(s.sim, &count);
  double sum = 0;
  for (int i = 0; i < count; i++) {
    assert_int_not_equal(c[i].state, CAROM_SEPARATED);
    check_near(c[i].slip, 0, 1e-8);
    sum += c[i].impulse[0];
  }
  check_near(sum, 0, 1e-8);
  simulation_destroy(&s);
}

/* A turntable of 2 rad/s, turned in the world and its axis off the origin, takes a box to that
 * rate and to omega r; a ball at its middle, of 4 dimensions, spins up by the moment lambda m g:
 * omega = lambda g t / (2 r²/5). */
static void test_turntable(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><option timestep='.0005'/><worldbody>"
      "<geom type='cylinder' size='2 .1' pos='3 0 -.1' euler='0 0 30' friction='.5' condim='4' "
      "surfacevel='0 0 0 0 0 2'/><body name='b' pos='3.5 0 .1'><freejoint/>"
      "<geom type='box' size='.1 .1 .1' friction='.5'/></body><body name='c' pos='3 0 .1'>"
      "<freejoint/><geom size='.1' friction='.5 .002' condim='4'/></body></worldbody></mujoco>",
      NULL);
  double lambda = 0.005;
  simulation_run_until(&s, 0.1);
  check_near(s.v[6 + 5], lambda * G * 0.1 / (0.4 * 0.01), 1e-4);
  simulation_run_until(&s, 1);
  check_near(s.v[5], 2, 1e-6);
  check_near(s.v[6 + 5], 2, 1e-6);
  double r = hypot(s.q[0] - 3, s.q[1]), v = hypot(s.v[0], s.v[1]);
  check_near(v, 2 * r, 2e-3);
  check_near(s.v[0] * (s.q[0] - 3) + s.v[1] * s.q[1], 0, 2e-3);
  simulation_destroy(&s);
}

/* A surface that runs backwards around a body moves the body forwards, on a slope too steep to hold
 * by friction at rest as far as friction bears it: a = (mu cos - sin) g. */
static void test_tracks(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><worldbody><geom type='plane' size='0 0 1' euler='0 -20 0' friction='.5'/>"
      "<body euler='0 -20 0'><geom type='box' size='.3 .2 .1' pos='0 0 .1' friction='.5' mass='3' "
      "surfacevel='-.8 0 0'/><freejoint/></body></worldbody></mujoco>",
      NULL);
  double c = cos(20 * M_PI / 180), n = sin(20 * M_PI / 180), a = (MU * c - n) * G;
  simulation_run_until(&s, 0.2);
  check_near(s.v[0] * c + s.v[2] * n, a * 0.2, 1e-5);
  simulation_run_until(&s, 1.5);
  check_near(s.v[0] * c + s.v[2] * n, 0.8, 1e-6);
  simulation_destroy(&s);
}

/* A box held against a belt's end by a wall stays, and the drive heats the belt by mu m g V. */
static void test_blocked(void** state) {
  (void)state;
  simulation s = simulation_create(
      "<mujoco><worldbody><geom type='box' size='9 1 .1' pos='0 0 -.1' friction='.5' "
      "surfacevel='1 0 0'/><geom type='box' size='.1 1 1' pos='.2 0 1' friction='0' priority='1'/>"
      "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='2' friction='.5'/>"
      "</body></worldbody></mujoco>",
      NULL);
  simulation_run_until(&s, 0.5);
  check_near(s.v[0], 0, 1e-9);
  check_near(s.report.actuator_work, MU * 2 * G * 1 * 0.002, 1e-4);
  check_near(s.report.dissipated, MU * 2 * G * 1 * 0.002, 1e-4);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_belt),      cmocka_unit_test(test_slip),
      cmocka_unit_test(test_turntable), cmocka_unit_test(test_tracks),
      cmocka_unit_test(test_blocked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
