/* Bodies at rest on compliant contacts sink by load / k: every pair of shapes, however many points
 * its patch has; springs of both geometries in series; a box of 1 kg under ten tonnes.
 *
 * A body at rest is in balance with the forces of its contacts, to the solver's tolerance, so that
 * the sink is right to that tolerance whatever scheme and dt. */
#include "support/simulation.h"

#include <math.h>
#include <stdio.h>

#define G 9.81

/* The solver's tolerance, with room for the tolerance of the step before, from which it starts. */
#define BALANCE (2 * 1e-6)

/* --- Every pair of shapes -----------------------------------------------------------------------
 */

typedef struct shape {
  const char* geom;
  double half_height;
} shape;

static const shape SHAPES[] = {
    {"type='plane' size='1 1 1'", 0},
    {"type='sphere' size='0.1'", 0.1},
    {"type='capsule' size='0.05 0.1'", 0.15},
    {"type='capsule' size='0.05 0.1' euler='0 90 0'", 0.05},
    {"type='cylinder' size='0.1 0.05'", 0.05},
    {"type='cylinder' size='0.05 0.1' euler='0 90 0'", 0.05},
    {"type='cylinder' size='0.06 0.1' euler='90 0 0'", 0.06},
    {"type='box' size='0.1 0.08 0.05'", 0.05},
    {"type='box' size='0.07 0.12 0.05' euler='0 0 30'", 0.05},
};
enum { NUM_SHAPES = sizeof SHAPES / sizeof SHAPES[0] };

/* 1 kg on a vertical slide, touching what is below it; 1e5 and 3e5 N/m in series. */
static void check_pair(const shape* lower, const shape* upper) {
  const double k1 = 1e5, k2 = 3e5, tau1 = 0.02, tau2 = 0.04;
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom %s carom:stiffness='%g' carom:dissipation='%g'/>"
           "<body pos='0 0 %.12g'><joint type='slide' axis='0 0 1'/>"
           "<geom %s mass='1' carom:stiffness='%g' carom:dissipation='%g'/></body>"
           "</worldbody></mujoco>",
           lower->geom, k1, tau1, lower->half_height + upper->half_height, upper->geom, k2, tau2);
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 5e-3);
  simulation s = simulation_create(text, &def);
  double sink = G * (k1 + k2) / (k1 * k2);
  simulation_run_until(&s, 1);
  if (fabs(s.q[0] + sink) > BALANCE * sink)
    fail_msg("%s on %s sinks by %.9g, not %.9g", upper->geom, lower->geom, -s.q[0], sink);
  simulation_destroy(&s);
}

static void test_every_pair(void** state) {
  (void)state;
  for (int lower = 0; lower < NUM_SHAPES; lower++)
    for (int upper = 1; upper < NUM_SHAPES; upper++) check_pair(&SHAPES[lower], &SHAPES[upper]);
}

/* Every scheme and timing, with a free ball and a free box. */
static void check_free(const char* geom, const carom_sim_def* def) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.05'><freejoint/>"
           "<geom %s mass='2' carom:stiffness='1e4' carom:dissipation='0.05'/></body>"
           "</worldbody></mujoco>",
           geom);
  simulation s = simulation_create(text, def);
  simulation_run_until(&s, 2);
  check_near(0.05 - s.q[2], 2 * G / 1e4, BALANCE * 2 * G / 1e4);
  simulation_destroy(&s);
}

static void test_every_scheme(void** state) {
  (void)state;
  for (int i = 0; i < NUM_SCHEMES; i++)
    for (int timing = 0; timing < 2; timing++) {
      carom_sim_def def = simulation_def(SCHEMES[i].scheme, 2e-3);
      def.contact = (carom_contact_timing)timing;
      check_free("type='sphere' size='0.05'", &def);
      check_free("type='box' size='0.05 0.05 0.05'", &def);
    }
}

/* --- Ten tonnes ---------------------------------------------------------------------------------
 */

/* 1 kg under 10 t, mass ratio 1e4: at rest after 3 s, and each interface gives way by its own
 * load over 1e7 N/m. Published regularisations of friction and stiffness sink by 85 mm here.
 *
 * The large box swings on both springs in series, w = sqrt(5e6/1e4) = 22.4 1/s with the damping
 * ratio tau w/2 = 0.11: after 3 s exp(-7.5) = 5.5e-4 is left of that. */
static void test_ten_tonnes(void** state) {
  (void)state;
  static const char scene[] =
      "<mujoco><default><geom type='box' friction='0.5' carom:dissipation='0.01'/></default>"
      "<worldbody><geom type='plane' size='9 9 1' carom:stiffness='1e7' carom:dissipation='0.01'/>"
      "<body name='small' pos='0 0 0.05'><freejoint name='small'/>"
      "<geom size='0.05 0.05 0.05' mass='1' carom:stiffness='inf'/></body>"
      "<body name='large' pos='0 0 0.6'><freejoint name='large'/>"
      "<geom size='0.5 0.5 0.5' mass='1e4' carom:stiffness='1e7'/></body>"
      "</worldbody></mujoco>";
  carom_sim_def def = simulation_def(CAROM_MIDPOINT, 5e-3);
  simulation s = simulation_create(scene, &def);
  const double* small = s.q + simulation_find_q(&s, "small");
  const double* large = s.q + simulation_find_q(&s, "large");
  simulation_run_until(&s, 3);
  double lower = (1e4 + 1) * G / 1e7, upper = 1e4 * G / 1e7;
  check_near(0.05 - small[2], lower, 1e-3 * lower);
  check_near(0.55 - (large[2] - small[2]), upper, 1e-3 * upper);
  double rate = sqrt(5e6 / 1e4), left = exp(-0.5 * 0.01 * rate * rate * 3);
  for (int i = 0; i < 12; i++)
    check_near(s.v[i], 0, i % 6 == 2 ? left * rate * (lower + upper) : 1e-6);
  for (int i = 0; i < 2; i++) {
    check_near(small[i], 0, 1e-6);
    check_near(large[i], 0, 1e-6);
  }
  simulation_destroy(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_pair),
      cmocka_unit_test(test_every_scheme),
      cmocka_unit_test(test_ten_tonnes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
