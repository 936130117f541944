/* A disc on three points under a moment about the vertical (Drake's "pizza saver"): mass 3 kg,
 * radius 1.5 m, friction 2/3, g = 10 m/s². Each point carries a third of the weight at the radius,
 * so that it slips from mu m g R = 30 N m on, and turns with (M - 30) / I then; also with contacts
 * of 1e20 N/m. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define INERTIA   (0.5 * 3 * 1.5 * 1.5)
#define SLIPS_AT  30.0
#define DT        0.01
#define TOLERANCE 1e-6 /* of the solver: the default */

static simulation start(const char* stiffness, const carom_sim_def* def) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 -10'/>"
           "<default><geom size='0.01' friction='0.666666666666666667'/></default><worldbody>"
           "<geom type='plane' size='5 5 1' friction='0' carom:stiffness='%s' "
           "carom:dissipation='0.1'/><body name='disc' pos='0 0 0.01'><freejoint/>"
           "<inertial pos='0 0 0' mass='3' diaginertia='1.6875 1.6875 3.375'/>"
           "<geom pos='1.5 0 0'/><geom pos='-0.75 1.299038105676658 0'/>"
           "<geom pos='-0.75 -1.299038105676658 0'/></body></worldbody></mujoco>",
           stiffness);
  return simulation_create(text, def);
}

static void set_moment(simulation* s, double moment) {
  const double force[3] = {0}, torque[3] = {0, 0, moment};
  carom_error error;
  int disc = simulation_find_body(s, "disc");
  check_ok(carom_sim_set_wrench(s->sim, disc, force, torque, &error), &error);
}

/* Lets it sink for two seconds, twenty times the dissipation time and more of its swings, then
 * turns for one. Slip and spin are right to the tolerance, relative to what gravity does in a
 * second. A step turns by 2 atan(w dt/2): (w dt)³/12 less than w dt, in all a³ dt²/48. */
static void check_moment(const char* stiffness, double moment) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, DT);
  simulation s = start(stiffness, &def);
  simulation_run_until(&s, 2);
  double before = atan2(s.q[6], s.q[3]);
  set_moment(&s, moment);
  simulation_run_until(&s, 3);
  double a = fmax(0, (moment - SLIPS_AT) / INERTIA), turned = 2 * (atan2(s.q[6], s.q[3]) - before);
  check_near(s.v[5], a, TOLERANCE * 10 / 1.5);
  check_near(turned, 0.5 * a, TOLERANCE * 10 / 1.5 + DT * DT * a * a * a / 48);
  /* In three points the load stays even: it neither drifts nor tilts. */
  check_near(hypot(s.q[0], s.q[1]), 0, TOLERANCE * 10);
  check_near(hypot(s.q[4], s.q[5]), 0, TOLERANCE * 10);
  simulation_destroy(&s);
}

static void check_moments(const char* stiffness) {
  static const double moments[] = {0, 10, 29, 29.99, 29.9999, 30.0001, 30.01, 31, 40};
  for (int i = 0; i < 9; i++) check_moment(stiffness, moments[i]);
}

static void test_compliant(void** state) {
  (void)state;
  check_moments("1e4");
}

static void test_nearly_rigid(void** state) {
  (void)state;
  check_moments("1e20");
}

static void test_rigid(void** state) {
  (void)state;
  check_moments("inf");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_compliant),
      cmocka_unit_test(test_nearly_rigid),
      cmocka_unit_test(test_rigid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
