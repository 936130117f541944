/* Pendulum (benchmark A01 of the IFToMM library of multibody problems) and double pendulum: where
 * they are after up to ten seconds, and with which order the schemes get there.
 *
 * The pendulum's numbers follow from elliptic functions, the double pendulum's from two independent
 * integrators of high accuracy. They have eleven and ten digits. */
#include "support/convergence.h"

#include <math.h>

/* A point mass on a massless rod of 1 m, horizontal at first; vertical plane y = 0. */
#define PENDULUM                                          \
  "<mujoco><worldbody><body>"                             \
  "<joint axis='0 1 0'/>"                                 \
  "<inertial pos='-1 0 0' mass='1' diaginertia='0 0 0'/>" \
  "</body></worldbody></mujoco>"

/* Two of them, the second on the first; both rods horizontal at first. The coordinates are the
 * first rod's angle and the second's relative to it, from the horizontal. */
#define DOUBLE_PENDULUM                                  \
  "<mujoco><worldbody><body>"                            \
  "<joint axis='0 1 0'/>"                                \
  "<inertial pos='1 0 0' mass='1' diaginertia='0 0 0'/>" \
  "<body pos='1 0 0'>"                                   \
  "<joint axis='0 1 0'/>"                                \
  "<inertial pos='1 0 0' mass='1' diaginertia='0 0 0'/>" \
  "</body></body></worldbody></mujoco>"

/* Place of the pendulum's mass, x and z. */
static void find_mass(const simulation* s, double place[2]) {
  place[0] = -cos(s->q[0]);
  place[1] = sin(s->q[0]);
}

/* Angles of both rods from the vertical; a hinge about y turns x towards -z. */
static void find_angles(const simulation* s, double angle[2]) {
  angle[0] = 0.5 * M_PI - s->q[0];
  angle[1] = angle[0] - s->q[1];
}

/* --- Places at times ----------------------------------------------------------------------------
 */

typedef struct sample {
  double time, value[2];
} sample;

/* Checks values against those of the midpoint rule at dt and dt / 2, extrapolated. */
static void check_samples(const char* scene, void (*find)(const simulation*, double*),
                          const sample* samples, int count, double dt, double tolerance) {
  carom_sim_def coarse = simulation_def(CAROM_MIDPOINT, dt);
  carom_sim_def fine = simulation_def(CAROM_MIDPOINT, 0.5 * dt);
  simulation a = simulation_create(scene, &coarse), b = simulation_create(scene, &fine);
  for (int i = 0; i < count; i++) {
    double at[2], bt[2], value[2];
    simulation_run_until(&a, samples[i].time);
    simulation_run_until(&b, samples[i].time);
    find(&a, at);
    find(&b, bt);
    convergence_extrapolate(at, bt, 2, value);
    check_near_array(value, samples[i].value, 2, tolerance);
  }
  simulation_destroy(&a);
  simulation_destroy(&b);
}

/* The phase error of the midpoint rule is about (w dt)² / 12 per radian, its fourth-order part
 * (w dt)^4 / 80: with rates up to w = sqrt(2 g / L) = 4.4 1/s and 40 rad in ten seconds, dt = 1 ms
 * leaves 2e-10. */
static void test_pendulum(void** state) {
  (void)state;
  static const sample samples[] = {{0.5, {-0.39104879155, -0.92036994879}},
                                   {1, {0.98629175113, -0.16501085313}},
                                   {2, {-0.79356619534, -0.60848393044}},
                                   {5, {-0.94230543504, -0.33475433841}},
                                   {10, {-0.27508746258, -0.96141920510}}};
  check_samples(PENDULUM, find_mass, samples, 5, 1e-3, 1e-9);
}

/* Rates up to w = 8 1/s for some 20 rad, and small errors grow tenfold in five seconds: dt = 0.5 ms
 * leaves 20 * 10 * (w dt)^4 / 80 = 6e-10. */
static void test_double_pendulum(void** state) {
  (void)state;
  static const sample samples[] = {{1, {-0.6250876998, -1.0345850857}},
                                   {5, {-0.6271867051, -1.3013155502}}};
  check_samples(DOUBLE_PENDULUM, find_angles, samples, 2, 5e-4, 1e-9);
}

/* --- Orders -------------------------------------------------------------------------------------
 */

static double pendulum_error(const carom_sim_def* def) {
  static const double expected[2] = {0.98629175113, -0.16501085313};
  double place[2];
  simulation s = simulation_create(PENDULUM, def);
  simulation_run_until(&s, 1);
  find_mass(&s, place);
  simulation_destroy(&s);
  return hypot(place[0] - expected[0], place[1] - expected[1]);
}

static double double_pendulum_error(const carom_sim_def* def) {
  static const double expected[2] = {-0.6250876998, -1.0345850857};
  double angle[2];
  simulation s = simulation_create(DOUBLE_PENDULUM, def);
  simulation_run_until(&s, 1);
  find_angles(&s, angle);
  simulation_destroy(&s);
  return hypot(angle[0] - expected[0], angle[1] - expected[1]);
}

static void test_orders_on_pendulum(void** state) {
  (void)state;
  check_orders_of_schemes(0.01, 5, pendulum_error);
}

static void test_orders_on_double_pendulum(void** state) {
  (void)state;
  check_orders_of_schemes(0.005, 5, double_pendulum_error);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_double_pendulum),
      cmocka_unit_test(test_orders_on_pendulum),
      cmocka_unit_test(test_orders_on_double_pendulum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
