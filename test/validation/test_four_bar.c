/* The N-four-bar mechanism with N = 2 (benchmark A02 of the IFToMM library of multibody problems):
 * two parallelograms side by side, five rods of 1 m and 1 kg, upright at first and moving with 1
 * m/s. Twice a turn all rods lie in one line, where the mechanism could leave its branch.
 *
 * While it stays on its branch it is a pendulum of one angle, (3 (1/3) + 2) a'' = (3/2 + 2) g sin
 * a, whose period and positions follow from elliptic functions. */
#include "support/convergence.h"
#include "support/runge_kutta.h"

#include <math.h>

#define ROD(at) \
  "<inertial pos='" at "' mass='1' diaginertia='0 0.08333333333333333 0.08333333333333333'/>"
#define ROD_UP \
  "<inertial pos='0 0 0.5' mass='1' diaginertia='0.08333333333333333 0.08333333333333333 0'/>"

#define FOUR_BAR                                                                                   \
  "<mujoco><default><joint axis='0 1 0'/></default><worldbody>"                                    \
  "<body name='A0B0'><joint name='A0'/>" ROD_UP                                                    \
  "<body name='B0B1' pos='0 0 1'><joint name='B0'/>" ROD(                                          \
      "0.5 0 0") "<body name='B1B2' pos='1 0 0'><joint name='B1'/>" ROD("0.5 0 0") "</body></"     \
                                                                                   "body></body>"  \
                                                                                   "<body "        \
                                                                                   "name='A1B1' "  \
                                                                                   "pos='1 0 "     \
                                                                                   "0'><joint "    \
                                                                                   "name='A1'/"    \
                                                                                   ">" ROD_UP      \
                                                                                   "</body>"       \
                                                                                   "<body "        \
                                                                                   "name='A2B2' "  \
                                                                                   "pos='2 0 "     \
                                                                                   "0'><joint "    \
                                                                                   "name='A2'/"    \
                                                                                   ">" ROD_UP      \
                                                                                   "</body></"     \
                                                                                   "worldbody>"    \
                                                                                   "<equality><"   \
                                                                                   "connect "      \
                                                                                   "body1='A1B1' " \
                                                                                   "body2='B0B1' " \
                                                                                   "anchor='0 0 "  \
                                                                                   "1'/>"          \
                                                                                   "<connect "     \
                                                                                   "body1='A2B2' " \
                                                                                   "body2='B1B2' " \
                                                                                   "anchor='0 0 "  \
                                                                                   "1'/></"        \
                                                                                   "equality></"   \
                                                                                   "mujoco>"

static simulation start(const carom_sim_def* def) {
  simulation s = simulation_create(FOUR_BAR, def);
  double v[5] = {0};
  v[simulation_find_v(&s, "A0")] = 1;
  v[simulation_find_v(&s, "B0")] = -1;
  v[simulation_find_v(&s, "A1")] = 1;
  v[simulation_find_v(&s, "A2")] = 1;
  simulation_set(&s, NULL, v);
  return s;
}

/* --- The same as a pendulum of one angle --------------------------------------------------------
 */

/* a'' = (7/6) g sin a. */
static void swing(const void* context, const double* y, double* rate) {
  (void)context;
  rate[0] = y[1], rate[1] = 7.0 / 6 * 9.81 * sin(y[0]);
}

/* From (0, 1); the error at these steps is round-off. Checked against the published numbers. */
static double find_angle(double time) {
  double y[2] = {0, 1};
  runge_kutta(swing, NULL, 2, time, (int)ceil(time / 1e-4), y);
  return y[0];
}

static void test_reference(void** state) {
  (void)state;
  check_near(find_angle(1.94251492260708), 2 * M_PI, 1e-11);
  check_near(sin(find_angle(1)), -0.195020301949, 1e-11);
  check_near(cos(find_angle(1)), -0.980799205662, 1e-11);
  check_near(sin(find_angle(10)), 0.328458111540, 1e-11);
  check_near(cos(find_angle(10)), 0.944518538179, 1e-11);
}

/* --- Ten seconds --------------------------------------------------------------------------------
 */

#define FASTEST \
  6.84 /* 1/s, when the rods hang: 3/2 w² = 35.835 J + 7/2 m g l; at the top it is 1 */

/* Angle after ten seconds less the right one. On another branch a rod would turn against the
 * others: their angles stay equal to what the loops' distances allow, which are of second order. */
static double run_ten_seconds(int relinearise, double dt) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  def.relinearise = relinearise;
  simulation s = start(&def);
  check_near(simulation_compute_energy(&s), 35.835, 1e-12);
  const double *a0 = s.q + simulation_find_q(&s, "A0"), *a1 = s.q + simulation_find_q(&s, "A1");
  const double* a2 = s.q + simulation_find_q(&s, "A2");
  while (carom_sim_time(s.sim) < 10 - 0.5 * dt) {
    simulation_step(&s);
    check_near(*a1, *a0, FASTEST * FASTEST * dt * dt);
    check_near(*a2, *a0, FASTEST * FASTEST * dt * dt);
  }
  double error = fabs(*a0 - find_angle(10));
  simulation_destroy(&s);
  return error;
}

/* Linearised where the last step leads, and anew, it is of second order, (w dt)²/12 per radian,
 * also through the singular poses, where two branches cross and Newton's steps need not converge.
 */
static void test_ten_seconds(void** state) {
  (void)state;
  for (int relinearise = 0; relinearise <= check_repeats(3); relinearise++) {
    double dt = 4e-3;
    for (int i = 0; i < 1 + check_repeats(3); i++, dt *= 0.5) {
      double error = run_ten_seconds(relinearise, dt), z = FASTEST * dt;
      check_near(error, 0, z * z / 12 * find_angle(10) * FASTEST);
    }
  }
}

/* --- Order --------------------------------------------------------------------------------------
 */

/* After half a second, before the first singular pose. */
static double find_error(const carom_sim_def* def) {
  simulation s = start(def);
  simulation_run_until(&s, 0.5);
  double error = fabs(s.q[0] - find_angle(0.5));
  simulation_destroy(&s);
  return error;
}

static void test_order(void** state) {
  (void)state;
  for (int relinearise = 0; relinearise <= 3; relinearise++) {
    convergence_def def = {.sim = simulation_def(CAROM_MIDPOINT, 0.005),
                           .halvings = 4,
                           .order = 2,
                           .name = "midpoint"};
    def.sim.relinearise = relinearise;
    check_order(&def, find_error);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reference),
      cmocka_unit_test(test_ten_seconds),
      cmocka_unit_test(test_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
