/* A cylinder on a spring, on compliant ground, without friction and rolling (arXiv 2110.10107, the
 * section on energy): R 0.05 m, m 0.5 kg, spring 100 N/m, ground 1e4 N/m with 0.02 s, let go 0.1 m
 * from the spring's rest, dt 0.02 s.
 *
 * Without friction it is an oscillator with w² = k/m; rolling it has the mass 3/2 m and the period
 * 0.54413981 s. Both are linear, so that each scheme's energy follows in closed form. */
#include "support/convergence.h"

#include <math.h>
#include <stdio.h>

#define SPRING    100.0
#define MASS      0.5
#define START     0.1
#define TOLERANCE 1e-6 /* of the solver: the default */

static simulation start(double friction, const carom_sim_def* def) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='%g' "
           "carom:stiffness='1e4' carom:dissipation='0.02'/><body pos='0.1 0 0.0495095'>"
           "<joint name='x' type='slide' axis='1 0 0' ref='0.1' springref='0' stiffness='100'/>"
           "<joint name='z' type='slide' axis='0 0 1'/><joint name='turn' axis='0 1 0'/>"
           "<geom type='cylinder' size='0.05 0.1' euler='90 0 0' mass='0.5' friction='0'/></body>"
           "</worldbody></mujoco>",
           friction);
  return simulation_create(text, def);
}

/* Of the motion in the plane, without the ground's. */
static double energy_of(const simulation* s) {
  double x = s->q[0], v = s->v[0], w = s->v[2];
  double inertia = 0.5 * MASS * 0.05 * 0.05;
  return 0.5 * (SPRING * x * x + MASS * v * v + inertia * w * w);
}

typedef struct range {
  double low, high;
} range;

/* Least and largest energy over 5 s, relative to the first. */
static range find_energies(double friction, const carom_sim_def* def) {
  simulation s = start(friction, def);
  double first = energy_of(&s);
  range r = {1, 1};
  while (carom_sim_time(s.sim) < 5 - 0.5 * def->dt) {
    simulation_step(&s);
    double e = energy_of(&s) / first;
    r.low = fmin(r.low, e), r.high = fmax(r.high, e);
  }
  simulation_destroy(&s);
  return r;
}

/* --- Without friction ---------------------------------------------------------------------------
 */

/* The contact's impulse has no part in the motion along x: round-off alone. */
static void test_midpoint_keeps_energy(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 0.02);
  range r = find_energies(0, &def);
  check_near(r.low, 1, 1e-13);
  check_near(r.high, 1, 1e-13);
}

/* Symplectic Euler keeps the quadratic form E - dt/2 k x v, so that E swings between E0 / (1 + z/2)
 * and E0 / (1 - z/2), z = w dt, about: 28 % peak to peak for z = 0.283. E0 is that of x = 0.1, v =
 * 0; samples come near enough to the extremes in 5 s: phases z apart miss them by (z/2)²/2 of z/2.
 */
static void test_symplectic_swings(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_SYMPLECTIC, 0.02);
  double z = 0.02 * sqrt(SPRING / MASS);
  range r = find_energies(0, &def);
  check_near(r.low, 1 / (1 + 0.5 * z), 0.5 * z * z * z / 8);
  check_near(r.high, 1 / (1 - 0.5 * z), 0.5 * z * z * z / 8);
}

/* Implicit Euler divides the energy by 1 + z² a step: a third is left after one period. */
static void test_implicit_loses(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_IMPLICIT, 0.02);
  double z = 0.02 * sqrt(SPRING / MASS);
  range r = find_energies(0, &def);
  check_near(r.low, pow(1 + z * z, -250), 1e-12);
}

/* --- Rolling ------------------------------------------------------------------------------------
 */

/* Rolling is a linear constraint, kept at the end of every step: nothing slips, nothing is lost but
 * what the solver leaves, at the ends of the line or over all of it. Each of 250 steps is solved to
 * the tolerance of what it does: w dt of the energy. */
static void test_rolling_keeps_energy(void** state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, 0.02);
    def.patches = k ? CAROM_PATCHES_AREA : CAROM_PATCHES_CORNERS;
    range r = find_energies(1, &def);
    check_near(r.low, 1, 250 * TOLERANCE);
    check_near(r.high, 1, 250 * TOLERANCE);
  }
}

/* The published model slips by sigma w gamma_t at each of the line's two points, which share gamma
 * = F dt with F = k x / 3. A step loses that slip, as the mean of both its ends, times gamma;
 * averages over 5 s are right to 1/(2 w 5 s), those over a step to (w dt)²/4 of gamma and of slip.
 * The published loss, of another contact model, is 0.16 %. */
static void test_published_model(void** state) {
  (void)state;
  double dt = 0.02, sigma = 1e-3, inertia = 0.5 * MASS * 0.05 * 0.05;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  def.friction = CAROM_FRICTION_CONVEX;
  def.sigma = sigma;
  def.patches = CAROM_PATCHES_CORNERS;
  range r = find_energies(1, &def);
  double Wt = 1 / (MASS + 0.25 * dt * dt * SPRING) + 0.05 * 0.05 / inertia, Wn = 1 / MASS;
  double w = hypot(Wt, Wn) / 3, gamma = SPRING * START / 3 * dt;
  double loss = 250 * 0.5 * (2 * sigma * w * (0.5 * gamma) * (0.5 * gamma));
  loss /= 0.5 * SPRING * START * START;
  double z = dt * sqrt(SPRING / (1.5 * MASS));
  check_near(r.high, 1, TOLERANCE * 250);
  check_near(1 - r.low, loss, loss * (2 * z * z / 4 + 1.0 / 116));
  assert_true(r.high - r.low <= 0.0016);
}

/* --- Orders -------------------------------------------------------------------------------------
 */

/* Root mean square of the error in x over 5 s. */
static double rolling_error(const carom_sim_def* def) {
  simulation s = start(1, def);
  double w = sqrt(SPRING / (1.5 * MASS)), sum = 0;
  int steps = simulation_count_steps(&s, 5);
  for (int i = 1; i <= steps; i++) {
    simulation_step(&s);
    double error = s.q[0] - START * cos(w * i * def->dt);
    sum += error * error;
  }
  simulation_destroy(&s);
  return sqrt(sum / steps);
}

static void test_orders(void** state) {
  (void)state;
  check_near(2 * M_PI / sqrt(SPRING / (1.5 * MASS)), 0.54413981, 5e-9);
  check_near(START * cos(5 * sqrt(SPRING / (1.5 * MASS))), 0.0375037450, 5e-11);
  for (int i = 1; i < NUM_SCHEMES; i++) {
    convergence_def def = {.sim = simulation_def(SCHEMES[i].scheme, 0.01),
                           .halvings = SCHEMES[i].order == 1 ? 6 : 3,
                           .order = SCHEMES[i].order,
                           .name = SCHEMES[i].name};
    check_order(&def, rolling_error);
  }
}

/* Where it is after 5 s; the midpoint's phase lags by (w dt)²/12 per radian, 58 rad in all. */
static void test_place_after_five_seconds(void** state) {
  (void)state;
  double w = sqrt(SPRING / (1.5 * MASS)), dt = 1e-3;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  simulation s = start(1, &def);
  simulation_run_until(&s, 5);
  check_near(s.q[0], 0.0375037450, START * 5 * w * w * w * dt * dt / 12);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_midpoint_keeps_energy),    cmocka_unit_test(test_symplectic_swings),
      cmocka_unit_test(test_implicit_loses),           cmocka_unit_test(test_rolling_keeps_energy),
      cmocka_unit_test(test_published_model),          cmocka_unit_test(test_orders),
      cmocka_unit_test(test_place_after_five_seconds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
