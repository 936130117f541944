/* The order of the midpoint rule where constraints and gyroscopic terms meet: one with the balance
 * of momentum linearised at the free motion, two where it is linearised once more at the solution.
 */
#include "support/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A heavy top: a free body, 1 kg, whose tip is tied to the world by a constraint of three rows; and
 * the same on a ball joint, which needs none. */
static const char TIED[] =
    "<mujoco><worldbody><body name='top' pos='0 0 0'><freejoint/>"
    "<inertial pos='0 0 .2' mass='1' diaginertia='.01 .012 .004'/></body></worldbody>"
    "<equality><connect body1='top' anchor='0 0 0'/></equality></mujoco>";
static const char HINGED[] =
    "<mujoco><worldbody><body name='top' pos='0 0 0'><joint type='ball'/>"
    "<inertial pos='0 0 .2' mass='1' diaginertia='.01 .012 .004'/></body></worldbody></mujoco>";

static const double SPIN[3] = {0.5, 1, 20};
static const double TILT[4] = {0.92106099400288508, 0.38941834230865052, 0, 0}; /* 0.8 rad */

#define TIME 0.5

/* The top's orientation after a time. */
static void run_tied(double dt, int relinearise, double quaternion[4]) {
  carom_sim_def def = world_def(dt, CAROM_MIDPOINT);
  def.relinearise = relinearise;
  def.tolerance = 1e-8;
  world w = world_create(TIED, &def);
  double q[7] = {0}, v[6] = {0};
  memcpy(q + 3, TILT, sizeof TILT);
  memcpy(v + 3, SPIN, sizeof SPIN);
  world_set(&w, q, v);
  world_run(&w, (int)lround(TIME / dt));
  memcpy(quaternion, world_q(&w) + 3, 4 * sizeof(double));
  world_destroy(&w);
}

static void run_hinged(double dt, double quaternion[4]) {
  carom_sim_def def = world_def(dt, CAROM_MIDPOINT);
  world w = world_create(HINGED, &def);
  world_set(&w, TILT, SPIN);
  world_run(&w, (int)lround(TIME / dt));
  memcpy(quaternion, world_q(&w), 4 * sizeof(double));
  world_destroy(&w);
}

/* sin of half the angle between two orientations. */
static double angle(const double a[4], const double b[4]) {
  double dot = 0;
  for (int k = 0; k < 4; k++) dot += a[k] * b[k];
  return sqrt(fmax(1 - dot * dot, 0));
}

static void test_order(void** state) {
  (void)state;
  double exact[4];
  run_hinged(1e-4, exact);
  for (int relinearise = 0; relinearise <= 2; relinearise++) {
    double error[3], q[4];
    for (int k = 0; k < 3; k++) {
      run_tied(4e-3 / (1 << k), relinearise, q);
      error[k] = angle(q, exact);
    }
    double order[2] = {log2(error[0] / error[1]), log2(error[1] / error[2])};
    print_message("relinearise %d: errors %.1e, %.1e, %.1e, orders %.2f, %.2f\n", relinearise,
                  error[0], error[1], error[2], order[0], order[1]);
    for (int k = 0; k < 2; k++) {
      assert_true(order[k] > (relinearise ? 1.85 : 0.7));
      assert_true(order[k] < (relinearise ? 2.15 : 1.4));
    }
  }
}

/* Where nothing is nonlinear, linearising again changes nothing: a box slides on a floor. */
static void test_linear_problem(void** state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='.3'/><body pos='0 0 .1'>"
      "<freejoint/><geom type='box' size='.3 .3 .1'/></body></worldbody></mujoco>";
  carom_sim_def def = world_def(0.01, CAROM_MIDPOINT), again = def;
  def.tolerance = again.tolerance = 1e-8;
  again.relinearise = 2;
  world once = world_create(text, &def), thrice = world_create(text, &again);
  double v[6] = {2, 1, 0, 0, 0, 0};
  world_set(&once, NULL, v);
  world_set(&thrice, NULL, v);
  for (int i = 0; i < 50; i++) {
    world_step(&once);
    world_step(&thrice);
    check_near_array(world_v(&thrice), world_v(&once), 6, 1e-7);
  }
  world_destroy(&once);
  world_destroy(&thrice);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_linear_problem)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
