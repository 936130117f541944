/* Bodies whose inside has a pressure (carom:modulus), against closed forms; g = 9.81 m/s².
 *
 * A box at rest on what is rigid: the pressure E d / H over its face A bears m g. A ball of the
 * radius R presses with F(d) = 2π E (R²/6 - c²/2 + c³ / 3R), c = R - d (test/geom/test_field.c), of
 * which the energy of a bounce is ∫ F dd; friction brakes a spin by μ m g <r>, with <r> the mean
 * distance under the pressure: 2 R / 3 of a disc, 0.3826 a of a square. */
#include "support/limit_surface.h"
#include "support/runge_kutta.h"
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define G     9.81
#define PI    3.14159265358979323846
#define MU    0.5
#define E     1e6
#define SOFT  "carom:modulus='1e6' "
#define PLANE "<geom type='plane' size='9 9 1'/>"
#define GIVES "<geom type='plane' size='9 9 1' carom:modulus='1e6' carom:layer='0.05'/>"
#define TABLE "<geom type='box' size='1 1 0.1' pos='0 0 -0.1' carom:modulus='3e6'/>"
#define PRISM                                                                           \
  "<mesh name='cube' vertex='.1 .1 .1 -.1 .1 .1 -.1 -.1 .1 .1 -.1 .1 .1 .1 -.1 -.1 .1 " \
  "-.1 -.1 -.1 -.1 .1 -.1 -.1'/>"

static simulation start(const char* ground, const char* geom, double height,
                        const carom_sim_def* def) {
  char text[2048];
  snprintf(text, sizeof text,
           "<mujoco xmlns:carom='urn:carom'><option gravity='0 0 -9.81'/><compiler angle='degree'/>"
           "<default><geom friction='0.5'/></default><asset>" PRISM "</asset><worldbody>%s"
           "<body pos='0 0 %.17g'><freejoint/><geom %s/></body></worldbody></mujoco>",
           ground, height, geom);
  return simulation_create(text, def);
}

/* The depth at which a body rests. */
static double settle(const char* ground, const char* geom, double height) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
  def.sleep_share = 0;
  simulation s = start(ground, geom, height, &def);
  simulation_run_until(&s, 2);
  double depth = height - s.q[2];
  check_near(hypot(s.q[0], s.q[1]), 0, 1e-6);
  check_near(fabs(s.v[2]), 0, 1e-7);
  simulation_destroy(&s);
  return depth;
}

/* m g = A / (H1/E1 + H2/E2) d, less the rim of the size of d. */
static void test_rest(void** state) {
  (void)state;
  const double load = 10 * G / 0.04;
  double d = settle(PLANE, "type='box' size='0.1 0.1 0.1' mass='10' " SOFT, 0.1);
  check_near(d / (load * 0.1 / E), 1, 0.04 * d / 1e-3);
  d = settle(PLANE, "type='mesh' mesh='cube' mass='10' " SOFT, 0.1);
  check_near(d / (load * 0.1 / E), 1, 0.04 * d / 1e-3);
  d = settle(PLANE, "type='box' size='0.1 0.1 0.1' mass='10' carom:layer='0.02' " SOFT, 0.1);
  check_near(d / (load * 0.02 / E), 1, 0.04 * d / 1e-3);
  d = settle(GIVES, "type='box' size='0.1 0.1 0.1' mass='10'", 0.1);
  check_near(d / (load * 0.05 / E), 1, 1e-6);
  d = settle(TABLE, "type='box' size='0.1 0.1 0.1' mass='10' " SOFT, 0.1);
  check_near(d / (load * (0.1 / E + 0.1 / 3e6)), 1, 0.04 * d / 1e-3);
}

/* F(d) = m g of a ball, by Newton's method on the closed form. */
static void test_ball(void** state) {
  (void)state;
  const double R = 0.1, weight = 5 * G;
  double d = 1e-3;
  for (int i = 0; i < 50; i++) {
    double c = R - d, F = 2 * PI * E * (R * R / 6 - c * c / 2 + c * c * c / (3 * R));
    d -= (F - weight) / (2 * PI * E * (c - c * c / R));
  }
  double found = settle(PLANE, "type='sphere' size='0.1' mass='5' " SOFT, R);
  check_near(found / d, 1, 1e-6);
}

/* How fast a spin slows, over the closed form. */
static double measure_spin(const char* ground, const char* geom, double height, double square,
                           double mean) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
  carom_step_report report;
  simulation s = start(ground, geom, height, &def);
  simulation_run_until(&s, 1);
  const double v[6] = {0, 0, 0, 0, 0, 20};
  simulation_set(&s, NULL, v);
  for (int i = 0; i < 5; i++) simulation_step(&s);
  double before = s.v[5];
  for (int i = 0; i < 50; i++) simulation_step(&s);
  double rate = (before - s.v[5]) / 0.05;
  report = s.report;
  assert_int_equal(report.contacts, 14);
  check_near(report.patch_error, 0.02, 1e-12);
  simulation_destroy(&s);
  return rate / (MU * G * mean / square);
}

static void test_spin(void** state) {
  (void)state;
  static const char* const grounds[] = {PLANE, TABLE};
  static const char DISC[] = "type='cylinder' size='0.1 0.02' mass='1' " SOFT;
  static const char SQUARE[] = "type='box' size='0.1 0.1 0.02' mass='1' " SOFT;
  static const char BALL[] = "type='sphere' size='0.1' mass='5' " SOFT;
  static const char ROD[] = "type='cylinder' size='0.005 0.1' euler='0 90 0' mass='1' " SOFT;
  for (int i = 0; i < 2; i++) {
    double disc = measure_spin(grounds[i], DISC, 0.02, 0.005, 0.2 / 3);
    double square = measure_spin(grounds[i], SQUARE, 0.02, 0.02 / 3, 0.2 * 0.3825978);
    print_message("disc %.5f, square %.5f of the closed form\n", disc, square);
    check_near(disc, 1, 2e-3);
    check_near(square, 1, 2e-3);
  }
  /* Of a ball 8/15 of its patch's radius, small beside it: sqrt(0.01 - c²) at its depth d. */
  double d = 0.1 - settle(PLANE, BALL, 0.1), a = sqrt(0.01 - d * d);
  check_near(measure_spin(PLANE, BALL, 0.1, 0.4 * 0.01, 8.0 / 15 * a), 1, 0.02);
  /* A sliver: a rod on its side, a line of 0.2 m in the limit. */
  double rod = measure_spin(PLANE, ROD, 0.005, 0.005 * 0.005 / 4 + 0.01 / 3, 0.05);
  print_message("rod on its side: %.5f\n", rod);
  check_near(rod, 1, 2e-3);
}

/* m x'' = F(d) (1 + h d') - m g, of a ball of 1 kg. */
static void press(const void* context, const double* x, double* rate) {
  double h = *(const double*)context, R = 0.1, c = R - fmax(x[0], 0);
  double F = 2 * PI * E * (R * R / 6 - c * c / 2 + c * c * c / (3 * R));
  rate[0] = x[1], rate[1] = G - F * fmax(1 + h * x[1], 0);
}

/* How fast a ball that comes at v leaves. */
static double bounce(double v, double h) {
  double x[2] = {0, v};
  while (x[0] >= 0) runge_kutta(press, &h, 2, 1e-6, 1, x);
  return -x[1];
}

static double simulate_bounce(double h, double dt) {
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, dt);
  def.contact = CAROM_CONTACT_SCHEME, def.sleep_share = 0;
  char geom[128];
  snprintf(geom, sizeof geom, "type='sphere' size='0.1' mass='1' carom:hunt_crossley='%g' %s", h,
           SOFT "carom:dissipation='0'");
  simulation s = start(PLANE, geom, 0.1 + 1e-9, &def);
  const double v[6] = {0, 0, -1, 0, 0, 0};
  simulation_set(&s, NULL, v);
  simulation_step(&s);
  while (s.q[2] < 0.1) simulation_step(&s);
  double speed = sqrt(s.v[2] * s.v[2] + 2 * G * (s.q[2] - 0.1));
  simulation_destroy(&s);
  return speed;
}

static void test_hunt_crossley(void** state) {
  (void)state;
  static const double slopes[] = {0, 0.2, 0.5};
  for (int i = 0; i < 3; i++) {
    double exact = bounce(1, slopes[i]);
    double coarse = simulate_bounce(slopes[i], 2e-4), fine = simulate_bounce(slopes[i], 5e-5);
    print_message("%g s/m: leaves at %.5f, %.5f at 0.2 ms, %.5f at 0.05 ms\n", slopes[i], exact,
                  coarse, fine);
    check_near(coarse, exact, 2e-4);
    check_near(fine, exact, 2e-4);
  }
}

/* How far a plate of 0.2 kg turns in 0.3 s that two square pads hold `lever` beside its middle,
 * each with a force N. */
static double pivot(const char* pad, carom_patches patches, double lever, double N) {
  char text[2048];
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
  def.patches = patches, def.sleep_share = 0;
  snprintf(
      text, sizeof text,
      "<mujoco xmlns:carom='urn:carom'><option gravity='0 0 -9.81'/><default><geom "
      "friction='0.5'/></default><worldbody><body name='left' pos='0 -0.015 0'><joint "
      "type='slide' axis='0 1 0'/><geom type='box' size='0.02 0.01 0.02' mass='0.1' %s/></body>"
      "<body name='right' pos='0 0.015 0'><joint type='slide' axis='0 1 0'/><geom type='box' "
      "size='0.02 0.01 0.02' mass='0.1' %s/></body><body name='plate' pos='%.17g 0 0'>"
      "<freejoint/><geom type='box' size='0.5 0.005 0.05' mass='0.2'/></body></worldbody>"
      "</mujoco>",
      pad, pad, lever);
  simulation s = simulation_create(text, &def);
  for (int k = 0; k < 2; k++) {
    const double force[3] = {0, k ? -N : N, 0}, zero[3] = {0};
    carom_error error;
    int body = simulation_find_body(&s, k ? "right" : "left");
    check_ok(carom_sim_set_wrench(s.sim, body, force, zero, &error), &error);
  }
  simulation_run_until(&s, 0.3);
  int q = 2; /* after the pads' slides: place, then quaternion */
  double turned = 2 * fabs(s.q[q + 5]);
  simulation_destroy(&s);
  return turned;
}

/* A gripper lets a plate pivot where its weight and the moment of that leave the limit surface of
 * both pads: from M / F = lever follows the point about which it turns, and m g = 2 mu N F(d). */
static void test_gripper(void** state) {
  (void)state;
  const double weight = 0.2 * G;
  for (int k = 0; k < 2; k++)
    for (double d = 0.001; d < 0.04; d *= 3) {
      double F, M, margin = k ? 0.03 : 0.02;
      limit_surface_of_square(0.02, d, &F, &M);
      double N = weight / (2 * MU * F);
      const char* pad = k ? "carom:stiffness='1e5'" : "carom:modulus='1e6'";
      carom_patches patches = k ? CAROM_PATCHES_AREA : CAROM_PATCHES_CORNERS;
      double held = pivot(pad, patches, M / F, N * (1 + margin));
      double lost = pivot(pad, patches, M / F, N * (1 - margin));
      print_message("lever %.4f m: turns by %.2g rad above the limit, %.2g below\n", M / F, held,
                    lost);
      assert_true(held < 1e-4 && lost > 300 * held);
    }
}

/* Faster than what it can give way takes up, a ball is stopped all the same: it lands rigidly once
 * it is pressed in up to its middle, and does not go through the ground. */
static void test_bottom(void** state) {
  (void)state;
  static const double speeds[] = {3, 30, 300};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) {
      carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
      simulation s = start(k ? TABLE : PLANE,
                           "type='sphere' size='0.1' mass='4' carom:modulus='1e5'", 1, &def);
      const double v[6] = {0, 0, -speeds[i], 0, 0, 0};
      simulation_set(&s, NULL, v);
      for (int n = 0; n < 3000; n++) simulation_step(&s);
      print_message("%g m/s: ends %.4f m high\n", speeds[i], s.q[2]);
      assert_true(s.q[2] > 0.05);
      simulation_destroy(&s);
    }
}

/* What tumbles about on soft and rigid ground gains no energy but by recovery's trifle. */
static void test_energy(void** state) {
  (void)state;
  static const char* const geoms[] = {
      "type='box' size='0.1 0.06 0.04' ", "type='capsule' size='0.05 0.1' ",
      "type='cylinder' size='0.08 0.05' ", "type='mesh' mesh='cube' ",
      "type='ellipsoid' size='0.1 0.07 0.05' "};
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 2; k++) {
      char geom[160];
      snprintf(geom, sizeof geom, "%s mass='2' %s", geoms[i], k ? "" : SOFT);
      carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
      simulation s = start(k ? GIVES : PLANE, geom, 0.3, &def);
      const double v[6] = {1, 0.3, 0, 3, 5, 2};
      simulation_set(&s, NULL, v);
      double before = simulation_compute_energy(&s);
      double first = before;
      int steps = check_repeats(3000);
      for (int n = 0; n < steps; n++) {
        simulation_step(&s);
        double now = simulation_compute_energy(&s);
        assert_true(now < before + 1e-3 * first);
        before = now;
      }
      assert_true(steps < 3000 || before < 0.5 * first); /* it takes all of them to come down */
      simulation_destroy(&s);
    }
}

/* A box of 2 kg falls on a plane and a smaller one on it: in no step energy is gained but
 * recovery's trifle, and in all of them together next to none. CAROM_FIELD_STEPS is how many,
 * 10,000 if it is not given (docs/notes tells of a million). */
static void test_long_rest(void** state) {
  (void)state;
  static const char TEXT[] =
      "<mujoco xmlns:carom='urn:carom'><option gravity='0 0 -9.81'/><default><geom friction='0.5' "
      "carom:modulus='1e6'/></default><worldbody><geom type='plane' size='9 9 1' "
      "carom:modulus='inf'/><body pos='0 0 0.25' euler='5 3 10'><freejoint/><geom type='box' "
      "size='0.1 0.1 0.1' mass='2'/></body><body pos='0.02 0.01 0.45'><freejoint/><geom type='box' "
      "size='0.05 0.08 0.04' mass='1'/></body></worldbody></mujoco>";
  const char* wanted = getenv("CAROM_FIELD_STEPS");
  int steps = wanted ? atoi(wanted) : check_repeats(10000);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 1e-3);
  def.sleep_share = 0;
  simulation s = simulation_create(TEXT, &def);
  double first = simulation_compute_energy(&s), before = first, gained = 0, most = 0;
  for (int i = 0; i < steps; i++) {
    simulation_step(&s);
    double now = simulation_compute_energy(&s);
    gained += fmax(now - before, 0), most = fmax(most, now - before);
    before = now;
  }
  print_message("%d steps: gains of %.3g mJ at most, %.3g mJ in sum, of %.3g J\n", steps,
                1e3 * most, 1e3 * gained, first);
  assert_true(most < 1e-3 * first);
  assert_true(gained < 1e-2 * first);
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest),    cmocka_unit_test(test_ball),
      cmocka_unit_test(test_spin),    cmocka_unit_test(test_hunt_crossley),
      cmocka_unit_test(test_gripper), cmocka_unit_test(test_bottom),
      cmocka_unit_test(test_energy),  cmocka_unit_test(test_long_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
