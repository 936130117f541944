/* Balls that roll on a box which is pushed over the ground (SimBenchmark, "rolling"): 10 kg box,
 * ground friction 0.4, 25 balls of 1 kg, friction 0.8, 150 N for 4 s, steps of 1 ms, along x and
 * along the diagonal.
 *
 * The balls roll with 2/7 of the box's acceleration a, so that F - 0.4 (10 + 25) g = (10 + 25 2/7)
 * a: a = 0.7385, 0.2110 m/s². Published mean squared errors of velocity for the diagonal push:
 * Bullet 5.7e-9, RaiSim 4.1e-7, MuJoCo 2.4e-3 to 8.1e-3, ODE and DART 3.1 (they do not move). */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define G         9.81
#define DT        1e-3
#define DURATION  4.0
#define RADIUS    0.2
#define TOLERANCE 1e-6 /* of the solver: the default */

enum { NUM_BALLS = 25 };

static simulation start(void) {
  static char text[8192];
  size_t at =
      (size_t)snprintf(text, sizeof text,
                       "<mujoco><worldbody><geom type='plane' size='99 99 1' friction='0.4'/>"
                       "<body name='box' pos='0 0 0.5'><freejoint/>"
                       "<geom type='box' size='10 10 0.5' mass='10' friction='0.4'/></body>");
  for (int i = 0; i < NUM_BALLS; i++)
    at += (size_t)snprintf(text + at, sizeof text - at,
                           "<body pos='%d %d %g'><freejoint/>"
                           "<geom size='%g' mass='1' friction='0.8'/></body>",
                           2 * (i % 5) - 4, 2 * (i / 5) - 4, 1 + RADIUS, RADIUS);
  snprintf(text + at, sizeof text - at, "</worldbody></mujoco>");
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, DT);
  return simulation_create(text, &def);
}

static double squared_error(const double* v, double ax, double ay, double t) {
  double x = v[0] - ax * t, y = v[1] - ay * t;
  return x * x + y * y + v[2] * v[2];
}

/* What is solved to the tolerance in each step is off by TOLERANCE g t in all, so that mean squares
 * are below a third of (TOLERANCE g 4 s)²: 5e-10. To that comes the arm of the balls' contacts,
 * with one linearisation short by g dt²/(8 r) of it, which changes 2/7 by less than as much. */
static void check_push(double direction) {
  simulation s = start();
  double a = (150 - 0.4 * 35 * G) / (10 + 25 * 2.0 / 7), ball = 2.0 / 7 * a;
  double x = cos(direction), y = sin(direction), sum = 0;
  const double force[3] = {150 * x, 150 * y, 0}, torque[3] = {0};
  carom_error error;
  int box = simulation_find_body(&s, "box"), steps = check_repeats((int)(DURATION / DT));
  check_near(a, 0.7385, 5e-5);
  check_near(ball, 0.2110, 5e-5);
  check_ok(carom_sim_set_wrench(s.sim, box, force, torque, &error), &error);
  for (int i = 1; i <= steps; i++) {
    double t = i * DT;
    simulation_step(&s);
    sum += squared_error(s.v, a * x, a * y, t);
    for (int k = 1; k <= NUM_BALLS; k++) sum += squared_error(s.v + 6 * k, ball * x, ball * y, t);
  }
  double mean = sum / (steps * (1 + NUM_BALLS));
  double speed = DURATION * (TOLERANCE * G + G * DT * DT / (8 * RADIUS) * ball);
  assert_true(mean <= speed * speed / 3);
  simulation_destroy(&s);
}

static void test_push_along_x(void** state) {
  (void)state;
  check_push(0);
}

static void test_push_along_diagonal(void** state) {
  (void)state;
  check_push(M_PI / 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_push_along_x),
      cmocka_unit_test(test_push_along_diagonal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
