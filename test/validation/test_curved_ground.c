/* What rolls without slip over curved ground: a ball over a ball, a wheel with a pendulum on its
 * axle over a lying cylinder, a ball in a bowl. The midpoint rule against the equations of rolling,
 * by the Runge-Kutta method of order 4 with steps twenty times smaller: places, distances and
 * energies are of order 2 (theory.md, "Curved contact"). Velocities are along the surfaces where
 * the middle of the step sees them, and so off by order 1 across them. */
#include "math/vec3.h"
#include "support/runge_kutta.h"
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81

/* How far what was simulated is off at most: its place and its distance from the ground; and what
 * energy it has gained in the end. */
typedef struct error {
  double place, gap, energy; /* m, m, J */
} error;

/* Order from 4 to 0.5 ms. */
static double find_order(double coarse, double fine) { return log2(fabs(coarse / fine)) / 3; }

static void check_order(error coarse, error fine) {
  print_message("orders: place %.2f, gap %.2f, energy %.2f; at 0.5 ms %.3g m, %.3g m, %.3g J\n",
                find_order(coarse.place, fine.place), find_order(coarse.gap, fine.gap),
                find_order(coarse.energy, fine.energy), fine.place, fine.gap, fine.energy);
  assert_true(find_order(coarse.place, fine.place) > 1.9);
  assert_true(find_order(coarse.gap, fine.gap) > 1.9);
  assert_true(find_order(coarse.energy, fine.energy) > 1.9);
}

/* --- A ball on a ball ---------------------------------------------------------------------------
 */

#define GROUND 0.5  /* m, radius of the ball that stands still */
#define RADIUS 0.06 /* m */

/* y: the direction n from the ground's center to the ball's, and its angular velocity w, rad/s.
 * With v = r w × n at the ball's center, R + r from the ground's, and F = m (v' − g) at −r n:
 *
 *   n' = v / (R + r),   (1 + 2/5) w' = n × (g / r − w × n')                                      */
static void roll_ball(const void* context, const double* y, double* rate) {
  (void)context;
  v3 n = v3_load(y), w = v3_load(y + 3);
  v3 dn = v3_scale(RADIUS / (GROUND + RADIUS), v3_cross(w, n));
  v3 pull = v3_sub(v3_make(0, 0, -G / RADIUS), v3_cross(w, dn));
  v3_store(dn, rate);
  v3_store(v3_scale(1 / 1.4, v3_cross(n, pull)), rate + 3);
}

static simulation create_ball(const double y[6], double dt) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  simulation s = simulation_create(
      "<mujoco><worldbody><geom type='sphere' size='0.5' friction='9'/><body><freejoint/>"
      "<geom type='sphere' size='0.06' mass='0.3' friction='9'/></body></worldbody></mujoco>",
      &def);
  double q[7] = {0, 0, 0, 1, 0, 0, 0}, v[6];
  v3_store(v3_scale(GROUND + RADIUS, v3_load(y)), q);
  v3_store(v3_scale(RADIUS, v3_cross(v3_load(y + 3), v3_load(y))), v);
  memcpy(v + 3, y + 3, 3 * sizeof(double));
  simulation_set(&s, q, v);
  return s;
}

static error run_ball(double dt) {
  double y[6] = {0.1, 0, sqrt(0.99), 4, 3, 9};
  simulation s = create_ball(y, dt);
  double energy = simulation_compute_energy(&s);
  error e = {0};
  for (int i = 0, steps = simulation_count_steps(&s, 0.48); i < steps; i++) {
    simulation_step(&s);
    runge_kutta(roll_ball, NULL, 6, dt, 20, y);
    v3 x = v3_load(s.q), place = v3_scale(GROUND + RADIUS, v3_load(y));
    e.place = fmax(e.place, v3_norm(v3_sub(x, place)));
    e.gap = fmax(e.gap, fabs(v3_norm(x) - GROUND - RADIUS));
  }
  e.energy = simulation_compute_energy(&s) - energy;
  simulation_destroy(&s);
  return e;
}

static void test_ball(void** test) {
  (void)test;
  check_order(run_ball(4e-3), run_ball(5e-4));
}

/* --- A wheel with a pendulum, over a cylinder ---------------------------------------------------
 */

#define CYLINDER 0.8  /* m, radius of the ground */
#define WHEEL    0.1  /* m, radius */
#define ARM      0.25 /* m, from the axle to the bob */
#define M_WHEEL  1.2  /* kg */
#define M_BOB    0.7  /* kg */
#define D        (CYLINDER + WHEEL)

/* y: the angle a of the wheel's center about the ground's axis, from the top, that of the pendulum
 * b, from below, and their rates:
 *
 *   T = (3/2 m1 + m2) D² a'²/2 + m2 l² b'²/2 + m2 D l a' b' cos(a + b) */
static void roll_wheel(const void* context, const double* y, double* rate) {
  (void)context;
  double c = cos(y[0] + y[1]), s = sin(y[0] + y[1]);
  double A = (1.5 * M_WHEEL + M_BOB) * D * D, B = M_BOB * D * ARM, C = M_BOB * ARM * ARM;
  double f = B * s * y[3] * y[3] + (M_WHEEL + M_BOB) * G * D * sin(y[0]);
  double g = B * s * y[2] * y[2] - M_BOB * G * ARM * sin(y[1]);
  double det = A * C - B * B * c * c;
  rate[0] = y[2], rate[1] = y[3];
  rate[2] = (C * f - B * c * g) / det;
  rate[3] = (A * g - B * c * f) / det;
}

static simulation create_wheel(const double y[4], double dt) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='cylinder' size='%g 0.3' euler='90 0 0' friction='5'/>"
           "<body><freejoint/><geom type='cylinder' size='%g 0.02' euler='90 0 0' mass='%g' "
           "friction='5'/><body><joint axis='0 1 0'/><inertial pos='0 0 %g' mass='%g' "
           "diaginertia='1e-9 1e-9 1e-9'/></body></body></worldbody></mujoco>",
           CYLINDER, WHEEL, M_WHEEL, -ARM, M_BOB);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  simulation s = simulation_create(text, &def);
  double spin = y[2] * D / WHEEL;
  double q[8] = {D * sin(y[0]), 0, D * cos(y[0]), 1, 0, 0, 0, -y[1]};
  double v[7] = {D * cos(y[0]) * y[2], 0, -D * sin(y[0]) * y[2], 0, spin, 0, -y[3] - spin};
  simulation_set(&s, q, v);
  return s;
}

static error run_wheel(double dt) {
  double y[4] = {0.05, 0.9, 0.3, 0};
  simulation s = create_wheel(y, dt);
  double energy = simulation_compute_energy(&s);
  error e = {0};
  for (int i = 0, steps = simulation_count_steps(&s, 0.48); i < steps; i++) {
    simulation_step(&s);
    runge_kutta(roll_wheel, NULL, 4, dt, 20, y);
    e.place = fmax(e.place, hypot(s.q[0] - D * sin(y[0]), s.q[2] - D * cos(y[0])));
    e.gap = fmax(e.gap, fabs(hypot(s.q[0], s.q[2]) - D));
  }
  e.energy = simulation_compute_energy(&s) - energy;
  simulation_destroy(&s);
  return e;
}

/* Linear about free motion it was of order 1, and off by 0.5 mm at 1 ms. */
static void test_wheel(void** test) {
  (void)test;
  check_order(run_wheel(4e-3), run_wheel(5e-4));
  assert_true(run_wheel(1e-3).place < 1e-5);
}

/* --- A ball in a bowl ---------------------------------------------------------------------------
 */

#define BOWL  0.5 /* m, radius */
#define SIDE  0.3 /* m, half the side of the field */
#define CELLS 120

/* A height field, flat from node to node. */
static char* write_bowl(double radius, double start) {
  size_t size = 16 * (CELLS + 1) * (CELLS + 1) + 1024;
  char* text = malloc(size);
  assert_non_null(text);
  double top = BOWL - sqrt(BOWL * BOWL - 2 * SIDE * SIDE);
  int at = snprintf(text, size,
                    "<mujoco><asset><hfield name='bowl' nrow='%d' ncol='%d' size='%g %g %.17g 1' "
                    "elevation='",
                    CELLS + 1, CELLS + 1, SIDE, SIDE, top);
  for (int i = 0; i <= CELLS; i++)
    for (int k = 0; k <= CELLS; k++) {
      double x = SIDE * (2.0 * i / CELLS - 1), y = SIDE * (2.0 * k / CELLS - 1);
      double z = BOWL - sqrt(BOWL * BOWL - x * x - y * y);
      at += snprintf(text + at, size - (size_t)at, "%.10f ", z / top);
    }
  snprintf(text + at, size - (size_t)at,
           "'/></asset><worldbody><geom type='hfield' hfield='bowl' friction='5'/>"
           "<body pos='%.17g 0 %.17g'><freejoint/><geom type='sphere' size='%g' mass='.2' "
           "friction='5'/></body></worldbody></mujoco>",
           start, BOWL - sqrt(pow(BOWL - radius, 2) - start * start), radius);
  return text;
}

/* Rolls down, through the lowest point and up to where it turns: half a period of the pendulum of
 * 7/5 (R - r), to a step; over facets of 5 mm that turn the velocity by h / R and take (h / R)² of
 * its energy each, 0.6 % of the 64 that it meets. */
static void test_bowl(void** test) {
  (void)test;
  const double radius = 0.04, start = 0.08, rate = sqrt(G / (1.4 * (BOWL - radius)));
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
  char* text = write_bowl(radius, start);
  simulation s = simulation_create(text, &def);
  double before = 0, down = 0, up = 0;
  while (up == 0 && carom_sim_time(s.sim) < 2) {
    simulation_step(&s);
    if (before > 0 && s.q[0] <= 0) down = carom_sim_time(s.sim);
    if (down > 0 && s.v[0] >= 0) up = carom_sim_time(s.sim);
    before = s.q[0];
  }
  double swing = start / (BOWL - radius), half = M_PI / rate * (1 + swing * swing / 16);
  print_message("up after %g s, %g; to %g m\n", up, half, s.q[0]);
  assert_true(down > 0);
  check_near(up, half, 2e-3);
  check_near(s.q[0], -start, 0.01 * start);
  simulation_destroy(&s);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball),
      cmocka_unit_test(test_wheel),
      cmocka_unit_test(test_bowl),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
