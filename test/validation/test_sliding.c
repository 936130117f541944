/* A block with Coulomb friction: on the flat it stops after v0 / (mu g) and v0² / (2 mu g); on a
 * slope it rests up to tan a = mu without any creep and slides beyond with g (sin a - mu cos a).
 *
 * Constant forces are integrated exactly by the midpoint rule, so that errors come from the
 * solver's tolerance, which is relative to what a step's forces do to velocities (g dt), and from
 * the one step in which the block stops. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define G         9.81
#define MU        0.5
#define TOLERANCE 1e-6 /* of the solver: the default */

#define BLOCK                                                   \
  "<body name='block' pos='0 0 0.03'><freejoint name='block'/>" \
  "<geom type='box' size='0.06 0.05 0.03' friction='0.5'/></body>"

/* A block on a slope of an angle in degrees, falling towards +x. */
static simulation start_on_slope(double degrees, const carom_sim_def* def) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><frame euler='0 %.12g 0'>"
           "<geom type='plane' size='9 9 1' friction='0.5'/>" BLOCK "</frame></worldbody></mujoco>",
           degrees);
  return simulation_create(text, def);
}

/* How far the block is from its start, along the slope and at all. */
static double slid_along(const simulation* s, const double* start, double degrees) {
  double a = degrees * M_PI / 180;
  return (s->q[0] - start[0]) * cos(a) - (s->q[2] - start[2]) * sin(a);
}

static double moved(const simulation* s, const double* start) {
  return hypot(hypot(s->q[0] - start[0], s->q[1] - start[1]), s->q[2] - start[2]);
}

/* --- Stopping -----------------------------------------------------------------------------------
 */

/* In its last step the block has the mean of both speeds, where in truth it stops earlier: mu g
 * dt²/8 too far at most. Friction is off by the tolerance: as much of time and distance. */
static void check_stop(double dt) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  simulation s = start_on_slope(0, &def);
  const double v[6] = {1, 0, 0, 0, 0, 0};
  double time = 1 / (MU * G), distance = 0.5 * time;
  check_near(time, 0.203873598, 5e-10);
  check_near(distance, 0.101936799, 5e-10);
  simulation_set(&s, NULL, v);
  while (s.v[0] > TOLERANCE) simulation_step(&s);
  check_near(carom_sim_time(s.sim), time + 0.5 * dt, 0.5 * dt + TOLERANCE * time);
  check_near(s.q[0], distance, MU * G * dt * dt / 8 + 2 * TOLERANCE * distance);
  check_near(s.q[2], 0.03, 1e-6);
  simulation_destroy(&s);
}

static void test_block_stops(void** state) {
  (void)state;
  for (double dt = 1e-2; dt > 1e-4; dt *= 0.5) check_stop(dt);
}

/* --- Resting and sliding on a slope -------------------------------------------------------------
 */

/* A block that starts at rest on the surface, for a second. */
static void check_slope(double degrees, double acceleration) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 5e-3);
  simulation s = start_on_slope(degrees, &def);
  double start[3] = {s.q[0], s.q[1], s.q[2]};
  simulation_run_until(&s, 1);
  check_near(slid_along(&s, start, degrees), 0.5 * acceleration, TOLERANCE * G);
  simulation_destroy(&s);
}

static void test_slopes(void** state) {
  (void)state;
  double threshold = atan(MU) * 180 / M_PI;
  check_near(threshold, 26.5650511771, 5e-11);
  check_near(G * (sin(M_PI / 6) - MU * cos(M_PI / 6)), 0.657145394437, 5e-13);
  check_slope(30, 0.657145394437);
  for (double degrees = 5; degrees <= 60; degrees += 5) {
    double a = degrees * M_PI / 180;
    check_slope(degrees, fmax(0, G * (sin(a) - MU * cos(a))));
  }
}

/* A thousandth of a degree beside the threshold it rests, or slides by 0.1 mm in a second. */
static void test_threshold(void** state) {
  (void)state;
  double threshold = atan(MU) * 180 / M_PI, a = (threshold + 1e-3) * M_PI / 180;
  check_slope(threshold - 1e-3, 0);
  check_slope(threshold + 1e-3, G * (sin(a) - MU * cos(a)));
}

/* No creep at all just below the threshold: stick has no compliance, and the area gives way once,
 * by a few tolerances of g dt² over its corners' mobility of 4 / m. */
static void test_no_creep(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 5e-3);
  simulation s = start_on_slope(26.5, &def);
  double start[3] = {s.q[0], s.q[1], s.q[2]};
  for (int i = 0; i < check_repeats(100); i++) {
    simulation_run_until(&s, i + 1);
    check_near(moved(&s, start), 0, 4 * 3e-6 * G * def.dt * def.dt);
  }
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block_stops),
      cmocka_unit_test(test_slopes),
      cmocka_unit_test(test_threshold),
      cmocka_unit_test(test_no_creep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
