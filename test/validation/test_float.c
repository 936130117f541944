/* What the convex relaxation and the regularisation of friction do to a sliding or resting block,
 * as docs/theory.md derives it: a launch where sliding begins, a float of (dt + tau_d) mu |v_t|
 * while it lasts, a creep of sigma w |gamma_t| in stick. True Coulomb friction and R_t = 0 have
 * none of them.
 *
 * The block moves along x and z only, so that one contact holds it. Its velocities are right to the
 * solver's tolerance, relative to what a step's forces do. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define G         9.81
#define MU        0.5
#define TOLERANCE 1e-6 /* of the solver: the default */

/* A ball that cannot turn, touching the ground; `contact`: attributes. */
static simulation start(const char* gravity, const char* contact, const carom_sim_def* def) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='%s'/><worldbody>"
           "<geom type='plane' size='9 9 1' friction='0.5'/><body pos='0 0 0.03'>"
           "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
           "<geom size='0.03' friction='0.5' mass='1' %s/></body></worldbody></mujoco>",
           gravity, contact);
  return simulation_create(text, def);
}

/* --- Sliding ------------------------------------------------------------------------------------
 */

/* In the first step v_n >= mu |v_t| at zero distance: gamma = m (mu v0 + g dt) / (1 + mu²) takes mu
 * gamma from v_x = (v0 - mu g dt) / (1 + mu²) and throws the block up at mu v_x, whatever dt. */
static void test_launch(void** state) {
  (void)state;
  const double steps[] = {1e-2, 2e-3, 5e-4}, v[2] = {2, 0};
  for (int k = 0; k < 3; k++) {
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, steps[k]);
    def.friction = CAROM_FRICTION_CONVEX;
    simulation s = start("0 0 -9.81", "", &def);
    simulation_set(&s, NULL, v);
    simulation_step(&s);
    double vx = (2 - MU * G * steps[k]) / (1 + MU * MU);
    check_near(s.v[0], vx, 2 * TOLERANCE);
    check_near(s.v[1], MU * vx, 2 * TOLERANCE);
    simulation_destroy(&s);
  }
}

/* Slides from rest along gravity (PULL, 0, -G) for a second, friction against it. */
#define PULL 8.0

static simulation slide(const char* contact, const carom_sim_def* def) {
  simulation s = start("8 0 -9.81", contact, def);
  simulation_run_until(&s, 1);
  check_near(s.v[0], PULL - MU * G, 0.2 * (PULL - MU * G));
  return s;
}

/* At the constant acceleration a = PULL - mu G the block rises with v_n = (dt + tau_d) mu a, so
 * that z = (dt + tau_d) mu v_t - tau_d v_n - m g / k: the compliant law, with the distance lessened
 * by the float. Also where it floats farther than
 * it moves in a step. */
static void test_float(void** state) {
  (void)state;
  const double dt[] = {1e-2, 5e-3, 2e-3};
  const struct {
    const char* contact;
    double k, tau;
  } contacts[] = {{"", INFINITY, 0},
                  {"carom:stiffness='1e5' carom:dissipation='0.004'", 1e5, 0.004},
                  {"carom:stiffness='1e4' carom:dissipation='0.004'", 1e4, 0.004},
                  {"carom:stiffness='2e4' carom:dissipation='0.01'", 2e4, 0.01},
                  {"carom:stiffness='1e6' carom:dissipation='0.001'", 1e6, 0.001},
                  {"carom:stiffness='1e5' carom:dissipation='0.03'", 1e5, 0.03}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 6; k++) {
      carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt[i]);
      def.friction = CAROM_FRICTION_CONVEX;
      simulation s = slide(contacts[k].contact, &def);
      double tau = contacts[k].tau, rise = (dt[i] + tau) * MU, sink = G / contacts[k].k;
      double z = rise * (s.v[0] - tau * (PULL - MU * G)) - sink;
      check_near(s.q[1], z, 1e-8 * G * dt[i] * dt[i] + TOLERANCE * fabs(z));
      simulation_destroy(&s);
    }
}

static void test_coulomb_keeps_height(void** state) {
  (void)state;
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-2);
  simulation s = slide("", &def);
  check_near(s.q[1], 0, TOLERANCE * G * 1e-4);
  simulation_destroy(&s);
}

/* --- Rolling ------------------------------------------------------------------------------------
 */

/* A ball on a slope of 20 degrees rolls without slip, where the relaxation is exact: both laws give
 * the same motion. Each step's velocities are off by the tolerance of what its forces do. */
static void test_rolling_is_exact(void** state) {
  (void)state;
  const double duration = 0.5, a = 20 * M_PI / 180;
  double v[2][6], z[2];
  for (int law = 0; law < 2; law++) {
    char text[512];
    snprintf(text, sizeof text,
             "<mujoco><option gravity='%.17g 0 %.17g'/><worldbody>"
             "<geom type='plane' size='9 9 1' friction='0.5'/><body pos='0 0 0.05'><freejoint/>"
             "<geom size='0.05' friction='0.5' mass='1'/></body></worldbody></mujoco>",
             G * sin(a), -G * cos(a));
    carom_sim_def def = simulation_def(CAROM_MIDPOINT, 5e-3);
    def.friction = law ? CAROM_FRICTION_CONVEX : CAROM_FRICTION_COULOMB;
    simulation s = simulation_create(text, &def);
    simulation_run_until(&s, duration);
    for (int i = 0; i < 6; i++) v[law][i] = s.v[i];
    z[law] = s.q[2];
    simulation_destroy(&s);
  }
  assert_true(v[0][0] > 1);
  for (int i = 0; i < 3; i++) {
    check_near(v[1][i], v[0][i], TOLERANCE * G * duration);
    check_near(v[1][3 + i], v[0][3 + i], TOLERANCE * G * duration / 0.05);
  }
  check_near(z[1], z[0], TOLERANCE * G * duration * duration);
}

/* --- Sticking -----------------------------------------------------------------------------------
 */

/* On a slope of 20 degrees with R_t = sigma w the block creeps at v = R_t gamma_t = sigma w m g sin
 * a dt; W = diag(1, 0, 1) / m in its two directions, w = sqrt(2) / (3 m). */
static void test_creep(void** state) {
  (void)state;
  for (int law = 0; law < 2; law++)
    for (double sigma = 0; sigma < 2e-3; sigma += 1e-3) {
      char gravity[100];
      double a = 20 * M_PI / 180, dt = 5e-3;
      snprintf(gravity, sizeof gravity, "%.17g 0 %.17g", G * sin(a), -G * cos(a));
      carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
      def.friction = law ? CAROM_FRICTION_CONVEX : CAROM_FRICTION_COULOMB;
      def.sigma = sigma;
      simulation s = start(gravity, "", &def);
      simulation_run_until(&s, 0.5);
      check_near(s.v[0], sigma * sqrt(2) / 3 * G * sin(a) * dt, TOLERANCE * G * dt);
      simulation_destroy(&s);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_launch), cmocka_unit_test(test_float),
                                     cmocka_unit_test(test_coulomb_keeps_height),
                                     cmocka_unit_test(test_rolling_is_exact),
                                     cmocka_unit_test(test_creep)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
