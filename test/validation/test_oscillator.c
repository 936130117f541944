/* A mass on a spring: growth of the amplitude and frequency over theta, orders of the schemes; and
 * with dry friction: turning points, and where it stops.
 *
 * With all three weights theta a step multiplies x + i v/w by (1 - i (1 - theta) z) / (1 + i theta
 * z) with z = w dt. The friction oscillator loses 2 mu N / k of amplitude every half period pi / w.
 */
#include "support/convergence.h"

#include <math.h>

/* w = 10 1/s. */
#define OSCILLATOR                                              \
  "<mujoco><option gravity='0 0 0'/><worldbody><body>"          \
  "<joint name='x' type='slide' axis='1 0 0' stiffness='100'/>" \
  "<geom size='0.1' mass='1'/>"                                 \
  "</body></worldbody></mujoco>"

#define FRICTION_OSCILLATOR                                                      \
  "<mujoco><option gravity='0 0 0'/><worldbody><body>"                           \
  "<joint name='x' type='slide' axis='1 0 0' stiffness='100' frictionloss='1'/>" \
  "<geom size='0.1' mass='1'/>"                                                  \
  "</body></worldbody></mujoco>"

#define RATE 10.0

static simulation start(const char* scene, const carom_sim_def* def, double x) {
  simulation s = simulation_create(scene, def);
  simulation_set(&s, &x, NULL);
  return s;
}

/* --- Amplitude and frequency --------------------------------------------------------------------
 */

static double amplitude(const simulation* s) { return hypot(s->q[0], s->v[0] / RATE); }

/* Exact for a linear force, up to round-off of 1e-16 a step. */
static void check_growth(double theta, double published) {
  enum { STEPS = 1000 };
  carom_sim_def def = simulation_def(CAROM_THETA, 0.1 / RATE);
  for (int k = 0; k < 3; k++) def.theta[k] = theta;
  simulation s = start(OSCILLATOR, &def, 1);
  double z = 0.1, rest = 1 - theta;
  double growth = sqrt((1 + rest * rest * z * z) / (1 + theta * theta * z * z));
  check_near(growth, published, 5e-10);
  simulation_step(&s);
  check_near(amplitude(&s), growth, 1e-14);
  for (int i = 1; i < STEPS; i++) simulation_step(&s);
  check_near(amplitude(&s) / pow(growth, STEPS), 1, 1e-12);
  simulation_destroy(&s);
}

static void test_growth_over_theta(void** state) {
  (void)state;
  check_growth(0.5, 1);
  check_growth(0.55, 0.999501384);
  check_growth(1, 0.995037190);
}

/* The midpoint rule turns the phase by 2 atan(w dt / 2) a step. */
static void test_frequency_of_midpoint(void** state) {
  (void)state;
  for (double z = 0.01; z < 100; z *= 3) {
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, z / RATE);
    simulation s = start(OSCILLATOR, &def, 1);
    for (int i = 1; i <= 100; i++) {
      simulation_step(&s);
      check_near(s.q[0], cos(i * 2 * atan(0.5 * z)), 1e-12);
      check_near(s.v[0] / RATE, -sin(i * 2 * atan(0.5 * z)), 1e-12);
    }
    simulation_destroy(&s);
  }
}

static double oscillator_error(const carom_sim_def* def) {
  simulation s = start(OSCILLATOR, def, 1);
  simulation_run_until(&s, 1);
  double error = hypot(s.q[0] - cos(RATE), s.v[0] / RATE + sin(RATE));
  simulation_destroy(&s);
  return error;
}

static void test_orders(void** state) {
  (void)state;
  check_orders_of_schemes(0.0025, 6, oscillator_error);
}

/* --- Dry friction -------------------------------------------------------------------------------
 */

/* Steps to the next turning point, which may be the last; returns its place. */
static double find_turn(simulation* s) {
  double sign = 0, x = s->q[0];
  do {
    simulation_step(s);
    if (sign == 0) sign = copysign(1, s->v[0]);
    if (s->v[0] * sign >= 0) x = s->q[0];
  } while (s->v[0] * sign > 0);
  return x;
}

/* In the step of a turn the friction has the sign of its end for all of it. The impulse that is
 * wrong, 2 F dt at most, acts at speeds up to k x dt / m: k x dx <= 2 F dt k x dt / m, so each turn
 * is off by 2 F/m dt² more than the one before. The sample nearest to the turn misses it by
 * k x/m dt² / 8 < 1.1 dt². A turn at x comes late by the same impulse over the force there, at most
 * 2 F dt / (k x - F), in all 2 dt at four turns, and is seen up to a step late.
 *
 * Rest is exact: the steps that bring it about are solved to the tolerance, in units of what the
 * force of 0.5 N that friction holds would do; from there on nothing moves. */
static void check_turns(carom_scheme scheme, double dt) {
  static const double turns[5] = {-0.085, 0.065, -0.045, 0.025, -0.005};
  carom_sim_def def = simulation_def(scheme, dt);
  simulation s = start(FRICTION_OSCILLATOR, &def, 0.105);
  for (int i = 0; i < 5; i++) check_near(find_turn(&s), turns[i], (2 * (i + 1) + 1.1) * dt * dt);
  check_near(carom_sim_time(s.sim), 0.5 * M_PI, 3 * dt);
  double x = s.q[0];
  for (int i = 0; i < 10; i++) simulation_step(&s);
  check_near(s.q[0], x, 10 * def.tolerance * 0.5 * dt * dt);
  x = s.q[0];
  for (int i = 0; i < 1000; i++) simulation_step(&s);
  check_near(s.q[0], x, 1e-15);
  simulation_destroy(&s);
}

static void test_dry_friction(void** state) {
  (void)state;
  for (double dt = 4e-3; dt > 1e-4; dt *= 0.5) check_turns(CAROM_MIDPOINT, dt);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_growth_over_theta),
      cmocka_unit_test(test_frequency_of_midpoint),
      cmocka_unit_test(test_orders),
      cmocka_unit_test(test_dry_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
