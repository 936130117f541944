/* A block that rocks on a table under half a sine of acceleration (Housner 1963): it stands up to a
 * g tan(alpha), rocks, and is overturned from an acceleration on that the exact equations say,
 *
 *     theta'' = -p² (sin(s alpha - theta) + a(t) / g cos(s alpha - theta)),   s = sign theta,
 *
 * p² = 3 g / 4 R, with an impact at theta = 0 that keeps angular momentum about the new edge:
 * theta' times 1 - 3/2 sin² alpha. They are integrated here, by Runge and Kutta's method. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define G               9.81
#define B               0.1 /* m, half the width */
#define H               0.4 /* m, half the height */
#define END             2.5 /* s */
#define NUM_FREQUENCIES 3

static const double FREQUENCIES[NUM_FREQUENCIES] = {0.7, 1, 1.5}; /* Hz */

typedef struct pulse {
  double amplitude, rate; /* m/s², rad/s */
} pulse;

/* Of the ground. */
static double acceleration(const pulse* p, double t) {
  return t < M_PI / p->rate ? p->amplitude * sin(p->rate * t) : 0;
}

static double place(const pulse* p, double t) {
  double end = M_PI / p->rate, scale = p->amplitude / p->rate;
  if (t < end) return scale * (t - sin(p->rate * t) / p->rate);
  return scale * end + 2 * scale * (t - end);
}

/* --- The exact equations ------------------------------------------------------------------------
 */

static double turn_faster(const pulse* p, double t, double theta) {
  double p2 = 3 * G / (4 * hypot(B, H)), alpha = atan2(B, H),
         left = theta < 0 ? -alpha - theta : alpha - theta;
  return -p2 * (sin(left) + acceleration(p, t) / G * cos(left));
}

static void advance(const pulse* p, double t, double dt, double x[2]) {
  double k[4][2], y[2];
  for (int i = 0; i < 4; i++) {
    double part = i == 0 ? 0 : i == 3 ? dt : dt / 2;
    for (int j = 0; j < 2; j++) y[j] = x[j] + (i ? part * k[i - 1][j] : 0);
    k[i][0] = y[1], k[i][1] = turn_faster(p, t + part, y[0]);
  }
  for (int j = 0; j < 2; j++) x[j] += dt / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
}

/* Whether it falls over. With the ground going ahead it turns back, theta negative, first. */
static bool falls(const pulse* p) {
  double dt = 1e-4, x[2] = {0, 0}, alpha = atan2(B, H), e = 1 - 1.5 * sin(alpha) * sin(alpha);
  bool rocks = false;
  for (int i = 0; i * dt < END; i++) {
    if (!rocks && acceleration(p, i * dt) <= G * tan(alpha)) continue;
    double before = x[0];
    if (!rocks) x[0] = -1e-12;
    rocks = true;
    advance(p, i * dt, dt, x);
    if (before * x[0] < 0) x[1] *= e;
    if (fabs(x[0]) > M_PI / 3) return true;
  }
  return false;
}

/* --- Simulated ----------------------------------------------------------------------------------
 */

static bool falls_simulated(const pulse* p) {
  const double dt = 1e-3;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  simulation s = simulation_create(
      "<mujoco><option gravity='0 0 -9.81'/><default><geom friction='2'/></default><worldbody>"
      "<body name='table' mocap='true' pos='0 0 -.1'><geom type='box' size='20 1 .1'/></body>"
      "<body name='block' pos='0 0 .4'><freejoint/><geom type='box' size='.1 .1 .4' "
      "mass='50'/></body>"
      "</worldbody></mujoco>",
      &def);
  carom_error error;
  int table = carom_model_find_body(s.model, "table");
  double least = 1;
  for (int i = 0; i * dt < END && least > 0.5; i++) {
    const double v[3] = {(place(p, (i + 1) * dt) - place(p, i * dt)) / dt, 0, 0};
    check_ok(carom_sim_set_motion(s.sim, table, v, NULL, &error), &error);
    simulation_step(&s);
    const double* q = carom_sim_coordinates(s.sim);
    least = fmin(least, 1 - 2 * (q[4] * q[4] + q[5] * q[5])); /* cosine of its tilt */
  }
  simulation_destroy(&s);
  return least <= 0.5;
}

/* The least amplitude at which it falls, m/s². */
static double find_boundary(double rate, bool (*test)(const pulse*)) {
  double low = 1, high = 12;
  while (high - low > 1e-4) {
    const pulse p = {(low + high) / 2, rate};
    if (test(&p))
      high = p.amplitude;
    else
      low = p.amplitude;
  }
  return (low + high) / 2;
}

static void test_overturning(void** state) {
  (void)state;
  for (int k = 0; k < NUM_FREQUENCIES; k++) {
    double rate = 2 * M_PI * FREQUENCIES[k];
    double exact = find_boundary(rate, falls), found = find_boundary(rate, falls_simulated);
    print_message("%.1f Hz: %.4f m/s², %.4f exact (%.3f %%)\n", FREQUENCIES[k], found, exact,
                  100 * (found / exact - 1));
    check_near(found, exact, 2e-3 * exact);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_overturning)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
