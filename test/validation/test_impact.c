/* Rebounds: Hunt-Crossley dissipation, and Newton's law of impact.
 *
 * Hunt-Crossley's force k x (1 + d v)+ (v > 0 into the surface) is that of Kelvin and Voigt with
 * the dissipation time d x; a step takes x where it looks at distances, so that it stays convex. A
 * ball that hits at v leaves at v_o, whatever its mass and k, with
 *
 *     ln((1 + d v) / (1 - d v_o)) = d (v + v_o).
 *
 * A contact lasts pi sqrt(m / k) (1 + ...). With the scheme's own timing the midpoint rule is of
 * second order; contacts at the end of the step add the damping ratio w0 dt / 4. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define G         9.81
#define TOLERANCE 1e-6  /* of the solver: the default */
#define RATE      100.0 /* w0, 1/s: 1 kg on 1e4 N/m */

/* --- Hunt-Crossley ------------------------------------------------------------------------------
 */

/* Speed after a contact at 1 m/s from touch, without gravity. */
static double rebound(double d, double dt, carom_contact_timing timing) {
  char text[512];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 0'/><worldbody><geom type='plane' size='1 1 1'/>"
           "<body pos='0 0 0.1'><freejoint/><geom size='0.1' mass='1' carom:stiffness='1e4' "
           "carom:hunt_crossley='%.17g'/></body></worldbody></mujoco>",
           d);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  def.contact = timing;
  simulation s = simulation_create(text, &def);
  const double v[6] = {0, 0, -1, 0, 0, 0};
  simulation_set(&s, NULL, v);
  while (s.q[2] <= 0.1 && carom_sim_time(s.sim) < 1) simulation_step(&s);
  double e = s.v[2];
  simulation_destroy(&s);
  return e;
}

/* The last step's force ends anywhere within it: (w0 dt)² at most; a contact's pi / (w0 dt) steps
 * are each solved to the tolerance of what they do, w0 dt. */
static void test_hunt_crossley(void** state) {
  (void)state;
  static const double known[][2] = {{0.05, 0.9677385785}, {0.2, 0.8821899862}, {1, 0.59362426}};
  for (int i = 0; i < 3; i++) {
    double d = known[i][0], e = known[i][1];
    check_near(log((1 + d) / (1 - d * e)), d * (1 + e), 1e-8);
    for (int k = 0; k < 4; k++) {
      double dt = ldexp(4e-4, -k), z = RATE * dt, bound = z * z + M_PI * TOLERANCE;
      check_near(rebound(d, dt, CAROM_CONTACT_SCHEME), e, bound);
      check_near(rebound(d, dt, CAROM_CONTACT_IMPLICIT), e, bound + M_PI / 4 * z);
    }
  }
}

/* --- Newton's law of impact ---------------------------------------------------------------------
 */

static simulation drop(double e, double height, double dt, carom_scheme scheme) {
  char text[512];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='0'/><body pos='0 0 %.17g'>"
           "<freejoint/><geom size='0.1' mass='2' friction='0' carom:restitution='%.17g'/></body>"
           "</worldbody></mujoco>",
           0.1 + height, e);
  carom_sim_def def = simulation_def(scheme, dt);
  return simulation_create(text, &def);
}

/* Each bounce rises to e² times the height before: found from the energy in flight, which the
 * midpoint rule keeps. */
static void test_heights(void** state) {
  (void)state;
  static const double shares[] = {1, 0.8, 0.5};
  for (int i = 0; i < 3; i++) {
    simulation s = drop(shares[i], 1, 2.3e-3, CAROM_MIDPOINT);
    double height = 1;
    int bounces = 0;
    for (double before = 0; bounces < 4; before = s.v[2]) {
      simulation_step(&s);
      if (!(before < 0 && s.v[2] > 0)) continue;
      height *= shares[i] * shares[i], bounces++;
      check_near(s.q[2] - 0.1 + s.v[2] * s.v[2] / (2 * G), height, 1e-7);
    }
    simulation_destroy(&s);
  }
}

/* It comes to rest in the time of the geometric series, sqrt(2 h / g) (1 + e) / (1 - e), and stays:
 * one is above four steps of gravity, below which what is left of the series, 2 v / g e / (1 - e),
 * is cut off; each bounce may be off by a step. */
static void test_rest(void** state) {
  (void)state;
  double dt = 1e-3, e = 0.6, end = sqrt(2 / G) * (1 + e) / (1 - e);
  simulation s = drop(e, 1, dt, CAROM_MIDPOINT);
  double last = 0;
  while (carom_sim_time(s.sim) < 2.5) {
    simulation_step(&s);
    if (fabs(s.v[2]) > 1e-3) last = carom_sim_time(s.sim);
  }
  int bounces = (int)(log(4 * dt * G / sqrt(2 * G)) / log(e)) + 1;
  check_near(last, end, 2 * 4 * dt * e / (1 - e) + bounces * dt);
  check_near(s.q[2], 0.1, 1e-6);
  simulation_destroy(&s);
}

/* Largest speed upwards of a ball that falls 5 cm. */
static double find_rise(const char* option, const char* geom) {
  char text[512];
  snprintf(text, sizeof text,
           "<mujoco><option %s/><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.15'>"
           "<freejoint/><geom size='0.1' mass='2' %s/></body></worldbody></mujoco>",
           option, geom);
  simulation s = simulation_create(text, NULL);
  double most = 0;
  while (carom_sim_time(s.sim) < 0.5) {
    simulation_step(&s);
    most = fmax(most, s.v[2]);
  }
  simulation_destroy(&s);
  return most;
}

/* Slower impacts than the rest speed do not rebound (the landing's own rebound is 1e-3 at most),
 * and compliant contact knows no restitution. */
static void test_without_rebound(void** state) {
  (void)state;
  double speed = sqrt(2 * G * 0.05);
  check_near(find_rise("", "carom:restitution='1'"), speed, 2 * 0.002 * G);
  assert_true(find_rise("carom:rest_speed='2'", "carom:restitution='1'") <= 1e-3 * speed);
  assert_true(find_rise("", "carom:restitution='1' carom:stiffness='1e5'") ==
              find_rise("", "carom:stiffness='1e5'"));
}

/* Linearising anew changes nothing: an impact takes its step from the start's configuration. */
static void test_relinearised(void** state) {
  (void)state;
  double speed[2];
  for (int n = 0; n < 2; n++) {
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, 2e-3);
    def.relinearise = n;
    simulation s = simulation_create(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.6'><freejoint/>"
        "<geom size='0.1' mass='2' carom:restitution='0.9'/></body></worldbody></mujoco>",
        &def);
    simulation_run_until(&s, 0.4);
    speed[n] = s.v[2];
    simulation_destroy(&s);
  }
  assert_true(speed[0] > 1 && speed[1] == speed[0]);
}

/* SimBenchmark's "bouncing": 49 balls of 10 kg, radius 0.1 m, from 5 m, e = 1, 20 s, steps of 1 ms.
 * Published mean squared errors of the energy, of 24034.5 J: RaiSim 0.0186 J², ODE 185, DART 7.2e4,
 * Bullet 7.5e4. Here an impact changes the energy by the solver's tolerance, and by round-off of
 * the distance: with ten of them, 49 m v² 1e-6 ten times at most. */
static void test_elastic_bounce(void** state) {
  (void)state;
  static char text[16384];
  size_t at = (size_t)snprintf(
      text, sizeof text, "<mujoco><worldbody><geom type='plane' size='99 99 1' friction='0'/>");
  for (int i = 0; i < 49; i++)
    at += (size_t)snprintf(text + at, sizeof text - at,
                           "<body pos='%d %d 5.1'><freejoint/><geom size='0.1' mass='10' "
                           "friction='0' carom:restitution='1'/></body>",
                           2 * (i % 7), 2 * (i / 7));
  snprintf(text + at, sizeof text - at, "</worldbody></mujoco>");
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
  simulation s = simulation_create(text, &def);
  double start = simulation_compute_energy(&s), sum = 0;
  int steps = check_repeats(20000);
  for (int i = 0; i < steps; i++) {
    simulation_step(&s);
    double error = simulation_compute_energy(&s) - start;
    sum += error * error;
  }
  print_message("mean squared error of the energy: %.2e J²\n", sum / steps);
  assert_true(sum / steps <= 1e-4);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hunt_crossley), cmocka_unit_test(test_heights),
      cmocka_unit_test(test_rest),          cmocka_unit_test(test_without_rebound),
      cmocka_unit_test(test_relinearised),  cmocka_unit_test(test_elastic_bounce),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
